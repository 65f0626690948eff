"""Writing of glTF files with additional clips. The result is a copy of a glTF file as one binary file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.gltf import meshopt_views
from ecs_anim.gltf.container import read_container
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError
from ecs_anim.gltf.load import parse
from ecs_anim.gltf.nodes import read_nodes
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import MissingFile
from ecs_anim.support.gltf_content import Content
from ecs_anim.support.ktx2 import IDENTIFIER

# Picture types by first bytes.
PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", IDENTIFIER: "image/ktx2"}


def with_clips(model: Path, clips: Sequence[Clip]) -> bytes:
    """Return the bytes of a .glb file: a copy of the file `model` with the additional clips `clips`.

    `model` can be a .gltf, .glb or .vrm file. The clips must animate the skeleton of this file. The copy contains all
    buffers and images. All other data are copied without a change. The function omits the morph weights in `clips`.
    Raises InputError for any error in the file. Also raises InputError if the file already contains a clip with the
    name of an additional clip.
    """
    try:
        raw, blob = read_container(model)
        document = Document(model, parse(raw), blob)
        content = _Lent(raw, document)
        content.join_buffers()
        nodes = np.argsort(read_nodes(document).joint_of_node)
        for clip in clips:
            content.add(clip, nodes)
        return content.glb()
    except FormatError as error:
        raise InputError(f"{model}: {error}") from None


class _Lent(Content):
    """Copy of a glTF document to which clips are added."""

    def __init__(self, raw: dict[str, Any], document: Document) -> None:
        super().__init__(raw)
        self._document = document

    def join_buffers(self) -> None:
        """Join all buffers into one buffer.

        The method also decompresses compressed buffer views and embeds external images.
        """
        starts: dict[int, int] = {}
        for index, view in enumerate(self.raw.get("bufferViews", [])):
            if any(name in view.get("extensions", {}) for name in meshopt_views.NAMES):
                self._decompress(index, view)
                continue
            number = view["buffer"]
            if number not in starts:
                starts[number] = self.append(bytes(self._document.buffer(number, f"buffers[{number}]")))
            view["byteOffset"] = view.get("byteOffset", 0) + starts[number]
            view["buffer"] = 0
        self._leave_out(meshopt_views.NAMES)
        for index, image in enumerate(self.raw.get("images", [])):
            if "uri" in image:
                self._embed(image, f"images[{index}].uri")

    def _decompress(self, index: int, view: dict[str, Any]) -> None:
        data = bytes(self._document.view(index, f"bufferViews[{index}]"))
        view |= {"buffer": 0, "byteOffset": self.append(data), "byteLength": len(data)}
        view["extensions"] = {key: own for key, own in view["extensions"].items() if key not in meshopt_views.NAMES}

    def _leave_out(self, extensions: Sequence[str]) -> None:
        for key in ("extensionsUsed", "extensionsRequired"):
            names = [name for name in self.raw.pop(key, []) if name not in extensions]
            if names:
                self.raw[key] = names

    def _embed(self, image: dict[str, Any], where: str) -> None:
        """Embed an image file.

        The image stays external if its file is missing, or if its file type is not a glTF image type.
        """
        try:
            data = self._document.picture_bytes(image["uri"], where)
        except MissingFile:
            return
        kind = next((kind for start, kind in PICTURES.items() if data.startswith(start)), None)
        if kind is not None:
            del image["uri"]
            image |= {"bufferView": self.view(data), "mimeType": kind}

    def add(self, clip: Clip, nodes: NDArray[np.intp]) -> None:
        """Add `clip` to the document as an animation. `nodes` contains the node index of each joint."""
        animations = self.raw.setdefault("animations", [])
        if any(animation.get("name") == clip.name for animation in animations):
            raise FormatError(
                "animations", f"two clips have the name {clip.name!r}. Rename or omit one of the two clips."
            )
        inputs: dict[bytes, int] = {}
        channels: list[dict[str, Any]] = []
        samplers: list[dict[str, Any]] = []
        for track in clip.tracks:
            key = track.times.tobytes()
            if key not in inputs:
                inputs[key] = self.accessor(track.times[:, None], bounds=True)
            output = self.accessor(track.values.reshape(-1, track.values.shape[-1]))
            target = {"node": int(nodes[track.joint_index]), "path": track.path}
            channels.append({"sampler": len(samplers), "target": target})
            samplers.append({"input": inputs[key], "output": output, "interpolation": track.interpolation})
        extras = {"extras": dict(clip.extras)} if clip.extras else {}
        animations.append({"name": clip.name, "channels": channels, "samplers": samplers, **extras})

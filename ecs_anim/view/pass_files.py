"""Files of label passes: a PNG file or a folder of PNG files.

A JSON file beside each PNG file describes the pixel encoding.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import (
    FrameSink,
    StillFile,
    StillFolder,
    complete_file,
    png_bytes,
    require_output,
    require_pictures,
    require_writable,
)
from ecs_anim.view.capture import SeenActors
from ecs_anim.view.flow_file import flo_bytes
from ecs_anim.view.label_passes import LabelPass
from ecs_anim.view.lidar import lidar_bytes

ENCODERS: dict[str, Callable[[Any], bytes]] = {
    ".png": png_bytes,
    ".flo": flo_bytes,
    ".npz": lidar_bytes,
}  # encoders by file ending


class PassFiles:
    """Writer that saves the images of one label pass. Raises InputError if the path names a lossy file format."""

    def __init__(self, path: Path, kind: LabelPass, frames: int = 1) -> None:
        self._kind = kind
        require_pass_output(path, kind)
        require_pictures(path, frames)
        encode = ENCODERS[kind.ending]
        self._sink: FrameSink = StillFile(path, encode) if path.suffix else StillFolder(path, encode, kind.ending)

    @property
    def every_frame(self) -> bool:
        """Return whether the writer saves all frames of a film.

        If the result is False, the writer saves only the last frame.
        """
        return self._sink.every_frame

    def write(self, image: NDArray[Any], facts: Mapping[str, Any]) -> None:
        """Write one film frame: a PNG file, and a JSON file with `facts` and the pixel encoding.

        For the depth pass, also write the exact depths to an .npy file.
        """
        path = self._sink.write(self._kind.encode(image))
        if self._kind.keeps_floats and self._kind.ending == ".png":
            with complete_file(path.with_suffix(".npy")) as file:
                np.save(file, image)
        height, width = image.shape[:2]
        told = {"pass": self._kind.name, "code": self._kind.code, "width": width, "height": height, **facts}
        with complete_file(path.with_suffix(".json")) as file:
            file.write((json.dumps(told) + "\n").encode())

    def __enter__(self) -> Self:
        self._sink.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sink.__exit__(kind, error, trace)


def require_pass_output(path: Path, kind: LabelPass) -> None:
    """Raise InputError if `path` is not a valid output for a label pass.

    Valid outputs are lossless picture files and folders.
    """
    if path.suffix.lower() not in (kind.ending, ""):
        problem = f"the pass {kind.name} must be written to {kind.ending} files"
        if kind.ending == ".png":
            problem = "label passes must be written to PNG files, because other picture files do not keep exact numbers"
        raise InputError(f"{path}: {problem}. Name a {kind.ending} file or a folder.")
    if path.suffix:
        require_writable(path)
    else:
        require_output(path)


def pass_paths(path: Path, kinds: Sequence[LabelPass]) -> dict[LabelPass, Path]:
    """Return the output path for each label pass in `kinds`.

    If `kinds` contains only one pass, its path is `path`. If `kinds` contains several passes, each pass gets a
    different path. For a file `path`, the function appends the pass name to the file name, for example x_ids.png for
    x.png. For a folder `path`, each pass gets a subfolder.
    """
    if len(kinds) == 1:
        return {kinds[0]: path}
    if not path.suffix:
        return {kind: path / kind.name for kind in kinds}
    endings = {kind: path.suffix if kind.ending == ".png" else kind.ending for kind in kinds}
    return {kind: path.with_name(f"{path.stem}_{kind.name}{ending}") for kind, ending in endings.items()}


def visible_actors(ids: NDArray[np.uint32]) -> list[dict[str, Any]]:
    """Return the pixel count and the box (left, top, width, height) of each actor in an id picture.

    The id 0 means no actor.
    """
    seen = SeenActors.of(ids)
    columns = zip(seen.ids.tolist(), seen.areas.tolist(), seen.boxes.tolist(), strict=True)
    return [{"id": one, "area": area, "box": box} for one, area, box in columns]

"""Conversion of an FBX scene to binary glTF, in the child process.

ufbx evaluates pivots, pre- and post-rotations, units, axes and the inheritance of scales. The result has metres, +Y up,
and plain translations, rotations and scales for each node.
"""

import re
from pathlib import PureWindowsPath
from typing import Any
from urllib.parse import quote

import numpy as np
import ufbx

from ecs_anim.fbx.kept import kept
from ecs_anim.fbx.shapes import add_mesh
from ecs_anim.support.gltf_content import Content

OPTIONS: dict[str, Any] = {
    "target_axes": ufbx.axes_right_handed_y_up,
    "handedness_conversion_axis": ufbx.MirrorAxis.Z,  # without it, left-handed files would be upside down
    "target_unit_meters": 1.0,
    "space_conversion": ufbx.SpaceConversion.MODIFY_GEOMETRY,
    "geometry_transform_handling": ufbx.GeometryTransformHandling.MODIFY_GEOMETRY,
    "inherit_mode_handling": ufbx.InheritModeHandling.COMPENSATE,
    "generate_missing_normals": True,
    "clean_skin_weights": True,
    "load_external_files": False,
    "node_depth_limit": 1_000,
}
RATE = 30.0  # [Hz], key rate of converted curves
# Names that exporters give to every motion; such a clip gets the name of its file.
UNNAMED = re.compile(r"(?i)(.*\|)?(mixamo\.com|(unreal )?take[ _]*\d*|anim(ation)?[ _]?stack[ _]*\d*|layer0|)")
PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}  # types by first bytes
PATHS = (("translation_keys", "translation"), ("rotation_keys", "rotation"), ("scale_keys", "scale"))


def converted(data: bytes, name: str) -> bytes:
    """Return the bytes of a .glb file with the content of the FBX file `data`. `name` is the name of the file."""
    scene = kept(ufbx.load_memory(data, **OPTIONS))
    content = Content({"asset": {"version": "2.0", "generator": "ecs-anim, ufbx"}, "scene": 0})
    nodes = [node for node in scene.nodes if not node.is_root]
    if not nodes:
        raise ValueError("it contains no nodes")
    numbers = {node.typed_id: number for number, node in enumerate(nodes)}
    for node in nodes:
        content.item("nodes", _placed(node))
    for number, node in enumerate(nodes):
        parent = node.parent
        if parent is not None and parent.typed_id in numbers:
            content.raw["nodes"][numbers[parent.typed_id]].setdefault("children", []).append(number)
    roots = [number for number, node in enumerate(nodes) if node.parent is None or node.parent.is_root]
    content.raw["scenes"] = [{"nodes": roots}]
    materials = [_add_material(content, material) for material in scene.materials]
    for number, node in enumerate(nodes):
        if node.mesh is not None:
            add_mesh(content, number, node, numbers, materials)
    for stack in scene.anim_stacks:
        _add_clip(content, scene, stack, name, numbers)
    return content.glb()


def _placed(node: Any) -> dict[str, Any]:
    own = node.local_transform
    return {
        "name": node.name,
        "translation": list(own.translation),
        "rotation": list(own.rotation),
        "scale": list(own.scale),
    }


def _add_material(content: Content, material: Any) -> int:
    maps = material.pbr.base_color if material.pbr.base_color.has_value else material.fbx.diffuse_color
    color = [min(max(own, 0.0), 1.0) for own in list(maps.value_vec4)[:3]] if maps.has_value else [1.0] * 3
    surface: dict[str, Any] = {"baseColorFactor": [*color, 1.0], "metallicFactor": 0.0}
    found = {"name": material.name, "pbrMetallicRoughness": surface}
    texture = maps.texture
    image = None if texture is None else _image(content, texture)
    if image is not None:
        number = content.item("textures", {"source": content.item("images", image)})
        surface |= {"baseColorTexture": {"index": number}, "baseColorFactor": [1.0] * 4}
    if material.features.double_sided.enabled:
        found["doubleSided"] = True
    return content.item("materials", found)


def _image(content: Content, texture: Any) -> dict[str, Any] | None:
    """Return a glTF image: an embedded picture, or the name of a file in the folder of the model."""
    data = texture.content or (b"" if texture.video is None else texture.video.content)
    kind = next((kind for start, kind in PICTURES.items() if data.startswith(start)), None)
    if kind is not None:
        return {"bufferView": content.view(data), "mimeType": kind}
    name = PureWindowsPath(texture.relative_filename or texture.filename or texture.absolute_filename).name
    return {"uri": quote(name)} if name.lower().endswith((".png", ".jpg", ".jpeg", ".webp")) else None


def _add_clip(content: Content, scene: Any, stack: Any, name: str, numbers: dict[int, int]) -> None:
    """Add the animation of a stack. A stack without moving nodes and weights gives no animation."""
    anim = stack.anim
    baked = kept(ufbx.bake_anim(scene.own, anim.own, resample_rate=RATE, trim_start_time=True))
    clip = _Clip(content)
    for node in baked.nodes:
        if node.typed_id in numbers:
            for keys, path in PATHS:
                clip.add(numbers[node.typed_id], path, getattr(node, keys))
    begin = baked.key_time_min
    for number, channels in _weighted(scene, numbers):
        times = np.arange(int(baked.playback_duration * RATE) + 1) / RATE
        rows = [
            [ufbx.evaluate_blend_weight(anim.own, own.own, begin + time) for own in channels] for time in times.tolist()
        ]
        clip.put(number, "weights", times, np.array(rows).reshape(-1, 1), moves=bool(np.ptp(rows, axis=0).any()))
    if clip.moves:
        taken = {own["name"] for own in content.raw.get("animations", [])}
        title = name if UNNAMED.fullmatch(stack.name) else stack.name
        title = title if title not in taken else f"{title}_{len(taken) + 1}"
        content.item("animations", {"name": title, "channels": clip.channels, "samplers": clip.samplers})


def _weighted(scene: Any, numbers: dict[int, int]) -> list[tuple[int, list[Any]]]:
    """Return the nodes with morph targets, and the blend channels of each node."""
    found = []
    for node in scene.nodes:
        if node.typed_id in numbers and node.mesh is not None:
            channels = [
                own for one in node.mesh.blend_deformers for own in one.channels if own.target_shape is not None
            ]
            found += [(numbers[node.typed_id], channels)] if channels else []
    return found


class _Clip:
    """The channels and samplers of a glTF animation."""

    def __init__(self, content: Content) -> None:
        self._content, self._inputs = content, dict[bytes, int]()
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.moves = False

    def add(self, node: int, path: str, keys: Any) -> None:
        """Add the baked keys of a node."""
        found = [(key.time, *key.value) for key in keys]
        if found:
            table = np.array(found)
            self.put(node, path, table[:, 0], table[:, 1:], moves=len(table) > 1)

    def put(self, node: int, path: str, times: Any, values: Any, *, moves: bool) -> None:
        times = np.maximum.accumulate(times.astype(np.float32))
        key = times.tobytes()
        if key not in self._inputs:
            self._inputs[key] = self._content.accessor(times[:, None], bounds=True)
        sampler = {"input": self._inputs[key], "output": self._content.accessor(values), "interpolation": "LINEAR"}
        self.channels.append({"sampler": len(self.samplers), "target": {"node": node, "path": path}})
        self.samplers.append(sampler)
        self.moves |= moves

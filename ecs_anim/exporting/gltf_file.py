"""Export to binary glTF 2.0. Each actor is a skinned node with one animation key per frame."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import SET, Material, Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.exporting.actors import Actor, actors_of
from ecs_anim.exporting.bones import Bones, with_helpers
from ecs_anim.exporting.paints import Paint, Paints
from ecs_anim.exporting.recording import Look, RecordedCrowd
from ecs_anim.exporting.shapes import Shape, joints_of, most_shapes, shapes_of
from ecs_anim.rigs.props import Props
from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError
from ecs_anim.support.gltf_content import Content
from ecs_anim.support.pictures import complete_file, png_bytes

CLAMPED = 33071  # glTF's constant for textures that do not repeat
ROUGHNESS = 0.85
STILL = 1e-6  # if the values of a joint differ at most by this number, the joint is constant and gets no keys
FEWER = "export fewer actors or frames, or export to a .usdc, in which actors share skeletons and clips"
NONE_CHANGED = {"translation": [0.0] * 3, "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0] * 3}


def require_few(crowds: Sequence[tuple[Rig, int]], props: Sequence[Props], path: Path) -> None:
    """Raise InputError if all actors and props together have too many nodes for the programs that read glTF files."""
    nodes = sum(actors * (1 + Bones.of(rig.skeleton).count + most_shapes(rig)) for rig, actors in crowds)
    nodes += sum(own.copy_count for own in props)
    if limit_message := excess("joints", nodes, FEWER):
        raise InputError(
            f"{path}: the joints of all actors and the props are too many for one .glb file: {limit_message}"
        )


def write_gltf(
    crowds: Sequence[RecordedCrowd],
    props: Sequence[Props],
    frame_rate: int,
    path: Path,
    advance: Callable[[int], object],
) -> None:
    """Write crowds and props to a .glb file. The function `advance` receives the number of newly written actors.

    Raises InputError if glTF cannot store the data.
    """
    require_few([(crowd.character.rig, len(crowd.ids)) for crowd in crowds], props, path)
    document = _Document(path)
    for crowd in crowds:
        writer = _CrowdWriter(document, crowd, frame_rate)
        for actors in actors_of(crowd):
            for actor in actors:
                writer.add(actor)
                advance(1)
            document.require_small()
    for own in props:
        _add_props(document, own)
        document.require_small()
    content = document.finished()
    with complete_file(path) as file:
        file.write(content)


class _Document(Content):
    """Content of the glTF file. Equal items are stored only once."""

    def __init__(self, path: Path) -> None:
        super().__init__({"asset": {"version": "2.0", "generator": "ecs-anim"}, "scene": 0})
        self.roots: list[int] = []
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.paints = Paints(path)
        self._path = path
        self._accessors: dict[object, int] = {}
        self._items: dict[object, int] = {}

    def numbers(self, values: NDArray[Any], dtype: str = "f4", bounds: bool = False) -> int:
        """Return the index of an accessor with `values` [count, width]. Equal arrays share one accessor."""
        values = np.ascontiguousarray(values, f"<{dtype}")
        key = (dtype, values.shape, bounds, blake2b(values.tobytes(), digest_size=16).digest())
        if key not in self._accessors:
            self._accessors[key] = self.accessor(values, dtype, bounds)
        return self._accessors[key]

    def once(self, kind: str, key: object, make: Callable[[], dict[str, Any]]) -> int:
        """Return the index of the item with the key `key` in the list `kind` of the document.

        The first call for a key creates the item with `make`.
        """
        if (kind, key) not in self._items:
            self._items[kind, key] = self.item(kind, make())
        return self._items[kind, key]

    def extend(self, item: dict[str, Any], name: str, content: dict[str, Any]) -> None:
        """Add the extension `name` to an item, and to the list of extensions that the document uses."""
        item.setdefault("extensions", {})[name] = content
        used = self.raw.setdefault("extensionsUsed", [])
        used += [] if name in used else [name]

    def animate(self, node: int, path: str, times: int, values: NDArray[Any], interpolation: str = "LINEAR") -> None:
        """Animate the property `path` of a node with `values` [frame, width].

        The accessor `times` contains the key times.
        """
        sampler = {"input": times, "output": self.numbers(values), "interpolation": interpolation}
        self.channels.append({"sampler": len(self.samplers), "target": {"node": node, "path": path}})
        self.samplers.append(sampler)

    def require_small(self) -> None:
        """Raise InputError if the file is too large for other programs."""
        if limit_message := excess("model_bytes", self.byte_count, FEWER):
            raise InputError(f"{self._path}: {limit_message}")

    def finished(self) -> bytes:
        """Return the bytes of the file. Raise InputError if the file is too large."""
        self.raw["scenes"] = [{"nodes": self.roots}]
        if self.channels:
            self.raw["animations"] = [{"name": "crowd", "channels": self.channels, "samplers": self.samplers}]
        content = self.glb()
        if limit_message := excess("json_bytes", int.from_bytes(content[12:16], "little"), FEWER):
            raise InputError(f"{self._path}: {limit_message}")
        return content


class _CrowdWriter:
    """Writer of the nodes and animation channels for the actors of one crowd."""

    def __init__(self, document: _Document, crowd: RecordedCrowd, frame_rate: int) -> None:
        self._document, self._crowd, self._rate = document, crowd, frame_rate
        rig = crowd.character.rig
        self._bones, self._helpers = Bones.of(rig.skeleton), 0
        self._helpers = self._bones.count - rig.skeleton.joint_count
        bind = np.zeros((rig.skeleton.palette_count, 4, 4), np.float32)
        bind[:, :3], bind[:, 3, 3] = rig.skeleton.inverse_bind, 1
        self._bind = bind.transpose(0, 2, 1).reshape(-1, 16)  # column-major order
        self._bodies: dict[Look, list[tuple[Shape, int]]] = {}

    def add(self, actor: Actor) -> None:
        document, name = self._document, f"{self._crowd.name}_{actor.id}"
        times = document.numbers(np.arange(len(actor.there))[:, None] / self._rate, bounds=True)
        root = document.item("nodes", {"name": name})
        document.roots.append(root)
        size = np.where(actor.there, actor.scale, 0)[:, None].repeat(3, axis=1)
        self._place(root, times, {"translation": actor.translation, "rotation": actor.rotation})
        self._place(root, times, {"scale": size}, "LINEAR" if actor.there.all() else "STEP")
        bones = self._add_bones(actor, name, root, times)
        self._add_meshes(actor, name, bones, times)

    def _add_bones(self, actor: Actor, name: str, root: int, times: int) -> list[int]:
        document, pose = self._document, with_helpers(actor.pose(), self._helpers)
        nodes = [document.item("nodes", {"name": f"{name}:{bone}"}) for bone in self._bones.names]
        for bone, parent in enumerate(self._bones.parents.tolist()):
            above = document.raw["nodes"][root if parent < 0 else nodes[parent]]
            above.setdefault("children", []).append(nodes[bone])
            self._place(nodes[bone], times, {path: getattr(pose, path)[:, bone] for path in NONE_CHANGED})
        return nodes

    def _place(self, node: int, times: int, values: dict[str, NDArray[Any]], interpolation: str = "LINEAR") -> None:
        """Set the transform of a node from the values of all frames.

        Each array in `values` has the shape [frame, width]. Values that change become animation channels. Constant
        values become properties of the node.
        """
        for path, rows in values.items():
            if np.ptp(rows, axis=0).max() > STILL * max(1.0, float(np.abs(rows).max())):
                self._document.animate(node, path, times, rows, interpolation)
            if (still := rows[0].astype(np.float32).tolist()) != NONE_CHANGED[path]:
                self._document.raw["nodes"][node][path] = still

    def _add_meshes(self, actor: Actor, name: str, bones: list[int], times: int) -> None:
        document = self._document
        entries = [bones[bone] for bone in self._bones.entries.tolist()]
        body = self._body(actor.look)
        if not body:
            return
        skin = document.item("skins", {"inverseBindMatrices": document.numbers(self._bind), "joints": entries})
        for number, (shape, mesh) in enumerate(body):
            content: dict[str, Any] = {"name": f"{name}_body_{number}", "mesh": mesh, "skin": skin}
            # programs use only the sign of the node's scale to decide which side of a skinned triangle is the front
            if shape.mirrored:
                content["scale"] = [-1, 1, 1]
            node = document.item("nodes", content)
            document.roots.append(node)
            weights = actor.weights[:, shape.columns]
            if weights.size:
                content["weights"] = weights[0].tolist()
                if np.ptp(weights, axis=0).max() > STILL:
                    document.animate(node, "weights", times, weights.reshape(-1, 1))

    def _body(self, look: Look) -> list[tuple[Shape, int]]:
        if look not in self._bodies:
            character = self._crowd.character
            shapes = shapes_of(character.rig, character.level, look.variant)
            self._bodies[look] = [
                (shape, self._document.item("meshes", _mesh(self._document, shape, look))) for shape in shapes
            ]
        return self._bodies[look]


def _add_props(document: _Document, props: Props) -> None:
    """Add a node for each copy of a static model. All copies share one mesh."""
    look = Look(0, (1.0, 1.0, 1.0, 0.0))
    meshes = [mesh for shape in shapes_of(props.model, 0, look.variant) for mesh in shape.meshes]
    primitives = [_primitive(document, mesh, look, is_skinned=False) for mesh in meshes]
    shared = document.item("meshes", {"name": props.model.name, "primitives": primitives})
    for number, row in enumerate(props.instances.tolist()):
        name = f"{props.model.name}_{number + 1}"
        place = {"translation": row[:3], "rotation": row[4:8], "scale": [row[3]] * 3}
        document.roots.append(document.item("nodes", {"name": name, "mesh": shared, **place}))


def _mesh(document: _Document, shape: Shape, look: Look) -> dict[str, Any]:
    primitives = [_primitive(document, mesh, look) for mesh in shape.meshes]
    morphs = shape.meshes[0].morphs
    names = {} if morphs is None else {"extras": {"targetNames": list(morphs.names)}}
    return {"name": shape.name, "primitives": primitives, **names}


def _primitive(document: _Document, mesh: Mesh, look: Look, *, is_skinned: bool = True) -> dict[str, Any]:
    attributes = {"POSITION": document.numbers(mesh.positions, bounds=True), "NORMAL": document.numbers(mesh.normals)}
    joints = joints_of(mesh)
    for number, first in enumerate(range(0, joints.shape[1] if is_skinned else 0, SET)):
        own = slice(first, first + SET)
        attributes[f"JOINTS_{number}"] = document.numbers(joints[:, own], "u2")
        attributes[f"WEIGHTS_{number}"] = document.numbers(mesh.weights[:, own])
    if mesh.material.has_pictures:
        attributes["TEXCOORD_0"] = document.numbers(mesh.uvs)
    if mesh.colors is not None:
        attributes["COLOR_0"] = document.numbers(mesh.colors)
    primitive: dict[str, Any] = {"attributes": attributes, "material": _material(document, mesh.material, look)}
    primitive["indices"] = document.numbers(mesh.indices[:, None], "u4")
    if mesh.morphs is not None:
        primitive["targets"] = [
            {"POSITION": document.numbers(moved, bounds=True), "NORMAL": document.numbers(turned)}
            for moved, turned in zip(mesh.morphs.positions, mesh.morphs.normals, strict=True)
        ]
    return primitive


def _material(document: _Document, material: Material, look: Look) -> int:
    paint = document.paints.paint(material, look)
    return document.once("materials", (material, paint), lambda: _painted(document, material, paint))


def _painted(document: _Document, material: Material, paint: Paint) -> dict[str, Any]:
    surface: dict[str, Any] = {"baseColorFactor": list(paint.color), "metallicFactor": 0.0}
    surface["roughnessFactor"] = ROUGHNESS
    found: dict[str, Any] = {"name": material.name, "pbrMetallicRoughness": surface}
    if paint.picture is not None and material.texture is not None:
        surface["baseColorTexture"] = {"index": _texture(document, paint.picture, material.texture.repeat)}
    if material.double_sided:
        found["doubleSided"] = True
    if material.alpha_cutoff is not None:
        found |= {"alphaMode": "MASK", "alphaCutoff": material.alpha_cutoff}
    if material.blended:
        found["alphaMode"] = "BLEND"
    if material.is_emissive:
        _add_emission(document, material, found)
    if material.unlit:
        document.extend(found, "KHR_materials_unlit", {})
    return found


def _add_emission(document: _Document, material: Material, found: dict[str, Any]) -> None:
    """Add the emission of the material `material` to the glTF material `found`.

    glTF limits the emission factor to 1. Therefore, an emission with a factor above 1 also gets an emission strength.
    """
    strength = max(1.0, *material.emissive)
    found["emissiveFactor"] = [share / strength for share in material.emissive]
    if material.emissive_texture is not None:
        texture = material.emissive_texture
        picture = png_bytes(np.ascontiguousarray(texture.pixels[..., :3]))
        found["emissiveTexture"] = {"index": _texture(document, picture, texture.repeat)}
    if strength > 1:
        document.extend(found, "KHR_materials_emissive_strength", {"emissiveStrength": strength})


def _texture(document: _Document, picture: bytes, repeat: bool) -> int:
    image = document.once("images", picture, lambda: {"bufferView": document.view(picture), "mimeType": "image/png"})
    wrap = {} if repeat else {"wrapS": CLAMPED, "wrapT": CLAMPED}
    sampler = document.once("samplers", repeat, lambda: wrap)
    return document.once("textures", (image, sampler), lambda: {"source": image, "sampler": sampler})

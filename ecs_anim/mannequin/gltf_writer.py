"""The writer of the mannequin's binary glTF 2.0 file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pygltflib as gl

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.motion import Motion

COMPONENTS = {"f4": gl.FLOAT, "u2": gl.UNSIGNED_SHORT, "u1": gl.UNSIGNED_BYTE}
KINDS = {1: gl.SCALAR, 2: gl.VEC2, 3: gl.VEC3, 4: gl.VEC4, 16: gl.MAT4}


@dataclass(frozen=True)
class Level:
    """One level of detail of the mannequin's mesh. The first axis of all arrays except `triangles` is the vertex."""

    positions: Array  # [n, 3], [m], bind pose
    normals: Array  # [n, 3], unit
    uvs: Array  # [n, 2]
    joints: Array  # [n, 4]
    weights: Array  # [n, 4], sum 1
    triangles: Array  # [m, 3]


@dataclass
class _Binary:
    """The binary data of the glTF file, with its buffer views and accessors."""

    document: gl.GLTF2
    data: bytearray = field(default_factory=bytearray)

    def view(self, content: bytes, target: int | None = None) -> int:
        self.data.extend(bytes(-len(self.data) % 4))
        offset = len(self.data)
        self.data.extend(content)
        view = gl.BufferView(buffer=0, byteOffset=offset, byteLength=len(content), target=target)
        self.document.bufferViews.append(view)
        return len(self.document.bufferViews) - 1

    def accessor(self, values: Array, dtype: str, target: int | None = None, bounds: bool = False) -> int:
        """Add `values` [n] or [n, width] to the binary data, and return the index of the new accessor."""
        values = np.ascontiguousarray(values, dtype=f"<{dtype}")
        accessor = gl.Accessor(
            bufferView=self.view(values.tobytes(), target),
            componentType=COMPONENTS[dtype],
            count=len(values),
            type=KINDS[values[0].size],
        )
        if bounds:
            rows = values.reshape(len(values), -1)
            accessor.min, accessor.max = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self.document.accessors.append(accessor)
        return len(self.document.accessors) - 1


def write(path: Path, levels: list[Level], motions: Mapping[str, Motion], png: bytes) -> None:
    """Write the character to the file `path`, with its levels of detail, its clips and its texture.

    The first element of `levels` is the finest level of detail. The texture `png` is the content of a PNG file.
    """
    document = gl.GLTF2(asset=gl.Asset(version="2.0", generator="ecs_anim.mannequin"))
    binary = _Binary(document)
    _add_nodes(document, len(levels))
    _add_skin(document, binary)
    _add_material(document, binary, png)
    for number, level in enumerate(levels):
        _add_mesh(document, binary, f"mannequin_{number}", level)
    for name, motion in motions.items():
        _add_animation(document, binary, name, motion)
    document.buffers.append(gl.Buffer(byteLength=len(binary.data)))
    document.set_binary_blob(bytes(binary.data))
    document.save_binary(str(path))


def _add_nodes(document: gl.GLTF2, level_count: int) -> None:
    """Add the joints to the file, then one node for each level of detail.

    The node list of the file begins with the joints, so the node index of a joint equals its joint index. The extension
    MSFT_lod connects the coarser levels of detail to the finest level.
    """
    for j, name in enumerate(P.JOINTS):
        children = [c for c, parent in enumerate(P.PARENTS) if parent == j]
        offset = [float(np.float32(x)) for x in P.OFFSETS[j]]
        document.nodes.append(gl.Node(name=name, translation=offset, children=children))
    first = len(P.JOINTS)
    for number in range(level_count):
        document.nodes.append(gl.Node(name=f"mannequin_{number}", mesh=number, skin=0))
    document.nodes[first].extensions = {"MSFT_lod": {"ids": list(range(first + 1, first + level_count))}}
    document.extensionsUsed = ["MSFT_lod"]
    document.scenes.append(gl.Scene(name="mannequin", nodes=[0, first]))
    document.scene = 0


def _add_skin(document: gl.GLTF2, binary: _Binary) -> None:
    matrices = np.tile(np.eye(4), (len(P.JOINTS), 1, 1))
    matrices[:, :3, 3] = -P.POSITIONS
    columns = matrices.transpose(0, 2, 1).reshape(-1, 16)
    inverse_bind = binary.accessor(columns, "f4")
    document.skins.append(
        gl.Skin(name="mannequin", inverseBindMatrices=inverse_bind, skeleton=0, joints=list(range(len(P.JOINTS))))
    )


def _add_material(document: gl.GLTF2, binary: _Binary, png: bytes) -> None:
    document.images.append(gl.Image(name="mannequin", bufferView=binary.view(png), mimeType="image/png"))
    document.samplers.append(
        gl.Sampler(
            magFilter=gl.LINEAR, minFilter=gl.LINEAR_MIPMAP_LINEAR, wrapS=gl.CLAMP_TO_EDGE, wrapT=gl.CLAMP_TO_EDGE
        )
    )
    document.textures.append(gl.Texture(source=0, sampler=0))
    surface = gl.PbrMetallicRoughness(
        baseColorTexture=gl.TextureInfo(index=0), metallicFactor=0.0, roughnessFactor=0.85
    )
    document.materials.append(gl.Material(name="mannequin", pbrMetallicRoughness=surface))


def _add_mesh(document: gl.GLTF2, binary: _Binary, name: str, level: Level) -> None:
    attributes = gl.Attributes(
        POSITION=binary.accessor(level.positions, "f4", gl.ARRAY_BUFFER, bounds=True),
        NORMAL=binary.accessor(level.normals, "f4", gl.ARRAY_BUFFER),
        TEXCOORD_0=binary.accessor(level.uvs, "f4", gl.ARRAY_BUFFER),
        JOINTS_0=binary.accessor(level.joints, "u1", gl.ARRAY_BUFFER),
        WEIGHTS_0=binary.accessor(level.weights, "f4", gl.ARRAY_BUFFER),
    )
    indices = binary.accessor(level.triangles.reshape(-1), "u2", gl.ELEMENT_ARRAY_BUFFER)
    primitive = gl.Primitive(attributes=attributes, indices=indices, material=0)
    document.meshes.append(gl.Mesh(name=name, primitives=[primitive]))


def _add_animation(document: gl.GLTF2, binary: _Binary, name: str, motion: Motion) -> None:
    animation = gl.Animation(name=name, extras=motion.extras)
    inputs: dict[bytes, int] = {}
    for channel in motion.channels():
        times = np.asarray(channel.times, "<f4")
        if times.tobytes() not in inputs:
            inputs[times.tobytes()] = binary.accessor(times, "f4", bounds=True)
        sampler = gl.AnimationSampler(
            input=inputs[times.tobytes()], output=binary.accessor(channel.values, "f4"), interpolation=gl.ANIM_LINEAR
        )
        target = gl.AnimationChannelTarget(node=channel.joint, path=channel.path)
        animation.channels.append(gl.AnimationChannel(sampler=len(animation.samplers), target=target))
        animation.samplers.append(sampler)
    document.animations.append(animation)

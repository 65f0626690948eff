"""`compact.glb`: the doll in integers. Positions in 16 bits, normals in 8, rotations in 16, sparse keys of the hips."""

import numpy as np

from tests.builders.gltf_builder import GltfBuilder
from tests.characters import doll
from tests.characters.writing import Animation, add_joints, named, set_scene, sparse

STEP = 2.0 / 32767  # [m], of positions: 16 bits over two metres about the origin
BODY = doll.shape(doll.BODY, doll.HEAD, doll.FEET)
ARMS_DOWN = {  # the rest pose, which is not the pose in which the skin was bound
    "LeftArm": doll.turns((0, 0, 1), np.array([-1.2]))[0],
    "RightArm": doll.turns((0, 0, 1), np.array([1.2]))[0],
}
TIMES = np.arange(25) / 24
SWING = 0.6 * np.sin(2 * np.pi * TIMES)
WALK = {  # rotations [25, 4] by joint
    "LeftUpLeg": doll.turns((1, 0, 0), SWING),
    "RightUpLeg": doll.turns((1, 0, 0), -SWING),
    "LeftArm": doll.turns((0, 0, 1), -1.2 + 0.1 * SWING),
    "RightArm": doll.turns((0, 0, 1), 1.2 - 0.1 * SWING),
    "Spine": doll.turns((0, 1, 0), 0.2 * SWING),
}
HOP = {6: 0.03, 12: 0.08, 18: 0.03}  # [m] by key, that the hips are higher
NOD = doll.turns((1, 0, 0), np.array([0.0, 0.4, -0.2, 0.0]))
NOD_TIMES = np.array([0.0, 0.25, 0.5, 1.0])


def short(values: np.ndarray) -> np.ndarray:
    """Numbers from -1 to 1 as 16-bit integers."""
    return np.rint(np.asarray(values) * 32767).astype(int)


def byte(values: np.ndarray) -> np.ndarray:
    """Numbers from -1 to 1 as 8-bit integers."""
    return np.rint(np.asarray(values) * 127).astype(int)


def compact() -> GltfBuilder:
    """The whole file."""
    builder = GltfBuilder(extensionsUsed=["KHR_mesh_quantization"], extensionsRequired=["KHR_mesh_quantization"])
    add_joints(builder, {name: turn.tolist() for name, turn in ARMS_DOWN.items()})
    set_scene(builder, 0, builder.add("nodes", name="body", mesh=_mesh(builder), skin=_skin(builder)))
    _walk(builder)
    _nod(builder)
    return builder


def _mesh(builder: GltfBuilder) -> int:
    where = np.rint(BODY.positions / STEP).astype(int)
    bounds = {"min": where.min(axis=0).tolist(), "max": where.max(axis=0).tolist()}
    attributes = {
        "POSITION": _in_fours(builder, where, "i16", "<i2", **bounds),
        "NORMAL": _in_fours(builder, byte(BODY.normals), "i8", "i1", normalized=True),
        "TEXCOORD_0": builder.accessor(np.rint(BODY.uvs * 65535).astype(int), "u16", "VEC2", normalized=True),
        "JOINTS_0": builder.accessor(BODY.joints, "u8", "VEC4"),
        "WEIGHTS_0": builder.accessor(BODY.weights, "u8", "VEC4", normalized=True),
    }
    return named(builder, "body", attributes, builder.accessor(BODY.indices, "u16"))


def _in_fours(builder: GltfBuilder, values: np.ndarray, component: str, dtype: str, **properties: object) -> int:
    """An accessor of vectors of three integers, each at a multiple of four bytes, as vertex attributes have to be."""
    data = np.concatenate([values, np.zeros((len(values), 1), int)], axis=1).astype(dtype)
    view = builder.view(data.tobytes(), stride=data.strides[0])
    return builder.accessor_on(view, len(values), component, "VEC3", **properties)


def _skin(builder: GltfBuilder) -> int:
    """Add the skin. Inverse bind matrices undo the integer steps, because a skinned mesh's own node is ignored."""
    matrices = doll.inverse_binds().reshape(-1, 4, 4)
    matrices[:, :3, :3] *= STEP
    keys = builder.accessor(matrices.reshape(-1, 16), kind="MAT4")
    return builder.add("skins", joints=[*range(len(doll.NAMES))], inverseBindMatrices=keys)


def _walk(builder: GltfBuilder) -> None:
    """Rotations in 16 bits; the hips' translation as a sparse accessor over what they do at rest."""
    clip = Animation(builder, "walk", extras={"ground_speed": 1.1})
    times = clip.times(TIMES)
    for joint, rotation in WALK.items():
        keys = builder.accessor(short(rotation), "i16", "VEC4", normalized=True)
        clip.channel(times, keys, doll.INDEX[joint], "rotation")
    rest = np.tile(doll.OFFSETS[0], (len(TIMES), 1))
    raised = sparse(builder, {key: rest[key] + (0, up, 0) for key, up in HOP.items()})
    clip.channel(times, builder.accessor(rest, kind="VEC3", sparse=raised), 0, "translation")


def _nod(builder: GltfBuilder) -> None:
    """Rotations in 8 bits, held from key to key."""
    clip = Animation(builder, "nod")
    keys = builder.accessor(byte(NOD), "i8", "VEC4", normalized=True)
    clip.channel(clip.times(NOD_TIMES), keys, doll.INDEX["Head"], "rotation", "STEP")

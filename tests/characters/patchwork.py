"""`patchwork.glb`: the doll in pieces. Two skins share joints, nodes hold matrices, children stand before parents."""

import numpy as np

from tests.builders.gltf_builder import GltfBuilder
from tests.characters import doll
from tests.characters.writing import Animation, attributes, named

BODY, HEAD, FEET = doll.shape(doll.BODY), doll.shape(doll.HEAD), doll.shape(doll.FEET)
NOSE = [[-0.03, 0.0, 0.0], [0.03, 0.0, 0.0], [0.0, 0.06, 0.0], [0.0, 0.0, 0.08]]  # [m], from its joint
NOSE_INDICES = [0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1]
PLATE = [[-0.5, -0.02, -0.5], [0.5, -0.02, -0.5], [-0.5, -0.02, 0.5], [0.5, -0.02, 0.5]]  # [m], what it stands on
PLATE_INDICES = [0, 2, 1, 1, 2, 3]
UPPER = ("Hips", "Spine", "Head", "LeftArm", "LeftHand", "RightArm", "RightHand")  # joints of the second skin
FELT = 0.01  # [m], how much farther up the second skin was bound
NODES = tuple(reversed(doll.NAMES))  # as the file orders them: children first
COLORS = {"coat": (0.6, 0.1, 0.1, 1.0), "trousers": (0.1, 0.1, 0.5, 1.0), "wood": (0.4, 0.25, 0.1, 1.0)}
TIMES = np.arange(13) / 10
SWING = np.sin(2 * np.pi * TIMES / 1.2)
WAVE = doll.turns((0, 0, 1), 0.6 + 0.6 * SWING)
TWITCH = doll.turns((0, 1, 0), 0.3 * SWING)
SQUASH = (1 + SWING[:, None] * (0.1, -0.2, 0.1)).round(6)


def patchwork() -> GltfBuilder:
    """The whole file."""
    builder = GltfBuilder()
    for name in NODES:
        matrix = np.eye(4)
        matrix[:3, 3] = doll.OFFSETS[doll.INDEX[name]]
        children = [NODES.index(other) for other, (parent, _) in doll.JOINTS.items() if parent == name]
        below = {"children": children} if children else {}
        builder.add("nodes", name=name, matrix=matrix.T.ravel().round(6).tolist(), **below)
    for color, factor in COLORS.items():
        builder.add("materials", name=color, pbrMetallicRoughness={"baseColorFactor": [*factor]})
    whole, upper = _skin(builder, doll.NAMES, 0.0), _skin(builder, UPPER, FELT)
    meshes = [(_body(builder), whole), (_feet(builder), whole), (_head(builder), upper)]
    drawn = [builder.add("nodes", mesh=mesh, skin=skin, translation=[5.0, 0, 0]) for mesh, skin in meshes]
    builder.document["nodes"][NODES.index("Nose")]["mesh"] = _facets(builder, "nose", NOSE, NOSE_INDICES, 0)
    drawn.append(builder.add("nodes", name="plate", mesh=_facets(builder, "plate", PLATE, PLATE_INDICES, 2)))
    builder.document["scene"] = builder.add("scenes", nodes=[NODES.index("Hips"), *drawn])
    greet = Animation(builder, "greet")
    times = greet.times(TIMES)
    greet.channel(times, builder.accessor(WAVE, kind="VEC4"), NODES.index("LeftArm"), "rotation")
    greet.channel(times, builder.accessor(TWITCH, kind="VEC4"), NODES.index("Nose"), "rotation")
    greet.channel(times, builder.accessor(SQUASH, kind="VEC3"), NODES.index("Head"), "scale")
    return builder


def _skin(builder: GltfBuilder, names: tuple[str, ...], raised: float) -> int:
    matrices = doll.inverse_binds().reshape(-1, 4, 4)[[doll.INDEX[name] for name in names]]
    matrices[:, 3, 1] -= raised
    binds = builder.accessor(matrices.reshape(-1, 16), kind="MAT4")
    return builder.add("skins", joints=[NODES.index(name) for name in names], inverseBindMatrices=binds)


def _body(builder: GltfBuilder) -> int:
    """Two primitives on the same vertices: trunk and arms, then legs."""
    own, half = attributes(builder, BODY), len(BODY.indices) * 4 // 6
    parts = [(BODY.indices[:half], 0), (BODY.indices[half:], 1)]
    primitives = [
        {"attributes": own, "indices": builder.accessor(indices, "u16"), "material": material}
        for indices, material in parts
    ]
    return builder.add("meshes", name="body", primitives=primitives)


def _feet(builder: GltfBuilder) -> int:
    return named(builder, "feet", attributes(builder, FEET), builder.accessor(FEET.indices, "u32"), material=2)


def _head(builder: GltfBuilder) -> int:
    """Add the mesh of the second skin, with that skin's own joint numbers."""
    joints = [[UPPER.index(doll.NAMES[joint]) for joint in row] for row in HEAD.joints]
    shape = HEAD._replace(joints=np.array(joints), positions=HEAD.positions + np.array([0, FELT, 0]))
    return named(builder, "head", attributes(builder, shape), builder.accessor(shape.indices, "u8"), material=0)


def _facets(builder: GltfBuilder, name: str, positions: list, indices: list[int], material: int) -> int:
    """A mesh without a skin and without normals: flat-shaded, it follows its node."""
    where = np.array(positions)
    bounds = {"min": where.min(axis=0).tolist(), "max": where.max(axis=0).tolist()}
    own = {"POSITION": builder.accessor(where, kind="VEC3", **bounds)}
    return named(builder, name, own, builder.accessor(indices, "u8"), material=material)

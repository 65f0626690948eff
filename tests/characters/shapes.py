"""`shapes.glb`: the doll with morph targets on head and body, whose weights clips animate by all interpolations."""

import numpy as np

from tests.builders.gltf_builder import GltfBuilder
from tests.characters import doll
from tests.characters.writing import Animation, add_joints, attributes, named, set_scene, sparse

BODY, HEAD = doll.shape(doll.BODY, doll.FEET), doll.shape(doll.HEAD)
LONG = (HEAD.positions - doll.PLACES[doll.INDEX["Head"]]) * (0.0, 0.3, 0.0)  # [n, 3], [m]
TURNED = np.roll(HEAD.normals, 1, axis=1) - HEAD.normals  # [n, 3], what is added to normals
BUMP = {5: (0.0, 0.0, 0.04), 6: (0.02, 0.0, 0.05), 13: (0.0, 0.01, 0.03)}  # [m] by vertex; others stay
FAT = BODY.normals * 0.05  # [n, 3], [m]
DEFAULTS = (0.1, 0.0)
TIMES = np.array([0.0, 0.5, 1.0])
TALK = np.array([[0.0, 1.0], [1.0, 0.25], [0.0, 1.0]])  # weights [key, target of the head]
BREATHE = np.array([[0.0], [1.0], [0.0]])  # [key, target of the body], in 8 bits
SIGH = np.array(  # [key, in-tangent, value, out-tangent][target of the head]; tangents by second
    [[[0, 0], [0.1, 0.0], [1.0, 0.5]], [[-0.5, 0.2], [0.8, 0.4], [-0.5, 0.2]], [[0, 0], [0.1, 0.0], [0, 0]]]
)


def shapes() -> GltfBuilder:
    """The whole file."""
    builder = GltfBuilder()
    add_joints(builder)
    binds = builder.accessor(doll.inverse_binds(), kind="MAT4")
    skin = builder.add("skins", joints=[*range(len(doll.NAMES))], inverseBindMatrices=binds)
    head = builder.add("nodes", name="head", mesh=_head(builder), skin=skin)
    body = builder.add("nodes", name="body", mesh=_body(builder), skin=skin)
    set_scene(builder, 0, head, body)
    _clips(builder, head, body)
    return builder


def _head(builder: GltfBuilder) -> int:
    long = {"POSITION": builder.accessor(LONG, kind="VEC3"), "NORMAL": builder.accessor(TURNED, kind="VEC3")}
    bump = {"POSITION": builder.accessor_on(None, len(LONG), "f32", "VEC3", sparse=sparse(builder, BUMP))}
    indices = builder.accessor(HEAD.indices, "u16")
    return named(builder, "head", attributes(builder, HEAD), indices, targets=[long, bump])


def _body(builder: GltfBuilder) -> int:
    fat = {"POSITION": builder.accessor(FAT, kind="VEC3")}
    indices = builder.accessor(BODY.indices, "u16")
    return named(builder, "body", attributes(builder, BODY), indices, targets=[fat])


def _clips(builder: GltfBuilder, head: int, body: int) -> None:
    meshes = builder.document["meshes"]
    meshes[0] |= {"weights": [*DEFAULTS], "extras": {"targetNames": ["long", "bump"]}}
    meshes[1] |= {"weights": [0.0], "extras": {"targetNames": ["fat"]}}
    talk = Animation(builder, "talk")
    times = talk.times(TIMES)
    talk.channel(times, builder.accessor(TALK), head, "weights")
    talk.channel(times, builder.accessor(np.rint(255 * BREATHE).astype(int), "u8", normalized=True), body, "weights")
    nod = doll.turns((1, 0, 0), np.array([0.0, 0.5, 0.0]))
    talk.channel(times, builder.accessor(nod, kind="VEC4"), doll.INDEX["Head"], "rotation")
    sigh = Animation(builder, "sigh")
    times = sigh.times(TIMES)
    sigh.channel(times, builder.accessor(SIGH), head, "weights", "CUBICSPLINE")
    sigh.channel(times, builder.accessor(BREATHE), body, "weights", "STEP")

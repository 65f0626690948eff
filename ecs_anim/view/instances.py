"""Actor data on the GPU: rows of 64 bytes, which compiled loops write and shaders read.

An actor of a baked crowd travels as a `BAKED_ACTOR`: where it is, what it plays, how it looks; nothing else does.
Whatever way its pose comes about, an actor that is drawn is an `INSTANCE`.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

# Attributes of a vertex shader, locations 5 to 8; gl/shaders/instance.glsl.
INSTANCE = np.dtype(
    [
        ("translation", np.float32, 3),  # [m]
        ("scale", np.float32),  # [m] a rig unit
        ("rotation", np.float32, 4),  # xyzw
        ("tint", np.float32, 4),  # linear rgb, and how much of it
        ("palette_row", np.int32),  # where its palette and its morph weights are, among those on the GPU
        ("actor", np.int32),  # row in its crowd
        ("variant", np.int32),  # index of one of several textures
        ("missing", np.int32),  # of its pixels, in 255ths: it fades in or out
    ]
)

# Four texels of a usamplerBuffer.
BAKED_ACTOR = np.dtype(
    [
        ("translation", np.float32, 3),  # [m]
        ("scale", np.float32),  # [m] a rig unit
        ("rotation", np.float32, 4),  # xyzw
        ("tint", np.uint16, 4),  # of `INSTANCE`, 0 to 65535
        ("clip", np.uint16, 2),  # of the bake: the one faded from, the one faded to; the same where nothing fades
        ("variant", np.uint16),
        ("share", np.uint16),  # of a palette that came from the CPU, 0 to 65535; 0 = the bake alone
        ("phase", np.float32, 2),  # 0 to 1, of the two clips
        ("fade", np.float32),  # 0 to 1, how far the second has faded in
        ("near", np.int32),  # index of a palette from the CPU; counts where share is above 0
    ]
)


class BakedColumns(NamedTuple):
    """Columns of a `BAKED_ACTOR` besides its position and its clips."""

    tint: Annotated[NDArray[np.float32], Shape("actor", 4)]
    variant: Annotated[NDArray[np.int32], Shape("actor with variants")]  # none of them where there is one variant
    share: Annotated[NDArray[np.float32], Shape("actor with palettes")]  # none of them where the GPU poses all
    near: Annotated[NDArray[np.int32], Shape("actor with palettes")]


class BakedRows(NamedTuple):
    """Rows of `BAKED_ACTOR`, which are one memory, as numbers of either kind."""

    floats: Annotated[NDArray[np.float32], Shape("actor", BAKED_ACTOR.itemsize // 4)]
    shorts: Annotated[NDArray[np.uint16], Shape("actor", BAKED_ACTOR.itemsize // 2)]
    ints: Annotated[NDArray[np.int32], Shape("actor", BAKED_ACTOR.itemsize // 4)]

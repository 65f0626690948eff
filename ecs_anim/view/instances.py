"""Formats of actor data for the GPU: rows of 64 bytes that compiled loops write and shaders read.

A `BAKED_ACTOR` is the complete upload for an actor of a baked crowd: its position, playback state and appearance.
An `INSTANCE` is a drawn actor, independent of the source of its pose.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

# Attributes of a vertex shader at locations 5 to 8; see gl/shaders/instance.glsl.
INSTANCE = np.dtype(
    [
        ("translation", np.float32, 3),  # [m]
        ("scale", np.float32),  # [m] per rig unit
        ("rotation", np.float32, 4),  # xyzw
        ("tint", np.float32, 4),  # linear rgb, and its strength
        ("palette_row", np.int32),  # row of its palette and its morph weights on the GPU
        ("actor", np.int32),  # row in its crowd
        ("variant", np.int32),  # number of its texture
        ("missing", np.int32),  # omitted pixels in units of 1/255, for fading
    ]
)

# Four texels of a usamplerBuffer.
BAKED_ACTOR = np.dtype(
    [
        ("translation", np.float32, 3),  # [m]
        ("scale", np.float32),  # [m] per rig unit
        ("rotation", np.float32, 4),  # xyzw
        ("tint", np.uint16, 4),  # tint of `INSTANCE` from 0 to 65535
        ("clip", np.uint16, 2),  # clip before and after the fade, as numbers in the bake; equal without a fade
        ("variant", np.uint16),
        ("share", np.uint16),  # share of a palette from the CPU, 0 to 65535; 0 = only the bake
        ("phase", np.float32, 2),  # 0 to 1, phases of the two clips
        ("fade", np.float32),  # 0 to 1, weight of the second clip
        ("near", np.int32),  # index of a palette from the CPU; used if share is above 0
    ]
)


class BakedColumns(NamedTuple):
    """Columns of a `BAKED_ACTOR` other than its position and its clips."""

    tint: Annotated[NDArray[np.float32], Shape("actor", 4)]
    variant: Annotated[NDArray[np.int32], Shape("actor with variants")]  # empty if the rig has one variant
    share: Annotated[NDArray[np.float32], Shape("actor with palettes")]  # empty if the GPU poses all actors
    near: Annotated[NDArray[np.int32], Shape("actor with palettes")]


class BakedRows(NamedTuple):
    """Rows of `BAKED_ACTOR` as floats and as integers that share one memory."""

    floats: Annotated[NDArray[np.float32], Shape("actor", BAKED_ACTOR.itemsize // 4)]
    shorts: Annotated[NDArray[np.uint16], Shape("actor", BAKED_ACTOR.itemsize // 2)]
    ints: Annotated[NDArray[np.int32], Shape("actor", BAKED_ACTOR.itemsize // 4)]

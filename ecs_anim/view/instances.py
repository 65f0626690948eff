"""Formats of actor data for the GPU. Each actor has a row of 64 bytes.

Compiled kernels write the rows. Shaders on the GPU read the rows. A `BAKED_ACTOR` row contains the position, the
playback state and the appearance of an actor in a baked crowd. An `INSTANCE` row describes a drawn actor of any crowd.
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
        ("palette_row", np.int32),  # row of the actor's palette and morph weights on the GPU
        ("actor", np.int32),  # row of the actor in its crowd
        ("variant", np.int32),  # number of the actor's texture
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
        # clip numbers in the bake: the clip before the cross-fade and the clip after the cross-fade; equal without a
        # cross-fade
        ("clip", np.uint16, 2),
        ("variant", np.uint16),
        ("share", np.uint16),  # weight of the palette from the CPU, 0 to 65535; 0 = only the pose from the bake
        ("phase", np.float32, 2),  # 0 to 1, phases of the two clips
        ("fade", np.float32),  # 0 to 1, weight of the second clip
        ("near", np.int32),  # index of a palette from the CPU; used if share is above 0
    ]
)


class BakedColumns(NamedTuple):
    """Input columns for `BAKED_ACTOR` rows: all data of the actors except positions and clips."""

    tint: Annotated[NDArray[np.float32], Shape("actor", 4)]
    variant: Annotated[NDArray[np.int32], Shape("actor with variants")]  # empty if the rig has one variant
    share: Annotated[NDArray[np.float32], Shape("actor with palettes")]  # empty if the GPU computes all poses
    near: Annotated[NDArray[np.int32], Shape("actor with palettes")]


class BakedRows(NamedTuple):
    """`BAKED_ACTOR` rows as an array of floats and an array of integers. The arrays are views of one memory buffer."""

    floats: Annotated[NDArray[np.float32], Shape("actor", BAKED_ACTOR.itemsize // 4)]
    shorts: Annotated[NDArray[np.uint16], Shape("actor", BAKED_ACTOR.itemsize // 2)]
    ints: Annotated[NDArray[np.int32], Shape("actor", BAKED_ACTOR.itemsize // 4)]

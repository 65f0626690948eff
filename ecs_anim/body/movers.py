"""Movers: what moves the root of an actor. A mover is a clip, a velocity, the steering or a path. Each actor has one
mover at a time.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

CLIP = 0  # the clip moves the root; a program can also write the position
VELOCITY = 1  # the root moves with a given velocity
PATH = 2  # the root follows a path over time
STEERED = 3  # steering moves the root
MOVERS = ("clip", "velocity", "path", "steered")


class MoverColumns(NamedTuple):
    """The mover of each actor, and the values that the mover uses. Kernels can write all columns."""

    kind: Annotated[NDArray[np.int32], Shape("actor")]  # CLIP, VELOCITY, PATH or STEERED
    path: Annotated[NDArray[np.int32], Shape("actor")]  # index of a path of the crowd, -1 = none
    velocity: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m/s], current velocity
    # The requested velocity x, z [m/s] and the requested facing [rad] from +Z. With a facing of NaN, the actor faces
    # the direction of its movement.
    asked: Annotated[NDArray[np.float32], Shape("actor", 3)]
    course: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m/s], smoothed velocity

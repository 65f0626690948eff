"""Who moves an actor's root: one of these at a time."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

CLIP = 0  # what plays moves it, and whoever writes where it is
VELOCITY = 1  # it goes as fast as it is told
PATH = 2  # it is where a path is at a time
STEERED = 3  # it goes where steering has it go
MOVERS = ("clip", "velocity", "path", "steered")


class MoverColumns(NamedTuple):
    """Who moves each actor, and what they are told. Kernels may write all."""

    kind: Annotated[NDArray[np.int32], Shape("actor")]  # CLIP, VELOCITY, PATH or STEERED
    path: Annotated[NDArray[np.int32], Shape("actor")]  # of the crowd's paths, -1 = none
    velocity: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m/s], as it now is
    # x and z [m/s] asked for, and what to face [rad] from +Z; NaN = where the actor goes.
    asked: Annotated[NDArray[np.float32], Shape("actor", 3)]
    course: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m/s], the velocity of late of those who steer

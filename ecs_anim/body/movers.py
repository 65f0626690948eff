"""Movers: the source of an actor's root motion, one at a time."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

CLIP = 0  # the clip moves the root, and code that writes the position
VELOCITY = 1  # the root moves at a given velocity
PATH = 2  # the root follows a path in time
STEERED = 3  # steering moves the root
MOVERS = ("clip", "velocity", "path", "steered")


class MoverColumns(NamedTuple):
    """The mover of each actor, and its inputs. Kernels may write all columns."""

    kind: Annotated[NDArray[np.int32], Shape("actor")]  # CLIP, VELOCITY, PATH or STEERED
    path: Annotated[NDArray[np.int32], Shape("actor")]  # of the crowd's paths, -1 = none
    velocity: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m/s], as it now is
    # x and z [m/s] asked for, and what to face [rad] from +Z; NaN = where the actor goes.
    asked: Annotated[NDArray[np.float32], Shape("actor", 3)]
    course: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m/s], the recent velocity of steered actors

"""Columns of actors that steer: one row per actor."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape
from ecs_anim.steering.own import PARAMETER_COUNT

# Columns of `way`: the desired direction (a unit vector in x and z), and the desired speed [m/s].
WAY_X, WAY_Z, WAY_SPEED, WAY = range(4)
READY, GOES, WAITS, ARRIVED = range(4)  # stages of a journey: not yet off, on the way, at a waypoint, at the last one


class SteeringColumns(NamedTuple):
    """Steering state of each actor. Kernels may write all columns."""

    goal: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m]
    offset: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m], from waypoints to the actor's own
    waypoint: Annotated[NDArray[np.int32], Shape("actor")]  # the one that the goal is at, -1 = a goal of their own
    speed: Annotated[NDArray[np.float32], Shape("actor")]  # [m/s] that the actor wants
    radius: Annotated[NDArray[np.float32], Shape("actor")]  # [m]
    orientation: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z, a unit vector
    parameters: Annotated[NDArray[np.float32], Shape("actor", PARAMETER_COUNT)]  # memory of `Model.records`
    halts: Annotated[NDArray[np.int32], Shape("actor")]  # 1 = they are to stand at the waypoint, 0 = they go on from it
    haste: Annotated[NDArray[np.float32], Shape("actor")]  # share of their speed that they want now
    lean: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z, beside 1 of the way to the goal
    route: Annotated[NDArray[np.int32], Shape("actor")]  # of goals of their own, the field that leads there; -1 = none
    way: Annotated[NDArray[np.float32], Shape("actor", WAY)]
    stuck: Annotated[NDArray[np.float32], Shape("actor")]  # [s] for which they hardly got on, though they want to
    cut_off: Annotated[NDArray[np.int32], Shape("actor")]  # 1 = no way leads to their goal


class JourneyColumns(NamedTuple):
    """How far each actor is on their journey. Kernels may write all."""

    stage: Annotated[NDArray[np.int32], Shape("actor")]  # READY, GOES, WAITS or ARRIVED
    rest: Annotated[NDArray[np.float32], Shape("actor")]  # [s] until they set off or go on
    chance: Annotated[NDArray[np.int32], Shape("actor")]  # what their next draws are made of

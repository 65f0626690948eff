"""Columns with the steering state and the journeys of actors. Each actor has one row."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape
from ecs_anim.steering.own import PARAMETER_COUNT

# Columns of `way`: the desired direction (a unit vector in x and z), and the desired speed [m/s].
WAY_X, WAY_Z, WAY_SPEED, WAY = range(4)
# Stages of a journey: not started, on the way, waiting at a waypoint, at the last waypoint.
READY, GOES, WAITS, ARRIVED = range(4)


class SteeringColumns(NamedTuple):
    """Steering state of each actor. Kernels can write all columns."""

    goal: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m], position of the goal
    # x and z [m], offset of the actor's goal from its waypoint
    offset: Annotated[NDArray[np.float32], Shape("actor", 2)]
    waypoint: Annotated[NDArray[np.int32], Shape("actor")]  # number of the waypoint, -1 = the actor has its own goal
    speed: Annotated[NDArray[np.float32], Shape("actor")]  # desired speed [m/s]
    radius: Annotated[NDArray[np.float32], Shape("actor")]  # [m]
    orientation: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z, a unit vector
    parameters: Annotated[NDArray[np.float32], Shape("actor", PARAMETER_COUNT)]  # memory of `Model.records`
    halts: Annotated[NDArray[np.int32], Shape("actor")]  # 1 = the actor stops at the waypoint, 0 = it continues
    haste: Annotated[NDArray[np.float32], Shape("actor")]  # factor on `speed`: present desired speed / desired speed
    lean: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z, a vector that is added to the desired direction
    route: Annotated[NDArray[np.int32], Shape("actor")]  # number of the field for the actor's own goal; -1 = none
    way: Annotated[NDArray[np.float32], Shape("actor", WAY)]
    stuck: Annotated[NDArray[np.float32], Shape("actor")]  # [s] without progress although the actor wants to move
    cut_off: Annotated[NDArray[np.int32], Shape("actor")]  # 1 = no route leads to the goal


class JourneyColumns(NamedTuple):
    """Progress of each actor's journey. Kernels can write all columns."""

    stage: Annotated[NDArray[np.int32], Shape("actor")]  # READY, GOES, WAITS or ARRIVED
    rest: Annotated[NDArray[np.float32], Shape("actor")]  # remaining time until the actor starts or continues [s]
    chance: Annotated[NDArray[np.int32], Shape("actor")]  # state of the actor's random numbers

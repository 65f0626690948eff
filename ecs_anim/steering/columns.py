"""What a crowd's actors know who steer: a row for each."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape
from ecs_anim.steering.models import PARAMETER_COUNT


class SteeringColumns(NamedTuple):
    """Of each actor. Kernels may write all."""

    goal: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m]
    offset: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z [m], from waypoints to the actor's own
    waypoint: Annotated[NDArray[np.int32], Shape("actor")]  # the one that the goal is at, -1 = a goal of their own
    speed: Annotated[NDArray[np.float32], Shape("actor")]  # [m/s] that the actor wants
    radius: Annotated[NDArray[np.float32], Shape("actor")]  # [m]
    orientation: Annotated[NDArray[np.float32], Shape("actor", 2)]  # x and z, a unit vector
    parameters: Annotated[NDArray[np.float32], Shape("actor", PARAMETER_COUNT)]  # of the model
    route: Annotated[NDArray[np.int32], Shape("actor")]  # of goals of their own, the field that leads there; -1 = none
    way: Annotated[NDArray[np.float32], Shape("actor", 3)]  # x and z, a unit vector, and the speed wanted [m/s]

"""Lifts: the component with the positions of the cars of all lifts."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import COUNT, NOT_NEGATIVE, NUMBER, Within
from ecs_anim.ecs.columns import Kept, Lengths
from ecs_anim.storeys.connections import Car


@dataclass
class Lifts:
    """The cars of the lifts of a scene. The stage's entity has the component `Lifts`.

    Written by: the scene loader and the system `escalators`. Read by: the system `escalators` and the drawing code.
    """

    numbers: tuple[int, ...]  # number of each lift in `Connections.parts`
    cars: tuple[Car, ...]
    height: Annotated[Kept[NDArray[np.float64]], NUMBER, Lengths()]  # [lift] [m], height of the floor of the car
    stop: Annotated[Kept[NDArray[np.int32]], COUNT, Lengths()]  # [lift], last stop of the car
    target: Annotated[Kept[NDArray[np.int32]], COUNT, Lengths()]  # [lift], next stop of the car
    way: Annotated[Kept[NDArray[np.int32]], Within(-1, 1), Lengths()]  # [lift], direction of the last ride: 1 = up
    open_seconds: Annotated[Kept[NDArray[np.float64]], NOT_NEGATIVE, Lengths()]  # [lift], until the doors close

    def flaw(self, beside: object) -> str:
        """Return a message about a lift whose last or next stop does not exist. If all stops are valid, return ''."""
        for number, car in enumerate(self.cars):
            if max(self.stop[number], self.target[number]) >= len(car.heights):
                return f"lift {number} must have a stop below {len(car.heights)}"
        return ""


def new_lifts(numbers: tuple[int, ...], cars: tuple[Car, ...]) -> Lifts:
    """Return lifts whose cars stand at their lowest stops with open doors."""
    count = len(cars)
    stop, target, way = np.zeros((3, count), np.int32)
    way[:] = 1
    height = np.array([car.heights[0] for car in cars], np.float64)
    return Lifts(numbers, cars, height, stop, target, way, np.array([car.dwell for car in cars], np.float64))

"""The moving surfaces of a building: the steps of its escalators, and the cars and doors of its lifts."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.connections import Connections
from ecs_anim.components.lifts import Lifts
from ecs_anim.ground.moving import MovingShape
from ecs_anim.ground.surface import Color, Surface
from ecs_anim.storeys.building import Building
from ecs_anim.storeys.escalators import MovingSteps
from ecs_anim.storeys.lift_surfaces import MovingLift


class BuildingMoves:
    """The moving surfaces of a building. The components of the world contain the present state."""

    def __init__(
        self,
        building: Building,
        connections: Connections,
        lifts: Lifts | None,
        step_colors: Mapping[str, Color],  # by name of the escalator
        car_colors: Sequence[Color],
    ) -> None:
        self._connections, self._lifts = connections, lifts
        self._steps = [
            (number, MovingSteps(run.flights[0], step_colors[run.name], building.storey(run.flights[0].base)))
            for number, run in enumerate(building.runs)
            if run.flights[0].kind == "escalator"
        ]
        self._cars = [MovingLift(building, lift, color) for lift, color in zip(building.lifts, car_colors, strict=True)]

    def surfaces(self) -> tuple[Surface, ...]:
        """Return the surfaces of all steps, cars and doors at their present positions."""
        steps = [own for number, part in self._steps for own in part.surfaces(self._travel(number))]
        return *steps, *(own for car, state in self._rides() for own in car.surfaces(*state))

    def shapes(self) -> tuple[MovingShape, ...]:
        """Return the shapes of all steps, cars and doors, in the order of `present`."""
        steps = [shape for _, part in self._steps for shape in part.shapes()]
        return *steps, *(shape for car in self._cars for shape in car.shapes())

    def present(self) -> NDArray[np.float64]:
        """Return the present state (0 to 1) and the present rise [m] of each shape, [shape, 2].

        The state of steps is the distance of their movement [step]. The state of a door is its opened share. The rise
        of a car and of its door is the height of the car. All other shapes have the rise 0.
        """
        steps = [own for number, part in self._steps for own in part.present(self._travel(number))]
        return np.array([*steps, *(own for car, state in self._rides() for own in car.present(*state))])

    def _travel(self, number: int) -> float:
        return float(self._connections.travel[number])

    def _rides(self) -> list[tuple[MovingLift, tuple[float, float]]]:
        """Return each lift with the height of its car [m] and the time until its doors close [s]."""
        if self._lifts is None:
            return []
        states = zip(self._lifts.height.tolist(), self._lifts.open_seconds.tolist(), strict=True)
        return list(zip(self._cars, states, strict=True))

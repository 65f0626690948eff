"""Drawn surfaces that move, such as the steps of escalators and the cars of lifts."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.surface import Surface


class MovingShape(NamedTuple):
    """A surface whose vertices depend on two numbers: the state and the rise. The rise [m] lifts all vertices.

    Between two known states, each vertex moves on a straight line.
    """

    states: tuple[float, ...]  # the known states, ascending
    surfaces: tuple[Surface, ...]  # the surface in each known state, without the rise
    is_endless: bool = False  # whether the state continues at 0 after 1
    rides: bool = False  # whether the rise determines the storey of the surface


class MovingSurfaces(Protocol):
    """The moving surfaces of a scene."""

    def surfaces(self) -> tuple[Surface, ...]:
        """Return the drawn surfaces at the present time."""
        ...

    def shapes(self) -> tuple[MovingShape, ...]:
        """Return the shapes of all surfaces. The result does not depend on the time."""
        ...

    def present(self) -> NDArray[np.float64]:
        """Return the present state of each shape and its rise [m], [shape, 2]. The rise lifts all vertices."""
        ...

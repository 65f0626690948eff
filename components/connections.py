"""Connections: the component with the stairs, ramps and escalators between the levels of a building."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import SHARE, Within
from ecs_anim.ecs.columns import Kept, Lengths
from ecs_anim.routing.lattice import CellLinks
from ecs_anim.storeys.connections import Connection, Use


class Connected(NamedTuple):
    """The data of the route search that depend on the present uses of the connections.

    The data are computed again when a connection opens, closes, starts, stops, or changes its direction.
    """

    links: CellLinks
    speed_factor: NDArray[np.float32]  # [cell], factor of walking speeds
    on_belts: NDArray[np.bool_]  # [cell], cells on moving steps
    slope: NDArray[np.float32]  # [space, 4], the column `slope` of `SpaceArrays`


ConnectedWith = Callable[[tuple[Use, ...]], Connected]


@dataclass
class Connections:
    """The connections between the levels of a scene. The stage's entity has the component `Connections`.

    Written by: the scene loader, and the systems `timeline` and `escalators` (only `travel`). Read by: the systems
    `timeline`, `escalators` and `routing`, and the drawing code.
    """

    parts: tuple[Connection, ...]
    is_open: Annotated[Kept[NDArray[np.bool_]], Lengths()]  # [connection], true = actors can enter
    # [connection], direction in which actors can walk or in which the steps move: 1 = up, 0 = both, -1 = down
    way: Annotated[Kept[NDArray[np.int32]], Within(-1, 1), Lengths()]
    moves: Annotated[Kept[NDArray[np.bool_]], Lengths()]  # [connection], true = the steps of an escalator move
    # [connection], 0 to 1, distance that the steps have moved uphill since the last full step [step]
    travel: Annotated[Kept[NDArray[np.float64]], SHARE, Lengths()]
    # cache of the system `escalators`: the uses of the connections, and the places in which actors are riders
    zones: tuple[object, Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all connections, in the order of `parts`."""
        return tuple(own.name for own in self.parts)

    @property
    def uses(self) -> tuple[Use, ...]:
        """For each connection: whether it is open, its present direction, and whether its steps move."""
        columns = self.is_open.tolist(), self.way.tolist(), self.moves.tolist()
        return tuple(Use(*row) for row in zip(*columns, strict=True))


def new_connections(parts: tuple[Connection, ...]) -> Connections:
    """Return the connections in the state in which the world starts."""
    starts = [own.start for own in parts]
    return Connections(
        parts,
        np.array([own.is_open for own in starts]),
        np.array([own.way for own in starts], np.int32),
        np.array([own.moves for own in starts]),
        np.zeros(len(parts)),
    )

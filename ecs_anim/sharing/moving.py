"""Recording of the surfaces that move, appear or disappear, such as the steps of escalators and the walls of doors."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.ground.moving import MovingShape
from ecs_anim.ground.surface import Surface
from ecs_anim.sharing.pool import Pool
from ecs_anim.systems.queries import stage_of
from ecs_anim.walls.walls import Walls

Reals = NDArray[np.float64]
CLOSE = 1e-3  # largest error of states, and of rises [m]


class FilmedSurfaces:
    """The surfaces of a scene over the time of a recording."""

    def __init__(self, world: World) -> None:
        self._stage = stage_of(world)
        self._shapes = self._stage.moving.shapes() if self._stage.moving is not None else ()
        self._times: list[float] = []  # [s]
        self._states: list[Reals] = []  # each [shape, 2], see `MovingSurfaces.present`
        self._walls: list[tuple[float, Walls]] = []  # walls of the scene from a time on

    def take(self, time: float) -> None:
        """Record the present surfaces. `time` [s] is the time after the first sample."""
        if self._stage.moving is not None:
            self._times.append(time)
            self._states.append(self._stage.moving.present())
        walls = self._stage.walls
        if walls is not None and (not self._walls or self._walls[-1][1] is not walls):
            self._walls.append((time, walls))

    @property
    def standing(self) -> tuple[Surface, ...]:
        """The surfaces of the ground, which are always visible."""
        return self._stage.terrain.surfaces

    @property
    def is_uneven(self) -> bool:
        """Whether actors can stand on surfaces."""
        return bool(self._shapes) or not all(surface.is_wall for surface in self.standing)

    def walls(self) -> list[tuple[Surface, list[float] | None]]:
        """Return each surface of the walls with the times [s] at which the surface appears, disappears, appears and so
        on. If the surface is always visible, return None in place of the times.
        """
        known: dict[Hashable, tuple[Surface, list[bool]]] = {}
        for number, (_, walls) in enumerate(self._walls):
            for surface in walls.surfaces:
                content = surface.positions.tobytes(), surface.color, surface.storey, surface.kind
                _, seen = known.setdefault(content, (surface, [False] * len(self._walls)))
                seen[number] = True
        starts = [time for time, _ in self._walls]
        return [(surface, None if all(seen) else _changes(starts, seen)) for surface, seen in known.values()]

    def moving(self) -> list[tuple[Surface, MovingShape, NDArray[np.float32]]]:
        """Return the surface of each shape, the shape, and its movement: rows of time [s], state and rise [m]."""
        found = []
        for number, shape in enumerate(self._shapes):
            states = np.array([own[number] for own in self._states])
            if shape.is_endless:
                states[:, 0] = np.unwrap(states[:, 0], period=1.0)
            rows = np.column_stack([self._times, states])
            found.append((shape.surfaces[len(shape.surfaces) // 2], shape, rows[corners(rows)].astype(np.float32)))
        return found


def described_movement(shape: MovingShape, rows: NDArray[np.float32], pool: Pool) -> dict[str, Any]:
    """Describe the movement of a surface for the page."""
    return {
        "states": shape.states,
        "shapes": [pool.array(own.positions.astype(np.float32)) for own in shape.surfaces],
        "is_endless": shape.is_endless,
        "rides": shape.rides,
        "rows": pool.array(rows),
    }


def corners(rows: Reals) -> NDArray[np.intp]:
    """Return the row numbers of the corners of a movement. Between two corners, all columns change linearly.

    `rows` [row, 1 + column] begin with an ascending number, such as a time. The error of a column is at most `CLOSE`.
    """
    kept, open_parts = {0, len(rows) - 1}, [(0, len(rows) - 1)]
    while open_parts:
        begin, end = open_parts.pop()
        if end - begin < 2:
            continue
        part = rows[begin : end + 1]
        share = (part[:, :1] - part[0, 0]) / (part[-1, 0] - part[0, 0])
        error = np.abs(part[0, 1:] + share * (part[-1, 1:] - part[0, 1:]) - part[:, 1:]).max(axis=1)
        if error.max() > CLOSE:
            middle = begin + int(error.argmax())
            kept.add(middle)
            open_parts += [(begin, middle), (middle, end)]
    return np.array(sorted(kept), np.intp)


def _changes(starts: list[float], seen: list[bool]) -> list[float]:
    """Return the times at which a surface appears, disappears, appears and so on."""
    before = [False, *seen[:-1]]
    return [time for time, was, now in zip(starts, before, seen, strict=True) if was != now]

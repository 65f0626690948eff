"""Groups and goals of actors for labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.groups import Groups
from ecs_anim.components.steering import Steering
from ecs_anim.components.storeys import Storeyed
from ecs_anim.dataset.rounding import METRE_DIGITS, rounded
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import mirrored
from ecs_anim.storeys.spaces import Spaces

Rows = NDArray[np.int32]
Reals = NDArray[np.float64]


def groups_of(world: World, entity: int, rows: Rows) -> list[int | None]:
    """Return the number of each actor's group, [n], or None for an actor without a group."""
    groups = world.find(entity, Groups)
    if groups is None:
        return [None] * len(rows)
    return [number if number >= 0 else None for number in groups.number[rows].tolist()]


def goals_of(world: World, entity: int, rows: Rows) -> list[dict[str, Any] | None]:
    """Return the goal of each steered actor, [n]: its name, its plan point and its level.

    Actors without steering have no goal.
    """
    steering = world.find(entity, Steering)
    if steering is None:
        return [None] * len(rows)
    names = steering.waypoint_names
    points, levels = _on_levels(world.find(entity, Storeyed), mirrored(steering.goal[rows]).astype(np.float64))
    chosen = steering.waypoint[rows].tolist()
    return [
        {"name": names[number] if 0 <= number < len(names) else None, "position": point, "level": level}
        for number, point, level in zip(chosen, rounded(points, METRE_DIGITS), levels, strict=True)
    ]


def _on_levels(storeyed: Storeyed | None, points: Reals) -> tuple[Reals, list[str | None]]:
    """Return plan points [n, 2] of the building and the names of their levels. `points` are on the unfolded plan.

    Without levels, the points do not change and the names are None.
    """
    if storeyed is None:
        return points, [None] * len(points)
    spaces: Spaces = storeyed.spaces
    found, levels = points.copy(), np.full(len(points), -1)
    for number in range(len(spaces.names)):
        own = points - spaces.arrays.offsets[number]
        inside = (levels < 0) & spaces.areas[number].contains(own)
        found[inside], levels[inside] = own[inside], number
    return found, [spaces.names[number] if number >= 0 else None for number in levels.tolist()]

"""The unfolded plan of worlds with levels: the spaces of actors, ghosts near seams, and speeds on flights.

On the unfolded plan, all spaces (levels, landings and flights) lie side by side. A seam is a line where two spaces
meet. A ghost is a copy of an agent near a seam. The ghost lies in the space on the other side of the seam, so that
agents in this space avoid the agent.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.steering import Steering
from ecs_anim.components.storeys import UNKNOWN, Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import mirrored, plan_from_space, space_from_plan
from ecs_anim.steering.own import Model
from ecs_anim.storeys.spaces import CLOSE
from ecs_anim.support.arguments import number_of
from ecs_anim.support.errors import InputError

Rows = NDArray[np.intp]
# for each crowd with storeys: its number, its storeys, and the spaces of its actors for the search of ghosts
Seen = list[tuple[int, Storeyed, NDArray[np.int32]]]
AT_FLOOR = np.float32(0.01)  # [m], largest distance of the car of a lift from the floor of its stop
_NO_ROWS = np.zeros(0, np.intp)


def unfold_all(world: World) -> None:
    """Find the spaces of all actors in a world with levels, and their points on the unfolded plan."""
    for _, (storeyed, transforms) in world.query(Storeyed, Transforms):
        unfold_crowd(storeyed, transforms)


def unfold_crowd(storeyed: Storeyed, transforms: Transforms) -> Rows:
    """Find the spaces of the actors in one crowd, and their points on the unfolded plan.

    Return the rows [n] of the actors whose space was not known.
    """
    from ecs_anim.kernels.storeys import unfold  # compiled at first use

    if len(storeyed.plan) != len(storeyed.space):
        storeyed.plan = np.zeros((len(storeyed.space), 3), np.float32)
    if not unfold(storeyed.spaces.arrays, transforms.translation, storeyed.space, storeyed.plan):
        return _NO_ROWS
    rows = np.flatnonzero(storeyed.space == UNKNOWN)
    points, found, plan = (
        transforms.translation[rows],
        _found(storeyed, transforms.translation[rows]),
        storeyed.plan[rows],
    )
    unfold(storeyed.spaces.arrays, points, found, plan)
    storeyed.space[rows], storeyed.plan[rows] = found, plan
    return rows


def forget_strayed(storeyed: Storeyed, transforms: Transforms, lift: float) -> None:
    """Set the space of each actor to unknown that is too far above or below the floor of its space.

    In a dense crowd, other actors can push an actor over the edge of a flight onto the floor beside it. Without a new
    search for its space, the actor would follow the routes of the flight and never leave. `lift` [m] is the height of
    translations above the ground. Carried actors stand on steps or in a lift, so their heights are not checked.
    """
    points = plan_from_space(transforms.translation).astype(np.float64)
    heights = transforms.translation[:, 1].astype(np.float64) - lift
    walks = (storeyed.space >= 0) & np.isnan(storeyed.carried[:, 2])
    for number in np.unique(storeyed.space[walks]).tolist():
        rows = np.flatnonzero(walks & (storeyed.space == number))
        away = np.abs(storeyed.spaces.floors[number].heights(points[rows]) - heights[rows])
        storeyed.space[rows[away > CLOSE]] = UNKNOWN


def _found(storeyed: Storeyed, points: NDArray[np.float32]) -> NDArray[np.int32]:
    """Return the spaces [n] at points in space [n, 3].

    A point outside of all spaces gets the level nearest in height.
    """
    heights = points[:, 1].astype(np.float64)
    found = storeyed.spaces.find(plan_from_space(points).astype(np.float64), heights)
    return np.where(found == UNKNOWN, storeyed.spaces.nearest_level(heights), found)


class OnFloors(Protocol):
    """A crowd that can be on several levels."""

    @property
    def storeyed(self) -> Storeyed | None:
        """The spaces of the actors, or None in a world without levels."""


def all_seen_spaces(crowds: Sequence[OnFloors]) -> Seen:
    """Return the spaces of the actors of each crowd for the search of ghosts. Crowds without storeys have no ghosts."""
    return [
        (number, own.storeyed, _seen_spaces(own.storeyed))
        for number, own in enumerate(crowds)
        if own.storeyed is not None
    ]


def count_all_ghosts(seen: Seen) -> int:
    """Return the number of ghosts of all crowds."""
    if not seen:
        return 0
    from ecs_anim.kernels.storeys import count_ghosts  # compiled at first use

    return sum(count_ghosts(storeyed.spaces.arrays, storeyed.plan, spaces) for _, storeyed, spaces in seen)


def add_all_ghosts(seen: Seen, ends: Sequence[int], agents: tuple[NDArray[Any], ...]) -> None:
    """Write the ghosts of all crowds to the rows of `agents` that begin at `ends[-1]`.

    The agents of crowd i begin at the row `ends[i]`.
    """
    if not seen:
        return
    from ecs_anim.kernels.storeys import add_ghosts  # compiled at first use

    to = ends[-1]
    for number, storeyed, spaces in seen:
        to = add_ghosts(storeyed.spaces.arrays, spaces, ends[number], to, agents)


def _seen_spaces(storeyed: Storeyed) -> NDArray[np.int32]:
    """Return the space of each actor [n] for the search of ghosts.

    The space is -1 for actors in a lift between two floors, and for actors on the first half of moving steps. These
    actors have no ghosts. Actors that want to step on an escalator therefore do not avoid the riders on its first
    steps. Only the free places on the steps limit the entry: with ghosts, half as many actors would enter.
    """
    carried = storeyed.carried
    rows = np.flatnonzero(~np.isnan(carried[:, 2]))
    if not rows.size:
        return storeyed.space
    seen = storeyed.space.copy()
    floors = [storeyed.spaces.floors[number] for number in seen[rows].tolist()]
    up = np.array([own.uphill for own in floors], np.float32)
    rises = carried[rows, 0] * up[:, 0] - carried[rows, 1] * up[:, 1] > 0
    low = carried[rows, 2] < np.array([(own.base + own.top) / 2 for own in floors], np.float32)
    base = np.array([own.base for own in floors], np.float32)
    is_level = base == np.array([own.top for own in floors], np.float32)
    is_between = np.abs(carried[rows, 2] - base) > AT_FLOOR
    seen[rows[np.where(is_level, is_between, rises == low)]] = UNKNOWN
    return seen


def slow_down(storeyed: Storeyed, steering: Steering) -> None:
    """Multiply the desired speeds of actors on flights by a factor. The factor differs uphill and downhill."""
    from ecs_anim.kernels.storeys import slow_on_slopes  # compiled at first use

    slow_on_slopes(storeyed.spaces.arrays, storeyed.space, tuple(steering.columns))


def lengthen_time_gaps(storeyed: Storeyed, model: Model, parameters: NDArray[np.float32]) -> None:
    """Multiply the time gaps of agents by the factors of their spaces, if the model has the parameter `time_gap`.

    `parameters` [actor, `PARAMETER_COUNT`] contains the parameters of the agents of a crowd.
    """
    if "time_gap" in model.parameters:
        column = [*model.parameters].index("time_gap")
        parameters[:, column] *= storeyed.spaces.time_gap_factors[storeyed.space]  # -1 selects the last factor


def level_names(world: World, entity: int, count: int) -> list[str]:
    """Return the name of each actor's level or stairs, [count]. In a world without levels, all names are ""."""
    storeyed = world.find(entity, Storeyed)
    if storeyed is None:
        return [""] * count
    return [storeyed.spaces.labels[number] for number in _spaces_now(world, entity, storeyed).tolist()]


def places_on_plan(
    world: World, entity: int, rows: NDArray[np.int32], level: str | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the plan points of actors [n, 2] [m], and the offset [2] [m] of a level on the plan.

    In a world with levels, the plan is the unfolded plan. The default of `level` is the first level. Raises InputError
    for an unknown level.
    """
    storeyed, transforms = world.find(entity, Storeyed), world.get(entity, Transforms)
    if storeyed is None:
        if level is not None:
            raise InputError(f"go_to: the world has no levels (got level = {level!r}). Leave out level.")
        return plan_from_space(transforms.translation[rows]), np.zeros(2, np.float32)
    names = storeyed.spaces.names
    number = 0 if level is None else number_of("level", level, {name: own for own, name in enumerate(names)})
    return plan_from_space(unfolded_points(world, entity)[rows]), storeyed.spaces.arrays.offsets[number]


def forget_spaces(world: World, entity: int, rows: NDArray[np.int32]) -> None:
    """Forget the spaces of actors that code has moved. The next step finds the spaces from positions and heights."""
    if (storeyed := world.find(entity, Storeyed)) is not None:
        storeyed.space[rows] = UNKNOWN


def _spaces_now(world: World, entity: int, storeyed: Storeyed) -> NDArray[np.int32]:
    """Return the spaces of all actors, including actors that were added or placed since the last step."""
    rows = np.flatnonzero(storeyed.space == UNKNOWN)
    if not rows.size:
        return storeyed.space
    space = storeyed.space.copy()
    space[rows] = _found(storeyed, world.get(entity, Transforms).translation[rows])
    return space


def unfolded_points(world: World, entity: int) -> NDArray[np.float32]:
    """Return the positions of a crowd's actors, [actor_count, 3] [m]: in a world with levels, on the unfolded plan."""
    storeyed, translation = world.find(entity, Storeyed), world.get(entity, Transforms).translation
    if storeyed is None:
        return translation
    found = translation.copy()
    found[:, ::2] += mirrored(storeyed.spaces.arrays.offsets[_spaces_now(world, entity, storeyed)])
    return found


def folded_points(world: World, entity: int, level: int, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert points [n, 2] [m] of the unfolded plan to points in space [n, 3] on the level with the number `level`.

    In a world without levels, return `points`.
    """
    storeyed = world.find(entity, Storeyed)
    if storeyed is None:
        return points
    spaces = storeyed.spaces
    return space_from_plan(points - spaces.arrays.offsets[level], spaces.floors[level].base)

"""Stops: waiting places, holds and transitions at goals. The module builds the component `Stops`."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.stops import Stops, Transition
from ecs_anim.maths.plan import mirrored
from ecs_anim.scenes.parts.goals import GoalKeys, GoalModel, level_offset
from ecs_anim.scenes.scene_key import SceneKey

if TYPE_CHECKING:  # this module imports shapely, which only scenes with walls or levels need
    from ecs_anim.storeys.unfolded import Unfolded


def new_stops(said: GoalKeys, key: SceneKey, unfolded: "Unfolded | None") -> Stops | None:
    """Return the stops of a crowd, or None if no goal has places, holds or next goals.

    `key` is the scene key of the table `steering`. Raises InputError.
    """
    goals = said.goals or []
    if not any(goal.places or goal.hold or goal.next for goal in goals):
        return None
    numbers = {goal.name: number for number, goal in enumerate(goals)}
    holds = np.array([goal.hold for goal in goals])
    return Stops(
        places=tuple(_places(goal, key / f".goals[{number}]", unfolded) for number, goal in enumerate(goals)),
        can_hold=holds,
        transitions=tuple(_transition(goal, numbers) for goal in goals) if said.has_next else (),
        held=holds.astype(np.int32),
        taken=np.zeros(len(goals), np.int64),
    )


def _places(said: GoalModel, key: SceneKey, unfolded: "Unfolded | None") -> NDArray[np.float32]:
    """Return the waiting places of a goal, x and z [n, 2] [m]. With levels, the places are on the unfolded plan."""
    if not said.places:
        return np.zeros((0, 2), np.float32)
    level = said.level if isinstance(said.at, tuple) else said.at.level or said.level
    _, offset = level_offset(level, key / ".places", unfolded)
    return mirrored((np.array(said.places) + offset).astype(np.float32))


def _transition(said: GoalModel, numbers: dict[str | None, int]) -> Transition:
    following = tuple(numbers[name] for name in said.next_weights)
    return Transition(following, tuple(said.next_weights.values()), said.next_choice == "least_targeted")

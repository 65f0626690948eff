"""Choice of the first goal of each actor, and of the goals that each actor knows at the start."""

from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.familiarity import Familiarity
from ecs_anim.scenes.parts.goals import GoalKeys


def choose_goals(
    said: GoalKeys,
    waypoints: NDArray[np.float32],
    positions: NDArray[np.float64],
    have: int,
    familiarity: Familiarity | None,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Return the first goal of each actor as indices [n] into `waypoints`.

    `waypoints` [m, 2] and the actors' `positions` [n, 2] are plan points. `have` is the number of actors that the crowd
    already has. If `familiarity` is not None, each actor chooses among the goals that it knows.
    """
    points, count = waypoints.astype(np.float64), len(positions)
    match said.choice:
        case "in_turn":
            return np.zeros(count, np.int32)
        case "nearest" | "quickest" | "familiar":
            apart = np.stack([np.sum(np.square(positions - point), axis=1) for point in points], axis=1)
            if familiarity is not None:
                apart[~familiarity.knows(np.arange(count), len(points)).T] = np.inf
            found: NDArray[np.int32] = apart.argmin(axis=1).astype(np.int32)
            return found
        case "share" | "wander":
            return np.searchsorted(said.shares[:-1], rng.random(count), side="right").astype(np.int32)
        case "assigned":
            return (np.arange(have, have + count) % len(points)).astype(np.int32)
        case _:
            assert_never(said.choice)


def new_familiarity(said: GoalKeys, count: int, rng: np.random.Generator) -> Familiarity:
    """Return the goals that `count` actors know at the start.

    The shares `known_by` can leave an actor without a known goal. Such an actor knows the goal with the largest
    `known_by`.
    """
    known_by = np.array([goal.known_by for goal in said.goals or []])
    knows = rng.random((count, len(known_by))) < known_by
    knows[~knows.any(axis=1), known_by.argmax()] = True
    bits = np.int32(1) << np.arange(len(known_by), dtype=np.int32)
    return Familiarity(np.where(knows, bits, 0).sum(axis=1, dtype=np.int32))


def halts_at(said: GoalKeys, waypoint: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return an array [n] that is 1 for actors that stop at the current goal, and 0 for all other actors.

    `waypoint` [n] contains the current goals of the actors.
    """
    is_last = (waypoint + 1 == len(said.waypoints)) | said.stays
    if said.has_next:
        is_last = np.array([not goal.next for goal in said.goals or []])[waypoint]
    stays = is_last & (not said.is_round and not said.leave)
    holds = np.array([goal.hold for goal in said.goals or []] or [False] * len(said.waypoints))
    found: NDArray[np.int32] = (stays | (said.waits[waypoint, 1] > 0) | holds[waypoint]).astype(np.int32)
    return found

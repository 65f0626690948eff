"""Assignment of actors to groups that walk together. The scene states the group sizes."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ecs_anim.components.journeys import Journeys
from ecs_anim.components.steering import Steering
from ecs_anim.scenes.schema_base import NotNegative, Table
from ecs_anim.scenes.schema_rules import rule
from ecs_anim.steering.groups import of_first

STRIP = 2.0  # [m], width of the strips along which neighbours form groups
LARGEST = 6  # number of actors that can walk side by side


class GroupModel(Table):
    """Groups of actors that stay together."""

    sizes: Annotated[list[NotNegative], Field(min_length=1, max_length=LARGEST)] = Field(
        description="list of relative frequencies of group sizes: first of single persons, then of groups of two, of"
        " groups of three, and so on"
    )

    _has_some = rule("sizes: at least one number must be more than 0", lambda groups: sum(groups.sizes) > 0)


class GroupKeys(Table):
    """The groups of a crowd."""

    groups: GroupModel | None = Field(
        None,
        description="groups of actors. The members of a group have the same goals, walk side by side, and wait for"
        " each other",
    )

    @property
    def largest_group(self) -> int:
        """Return the size of the largest group, or 1 if no actors walk in groups."""
        return 1 if self.groups is None else int(np.flatnonzero(self.groups.sizes)[-1]) + 1


def deal_groups(said: GroupModel, positions: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int32]:
    """Return the group number [n] of each actor. Group numbers begin at 0.

    `positions` [n, 2] contains the plan points of the actors. The function puts neighbouring actors into one group.
    """
    count = len(positions)
    x, strip = positions[:, 0], np.floor(-positions[:, 1] / STRIP)
    # alternate direction in each strip, from north to south
    order = np.lexsort((np.where(strip % 2 == 0, x, -x), strip))
    bounds = np.cumsum(said.sizes)
    sizes = 1 + np.searchsorted(bounds[:-1] / bounds[-1], rng.random(count), side="right")
    numbers = np.empty(count, np.int32)
    numbers[order] = np.searchsorted(np.cumsum(sizes), np.arange(count), side="right")
    return numbers


def go_together(numbers: NDArray[np.int32], steering: Steering, journeys: Journeys | None) -> None:
    """Give all members of a group the same goal, the same departure time, and the speed of the slowest member."""
    first = of_first(numbers)
    for column in (steering.goal, steering.offset, steering.waypoint, steering.halts):
        column[:] = column[first]
    steering.speed[:] = _slowest(steering.speed, numbers)
    if journeys is not None:
        journeys.rest[:], journeys.chance[:] = journeys.rest[first], journeys.chance[first]


def _slowest(speeds: NDArray[np.float32], numbers: NDArray[np.int32]) -> NDArray[np.float32]:
    """For each actor [n], return the speed of the slowest member of its group."""
    least = np.full(numbers.max(initial=-1) + 1, np.inf, np.float32)
    np.minimum.at(least, numbers, speeds)
    return np.asarray(least[numbers])

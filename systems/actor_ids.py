"""Ids of actors: assignment of ids, and search for the actor with an id.

The id of an actor never changes, and the world never uses an id twice.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.id_index import new_id_index
from ecs_anim.ecs.world import World


@dataclass(frozen=True)
class ActorRow:
    """The crowd entity of an actor, and the actor's row in the columns of the crowd."""

    entity: int
    row: int


def number_actors(world: World) -> None:
    """Make all ids in the world unique. The first actor of the world has id 1.

    If an id of a crowd is not above all ids of the preceding crowds, all actors of the crowd get new ids.
    """
    first = 1
    for _, (crowd,) in world.query(Crowd):
        if len(crowd.ids) and crowd.ids.min() < first:
            crowd.index = new_id_index(crowd.actor_count, first)
        first = max(first, crowd.index.next_id)


def next_id(world: World) -> int:
    """Return the id of the next new actor. The next id is larger than all ids that the world has assigned."""
    return max((crowd.index.next_id for _, (crowd,) in world.query(Crowd)), default=1)


def find_actors(world: World, ids: NDArray[np.integer]) -> list[ActorRow | None]:
    """Return the crowd entity and the current row of the actor for each id in `ids` [n].

    The result for an id is None if the id is 0, or if its actor has left.
    """
    found: list[ActorRow | None] = [None] * len(ids)
    for entity, (crowd,) in world.query(Crowd):
        rows = crowd.index.find(ids)
        for number in np.flatnonzero(rows >= 0).tolist():
            found[number] = ActorRow(entity, int(rows[number]))
    return found


def ids_of(world: World, entity: int) -> NDArray[np.int64] | None:
    """Return the ids of a crowd's actors by row. If the entity is not a crowd, return None."""
    crowd = world.find(entity, Crowd)
    return None if crowd is None else crowd.ids

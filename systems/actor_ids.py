"""Ids of actors: assignment and search. An actor keeps its id, and the world never uses an id again."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.id_index import new_id_index
from ecs_anim.ecs.world import World


@dataclass(frozen=True)
class ActorRow:
    """The crowd entity of an actor, and the actor's row in the crowd's columns."""

    entity: int
    row: int


def number_actors(world: World) -> None:
    """Give new ids to each crowd that shares ids with an earlier crowd. The first actor of the world has id 1."""
    first = 1
    for _, (crowd,) in world.query(Crowd):
        if len(crowd.ids) and crowd.ids.min() < first:
            crowd.index = new_id_index(crowd.actor_count, first)
        first = max(first, crowd.index.next_id)


def next_id(world: World) -> int:
    """Return the id of the next new actor. This id is higher than all earlier ids of the world."""
    return max((crowd.index.next_id for _, (crowd,) in world.query(Crowd)), default=1)


def find_actors(world: World, ids: NDArray[np.integer]) -> list[ActorRow | None]:
    """Return the crowd entity and the current row of the actor with each id [n].

    The result is None for id 0 and for ids of actors that have left.
    """
    found: list[ActorRow | None] = [None] * len(ids)
    for entity, (crowd,) in world.query(Crowd):
        rows = crowd.index.find(ids)
        for number in np.flatnonzero(rows >= 0).tolist():
            found[number] = ActorRow(entity, int(rows[number]))
    return found


def ids_of(world: World, entity: int) -> NDArray[np.int64] | None:
    """Return the id of each row of an entity. Return None if the entity is not a crowd."""
    crowd = world.find(entity, Crowd)
    return None if crowd is None else crowd.ids

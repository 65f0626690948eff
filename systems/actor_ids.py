"""The number that each actor has in passes: 1 for the first of all, then crowd by crowd in the scene's order."""

from dataclasses import dataclass

from ecs_anim.components.crowd import Crowd
from ecs_anim.world import World


@dataclass(frozen=True)
class ActorRow:
    """One actor: a row of its crowd's columns."""

    entity: int
    row: int


def first_ids(world: World) -> dict[int, int]:
    """The id of row 0, by crowd entity; the other rows follow."""
    ids, next_id = {}, 1
    for entity, (crowd,) in world.query(Crowd):
        ids[entity] = next_id
        next_id += crowd.actor_count
    return ids


def actor_of(world: World, actor_id: int) -> ActorRow | None:
    """Whose id this is; None for 0, which is nobody's, and for ids past the last."""
    for entity, first in first_ids(world).items():
        if first <= actor_id < first + world.get(entity, Crowd).actor_count:
            return ActorRow(entity, actor_id - first)
    return None

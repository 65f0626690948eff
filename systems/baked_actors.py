"""The data of baked and hybrid crowds on the GPU: 64 bytes for each actor."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.records import checked
from ecs_anim.ecs.world import World
from ecs_anim.view.instances import BAKED_ACTOR, BakedColumns, BakedRows

_NO_INTS, _NO_FLOATS = np.zeros(0, np.int32), np.zeros(0, np.float32)


def new_baked_actors(actor_count: int) -> NDArray[np.void]:
    """Return an array with one element for each actor, [actor_count] of type BAKED_ACTOR."""
    return np.zeros(actor_count, BAKED_ACTOR)


def packed_actors(world: World, entity: int) -> NDArray[np.void]:
    """Return the GPU data of a crowd in a new array, [actor_count] of type BAKED_ACTOR. See `pack_crowd` for errors."""
    rows = new_baked_actors(world.get(entity, Crowd).actor_count)
    pack_crowd(world, entity, rows)
    return rows


def pack_crowd(world: World, entity: int, out: NDArray[np.void]) -> None:
    """Write the GPU data of a crowd's actors into `out` [actor_count]. The data comes from the crowd's current columns.

    The crowd must have a `Baked` component. If an actor plays more than two clips, the data of the actor contains only
    the two clips with the largest weights. The function scales the weights of the two clips to a sum of 1. Raises
    KeyError if the CPU computes the poses of the crowd, and ValueError if `out` has a wrong length.
    """
    world.get(entity, Baked)
    if len(out) != world.get(entity, Crowd).actor_count:
        raise ValueError(
            f"the output array must have {world.get(entity, Crowd).actor_count} rows, one for each actor (got"
            f" {len(out)} rows). Pass an array of this length."
        )
    pack_plays(world, entity, out)


def pack_plays(world: World, entity: int, out: NDArray[np.void]) -> None:
    """Write the GPU data of a crowd into `out` [actor_count], as `pack_crowd` does.

    The crowd needs no `Baked` component.
    """
    from ecs_anim.kernels.baked_actors import pack_baked_actors  # compiled at first use

    appearance, nearness = world.get(entity, Appearance), world.find(entity, Nearness)
    columns = BakedColumns(
        tint=appearance.tint,
        variant=_NO_INTS if appearance.variant is None else appearance.variant,
        share=nearness.share if nearness else _NO_FLOATS,
        near=nearness.palette_row if nearness else _NO_INTS,
    )
    rows = out.view(np.float32).reshape(len(out), BAKED_ACTOR.itemsize // 4)
    pack_baked_actors(
        world.get(entity, Character).motions.arrays,
        world.get(entity, Parameters).value,
        tuple(world.get(entity, Playback).queue),
        tuple(world.get(entity, Transforms).placement),
        checked(columns),
        BakedRows(rows, rows.view(np.uint16), rows.view(np.int32)),
    )

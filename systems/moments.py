"""Moments: stored states of a world's actors. A later picture can show the movement of actors since a moment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import Method
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.gl.crowds.past_poses import PastActors
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.systems.baked_actors import new_baked_actors, packed_actors
from ecs_anim.systems.instance_rows import instance_rows
from ecs_anim.systems.queries import near_palettes


@dataclass(frozen=True, eq=False)
class PastCrowd:
    """The data of the vertex shader at a moment, for a crowd whose poses the CPU computes."""

    ids: NDArray[np.int64]  # [actor_count] i64
    instances: NDArray[np.float32]  # [actor_count, 12] f32, result of `instance_rows`
    palettes: NDArray[np.float32]  # [actor_count, palette_count, 3 or 4, 4] f32
    skinning: Method
    morph_weights: NDArray[np.float32] | None  # [actor_count, target_count] f32
    variants: NDArray[np.int32] | None  # [actor_count] i32, variant of each actor


@dataclass(frozen=True, eq=False)
class PastBaked:
    """The GPU data at a moment, for a crowd whose poses the GPU computes."""

    ids: NDArray[np.int64]  # [actor_count] i64
    actors: NDArray[np.void]  # rows of `BAKED_ACTOR`
    near: NDArray[np.float32] | None  # palettes of the near actors in a hybrid crowd


Moment = Mapping[int, PastCrowd | PastBaked]  # by entity
NO_MOMENT: Moment = MappingProxyType({})


def moment_of(world: World) -> Moment:
    """Return the state of all crowds after the last step."""
    posed: Moment = {
        entity: PastCrowd(
            crowd.ids.copy(),
            instance_rows(transforms, appearance),
            palette.matrices.copy(),
            palette.method,
            None if (morphs := world.find(entity, Morphs)) is None else morphs.weights.copy(),
            None if appearance.variant is None else appearance.variant.copy(),
        )
        for entity, (crowd, transforms, palette, appearance) in world.query(Crowd, Transforms, Palette, Appearance)
        if world.find(entity, Baked) is None
    }
    baked = {entity: _past_baked(world, entity, crowd) for entity, (crowd, _) in world.query(Crowd, Baked)}
    return {**posed, **baked}


def _past_baked(world: World, entity: int, crowd: Crowd) -> PastBaked:
    near = near_palettes(world, entity)
    return PastBaked(crowd.ids.copy(), packed_actors(world, entity), None if near is None else near.copy())


def past_of(moment: Moment, entity: int, draw: CrowdDraw) -> CrowdDraw | None:
    """Return the draw call data of a crowd in its earlier state `moment`. `draw` is the crowd's present draw call data.

    If `moment` does not contain the crowd, or if the GPU computes the poses of the crowd, return None.
    """
    past = moment.get(entity)
    if not isinstance(past, PastCrowd) or draw.ids is None:
        return None
    return replace(
        draw,
        instances=past.instances,
        palettes=past.palettes,
        skinning=past.skinning,
        morph_weights=past.morph_weights,
        ids=past.ids,
        variants=past.variants,
        contacts=None,
        coverage=None,
    )


def past_actors_of(moment: Moment, entity: int, ids: NDArray[np.int64] | None) -> PastActors | None:
    """Return the GPU data in `moment` for the actors with the ids `ids` [actor_count].

    Actors without data in `moment` get the scale 0.

    If `moment` has no data of the crowd, return None.
    """
    past = moment.get(entity)
    if not isinstance(past, PastBaked) or ids is None or not len(past.ids):
        return None
    order = np.argsort(past.ids)
    found = order[np.searchsorted(past.ids, ids, sorter=order).clip(max=len(order) - 1)]
    actors = new_baked_actors(len(ids))
    known = past.ids[found] == ids
    actors[known] = past.actors[found[known]]
    return PastActors(actors, past.near)

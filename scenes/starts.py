"""Checks of the initial positions of steered actors. Actors must not overlap other actors or walls."""

import warnings
from collections.abc import Sequence

import numpy as np

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.support.errors import InputWarning
from ecs_anim.systems.steering import move_apart
from ecs_anim.walls.walls import Walls


def part_starts(scene: str, world: World) -> None:
    """Move overlapping steered actors apart before the first step. One warning states the number of moved actors."""
    told = [(crowd.name, moved, crowd.actor_count) for crowd, moved in move_apart(world)]
    _warn(scene, told, "overlapped other actors or walls at the start, so the program moved them. Use a wider layout")


def _warn(scene: str, told: Sequence[tuple[str, int, int]], text: str) -> None:
    """Print one warning for all crowds with affected actors.

    Each item of `told` contains the name of a crowd, the number of affected actors, and the number of all actors.
    """
    counted = [own for own in told if own[1]]
    if len(counted) == 1:
        ((name, some, count),) = counted
        warnings.warn(f"{scene}: crowd {name!r}: {some} of {count} actors {text}", InputWarning, stacklevel=4)
    elif counted:
        by_name = ", ".join(f"{name!r} {some} of {count}" for name, some, count in counted)
        total = sum(some for _, some, _ in counted)
        warnings.warn(f"{scene}: {len(counted)} crowds: {total} actors {text} ({by_name})", InputWarning, stacklevel=4)


def warn_of_starts(walls: Walls, scene: str, world: World) -> None:
    """Warn about actors that start outside the walkable area.

    One warning states the number of affected actors in each crowd.
    """
    from ecs_anim.kernels.walls import may_be_at  # these kernels are compiled only for scenes with walls

    told = []
    for entity, (crowd, transforms) in world.query(Crowd, Transforms):
        storeyed = world.find(entity, Storeyed)
        if storeyed is None and walls.has_levels:
            continue
        points = plan_from_space(transforms.translation if storeyed is None else storeyed.plan)
        free = np.empty(len(points), bool)
        may_be_at(walls.arrays, points, len(points), free)
        told.append((crowd.name, int(np.count_nonzero(~free)), len(points)))
    _warn(scene, told, "begin in a wall or outside of the walkable area. Move the layout of these actors")

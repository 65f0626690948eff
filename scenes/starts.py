"""Where actors begin: clear of each other where they steer, and against walls."""

import warnings

import numpy as np

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.support.errors import InputWarning
from ecs_anim.systems.steering import move_apart
from ecs_anim.walls.walls import Walls, to_plan


def part_starts(scene: str, world: World) -> None:
    """Put actors who steer clear of each other, and say of whom that was needed."""
    for crowd, moved in move_apart(world):
        if moved:
            text = (
                f"{moved} of {crowd.actor_count} actors began in others, or in walls, and were moved; spread the layout"
            )
            warnings.warn(f"{scene}: crowd {crowd.name!r}: {text}", InputWarning, stacklevel=3)


def warn_of_starts(walls: Walls, scene: str, world: World) -> None:
    """Say which crowds begin with actors where nobody may be."""
    from ecs_anim.kernels.walls import may_be_at  # compiled where there are walls

    for _, (crowd, transforms) in world.query(Crowd, Transforms):
        points = to_plan(transforms.translation)
        free = np.empty(len(points), bool)
        may_be_at(walls.arrays, points, len(points), free)
        if stuck := int(np.count_nonzero(~free)):
            text = f"{stuck} of {len(points)} actors begin in a wall or outside of the walkable area; move their layout"
            warnings.warn(f"{scene}: crowd {crowd.name!r}: {text}", InputWarning, stacklevel=3)

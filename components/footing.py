"""Footing: the component that stores the ground on which moving actors walk."""

from dataclasses import dataclass

from ecs_anim.ground.ground import Ground


@dataclass(frozen=True)
class Footing:
    """The ground on which the actors walk. The system `footing` keeps moving actors at the height of this ground.

    Written by: the scene loader. Read by: the systems `footing` and `foot_measures`.
    """

    ground: Ground
    offset: float  # [m], height of an actor's translation above the ground
    climb: float  # [m], largest step up; a surface above this height is a bridge overhead

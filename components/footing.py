"""Footing: the component that keeps moving actors at the height of the ground."""

from dataclasses import dataclass

from ecs_anim.ground.ground import Ground


@dataclass(frozen=True)
class Footing:
    """The ground below actors. Moving actors stay at the height of the ground.

    Written by: the scene loader. Read by: footing, foot_measures.
    """

    ground: Ground
    offset: float  # [m], height of an actor's translation above the ground
    climb: float  # [m], largest step up; higher ground is a bridge overhead

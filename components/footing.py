"""The ground below actors that move."""

from dataclasses import dataclass

from ecs_anim.ground.ground import Ground


@dataclass(frozen=True)
class Footing:
    """Actors that move keep to the height of the ground.

    Written by: the scene loader. Read by: footing, foot_measures.
    """

    ground: Ground
    offset: float  # [m] above the ground
    climb: float  # [m], the tallest step up; what is higher is a bridge overhead

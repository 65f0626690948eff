"""How well feet stand."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bounds import NumberOrNanColumn
from ecs_anim.ground.ground import Ground
from ecs_anim.legs import LegArrays


@dataclass
class FootMeasures:
    """What the heels and balls of a crowd's feet do, as they are drawn; NaN = not known.

    Written by: foot_measures. Read by: reports, whoever asks.
    """

    legs: LegArrays
    ground: Ground
    point: NumberOrNanColumn  # [actor_count, leg_count, 2, 3] f32, [m], world space
    skate: NumberOrNanColumn  # [actor_count, leg_count, 2] f32, [m/s], speed over the ground, whether planted or not
    gap: NumberOrNanColumn  # [actor_count, leg_count, 2] f32, [m], above the ground: hover; negative: penetration
    knee: NumberOrNanColumn  # [actor_count, leg_count] f32, [rad], how far the knee is bent; negative: backwards
    ankle: NumberOrNanColumn  # [actor_count, leg_count, 3] f32, [m], world space


def new_foot_measures(legs: LegArrays, ground: Ground, actor_count: int) -> FootMeasures:
    """Measures of a crowd that has not moved yet."""
    count = len(legs.joints)

    def unknown(*shape: int) -> NDArray[np.float32]:
        return np.full((actor_count, count, *shape), np.nan, np.float32)

    return FootMeasures(legs, ground, unknown(2, 3), unknown(2), unknown(2), unknown(), unknown(3))

"""How well feet stand."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import COUNT, NumberOrNanColumn
from ecs_anim.ecs.columns import Column, Personal, Restarts
from ecs_anim.ground.ground import Ground
from ecs_anim.ik.legs import LegArrays

Samples = list[NDArray[np.floating]]  # flat arrays, one a chunk and step, in any order


@dataclass
class FootSamples:
    """Measurements of a crowd's feet so far, including actors that have left since."""

    skate: Samples = field(default_factory=list)  # [m/s] of each foot that stays planted: its stiller contact
    gap: Samples = field(default_factory=list)  # [m] of each planted contact
    sunk: Samples = field(default_factory=list)  # [m] of every contact, planted or not, >= 0
    knee: Samples = field(default_factory=list)  # [rad]
    acceleration: Samples = field(default_factory=list)  # [m/s^2] of the ankles


@dataclass
class FootMeasures:
    """Motion of the heels and balls of a crowd's feet, as they are drawn; NaN = not known.

    Rows with `steps` 0 are not valid: no step has measured the actor since it arrived, came near or moved away.
    Written by: foot_measures. Read by: reports, user code.
    """

    legs: LegArrays
    ground: Ground
    # [actor_count] i32, consecutive steps in which the actor was measured
    steps: Annotated[Column[np.int32], COUNT, Restarts(0), Personal(0)]
    point: NumberOrNanColumn  # [actor_count, leg_count, 2, 3] f32, [m], world space
    planted: Column[np.bool_]  # [actor_count, leg_count, 2], true = pin weight > 0.5 in the last step
    skate: NumberOrNanColumn  # [actor_count, leg_count, 2] f32, [m/s], speed over the ground, whether planted or not
    gap: NumberOrNanColumn  # [actor_count, leg_count, 2] f32, [m], above the ground: hover; negative: penetration
    knee: NumberOrNanColumn  # [actor_count, leg_count] f32, [rad], how far the knee is bent; negative: backwards
    ankle: NumberOrNanColumn  # [actor_count, leg_count, 3] f32, [m], world space
    ankle_before: NumberOrNanColumn  # the same, one step earlier
    samples: FootSamples = field(default_factory=FootSamples)


def new_foot_measures(legs: LegArrays, ground: Ground, actor_count: int) -> FootMeasures:
    """Return the measures of a crowd that has not moved yet."""
    count = len(legs.joints)

    def unknown(*shape: int) -> NDArray[np.float32]:
        return np.full((actor_count, count, *shape), np.nan, np.float32)

    return FootMeasures(
        legs,
        ground,
        steps=np.zeros(actor_count, np.int32),
        point=unknown(2, 3),
        planted=np.zeros((actor_count, count, 2), np.bool_),
        skate=unknown(2),
        gap=unknown(2),
        knee=unknown(),
        ankle=unknown(3),
        ankle_before=unknown(3),
    )

"""Foot measures: how fast standing feet slide, how far they are from the ground, and how far knees are bent."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import COUNT, NumberOrNanColumn
from ecs_anim.ecs.columns import Column, Personal, Restarts
from ecs_anim.ground.ground import Ground
from ecs_anim.ik.legs import LegArrays

Samples = list[NDArray[np.floating]]  # flat arrays, one for each chunk and step, in any order


@dataclass
class FootSamples:
    """All measurements of a crowd's feet so far, including the measurements of actors that have left the crowd."""

    skate: Samples = field(default_factory=list)  # [m/s], speed of the slower contact of each planted foot
    gap: Samples = field(default_factory=list)  # [m], gap between each planted contact and the ground
    sunk: Samples = field(default_factory=list)  # [m], penetration depth of each contact, planted or not, >= 0
    knee: Samples = field(default_factory=list)  # [rad], knee angle
    acceleration: Samples = field(default_factory=list)  # [m/s^2], acceleration of each ankle


@dataclass
class FootMeasures:
    """The measured motion of the heels and balls of a crowd's feet, after all corrections of the pose.

    NaN means that a value is unknown.

    `steps` counts the measurements of an actor. While `steps` is 0 for an actor, all other values of the actor are not
    valid. The CPU computes the poses of near actors of a hybrid crowd. If an actor becomes a near actor or stops being
    a near actor, `steps` becomes 0 again.

    Written by: the system `foot_measures`. Read by: reports and user code.
    """

    legs: LegArrays
    ground: Ground
    # [actor_count] i32, number of consecutive steps with a measurement
    steps: Annotated[Column[np.int32], COUNT, Restarts(0), Personal(0)]
    point: NumberOrNanColumn  # [actor_count, leg_count, 2, 3] f32, [m], contacts in world space
    planted: Column[np.bool_]  # [actor_count, leg_count, 2], true = pin weight > 0.5 in the last step
    skate: NumberOrNanColumn  # [actor_count, leg_count, 2] f32, [m/s], speed over the ground, planted or not
    gap: NumberOrNanColumn  # [actor_count, leg_count, 2] f32, [m], height above the ground; negative = penetration
    knee: NumberOrNanColumn  # [actor_count, leg_count] f32, [rad], knee angle; negative = bent backwards
    ankle: NumberOrNanColumn  # [actor_count, leg_count, 3] f32, [m], ankles in world space
    ankle_before: NumberOrNanColumn  # [actor_count, leg_count, 3] f32, [m], ankles one step earlier
    samples: FootSamples = field(default_factory=FootSamples)


def new_foot_measures(legs: LegArrays, ground: Ground, actor_count: int) -> FootMeasures:
    """Return the foot measures of a crowd before its first step."""
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

"""The settings and the state of foot grounding, in the form that kernels take."""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_anim.ecs.bounds import NumberColumn, NumberOrNanColumn, Within
from ecs_anim.ecs.columns import Column, Restarts
from ecs_anim.ecs.records import Shape


class GroundingSettings(NamedTuple):
    """Settings that all actors of a crowd share."""

    floor: float  # [m] by which actors of this rig stand above the ground
    pelvis_seconds: float  # time constant of the pelvis' height
    step_seconds: float  # time constant in which a foot takes a sudden step of the ground
    release_seconds: float  # time constant in which a lifted foot forgets where it was locked
    slope_sine: float  # of the largest angle that a foot is turned by
    lock_share: float  # of a leg's length that a foot may be held back by, 0 = feet do not lock
    viewer_x: float  # [m], from where distance counts
    viewer_y: float
    viewer_z: float
    range: float  # [m] from the viewer at which grounding has faded out, inf = nowhere


NOTHING = Restarts(np.nan)


class FootState(NamedTuple):
    """The state of the feet from step to step, in metres and world space; NaN = no state yet."""

    # the actor's x, y, z [m]; the pelvis' shift, rest of steps [m]; last two speeds up [m/s]
    pelvis: Annotated[NumberOrNanColumn, Shape("actor", 7), NOTHING]
    # each contact's x, z, ground, rest of a step, press
    trace: Annotated[NumberOrNanColumn, Shape("actor", "leg", 2, 5), NOTHING]
    # sines of the foot's roll and the toe's pitch
    tilt: Annotated[NumberOrNanColumn, Shape("actor", "leg", 2), NOTHING]
    # x, z held [m]; x, z by which the foot is held back [m]
    lock: Annotated[NumberColumn, Shape("actor", "leg", 4), Restarts(0.0)]
    # the contact that is held, -1 = none
    locked: Annotated[Column[np.int32], Within(-1, 1), Shape("actor", "leg"), Restarts(-1)]


def new_foot_state(actor_count: int, leg_count: int) -> FootState:
    """Feet that remember nothing."""
    return FootState(
        np.full((actor_count, 7), np.nan, np.float32),
        np.full((actor_count, leg_count, 2, 5), np.nan, np.float32),
        np.full((actor_count, leg_count, 2), np.nan, np.float32),
        np.zeros((actor_count, leg_count, 4), np.float32),
        np.full((actor_count, leg_count), -1, np.int32),
    )

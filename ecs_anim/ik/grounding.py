"""Settings and state of foot grounding, as arguments of kernels."""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_anim.ecs.bounds import NumberColumn, NumberOrNanColumn, Within
from ecs_anim.ecs.columns import Column, Restarts
from ecs_anim.ecs.records import Shape


class GroundingSettings(NamedTuple):
    """Grounding settings that are equal for all actors of a crowd."""

    floor: float  # height of this rig's actors above the ground [m]
    pelvis_seconds: float  # time constant of the pelvis' height [s]
    step_seconds: float  # time constant with which a foot follows a sudden step of the ground [s]
    release_seconds: float  # time constant with which the lock offset of a lifted foot decays [s]
    slope_sine: float  # sine of the largest tilt of a foot
    lock_share: float  # largest offset of a locked foot, in leg lengths; 0 = feet do not lock
    viewer_x: float  # position of the viewer [m]
    viewer_y: float
    viewer_z: float
    range: float  # distance from the viewer at which grounding has faded out [m]; inf = never


NOTHING = Restarts(np.nan)


class FootState(NamedTuple):
    """State of the feet between simulation steps, in metres and in world space. NaN = not initialised."""

    # x, y, z of the actor [m]; shift of the pelvis [m]; part of sudden height changes that the pelvis has not followed
    # yet [m]; the last two vertical speeds [m/s]
    pelvis: Annotated[NumberOrNanColumn, Shape("actor", 7), NOTHING]
    # for each contact [m]: x, z, height of the ground, part of sudden height changes that the contact has not followed
    # yet, distance by which the contact is pressed down
    trace: Annotated[NumberOrNanColumn, Shape("actor", "leg", 2, 5), NOTHING]
    # sine of the foot's roll, and sine of the toes' pitch
    tilt: Annotated[NumberOrNanColumn, Shape("actor", "leg", 2), NOTHING]
    # x, z of the point at which the foot is locked [m]; x, z of the offset from the foot in the clip to the foot in the
    # lock [m]
    lock: Annotated[NumberColumn, Shape("actor", "leg", 4), Restarts(0.0)]
    # the locked contact, -1 = none
    locked: Annotated[Column[np.int32], Within(-1, 1), Shape("actor", "leg"), Restarts(-1)]


def new_foot_state(actor_count: int, leg_count: int) -> FootState:
    """Return the initial state of the feet."""
    return FootState(
        np.full((actor_count, 7), np.nan, np.float32),
        np.full((actor_count, leg_count, 2, 5), np.nan, np.float32),
        np.full((actor_count, leg_count, 2), np.nan, np.float32),
        np.zeros((actor_count, leg_count, 4), np.float32),
        np.full((actor_count, leg_count), -1, np.int32),
    )

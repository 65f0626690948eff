"""Settings and state of foot grounding. Kernels take both as arguments."""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_anim.ecs.bounds import NumberColumn, NumberOrNanColumn, Within
from ecs_anim.ecs.columns import Column, Restarts
from ecs_anim.ecs.records import Shape


class GroundingSettings(NamedTuple):
    """Grounding settings that all actors of a crowd share."""

    floor: float  # height of this rig's actors above the ground [m]
    pelvis_seconds: float  # time constant of the pelvis' height [s]
    step_seconds: float  # time constant in which a foot adapts to a sudden step of the ground [s]
    release_seconds: float  # time constant in which a lifted foot loses its lock offset [s]
    slope_sine: float  # sine of the largest tilt of a foot
    lock_share: float  # largest offset of a locked foot, as a share of the leg's length; 0 = feet do not lock
    viewer_x: float  # viewer's position for the distance [m]
    viewer_y: float
    viewer_z: float
    range: float  # distance from the viewer at which grounding has faded out [m]; inf = never


NOTHING = Restarts(np.nan)


class FootState(NamedTuple):
    """State of the feet between simulation steps, in metres and world space. NaN = not initialised."""

    # the actor's x, y, z [m]; shift of the pelvis and rest of ground steps [m]; the last two vertical speeds [m/s]
    pelvis: Annotated[NumberOrNanColumn, Shape("actor", 7), NOTHING]
    # for each contact: x, z, ground height, rest of a ground step, press
    trace: Annotated[NumberOrNanColumn, Shape("actor", "leg", 2, 5), NOTHING]
    # sines of the foot's roll and the toe's pitch
    tilt: Annotated[NumberOrNanColumn, Shape("actor", "leg", 2), NOTHING]
    # x, z of the lock point [m]; x, z of the foot's lock offset [m]
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

"""State of walking bodies between simulation steps: two arrays, and the names of their columns."""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_anim.ecs.bounds import NumberOrNanColumn
from ecs_anim.ecs.records import Shape

# Columns of `BodyState.walk`.
# Position [m] and facing [rad] from +Z. X = NaN marks a new actor.
X, Z, FACES = 0, 1, 2
VX, VZ, TURN = 3, 4, 5  # smoothed speeds [m/s] and [rad/s]
PHASE, SIGN = 6, 7  # phase of the gait, 0 to 1; 1 = ahead, -1 = backward
# The phase of the clips, and the phase that the clips must reach. While a body stands, the phase of the clips
# continues.
SHOWN, WANTED = 8, 9
ASIDE, ONWARD = 10, 11  # speeds to the left and ahead that select the mix of clips [m/s]
LEAN = 12  # sine of the lean to the left
WEIGHT = 13  # 0 to 1, weight of the gait among the actor's motions
# time [s] for which a foot stands in a bad place, multiplied by the error of the place; -1 = the body stands, and all
# feet are in good places
UNEASY = 14
CALM = 15  # 0 to 1, strength of the small movements of a standing actor; grows while the actor stands
ROOT_X, ROOT_Z = 16, 17  # position of the root [m]
LED = 18  # cycles per second that stairs require; NaN = no stairs, so the speed defines the cadence
WALK_WIDTH = 19
# Columns of `BodyState.feet`, for each leg.
SWING = 0  # 0 to 1, progress of the swing; 1 = the foot stands
SHARE = 1  # share of the cycle that the swing takes
FROM, TO = 2, 5  # x, z [m] of the ball and yaw [rad] of the foot, at the last and at the next stance
SECONDS, REST = 8, 9  # [s], duration of the swing, and time from landing to the middle of the next stance
FRESH = 10  # 1 = the foot has just lifted off
# [m], heights of the ground at the last and at the next stance; NaN = the height below the root
FROM_HEIGHT, TO_HEIGHT = 11, 12
LASTS = 13  # [s], time until the leg of a standing foot is fully stretched on stairs; NaN = no stairs
FOOT_WIDTH = 14


class BodyState(NamedTuple):
    """State of walking bodies, in metres and in world space."""

    walk: Annotated[NumberOrNanColumn, Shape("actor", WALK_WIDTH)]
    feet: Annotated[NumberOrNanColumn, Shape("actor", "leg", FOOT_WIDTH)]


def new_body_state(actor_count: int, leg_count: int) -> BodyState:
    """Return the state of new bodies."""
    walk = np.zeros((actor_count, WALK_WIDTH), np.float32)
    walk[:, X], walk[:, SIGN], walk[:, LED] = np.nan, 1, np.nan
    feet = np.zeros((actor_count, leg_count, FOOT_WIDTH), np.float32)
    feet[..., SWING] = 1
    feet[..., FROM_HEIGHT:] = np.nan
    return BodyState(walk, feet)

"""State of a walking body from step to step: two columns, and the meaning of their numbers."""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_anim.ecs.bounds import NumberOrNanColumn
from ecs_anim.ecs.records import Shape

# Columns of `BodyState.walk`.
# Where the body is [m] and what it faces [rad], from +Z; X is NaN of one that has just come.
X, Z, FACES = 0, 1, 2
VX, VZ, TURN = 3, 4, 5  # its speeds [m/s] and [rad/s], smoothed
PHASE, SIGN = 6, 7  # of the gait, 0 to 1, and 1 ahead or -1 backward
SHOWN, WANTED = 8, 9  # phase of the clips, and what the gait would have it be: it follows, and goes on where one stands
ASIDE, ONWARD = 10, 11  # speeds to the left and ahead [m/s] that the clips are mixed by
LEAN = 12  # sine of the lean to the left
WEIGHT = 13  # 0 to 1, how much of what the actor plays is the gait
UNEASY = 14  # [s] for which a foot has stood badly, times how badly; -1 = all stand, and the body does too
CALM = 15  # 0 to 1, how far a standing actor has settled: it shifts its weight and looks about
ROOT_X, ROOT_Z = 16, 17  # where the root is [m]
WALK_WIDTH = 18
# Columns of `BodyState.feet`, of each leg.
SWING = 0  # 0 to 1, how far the foot has swung; 1 = it stands
SHARE = 1  # of the cycle, that its swing takes
FROM, TO = 2, 5  # x, z [m] of the ball and the yaw [rad] of the foot where it stood and where it is to stand
SECONDS, REST = 8, 9  # [s] that its swing takes, and from landing to the middle of its next stance
FRESH = 10  # 1 = it has just left the ground
FOOT_WIDTH = 11


class BodyState(NamedTuple):
    """In metres and world space."""

    walk: Annotated[NumberOrNanColumn, Shape("actor", WALK_WIDTH)]
    feet: Annotated[NumberOrNanColumn, Shape("actor", "leg", FOOT_WIDTH)]


def new_body_state(actor_count: int, leg_count: int) -> BodyState:
    """Bodies that have just come."""
    walk = np.zeros((actor_count, WALK_WIDTH), np.float32)
    walk[:, X], walk[:, SIGN] = np.nan, 1
    feet = np.zeros((actor_count, leg_count, FOOT_WIDTH), np.float32)
    feet[..., SWING] = 1
    return BodyState(walk, feet)

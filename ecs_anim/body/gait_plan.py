"""The gait plan: the cadence and the foot positions of a body at each speed. The module measures the foot positions and
the cadences from the clips of the body.

Up to `WALK_RATIO_SPEED`, people keep a constant walk ratio. The walk ratio is the step length divided by the cadence.
The walk ratio is about 0.0065 m/(step/min) (Sekiya and others 1996). The walking speed is v = W f^2, where W is the
walk ratio, and f is the number of steps per second. Above `WALK_RATIO_SPEED`, the cadence approaches the cadence of the
running clip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.body.footfalls import Footfall
from ecs_anim.ik.legs import BALL, HEEL, Leg
from ecs_anim.maths import affine, elementary

GAIT = "body"  # name of the blend space that contains the gait of a crowd
ADULT = 1.75  # [m], body height for which the constants below are valid
WALK_RATIO = 0.39  # [m s]: 0.0065 m/(step/min), for a cadence in steps per second
WALK_RATIO_SPEED = 2.0  # [m/s]
SWING_SECONDS = 0.45  # [s], a foot of a biped is in the air for at most this time
SPREAD_SAMPLES = 32  # number of samples in a cycle
# number of rows of the table, and speed of the last row [m/s]. The square roots of the rows' speeds are evenly spaced.
SPEEDS, FASTEST = 65, 8.0
# Columns of the table: cycles per second; share of the cycle in which a foot stands. Four columns of each leg follow:
# phase in the middle of its stance; position of the ball to the left and ahead of the root at this phase [rig units];
# direction of the foot [rad].
RATE, DUTY, LEG = 0, 1, 2
CENTRE, SIDE, AHEAD, YAW, LEG_WIDTH = 0, 1, 2, 3, 4


class GaitPlan(NamedTuple):
    """Constants of a crowd's gait for kernels. All values that depend on the speed are in the gait table."""

    floor: float  # height of the actors above the ground [m]
    facing: float  # [rad] about +Y from +Z, facing of the rig in its own space
    unit: float  # [m], size of a rig unit for which the speeds of the table are valid
    walk_speed: float  # speed of the walking clip [m/s]
    idle_rate: float  # playback rate of the standing clip in cycles per second
    swing_seconds: float  # longest time in which a foot is in the air [s]
    leg_length: float  # [rig units]
    reverses: bool  # whether the walking clip is reversed for backward walking, because no backward clip exists
    poise: float  # 0 to 1, strength of the small movements of a standing actor
    motion: int  # number of the gait's blend space
    aside_column: int  # number of the parameter for the speed to the left; -1 = none
    onward_column: int  # number of the parameter for the speed ahead


@dataclass(frozen=True, eq=False)
class Pace:
    """One clip of the gait, with the speed and the footfalls of the clip."""

    clip: Clip
    speed: float  # speed ahead [m/s]
    falls: Sequence[Footfall]  # () = the standing clip


def gait_table(
    paces: Sequence[Pace], legs: Sequence[Leg], height: float, size: float, facing: float
) -> NDArray[np.float32]:
    """Return the gait table [SPEEDS, LEG + leg_count * LEG_WIDTH] f32. Each speed has one row. The array is read-only.

    The clips must be sorted by speed: a standing clip, a walking clip, then all other clips.

    `height` [m] is the height of the body, `size` [m] is the size of a rig unit, and `facing` [rad] is the direction of
    the rig.
    """
    speeds = FASTEST * np.linspace(0.0, 1.0, SPEEDS) ** 2
    at = np.array([pace.speed for pace in paces])
    walk = paces[1]
    columns = [_rates(speeds, paces, len(legs), height)]
    duties = np.array([_duty(pace) if pace.falls else _duty(walk) for pace in paces])
    within_reach = size * _spread(walk.clip, legs, facing) * columns[RATE] / np.maximum(speeds, 1e-9)
    columns.append(np.minimum(np.interp(speeds, at, duties), within_reach))
    stands = np.array([_stands(pace, legs, facing) for pace in paces])
    for leg in range(len(legs)):
        land = walk.falls[leg].land  # equal in all clips, because they are synchronised
        columns.append(land + columns[DUTY] / 2)
        columns += [np.interp(speeds, at, stands[:, leg, column]) for column in range(3)]
    table = np.ascontiguousarray(np.stack(columns, axis=-1), np.float32)
    table.flags.writeable = False
    return table


def first_stance(table: NDArray[np.float32], plan: GaitPlan) -> float:
    """Return the phase in the middle of the first leg's stance at the walking speed."""
    row = round((SPEEDS - 1) * min(plan.walk_speed / FASTEST, 1.0) ** 0.5)
    return float(table[row, LEG + CENTRE])


def _duty(pace: Pace) -> float:
    return float(np.mean([fall.duty for fall in pace.falls]))


def _rates(speeds: NDArray[np.float64], paces: Sequence[Pace], leg_count: int, height: float) -> NDArray[np.float64]:
    """Return the cycles per second at each speed.

    At walking speeds, the walk ratio determines the cycles per second of a biped. For other bodies, the walking clip
    determines the cycles per second. At higher speeds, the faster clips determine the cycles per second.
    """
    walk, tall = paces[1], height / ADULT
    own = 1 / walk.clip.duration
    if leg_count == 2:
        ratio, last = 4 * WALK_RATIO * tall, WALK_RATIO_SPEED * tall  # a cycle has two steps
    else:
        ratio, last = walk.speed / (own * own), walk.speed
    faster = [pace for pace in paces[2:] if pace.speed > 1.1 * last]
    slow = np.sqrt(np.minimum(speeds, last if faster else FASTEST) / ratio)
    if not faster:
        return slow
    knots = [last, *(pace.speed for pace in faster)]
    rates = [np.sqrt(last / ratio), *(1 / pace.clip.duration for pace in faster)]
    return np.where(speeds <= last, slow, np.interp(speeds, knots, rates))


def _spread(clip: Clip, legs: Sequence[Leg], facing: float) -> float:
    """Return the distance [rig units] between the foremost and the rearmost position of a foot.

    If the distances of the feet differ, return the smallest distance.
    """
    times = clip.start + np.arange(SPREAD_SAMPLES) / SPREAD_SAMPLES * clip.duration
    ahead = np.array([_balls(clip, leg, times, facing)[..., 1] for leg in legs])
    return float(np.ptp(ahead, axis=1).min())


def _stands(pace: Pace, legs: Sequence[Leg], facing: float) -> NDArray[np.float64]:
    """Return three values of each foot in the middle of its stance [leg, 3].

    The three values are the position of the foot's ball to the left and ahead, and the direction of the foot. For the
    position ahead, the function takes the mean of the positions at landing and lift-off, because in some clips the feet
    move during the stance.
    """
    found = []
    for number, leg in enumerate(legs):
        fall = pace.falls[number] if pace.falls else Footfall(0.0, 0.0)
        phases = np.array([fall.land, fall.land + fall.duty / 2, fall.land + fall.duty]) % 1.0
        first, middle, last = _balls(pace.clip, leg, pace.clip.start + phases * pace.clip.duration, facing)
        found.append([middle[0], (first[1] + last[1]) / 2, middle[2]])
    return np.array(found)


def _balls(clip: Clip, leg: Leg, times: NDArray[np.float64], facing: float) -> NDArray[np.float64]:
    """Return three values of a foot at each of the times `times` [n], as an array [n, 3].

    The three values are the position of the foot's ball to the left and ahead [rig units], and the direction of the
    foot [rad].
    """
    pose = clip.sample(times, loop=False)
    ankles = model_matrices(clip.skeleton, pose).astype(np.float64)[:, leg.ankle]
    points = affine.transform_points(ankles[:, None], leg.contacts.astype(np.float64))
    sine, cosine = elementary.sin(facing), elementary.cos(facing)

    def turned(level: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        return level[:, 0] * cosine - level[:, 2] * sine, level[:, 0] * sine + level[:, 2] * cosine

    side, ahead = turned(points[:, BALL])
    return np.stack([side, ahead, elementary.arctan2(*turned(points[:, BALL] - points[:, HEEL]))], axis=-1)

"""The gait plan: how often a body steps at each speed, and where its feet stand; measured from its clips.

Up to `WALK_RATIO_SPEED` people keep the walk ratio, step length over cadence, near 0.0065 m a step/min (Sekiya and
others 1996): v = W f^2 with f steps a second. Above it the cadence goes over to that of the running clip.
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

GAIT = "body"  # what the blend space of a gait is called among a crowd's motions
ADULT = 1.75  # [m], height of the body that the figures are of
WALK_RATIO = 0.39  # [m s]: 0.0065 m a step/min, steps counted a second
WALK_RATIO_SPEED = 2.0  # [m/s]
SWING_SECONDS = 0.45  # the longest that a foot of a biped is in the air
SPREAD_SAMPLES = 32  # of a cycle
SPEEDS, FASTEST = 65, 8.0  # rows of the table, evenly spaced in the root of the speed, and the last one's speed [m/s]
# Columns of the table: cycles a second; part of the cycle that a foot stands; then of each leg the phase of its middle
# of stance, where its ball then stands to the left and ahead of the root [rig units], and where the foot points [rad].
RATE, DUTY, LEG = 0, 1, 2
CENTRE, SIDE, AHEAD, YAW, LEG_WIDTH = 0, 1, 2, 3, 4


class GaitPlan(NamedTuple):
    """Constants of a crowd's gait for kernels, besides its table."""

    floor: float  # [m] by which actors stand above the ground
    facing: float  # [rad] about +Y from +Z, where the rig looks before it is turned
    unit: float  # [m], an actor's size of a rig unit at which the table's speeds are meant
    walk_speed: float  # [m/s] of the walking clip
    idle_rate: float  # cycles a second of the clip that stands
    swing_seconds: float  # the longest that a foot is in the air
    leg_length: float  # [rig units]
    reverses: bool  # there is no clip that walks backward: the one that walks ahead is played backward
    poise: float  # 0 to 1, how much a standing actor shifts its weight and looks about
    motion: int  # number of the gait's blend space
    aside_column: int  # of its parameters, the speed to the left; -1 = it has none
    onward_column: int  # the speed ahead


@dataclass(frozen=True, eq=False)
class Pace:
    """One clip of the gait: how fast it goes, and what its feet do."""

    clip: Clip
    speed: float  # [m/s] ahead
    falls: Sequence[Footfall]  # () = it stands


def gait_table(
    paces: Sequence[Pace], legs: Sequence[Leg], height: float, size: float, facing: float
) -> NDArray[np.float32]:
    """The gait by speed [SPEEDS, LEG + leg_count * LEG_WIDTH] f32, read-only.

    It is made from clips in the order of their speeds: one that stands, one that walks, others. `height` [m] of the
    body, `size` [m] of a rig unit; `facing` [rad], where the rig looks.
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
        land = walk.falls[leg].land  # the same in all: they are in step
        columns.append(land + columns[DUTY] / 2)
        columns += [np.interp(speeds, at, stands[:, leg, column]) for column in range(3)]
    table = np.ascontiguousarray(np.stack(columns, axis=-1), np.float32)
    table.flags.writeable = False
    return table


def first_stance(table: NDArray[np.float32], plan: GaitPlan) -> float:
    """Phase of the middle of the first leg's stance, of a body that walks."""
    row = round((SPEEDS - 1) * min(plan.walk_speed / FASTEST, 1.0) ** 0.5)
    return float(table[row, LEG + CENTRE])


def _duty(pace: Pace) -> float:
    return float(np.mean([fall.duty for fall in pace.falls]))


def _rates(speeds: NDArray[np.float64], paces: Sequence[Pace], leg_count: int, height: float) -> NDArray[np.float64]:
    """Cycles a second: of a biped by the walk ratio, else by the clip's own stride; then as faster clips have it."""
    walk, tall = paces[1], height / ADULT
    own = 1 / walk.clip.duration
    if leg_count == 2:
        ratio, last = 4 * WALK_RATIO * tall, WALK_RATIO_SPEED * tall  # a cycle is two steps
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
    """How far feet go from foremost to hindmost [rig units], the least of all: no stance is longer."""
    times = clip.start + np.arange(SPREAD_SAMPLES) / SPREAD_SAMPLES * clip.duration
    ahead = np.array([_balls(clip, leg, times, facing)[..., 1] for leg in legs])
    return float(np.ptp(ahead, axis=1).min())


def _stands(pace: Pace, legs: Sequence[Leg], facing: float) -> NDArray[np.float64]:
    """Where each ball stands to the left and ahead, and where the foot points, in the middle of its stance [leg, 3].

    Ahead that is halfway between where it lands and where it leaves: not all clips' feet stand still in between.
    """
    found = []
    for number, leg in enumerate(legs):
        fall = pace.falls[number] if pace.falls else Footfall(0.0, 0.0)
        phases = np.array([fall.land, fall.land + fall.duty / 2, fall.land + fall.duty]) % 1.0
        first, middle, last = _balls(pace.clip, leg, pace.clip.start + phases * pace.clip.duration, facing)
        found.append([middle[0], (first[1] + last[1]) / 2, middle[2]])
    return np.array(found)


def _balls(clip: Clip, leg: Leg, times: NDArray[np.float64], facing: float) -> NDArray[np.float64]:
    """Where a leg's ball is to the left and ahead [rig units] at times [n], and where the foot points [rad]: [n, 3]."""
    pose = clip.sample(times, loop=False)
    ankles = model_matrices(clip.skeleton, pose).astype(np.float64)[:, leg.ankle]
    points = affine.transform_points(ankles[:, None], leg.contacts.astype(np.float64))
    sine, cosine = elementary.sin(facing), elementary.cos(facing)

    def turned(level: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        return level[:, 0] * cosine - level[:, 2] * sine, level[:, 0] * sine + level[:, 2] * cosine

    side, ahead = turned(points[:, BALL])
    return np.stack([side, ahead, elementary.arctan2(*turned(points[:, BALL] - points[:, HEEL]))], axis=-1)

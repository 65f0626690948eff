"""What a walking body faces: where its path goes, a moment later, and the same as before while it hardly moves.

A recording that says itself what people face counts for more.
"""

import math

import numpy as np

from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import length
from ecs_anim.trajectories.record import yaw
from ecs_anim.trajectories.rows import Reals

TURN = 2 * math.pi
FASTEST = math.radians(240)  # [rad/s] at which a body turns, however suddenly its path does


def facing_of(times: Reals, velocities: Reals, lag: float, still: float) -> Reals:
    """Angles about +Y [longest, people], [rad], without leaps from pi to -pi, of bodies at `times` [longest, people].

    They follow the velocity [longest, people, 2] on the map by a first-order lag [s], exactly where it turns evenly,
    and no faster than people turn; below `still` [m/s] they stay, and up to twice that they follow more slowly. At
    first bodies face where they go first; those that never go, along +Z.
    """
    speeds, ahead = length(velocities), yaw(velocities)
    share = np.clip(speeds[1:] / still - 1, 0, 1)  # of how fast they follow
    lags = share * np.diff(times, axis=0) / lag  # in each interval
    caught_up = 1 - elementary.exp(-lags)  # of what was left at its beginning
    turned = _short(np.diff(ahead, axis=0)) * (1 - np.where(lags > 0, caught_up / np.where(lags > 0, lags, 1), 1))
    facing, most = np.empty_like(ahead), FASTEST * np.diff(times, axis=0)
    facing[0] = _at_first(ahead, speeds >= still)
    for k in range(1, len(facing)):
        turn = caught_up[k - 1] * _short(ahead[k - 1] - facing[k - 1]) + turned[k - 1]
        facing[k] = facing[k - 1] + np.clip(turn, -most[k - 1], most[k - 1])
    return facing


def headed(facing: Reals, headings: Reals) -> Reals:
    """The same facing [longest, people], and of people with headings [longest, people, 2] on the map what these say."""
    return np.where((length(headings) > 0).any(axis=0), np.unwrap(yaw(headings), axis=0), facing)


def held(headings: Reals) -> Reals:
    """Headings [longest, people, 2] that are not known, which are zero, as the last one before, or the first one."""
    known, row = length(headings) > 0, np.arange(len(headings))[:, None]
    before = np.maximum.accumulate(np.where(known, row, -1), axis=0)
    return np.take_along_axis(headings, np.where(before < 0, known.argmax(axis=0), before)[..., None], axis=0)


def _short(angles: Reals) -> Reals:
    """The same angles, the short way round."""
    return angles - TURN * np.rint(angles / TURN)


def _at_first(ahead: Reals, goes: np.ndarray) -> Reals:
    """The first facing of each person [people]."""
    first = np.take_along_axis(ahead, np.argmax(goes, axis=0)[None], axis=0)[0]
    return np.where(goes.any(axis=0), first, 0.0)

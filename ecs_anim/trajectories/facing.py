"""What a walking body faces: where its path goes, a moment later, and the same as before while it hardly moves."""

import math

import numpy as np

from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import length
from ecs_anim.trajectories.record import yaw
from ecs_anim.trajectories.rows import Reals

TURN = 2 * math.pi


def facing_of(times: Reals, velocities: Reals, headings: Reals | None, lag: float, still: float) -> Reals:
    """Angles about +Y [longest, people], [rad], without leaps from pi to -pi, of bodies at `times` [longest, people].

    They follow the velocity [longest, people, 2] on the map by a first-order lag [s], exactly where it turns evenly;
    below `still` [m/s] they stay, and up to twice that they follow more slowly. At first bodies face where they go
    first, or else where the recording's headings [longest, people, 2] point, or else along +Z.
    """
    speeds, ahead = length(velocities), yaw(velocities)
    share = np.clip(speeds[1:] / still - 1, 0, 1)  # of how fast they follow
    lags = share * np.diff(times, axis=0) / lag  # in each interval
    caught_up = 1 - elementary.exp(-lags)  # of what was left at its beginning
    turned = _short(np.diff(ahead, axis=0)) * (1 - np.where(lags > 0, caught_up / np.where(lags > 0, lags, 1), 1))
    facing = np.empty_like(ahead)
    facing[0] = _at_first(ahead, speeds >= still, headings)
    for k in range(1, len(facing)):
        facing[k] = facing[k - 1] + caught_up[k - 1] * _short(ahead[k - 1] - facing[k - 1]) + turned[k - 1]
    return facing


def _short(angles: Reals) -> Reals:
    """The same angles, the short way round."""
    return angles - TURN * np.rint(angles / TURN)


def _at_first(ahead: Reals, goes: np.ndarray, headings: Reals | None) -> Reals:
    """The first facing of each person [people]."""
    known = np.zeros(ahead.shape[1:], bool)
    first = np.zeros(ahead.shape[1:])
    ways = [(ahead, goes)] if headings is None else [(ahead, goes), (yaw(headings), length(headings) > 0)]
    for angles, there in ways:
        at = np.argmax(there, axis=0)[None]
        first = np.where(known, first, np.take_along_axis(angles, at, axis=0)[0])
        known |= there.any(axis=0)
        first = np.where(known, first, 0.0)
    return first

"""Facing direction of a walking body. The body faces along its path with a short lag, or along the recorded headings.

The course of a person is the direction of the path. The movement in a short time interval does not always show the
course, because heads sway. Therefore, this module uses several low-pass filters. The cutoff frequencies of the filters
are one octave apart:

- The course at a moment comes from the filter with the highest cutoff frequency at which the person walks at least
  `COVERED` [m] in one period of this frequency. Therefore, the module smooths slow paths over a distance, not over a
  time. The reason: the error of the velocity has a constant size, so the error of the direction is inversely
  proportional to the speed.
- For a heading, the module uses the highest cutoff frequency that leaves at most the variance `SCATTER`. The variance
  of the mean of independent directions is inversely proportional to the number of directions (Mardia and Jupp,
  Directional Statistics, 2000, section 4.8). Therefore, if the headings of a person have n times the variance, the
  module smooths them over n times the time.

A body keeps its facing direction while the body hardly moves. If headings are recorded, a body keeps its facing
direction while neighbouring headings contradict each other. The rotation speed of a body never exceeds `FASTEST`.
"""

import math

import numpy as np

from ecs_anim.maths import elementary
from ecs_anim.maths.plan import yaw_of_direction
from ecs_anim.maths.small_matrices import inner, length
from ecs_anim.trajectories.calm import low_passed, velocities
from ecs_anim.trajectories.ragged import batches
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.stretches import Stretches

TURN = 2 * math.pi
FASTEST = math.radians(240)  # [rad/s], fastest turn of a body, even if its path turns suddenly
CALM = 0.5  # [Hz], finest cutoff: faster movement can be sway, also of slow people
FINE = 8  # least number of samples per period of the finest cutoff
CLEAR = 4.0  # samples per period of a cutoff, below which noise passes the low-pass
COURSES, HEADINGS = 3, 4  # numbers of low-passes for a course and for a heading, one octave apart
COVERED = 0.8  # [m] per period that shows a course; twice this distance shows it well
SCATTER = 0.05  # variance of a smoothed heading [rad^2]
CONTRARY = 0.25  # length of the mean of unit headings, below which they contradict each other
AT_ONCE = 1e-3  # [s], lag between a body and its smoothed heading
SOUTH = 0.0  # [rad], yaw of bodies that never move


def facings(own: Stretches, rate: float, finest: float, lag: float, still: float) -> Reals:
    """Return yaws [samples] [rad] (see `maths.plan`) without jumps, for stretches with evenly spaced samples.

    `rate` [Hz] is the sample rate. `finest` [Hz] is the highest cutoff frequency. The docstring of `facing_of` explains
    `lag` [s] and `still` [m/s].
    """
    facing, course = np.empty(len(own.times)), _course(own, rate, finest)
    for batch in batches(own.starts):
        batch.scatter(facing_of(own.times[batch.samples], course[batch.samples], lag, still), facing)
    if own.heading_vectors is None:
        return facing
    heading, known = _heading(own, own.heading_vectors, rate, finest), length(own.heading_vectors) > 0
    for batch in batches(own.starts):
        faced = facing_of(own.times[batch.samples], heading[batch.samples], AT_ONCE, CONTRARY)
        batch.scatter(np.where(known[batch.samples].any(axis=0), faced, facing[batch.samples]), facing)
    return facing


def facing_of(times: Reals, velocities: Reals, lag: float, still: float) -> Reals:
    """Return the yaws [longest, people] [rad] of bodies at `times`, without jumps between pi and -pi.

    The shape of `times` [s] is [longest, people]. The yaw follows the direction of the velocity [longest, people, 2] on
    the plan with the first-order lag `lag` [s]. The function assumes that the direction rotates evenly between two
    samples. The rotation speed of a body never exceeds `FASTEST`. At speeds below `still` [m/s], the yaw does not
    change. At speeds between `still` and twice `still`, the yaw follows more slowly. Each body begins with the
    direction of its first movement. A body that never moves faces south.
    """
    speeds, ahead = length(velocities), yaw_of_direction(velocities)
    share = np.clip(speeds[1:] / still - 1, 0, 1)  # speed of following, 0 to 1
    lags = share * np.diff(times, axis=0) / lag  # time lags per interval
    caught_up = 1 - elementary.exp(-lags)  # share of the difference that decays in an interval
    turned = _short(np.diff(ahead, axis=0)) * (1 - np.where(lags > 0, caught_up / np.where(lags > 0, lags, 1), 1))
    facing, most = np.empty_like(ahead), FASTEST * np.diff(times, axis=0)
    facing[0] = _at_first(ahead, speeds >= still)
    for k in range(1, len(facing)):
        turn = caught_up[k - 1] * _short(ahead[k - 1] - facing[k - 1]) + turned[k - 1]
        facing[k] = facing[k - 1] + np.clip(turn, -most[k - 1], most[k - 1])
    return facing


def held(headings: Reals) -> Reals:
    """Return unit headings [longest, people, 2] without unknown headings.

    An unknown heading is a zero vector. The last known heading of the person replaces each unknown heading. Before the
    first known heading of the person, the first known heading replaces the unknown headings.
    """
    size = length(headings)
    known, row = size > 0, np.arange(len(headings))[:, None]
    before = np.maximum.accumulate(np.where(known, row, -1), axis=0)
    unit = headings / np.where(known, size, 1)[..., None]
    return np.take_along_axis(unit, np.where(before < 0, known.argmax(axis=0), before)[..., None], axis=0)


def _course(own: Stretches, rate: float, finest: float) -> Reals:
    """Return smoothed velocities [samples, 2] [m/s]. The smoothed speed at a sample never exceeds the speed after the
    low-pass filter with the highest cutoff frequency.
    """
    cutoffs = [finest / 2**k for k in range(COURSES)]
    *finer, course = (velocities(own, low_passed(own, own.xy, rate, cutoff)) for cutoff in cutoffs)
    for cutoff, own_course in reversed([*zip(cutoffs, finer, strict=False)]):
        share = np.clip(length(own_course) / (cutoff * COVERED) - 1, 0, 1)
        course += share[:, None] * (own_course - course)
    speed, most = length(course), length(finer[0])
    slower = np.where(speed > most, most / np.where(speed > 0, speed, 1), 1)
    return slower[:, None] * course


def _heading(own: Stretches, headings: Reals, rate: float, finest: float) -> Reals:
    """Return smoothed headings [samples, 2] from unit vectors `headings`.

    A smoothed heading is a mean of unit vectors. If the averaged headings differ, the length of the mean is less than
    1.
    """
    finer = low_passed(own, headings, rate, finest, goes_on=False)
    apart = 1 - 2 * inner(headings, finer) + inner(finer, finer)  # squared distances of headings from smoothed headings
    scatter = low_passed(own, apart[:, None], rate, finest / 2, goes_on=False)[:, 0]
    octaves = elementary.log(np.maximum(scatter / SCATTER, 1)) / elementary.log(2.0)
    heading: Reals = np.maximum(1 - octaves, 0)[:, None] * finer
    for k in range(1, HEADINGS):
        coarser = low_passed(own, headings, rate, finest / 2**k, goes_on=False)
        near = np.abs(octaves - k) if k < HEADINGS - 1 else np.maximum(k - octaves, 0)
        heading += np.maximum(1 - near, 0)[:, None] * coarser
    return heading


def _short(angles: Reals) -> Reals:
    """Return angles [rad] wrapped to -pi to pi."""
    return angles - TURN * np.rint(angles / TURN)


def _at_first(ahead: Reals, goes: np.ndarray) -> Reals:
    """Return the yaw [people] of each person at the first sample with movement."""
    first = np.take_along_axis(ahead, np.argmax(goes, axis=0)[None], axis=0)[0]
    return np.where(goes.any(axis=0), first, SOUTH)

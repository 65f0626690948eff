"""Facing of a walking body: along its course, a moment later; or where the recording says, if it has headings.

A short time does not always show the course of a person. So there are several low-passes, an octave apart:

- A course is taken from the finest low-pass in whose period the person covers `COVERED`. Slow paths are thus smoothed
  over a distance rather than a time: a velocity with an error of constant size has a direction with an error that is
  inverse to the speed.
- A heading is taken from the finest low-pass that leaves a variance of `SCATTER`. The mean of independent directions
  has a variance that is inverse to their number (Mardia and Jupp, Directional Statistics, 2000, section 4.8). So
  headings that scatter n times as much are smoothed over n times as long a time.

Bodies keep their facing while they hardly go, or while smoothed headings contradict each other, and turn no faster
than people do.
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
FASTEST = math.radians(240)  # [rad/s] at which a body turns, however suddenly its path does
CALM = 0.5  # [Hz], finest cutoff: what is faster may be sway, of slow people too
FINE = 8  # samples in a period of the finest cutoff, at least, on which the low-passes are taken
CLEAR = 4.0  # samples in a period of a cutoff, below which noise of the samples passes it
COURSES, HEADINGS = 3, 4  # low-passes of a course and of a heading, an octave apart
COVERED = 0.8  # [m] in a period, of a course; twice that tells it well
SCATTER = 0.05  # variance of a smoothed heading [rad^2]
CONTRARY = 0.25  # mean of unit headings, shorter than which they contradict each other
AT_ONCE = 1e-3  # [s], lag of a body behind its smoothed heading
SOUTH = 0.0  # [rad], yaw of bodies that never move


def facings(own: Stretches, rate: float, finest: float, lag: float, still: float) -> Reals:
    """Return yaws [samples] [rad] (see `maths.plan`), without leaps, of stretches that are even at `rate` [Hz].

    finest [Hz]: the highest cutoff; lag [s] and still [m/s]: see `facing_of`.
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
    """Return yaws [longest, people] [rad], without leaps from pi to -pi, of bodies at `times`.

    times [longest, people] [s]. The angles follow the velocity [longest, people, 2] on the plan by a first-order lag
    [s], exactly where it turns evenly, and no faster than people turn. Below `still` [m/s] they stay; up to twice that
    they follow more slowly. At first bodies face where they go first; bodies that never go face south.
    """
    speeds, ahead = length(velocities), yaw_of_direction(velocities)
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


def held(headings: Reals) -> Reals:
    """Return unit headings [longest, people, 2]; unknown ones, which are zero, as the last known one, or the first."""
    size = length(headings)
    known, row = size > 0, np.arange(len(headings))[:, None]
    before = np.maximum.accumulate(np.where(known, row, -1), axis=0)
    unit = headings / np.where(known, size, 1)[..., None]
    return np.take_along_axis(unit, np.where(before < 0, known.argmax(axis=0), before)[..., None], axis=0)


def _course(own: Stretches, rate: float, finest: float) -> Reals:
    """Return smoothed velocities [samples, 2] [m/s], no faster than those of the finest low-pass."""
    cutoffs = [finest / 2**k for k in range(COURSES)]
    *finer, course = (velocities(own, low_passed(own, own.xy, rate, cutoff)) for cutoff in cutoffs)
    for cutoff, own_course in reversed([*zip(cutoffs, finer, strict=False)]):
        share = np.clip(length(own_course) / (cutoff * COVERED) - 1, 0, 1)
        course += share[:, None] * (own_course - course)
    speed, most = length(course), length(finer[0])
    slower = np.where(speed > most, most / np.where(speed > 0, speed, 1), 1)
    return slower[:, None] * course


def _heading(own: Stretches, headings: Reals, rate: float, finest: float) -> Reals:
    """Return smoothed headings [samples, 2], shorter than 1 where they scatter; `headings` are unit vectors."""
    finer = low_passed(own, headings, rate, finest, goes_on=False)
    apart = 1 - 2 * inner(headings, finer) + inner(finer, finer)  # squared, of headings from smoothed ones
    scatter = low_passed(own, apart[:, None], rate, finest / 2, goes_on=False)[:, 0]
    octaves = elementary.log(np.maximum(scatter / SCATTER, 1)) / elementary.log(2.0)
    heading: Reals = np.maximum(1 - octaves, 0)[:, None] * finer
    for k in range(1, HEADINGS):
        coarser = low_passed(own, headings, rate, finest / 2**k, goes_on=False)
        near = np.abs(octaves - k) if k < HEADINGS - 1 else np.maximum(k - octaves, 0)
        heading += np.maximum(1 - near, 0)[:, None] * coarser
    return heading


def _short(angles: Reals) -> Reals:
    """Return the same angles, the short way round."""
    return angles - TURN * np.rint(angles / TURN)


def _at_first(ahead: Reals, goes: np.ndarray) -> Reals:
    """Return the first yaw of each person [people]."""
    first = np.take_along_axis(ahead, np.argmax(goes, axis=0)[None], axis=0)[0]
    return np.where(goes.any(axis=0), first, SOUTH)

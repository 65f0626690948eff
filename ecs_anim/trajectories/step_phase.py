"""The stride phase of recorded people, from the sway of their heads or from usual cadences.

The phase counts strides, and a stride has two footsteps. At whole numbers, the left foot is in mid-stance and the head
is farthest left. At whole numbers plus one half, the right foot is in mid-stance and the head is farthest right. The
phase never decreases.

Prior: the walk ratio is step length divided by cadence. The walk ratio of a person is nearly constant (Sekiya and
others 1996), so each walking speed has a usual cadence. The prior phase follows from the usual cadence.

Sway: a low-pass filter removes the sideways movement from the path of a head. This module shifts the frequency of the
removed movement by the usual cadence, and low-passes the shifted signal (synchronous demodulation). The result is a
slowly changing complex signal. The angle of the complex signal is the person's phase minus the prior phase. The
absolute value of the complex signal is the amplitude of the sway. A second pass uses the result of the first pass in
place of the prior phase. Some people have a much higher or lower cadence than usual. So the module tries several
cadences, and uses the cadence that shows a person's sway best.

Speed: if the sway is unclear, the speed of the head can show footsteps. Twice per stride, a head moves ahead of its
path and back, in a fixed relation to the sway. The movement of the head along its path shows the times of footsteps,
but not the left or right side. The side follows from the last clear sway.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import inner
from ecs_anim.trajectories.low_pass import butterworth, zero_phase
from ecs_anim.trajectories.rows import Reals

WALK_RATIO = 0.39  # [m s], step length divided by cadence [1/s]; with a cadence per minute: 0.0065 m min
TURN = 2 * math.pi
DRIFT = 0.3  # [Hz], largest difference between a person's stride rate and the prior's
REACH = 1.5  # length of the continuation of signals at their ends, in periods of DRIFT
PASSES = 2
PACES = (1.0, 0.7, 1.4)  # cadences that are tried, relative to the prior
BETTER = 1.3  # another cadence must show the sway this many times as long as the best one so far
LEAST_SPEED = 0.2  # [m/s], below which people do not walk
PRIOR, SPEED, SWAY = 0, 1, 2  # evidence for a phase


class Sign(NamedTuple):
    """A kind of head movement that shows footsteps."""

    per_stride: int  # number of repetitions per stride
    angle: float  # [rad], angle of the movement's cycle at whole phases
    least: float  # [m], least amplitude; a smaller movement is noise of the tracker
    share: float  # least share of the movement's power that repeats `per_stride` times per stride


TO_THE_SIDE = Sign(1, 0.0, 0.008, 0.5)
# The head is farthest ahead 1/17 of a stride before mid-stance: 34 and 51 degrees in two recordings of free walking.
AHEAD = Sign(2, math.radians(42.0), 0.004, 0.5)


@dataclass(frozen=True, eq=False)
class RecordedPhase:
    """The stride phases of people, from recorded head positions."""

    phase: Reals  # [longest, people], [strides]
    evidence: NDArray[np.int8]  # [longest, people], SWAY, SPEED (steps without sides) or PRIOR
    sway: Reals  # [longest, people], [m], sideways amplitude


def prior_phase(times: Reals, speeds: Reals) -> Reals:
    """Return the phases [longest, people] [strides] of people with the usual cadence for `speeds` [m/s].

    Each phase begins at 0.
    """
    rate = 0.5 * np.sqrt(speeds / WALK_RATIO)
    grown = np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(times, axis=0), axis=0)
    return np.concatenate([np.zeros((1, *rate.shape[1:])), grown])


def recorded_phase(
    taken: Reals, facing: Reals, speeds: Reals, prior: Reals, lengths: NDArray[np.intp], rate: float
) -> RecordedPhase:
    """Compute the stride phases of people from the head movement that the low-pass filter removed.

    `taken` [longest, people, 2] [m] contains the head positions on the plan minus the low-passed paths. `facing`
    contains yaws from `facing_of`. `prior` contains phases from `prior_phase`. `rate` [Hz] is the sample rate of all
    arrays.
    """
    cosine, sine = elementary.cos(facing), elementary.sin(facing)
    aside = inner(taken, np.stack([cosine, sine], axis=-1))  # movement to the left
    along = inner(taken, np.stack([sine, -cosine], axis=-1))
    walking = speeds >= LEAST_SPEED
    phase = prior * _paces(aside, prior, walking, lengths, rate)
    for _ in range(PASSES):
        ahead, sway, by_sway = _compared(aside, phase, TO_THE_SIDE, lengths, rate)
        by_sway &= walking
        phase = _corrected(phase, ahead, by_sway, 1 / TO_THE_SIDE.per_stride)
    ahead, _, by_speed = _compared(along, phase, AHEAD, lengths, rate)
    by_speed &= walking & ~by_sway
    phase = _corrected(phase, ahead, by_speed, 1 / AHEAD.per_stride, by_sway)
    return RecordedPhase(phase, np.where(by_sway, SWAY, np.where(by_speed, SPEED, PRIOR)).astype(np.int8), sway)


def _paces(aside: Reals, prior: Reals, walking: NDArray[np.bool_], lengths: NDArray[np.intp], rate: float) -> Reals:
    """Return the cadence [people] of each person, divided by the usual cadence.

    The function tries several cadences, and chooses the cadence for which the sway is clear for the longest time.
    """
    own, most = np.ones(aside.shape[1]), np.zeros(aside.shape[1])
    inside = walking & (np.arange(len(aside))[:, None] < lengths)
    for pace in PACES:
        _, _, clear = _compared(aside, pace * prior, TO_THE_SIDE, lengths, rate)
        shown = (clear & inside).sum(axis=0)
        is_better = shown > BETTER * most
        own, most = np.where(is_better, pace, own), np.where(is_better, shown, most)
    return own


def _compared(
    signal: Reals, phase: Reals, sign: Sign, lengths: NDArray[np.intp], rate: float
) -> tuple[Reals, Reals, NDArray[np.bool_]]:
    """Return the phase difference [longest, people] [strides], the amplitude [m], and a mask of clear signals.

    A positive phase difference means that the signal is ahead of `phase`.
    """
    sections, padding = butterworth(DRIFT, rate, 2), round(REACH * rate / DRIFT)
    angle = TURN * sign.per_stride * phase + sign.angle
    turned = np.stack([signal * elementary.cos(angle), -signal * elementary.sin(angle)], axis=-1)
    turned = zero_phase(turned, lengths, sections, padding)
    power = zero_phase(signal * signal, lengths, sections, padding)
    size = 2 * np.sqrt(inner(turned, turned))
    clear = (size >= sign.least) & (size * size >= 2 * sign.share * power)
    return elementary.arctan2(turned[..., 1], turned[..., 0]) / (TURN * sign.per_stride), size, clear


def _corrected(
    phase: Reals, ahead: Reals, known: NDArray[np.bool_], period: float, settled: NDArray[np.bool_] | None = None
) -> Reals:
    """Return `phase` plus the phase differences `ahead`.

    The function interpolates unknown differences between known differences. A known difference is correct
    only up to a multiple of `period` [strides], so the function unwraps the known differences from sample to sample.
    For `settled` samples, the difference is 0.
    """
    settled = np.zeros_like(known) if settled is None else settled
    rows, correction = np.arange(len(phase)), np.zeros_like(phase)
    for person in np.flatnonzero((known | settled).any(axis=0)):
        at = np.flatnonzero(known[:, person] | settled[:, person])
        fixed = settled[at, person]
        steady = np.unwrap(np.where(fixed, 0.0, ahead[at, person]), period=period)
        last_fixed = np.maximum.accumulate(np.where(fixed, np.arange(len(at)), -1))
        steady = steady - np.where(last_fixed >= 0, steady[last_fixed], 0.0)
        correction[:, person] = np.interp(rows, at, steady)
    return np.maximum.accumulate(phase + correction, axis=0)

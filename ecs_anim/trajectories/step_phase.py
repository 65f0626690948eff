"""The phase of steps, as recorded heads show it by swaying, and as people usually walk where they do not.

Phases count strides of two steps: at whole numbers the left foot is in mid-stance and the head furthest left, at halves
the right one. They never run backward.

People keep the walk ratio, step length by cadence (Sekiya and others 1996), which gives each speed its cadence: the
prior. What low-passing took from a head's path is compared with that: shifted in frequency by the prior, the sway to
the side stands nearly still, and is low-passed itself (synchronous demodulation). Its angle is how far the person is
ahead of the prior, its size the sway. A second pass starts from what the first found. Some people step much more often
or seldom than the prior has it: of a few cadences each person's is the one that their sway shows best.

Where sway is unclear, speed may tell: heads go ahead of their path and fall back twice a stride, in a fixed relation to
the sway. That shows when steps are and not of which foot; the side goes on from where sway showed it last.
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

WALK_RATIO = 0.39  # [m s], speed by squared steps a second: 0.0065 m by steps a minute
TURN = 2 * math.pi
DRIFT = 0.3  # [Hz], how far a person's stride may be from the prior's
REACH = 1.5  # periods of that, by which signals are continued at their ends
PASSES = 2
PACES = (1.0, 0.7, 1.4)  # times as often as the prior people may step
BETTER = 1.3  # another pace must show a person's sway this many times as long as the prior's
LEAST_SPEED = 0.2  # [m/s], below which people do not walk
PRIOR, SPEED, SWAY = 0, 1, 2  # what shows a phase


class Sign(NamedTuple):
    """A movement of heads that shows steps."""

    per_stride: int  # how often it comes
    angle: float  # [rad], its own where the phase is whole
    least: float  # [m], amplitude; less is the tracker's noise
    share: float  # of the power in its direction that it makes up


TO_THE_SIDE = Sign(1, 0.0, 0.008, 0.5)
# Furthest ahead a seventeenth of a stride before mid-stance: 34 and 51 degrees in two recordings of free walking.
AHEAD = Sign(2, math.radians(42.0), 0.004, 0.5)


@dataclass(frozen=True, eq=False)
class RecordedPhase:
    """Phases from recorded heads."""

    phase: Reals  # [longest, people], [strides]
    evidence: NDArray[np.int8]  # [longest, people], SWAY, SPEED (steps, and not which foot's) or PRIOR
    sway: Reals  # [longest, people], [m], amplitude to the side


def prior_phase(times: Reals, speeds: Reals) -> Reals:
    """Phases [longest, people], [strides], of people who walk at these speeds [m/s] as most do, from 0 on."""
    rate = 0.5 * np.sqrt(speeds / WALK_RATIO)
    grown = np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(times, axis=0), axis=0)
    return np.concatenate([np.zeros((1, *rate.shape[1:])), grown])


def recorded_phase(
    taken: Reals, facing: Reals, speeds: Reals, prior: Reals, lengths: NDArray[np.intp], rate: float
) -> RecordedPhase:
    """The phase that `taken` [longest, people, 2], [m], shows: heads on the plan less their low-passed paths.

    All of it is sampled at `rate` [Hz]; `facing` are yaws of `facing_of`, `prior` as `prior_phase`.
    """
    cosine, sine = elementary.cos(facing), elementary.sin(facing)
    aside = inner(taken, np.stack([cosine, sine], axis=-1))  # to the left
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
    """How many times as often as the prior each person steps [people]: the pace that shows sway for longest."""
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
    """How far a signal [longest, people] is ahead of a phase [strides], its amplitude [m], and whether it is clear."""
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
    """A phase that is ahead by as much as people are; by something in between where that is not known.

    How far is known up to whole periods [strides], and taken to go on from sample to sample. Where it is `settled`, it
    is nothing.
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

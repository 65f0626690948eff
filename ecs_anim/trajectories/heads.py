"""Roots from heads: what is recorded are heads, which sway; what walks is the body under them.

Where samples are dense enough to hold the sway, paths are low-passed forward and back (`low_pass`); what the filter
takes away tells the steps (`step_phase`). Sparser ones become a spline through their points, and steps a prior.
Bodies face where the low-passed path goes, or where the recording's own headings point, low-passed as paths are.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ecs_anim.maths.small_matrices import length
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.even import at_even_times, through
from ecs_anim.trajectories.facing import facing_of, headed, held
from ecs_anim.trajectories.low_pass import butterworth, zero_phase
from ecs_anim.trajectories.ragged import batches
from ecs_anim.trajectories.record import Trajectories
from ecs_anim.trajectories.roots import Roots
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.spline import spline_velocities
from ecs_anim.trajectories.step_phase import prior_phase, recorded_phase
from ecs_anim.trajectories.steps import FASTEST
from ecs_anim.trajectories.stretches import Stretches, stretches_of

CUTOFF = 0.6  # [Hz], what is faster no body does: half a hertz takes 25 mm of starts and stops away besides, 0.6 15
CALM = 0.5  # [Hz], what is faster may be sway, of slow people too; and nobody turns to it
DENSE = 8.0  # [Hz], samples that hold the sway and what comes twice a stride
REACH = 1.5  # periods of the cutoff by which a path is continued at its ends


@dataclass(frozen=True)
class RootOptions:
    """How roots are found under heads."""

    cutoff: float | None = CUTOFF  # [Hz], faster movement is sway; None: these are no heads, and paths go through them
    most_gap: float = 2.0  # [s], longer ones are left open: the person leaves and comes back
    fastest: float = FASTEST  # [m/s], whoever is faster has jumped
    lag: float = 0.1  # [s], by which the body turns after the path
    still: float = 0.2  # [m/s], below which the body keeps its facing

    def __post_init__(self) -> None:
        """Raises InputError for what is no positive number."""
        for name, value in vars(self).items():
            if not (value is None or 0 < value < np.inf):
                raise InputError(f"{name}: should be a positive number (got {value})")


def roots(own: Trajectories, options: RootOptions | None = None) -> Roots:
    """Where the bodies of recorded people go, how fast, what they face, and in which part of a stride they are."""
    options = options or RootOptions()
    cut = _headings_held(stretches_of(own, options.most_gap, options.fastest))
    rate = 1 / cut.usual if cut.usual else 0.0
    is_dense = rate >= DENSE
    cutoff = options.cutoff if is_dense else None
    even = at_even_times(cut) if is_dense else cut
    calm = _calmed(even, rate if is_dense else None, options)
    if cutoff is None:
        facing = calm.facing if even is cut else through(even, cut.starts, cut.times, calm.facing[:, None])[:, 0]
        xy = cut.xy
    else:
        cut, facing, xy = even, calm.facing, _low_passed(even, even.xy, rate, cutoff)
    velocity = _velocities(cut, xy)
    phase, sway = np.zeros(len(cut.times)), np.zeros(len(cut.times))
    evidence = np.zeros(len(cut.times), np.int8)
    for batch in batches(cut.starts):
        speeds = length(velocity[batch.samples])
        steps = prior_phase(cut.times[batch.samples], speeds)
        if cutoff is not None:
            taken = (cut.xy - calm.xy)[batch.samples]
            shown = recorded_phase(taken, facing[batch.samples], speeds, steps, batch.lengths, rate)
            steps = shown.phase
            batch.scatter(shown.evidence, evidence)
            batch.scatter(shown.sway, sway)
        batch.scatter(steps, phase)
    return Roots(cut.ids, cut.starts, cut.times, xy, velocity, facing, phase, evidence, sway, length(cut.xy - xy), cut)


class _Calm(NamedTuple):
    """What people do that is no sway for sure."""

    xy: Reals  # [samples, 2], [m]
    facing: Reals  # [samples], [rad], about +Y


def _calmed(own: Stretches, rate: float | None, options: RootOptions) -> _Calm:
    """Low-passed paths of even stretches, sampled at `rate` [Hz], and what bodies face; None: they hold no sway."""
    cutoff = CALM if options.cutoff is None else min(CALM, options.cutoff)
    xy = own.xy if rate is None else _low_passed(own, own.xy, rate, cutoff)
    velocity, facing = _velocities(own, xy), np.empty(len(own.times))
    for batch in batches(own.starts):
        batch.scatter(facing_of(own.times[batch.samples], velocity[batch.samples], options.lag, options.still), facing)
    if own.headings is not None:
        headings = own.headings if rate is None else _low_passed(own, own.headings, rate, cutoff, goes_on=False)
        for batch in batches(own.starts):
            batch.scatter(headed(facing[batch.samples], headings[batch.samples]), facing)
    return _Calm(xy, facing)


def _headings_held(own: Stretches) -> Stretches:
    """The same stretches, what is not known of their headings filled in."""
    if own.headings is None:
        return own
    headings = np.empty_like(own.headings)
    for batch in batches(own.starts):
        batch.scatter(held(own.headings[batch.samples]), headings)
    return replace(own, headings=headings)


def _velocities(own: Stretches, xy: Reals) -> Reals:
    """Velocities [samples, 2], [m/s], of splines through the points."""
    velocity = np.empty_like(xy)
    for batch in batches(own.starts):
        batch.scatter(spline_velocities(own.times[batch.samples], xy[batch.samples], batch.lengths), velocity)
    return velocity


def _low_passed(own: Stretches, values: Reals, rate: float, cutoff: float, *, goes_on: bool = True) -> Reals:
    """Values [samples, 2] of stretches without what is faster than the cutoff. Raises InputError."""
    if cutoff >= rate / 2:
        raise InputError(f"cutoff: should be less than half of {rate:g} samples a second (got {cutoff})")
    calm, sections = np.empty_like(values), butterworth(cutoff, rate)
    padding = round(REACH * rate / cutoff)
    for batch in batches(own.starts):
        own_calm = zero_phase(values[batch.samples], batch.lengths, sections, padding, goes_on=goes_on)
        batch.scatter(own_calm, calm)
    return calm

"""Roots from heads: what is recorded are heads, which sway; what walks is the body under them.

Where samples are dense enough to hold the sway, paths are low-passed forward and back (`low_pass`); what the filter
takes away tells the steps (`step_phase`). Sparser ones become a spline through their points, and steps a prior.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.small_matrices import length
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.even import at_even_times
from ecs_anim.trajectories.facing import facing_of
from ecs_anim.trajectories.low_pass import butterworth, zero_phase
from ecs_anim.trajectories.ragged import batches
from ecs_anim.trajectories.record import Trajectories
from ecs_anim.trajectories.roots import Roots
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.spline import spline_velocities
from ecs_anim.trajectories.step_phase import prior_phase, recorded_phase
from ecs_anim.trajectories.steps import FASTEST
from ecs_anim.trajectories.stretches import stretches_of

DENSE = 8.0  # [Hz], samples that hold the sway and what comes twice a stride
REACH = 1.5  # periods of the cutoff by which a path is continued at its ends


@dataclass(frozen=True)
class RootOptions:
    """How roots are found under heads."""

    cutoff: float | None = 0.5  # [Hz], faster movement is sway; None: these are no heads, and paths go through them
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
    cut = stretches_of(own, options.most_gap, options.fastest)
    rate = 1 / cut.usual if cut.usual else 0.0
    cutoff = options.cutoff if rate >= DENSE else None
    if cutoff is not None:
        cut = at_even_times(cut)
    count = len(cut.times)
    xy, velocity, evidence = np.empty((count, 2)), np.empty((count, 2)), np.zeros(count, np.int8)
    facing, phase, sway, away = (np.zeros(count) for _ in range(4))
    for batch in batches(cut.starts):
        times, heads = cut.times[batch.samples], cut.xy[batch.samples]
        headings = None if cut.headings is None else cut.headings[batch.samples]
        paths = heads if cutoff is None else _low_passed(heads, batch.lengths, rate, cutoff)
        moved = spline_velocities(times, paths, batch.lengths)
        faced = facing_of(times, moved, headings, options.lag, options.still)
        speeds = length(moved)
        steps = prior_phase(times, speeds)
        if cutoff is not None:
            shown = recorded_phase(heads - paths, faced, speeds, steps, batch.lengths, rate)
            steps = shown.phase
            batch.scatter(shown.evidence, evidence)
            batch.scatter(shown.sway, sway)
        for values, flat in ((paths, xy), (moved, velocity), (faced, facing), (steps, phase)):
            batch.scatter(values, flat)
        batch.scatter(length(heads - paths), away)
    return Roots(cut.ids, cut.starts, cut.times, xy, velocity, facing, phase, evidence, sway, away, cut)


def _low_passed(heads: Reals, lengths: NDArray[np.intp], rate: float, cutoff: float) -> Reals:
    """Paths [longest, people, 2] of heads without what is faster than the cutoff. Raises InputError."""
    if cutoff >= rate / 2:
        raise InputError(f"cutoff: should be less than half of {rate:g} samples a second (got {cutoff})")
    return zero_phase(heads, lengths, butterworth(cutoff, rate), round(REACH * rate / cutoff))

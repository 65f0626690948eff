"""Computation of body positions (roots) from recorded head positions. While a person walks, the head sways to both
sides of the path of the body.

If the sample rate is high enough to show the sway, a low-pass filter without delay smooths the path (`low_pass`). The
movement that the filter removes shows the footsteps (`step_phase`). If the sample rate is too low to show the sway, the
path is a spline through the samples, and the footsteps have the usual cadence for the speed. Bodies face along the
smoothed path, or along the recorded headings (`facing`).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from ecs_anim.maths.small_matrices import length
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.calm import low_passed, velocities
from ecs_anim.trajectories.even import at_even_times, through
from ecs_anim.trajectories.facing import CALM, CLEAR, FINE, SOUTH, facings, held
from ecs_anim.trajectories.ragged import batches
from ecs_anim.trajectories.record import Trajectories
from ecs_anim.trajectories.roots import Roots
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.step_phase import prior_phase, recorded_phase
from ecs_anim.trajectories.steps import FASTEST
from ecs_anim.trajectories.stretches import Stretches, stretches_of

# [Hz]. Body movement is slower than this. Starts and stops lose 25 mm with a cutoff of 0.5 Hz, and 15 mm with 0.6 Hz.
CUTOFF = 0.6
DENSE = 8.0  # [Hz], least sample rate that shows the sway, and the movement that repeats twice per stride


@dataclass(frozen=True)
class RootOptions:
    """Options for the computation of body positions from head positions."""

    # [Hz], faster movement is sway; None = positions are not heads, and paths go through them
    cutoff: float | None = CUTOFF
    most_gap: float = 2.0  # [s]; a longer gap stays open: the person leaves and comes back
    fastest: float = FASTEST  # [m/s]; faster movement is a jump
    lag: float = 0.1  # [s], time lag between the path and the body's turn
    still: float = 0.2  # [m/s], below which the body keeps its facing

    def __post_init__(self) -> None:
        """Raise InputError if a value is not a positive number."""
        for name, value in vars(self).items():
            if not (value is None or 0 < value < np.inf):
                raise InputError(f"{name}: the value must be a finite number above 0 (got {value}). Correct the value.")


def roots(own: Trajectories, options: RootOptions | None = None) -> Roots:
    """Return the positions, velocities, headings and stride phases of the bodies of all recorded people."""
    options = options or RootOptions()
    cut = _headings_held(stretches_of(own, options.most_gap, options.fastest))
    rate = 1 / cut.usual if cut.usual else 0.0
    is_dense = rate >= DENSE
    cutoff = options.cutoff if is_dense else None
    finest = _finest(rate, options)
    even, facing = _faced(cut, rate, finest, options)
    if cutoff is None:
        facing, xy = through(even, cut.starts, cut.times, facing[:, None])[:, 0], cut.xy
    else:
        cut, xy, calm = even, low_passed(even, even.xy, rate, cutoff), low_passed(even, even.xy, rate, finest)
    velocity = velocities(cut, xy)
    phase, sway = np.zeros(len(cut.times)), np.zeros(len(cut.times))
    evidence = np.zeros(len(cut.times), np.int8)
    for batch in batches(cut.starts):
        speeds = length(velocity[batch.samples])
        steps = prior_phase(cut.times[batch.samples], speeds)
        if cutoff is not None:
            taken = (cut.xy - calm)[batch.samples]
            shown = recorded_phase(taken, facing[batch.samples], speeds, steps, batch.lengths, rate)
            steps = shown.phase
            batch.scatter(shown.evidence, evidence)
            batch.scatter(shown.sway, sway)
        batch.scatter(steps, phase)
    return Roots(cut.ids, cut.starts, cut.times, xy, velocity, facing, phase, evidence, sway, length(cut.xy - xy), cut)


def _faced(own: Stretches, rate: float, finest: float, options: RootOptions) -> tuple[Stretches, Reals]:
    """Return the stretches at evenly spaced times, and the yaws [samples] [rad] at these times.

    The sample rate of the returned stretches is high enough for smoothing the headings.
    """
    if not rate:  # no stretch has two samples
        return own, np.full(len(own.times), SOUTH)
    more = max(1, math.ceil(FINE * finest / rate))
    even = at_even_times(replace(own, usual=own.usual / more))
    return even, facings(even, more * rate, finest, options.lag, options.still)


def _finest(rate: float, options: RootOptions) -> float:
    """Return the highest cutoff frequency [Hz] for the courses of people. `rate` [Hz] is the sample rate."""
    return min(CALM, rate / CLEAR, CALM if options.cutoff is None else options.cutoff)


def _headings_held(own: Stretches) -> Stretches:
    """Return the stretches with the last known heading in place of each unknown heading."""
    if own.heading_vectors is None:
        return own
    headings = np.empty_like(own.heading_vectors)
    for batch in batches(own.starts):
        batch.scatter(held(own.heading_vectors[batch.samples]), headings)
    return replace(own, heading_vectors=headings)

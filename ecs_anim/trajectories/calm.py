"""Low-pass filter and velocities for stretches. A stretch is an unbroken path of one person."""

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.low_pass import butterworth, zero_phase
from ecs_anim.trajectories.ragged import batches
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.spline import spline_velocities
from ecs_anim.trajectories.stretches import Stretches

REACH = 1.5  # length of the continuation of a path at its ends, in periods of the cutoff


def low_passed(own: Stretches, values: Reals, rate: float, cutoff: float, *, goes_on: bool = True) -> Reals:
    """Return low-passed `values` [samples, d] of stretches with evenly spaced samples.

    `rate` [Hz] is the sample rate, and `cutoff` [Hz] is the cutoff frequency. If `goes_on` is True (for positions), the
    filter continues the path beyond both ends. If `goes_on` is False (for directions), the filter mirrors the values at
    both ends. Raises InputError if `cutoff` is not less than half of `rate`.
    """
    if cutoff >= rate / 2:
        raise InputError(
            f"cutoff: the cutoff frequency must be less than half of the sample rate of {rate:g} Hz (got {cutoff} Hz)."
            " Lower the cutoff frequency."
        )
    calm, sections = np.empty_like(values), butterworth(cutoff, rate)
    padding = round(REACH * rate / cutoff)
    for batch in batches(own.starts):
        own_calm = zero_phase(values[batch.samples], batch.lengths, sections, padding, goes_on=goes_on)
        batch.scatter(own_calm, calm)
    return calm


def velocities(own: Stretches, xy: Reals) -> Reals:
    """Return the velocities [samples, 2] [m/s] along cubic splines through the points `xy` [samples, 2] [m]."""
    velocity = np.empty_like(xy)
    for batch in batches(own.starts):
        batch.scatter(spline_velocities(own.times[batch.samples], xy[batch.samples], batch.lengths), velocity)
    return velocity

"""Functions that low-pass values in stretches, and compute velocities in stretches."""

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.low_pass import butterworth, zero_phase
from ecs_anim.trajectories.ragged import batches
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.spline import spline_velocities
from ecs_anim.trajectories.stretches import Stretches

REACH = 1.5  # length of the continuation of a path at its ends, in periods of the cutoff


def low_passed(own: Stretches, values: Reals, rate: float, cutoff: float, *, goes_on: bool = True) -> Reals:
    """Return low-passed values [samples, d] of even stretches; rate and cutoff in Hz.

    goes_on: True continues values beyond both ends, as for positions. False mirrors values at the ends. Raises
    InputError if `cutoff` is not less than half of `rate`.
    """
    if cutoff >= rate / 2:
        raise InputError(f"cutoff: must be less than half of {rate:g} samples a second (got {cutoff})")
    calm, sections = np.empty_like(values), butterworth(cutoff, rate)
    padding = round(REACH * rate / cutoff)
    for batch in batches(own.starts):
        own_calm = zero_phase(values[batch.samples], batch.lengths, sections, padding, goes_on=goes_on)
        batch.scatter(own_calm, calm)
    return calm


def velocities(own: Stretches, xy: Reals) -> Reals:
    """Return velocities [samples, 2] [m/s] on splines through all points `xy`."""
    velocity = np.empty_like(xy)
    for batch in batches(own.starts):
        batch.scatter(spline_velocities(own.times[batch.samples], xy[batch.samples], batch.lengths), velocity)
    return velocity

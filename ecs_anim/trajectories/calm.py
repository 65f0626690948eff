"""Low-passed values and velocities of stretches."""

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.low_pass import butterworth, zero_phase
from ecs_anim.trajectories.ragged import batches
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.spline import spline_velocities
from ecs_anim.trajectories.stretches import Stretches

REACH = 1.5  # periods of the cutoff by which a path is continued at its ends


def low_passed(own: Stretches, values: Reals, rate: float, cutoff: float, *, goes_on: bool = True) -> Reals:
    """Return values [samples, d] of even stretches without what is faster than the cutoff; rate and cutoff in Hz.

    Values that go on, such as positions, are continued beyond both ends; others are mirrored there. Raises InputError.
    """
    if cutoff >= rate / 2:
        raise InputError(f"cutoff: should be less than half of {rate:g} samples a second (got {cutoff})")
    calm, sections = np.empty_like(values), butterworth(cutoff, rate)
    padding = round(REACH * rate / cutoff)
    for batch in batches(own.starts):
        own_calm = zero_phase(values[batch.samples], batch.lengths, sections, padding, goes_on=goes_on)
        batch.scatter(own_calm, calm)
    return calm


def velocities(own: Stretches, xy: Reals) -> Reals:
    """Return velocities [samples, 2] [m/s] of splines through the points."""
    velocity = np.empty_like(xy)
    for batch in batches(own.starts):
        batch.scatter(spline_velocities(own.times[batch.samples], xy[batch.samples], batch.lengths), velocity)
    return velocity

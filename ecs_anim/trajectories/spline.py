"""Natural cubic splines through given points.

The acceleration along a spline is continuous, and is zero at both ends.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.trajectories.rows import Reals


def spline_velocities(times: Reals, points: Reals, lengths: NDArray[np.intp]) -> Reals:
    """Return velocities [longest, curves, d] at the points [longest, curves, d] of natural cubic splines.

    `times` [longest, curves] must ascend within the length of each curve. A cubic Hermite curve with these velocities
    equals the natural cubic spline through the points. A curve with one point has the velocity zero. The padding after
    a shorter curve repeats the last velocity.
    """
    count, last = len(times), lengths - 1
    if count == 1:
        return np.zeros_like(points)
    inside = (np.arange(count - 1)[:, None] < last)[..., None]  # mask of intervals inside a curve
    span = np.where(inside, np.diff(times, axis=0)[..., None], 1.0)
    slope = np.where(inside, np.diff(points, axis=0) / span, 0.0)
    bend = _second_derivatives(span, slope, inside)
    velocity = np.zeros_like(points)
    velocity[:-1] = slope - span * (2 * bend[:-1] + bend[1:]) / 6
    final = slope + span * (bend[:-1] + 2 * bend[1:]) / 6
    ends = np.maximum(last, 1)[None, :, None]
    at_end = np.take_along_axis(final, ends - 1, axis=0)
    return np.where(np.arange(count)[:, None, None] < last[:, None], velocity, np.where(last[:, None] > 0, at_end, 0.0))


def _second_derivatives(span: Reals, slope: Reals, inside: NDArray[np.bool_]) -> Reals:
    """Return the second derivatives at the points of all curves, computed with the Thomas algorithm.

    At both ends, the result is zero.
    """
    count = len(span) + 1
    bend = np.zeros((count, *slope.shape[1:]))
    upper = np.zeros((count, *span.shape[1:]))
    for k in range(1, count - 1):
        free = inside[k]  # inside the curve, and not an end
        pivot = 2 * (span[k - 1] + span[k]) - span[k - 1] * upper[k - 1]
        upper[k] = np.where(free, span[k] / pivot, 0.0)
        bend[k] = np.where(free, (6 * (slope[k] - slope[k - 1]) - span[k - 1] * bend[k - 1]) / pivot, 0.0)
    for k in range(count - 2, 0, -1):
        bend[k] = bend[k] - upper[k] * bend[k + 1]
    return bend


def hermite(share: Reals, span: Reals, points: tuple[Reals, Reals], velocities: tuple[Reals, Reals]) -> Reals:
    """Return points [n, d] on cubic Hermite curves at the relative times `share` [n, 1], from 0 to 1.

    `span` [n, 1] is the duration of each interval. `points` and `velocities` contain the values at both ends of the
    interval.
    """
    rest, square = 1 - share, share * share
    return (
        points[0] * (1 + 2 * share) * rest * rest
        + points[1] * square * (3 - 2 * share)
        + span * share * rest * (velocities[0] * rest - velocities[1] * share)
    )


def hermite_velocity(share: Reals, span: Reals, points: tuple[Reals, Reals], velocities: tuple[Reals, Reals]) -> Reals:
    """Return velocities [n, d] on cubic Hermite curves. The arguments have the same meaning as in `hermite`."""
    rest = 1 - share
    return (
        6 * share * rest * (points[1] - points[0]) / span
        + velocities[0] * rest * (1 - 3 * share)
        + velocities[1] * share * (3 * share - 2)
    )

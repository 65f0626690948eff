"""Angles of headings and feet in float32, for one actor or for eight actors. The error is less than 1e-5 rad. The
operations have a fixed order, so all CPUs compute the same bits. The module `elementary` computes more precise angles
in float64.
"""

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.simd import maximum, minimum, select

HALF, ONE, TWO = np.float32(0.5), np.float32(1), np.float32(2)
PI, HALF_PI, FULL = np.float32(np.pi), np.float32(np.pi / 2), np.float32(2 * np.pi)
# Coefficients of the odd powers of the arctangent, for arguments up to 1. Source:
# C. Hastings, Approximations for Digital Computers (1955), sheet 11.
ARC = tuple(np.float32(c) for c in (0.9998660, -0.3302995, 0.1801410, -0.0851330, 0.0208351))
# Taylor coefficients of sine and cosine, for angles up to pi / 2.
SINE = tuple(np.float32(c) for c in (-1 / 6, 1 / 120, -1 / 5040, 1 / 362880))
COSINE = tuple(np.float32(c) for c in (-1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800))


@inlined
def turned_by(angle):
    """Wrap an angle [rad] to the range from -pi to pi."""
    return angle - FULL * np.floor((angle + PI) / FULL)


@inlined
def angle_of(sine, cosine):
    """Return the angle of the point (cosine, sine) [rad], -pi to pi. At the origin, the angle is 0."""
    up, aside = abs(sine), abs(cosine)
    larger = maximum(up, aside)
    is_there = larger > np.float32(0)
    ratio = minimum(up, aside) / select(is_there, larger, ONE)
    square = ratio * ratio
    angle = ratio * (ARC[0] + square * (ARC[1] + square * (ARC[2] + square * (ARC[3] + square * ARC[4]))))
    angle = select(up > aside, HALF_PI - angle, angle)
    angle = select(cosine < np.float32(0), PI - angle, angle)
    return select(is_there, select(sine < np.float32(0), -angle, angle), np.float32(0))


@inlined
def unit_of(angle):
    """Return the sine and the cosine of an angle [rad]."""
    rest = turned_by(angle)
    is_behind = abs(rest) > HALF_PI
    rest = select(is_behind, select(rest > np.float32(0), PI, -PI) - rest, rest)
    x = rest * rest
    sine = rest + rest * x * (SINE[0] + x * (SINE[1] + x * (SINE[2] + x * SINE[3])))
    cosine = ONE + x * (COSINE[0] + x * (COSINE[1] + x * (COSINE[2] + x * (COSINE[3] + x * COSINE[4]))))
    return sine, select(is_behind, -cosine, cosine)


@inlined
def half_of(sine, cosine):
    """Return the sine and the cosine of half an angle, -pi to pi, from the sine and the cosine of the angle."""
    half, is_ahead = np.sqrt(HALF * (ONE + abs(cosine))), cosine > np.float32(0)
    half = select(is_ahead, half, select(sine < np.float32(0), -half, half))
    other = HALF * sine / half
    return select(is_ahead, other, half), select(is_ahead, half, other)

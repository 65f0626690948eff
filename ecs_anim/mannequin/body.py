"""Shape of the mannequin: a distance field of a clothed adult in the bind pose. A distance field is a function from a
point to its distance from a surface. The shape is mirror-symmetric in x.

The body has the breadths and depths of an average adult. The module `proportions` lists the sources of these numbers.
The smaller details of the body do not come from measurements. All points have the shape [..., 3] and are in metres. The
functions `arm`, `leg` and `shoe` describe the left side of the body.
"""

from collections.abc import Callable

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.hand import fingered, mitten
from ecs_anim.mannequin.shapes import curve, ellipsoid, loft, round_cone, smooth_max, smooth_min, union

# Function that adds a hand to the distance to an arm, as `mitten` and `fingered` do.
Hand = Callable[[Array, Array, Array], Array]

# Rows: position on the axis, radius 0, radius 1, centre 0, centre 1 [m].
TORSO = [  # axis: +Y from the ground; sections in x, z
    (0.850, 0.070, 0.080, 0, -0.004),
    (0.890, 0.132, 0.110, 0, -0.010),
    (0.940, 0.163, 0.122, 0, -0.012),
    (0.990, 0.161, 0.117, 0, -0.008),
    (1.060, 0.145, 0.104, 0, 0.002),
    (1.120, 0.138, 0.099, 0, 0.004),
    (1.200, 0.145, 0.105, 0, 0.003),
    (1.290, 0.162, 0.116, 0, 0.000),
    (1.360, 0.166, 0.112, 0, -0.008),
    (1.420, 0.148, 0.092, 0, -0.018),
    (1.465, 0.100, 0.068, 0, -0.028),
    (1.490, 0.060, 0.055, 0, -0.030),
]
LEG = [  # axis: line from hip to ankle; sections in x, z
    (-0.040, 0.070, 0.085, 0, -0.005),
    (0.020, 0.085, 0.093, 0.002, -0.006),
    (0.100, 0.082, 0.089, 0.003, -0.002),
    (0.200, 0.073, 0.080, 0.002, 0.003),
    (0.310, 0.063, 0.068, 0.000, 0.004),
    (0.420, 0.055, 0.060, 0.000, 0.004),
    (0.480, 0.053, 0.058, 0.000, -0.004),
    (0.560, 0.053, 0.060, 0.000, -0.013),
    (0.660, 0.049, 0.055, 0.000, -0.012),
    (0.760, 0.046, 0.051, 0.000, -0.004),
    (0.825, 0.047, 0.054, 0.000, 0.002),
]
ARM = [  # axis: line from shoulder to wrist; sections in the direction of its upper side and z
    (-0.010, 0.053, 0.056, 0.000, 0),
    (0.030, 0.058, 0.060, 0.000, 0),
    (0.090, 0.054, 0.057, 0.000, 0),
    (0.170, 0.048, 0.052, 0.000, 0),
    (0.205, 0.046, 0.050, 0.000, 0),
    (0.225, 0.041, 0.045, 0.000, 0),
    (0.320, 0.038, 0.041, 0.000, 0),
    (0.380, 0.039, 0.044, 0.001, 0),
    (0.440, 0.037, 0.041, 0.001, 0),
    (0.520, 0.030, 0.033, 0.000, 0),
    (0.575, 0.024, 0.029, 0.000, 0),
]
SHOE = [  # axis: +Z from the ankle; sections in x, y
    (-0.038, 0.033, 0.085, 0.000, 0.020),
    (-0.015, 0.038, 0.091, 0.000, 0.018),
    (0.025, 0.039, 0.083, 0.002, 0.014),
    (0.060, 0.042, 0.065, 0.003, 0.012),
    (0.105, 0.049, 0.047, 0.004, 0.012),
    (0.145, 0.048, 0.038, 0.004, 0.013),
    (0.183, 0.033, 0.027, 0.002, 0.016),
]
# Position on +Z and height [m].
SHOE_SOLE = [(-0.068, 0.006), (-0.048, 0.0), (0.155, 0.0), (0.180, 0.004), (0.212, 0.014)]


def body(p: Array, hand: Hand = mitten) -> Array:
    """Return the distance from points [..., 3] to the surface of the body with the hands `hand`.

    The distance field is mirror-symmetric: points with x and -x have the same distance.
    """
    p = on_left(p)
    upper = union(torso(p), (arm(p, hand), 0.05), (head(p), 0.03))
    lower = smooth_min(leg(p), shoe(p), 0.012)
    return smooth_min(upper, lower, 0.03)


def on_left(p: Array) -> Array:
    """Return the points [..., 3], with those of the right side mirrored to the left side."""
    return np.concatenate([np.abs(p[..., :1]), p[..., 1:]], axis=-1)


def torso(p: Array) -> Array:
    """Return the distance from points to the surface of the pelvis, the trunk, and the slope between neck and
    shoulder.
    """
    trunk = loft(p[..., 1], p[..., [0, 2]], TORSO, 2.3)
    seat = ellipsoid(p, (0.078, 0.925, -0.060), (0.078, 0.085, 0.078))
    chest = ellipsoid(p, (0.075, 1.330, 0.050), (0.078, 0.070, 0.055))
    slope = round_cone(p, (0.03, 1.484, -0.036), (0.165, 1.432, -0.020), 0.036, 0.044)
    return union(trunk, (seat, 0.04), (chest, 0.03), (slope, 0.04))


def head(p: Array) -> Array:
    """Return the distance from points to the neck and the head, including jaw, chin, mouth, nose and ears."""
    neck = round_cone(p, (0, 1.44, -0.036), (0, 1.585, -0.014), 0.055, 0.050)
    cranium = ellipsoid(p, (0, 1.660, -0.006), (0.0775, 0.091, 0.098))
    jaw = ellipsoid(p, (0, 1.602, 0.034), (0.050, 0.072, 0.056))
    chin = ellipsoid(p, (0, 1.545, 0.070), (0.026, 0.020, 0.020))
    mouth = ellipsoid(p, (0, 1.582, 0.070), (0.030, 0.026, 0.022))
    nose = round_cone(p, (0, 1.645, 0.084), (0, 1.613, 0.098), 0.008, 0.0115)
    ear = ellipsoid(p, (0.077, 1.632, -0.006), (0.010, 0.030, 0.018))
    return union(cranium, (jaw, 0.05), (chin, 0.03), (mouth, 0.02), (nose, 0.022), (ear, 0.012), (neck, 0.025))


def body_with_fingers(p: Array) -> Array:
    """Return the distance from points [..., 3] to the surface of the body with five fingers at each hand."""
    return body(p, fingered)


def arm(p: Array, hand: Hand = mitten) -> Array:
    """Return the distance from points to the left arm and the hand `hand`."""
    along, across = arm_coordinates(p)
    return hand(loft(along, across, ARM), along - P.UPPER_ARM - P.FOREARM, across)


def leg(p: Array) -> Array:
    """Return the distance from points to the left thigh and shank, down to the cuff of the trousers."""
    along, across = leg_coordinates(p)
    return loft(along, across, LEG)


def shoe(p: Array) -> Array:
    """Return the distance from points to the left shoe.

    The shoe has a flat sole, a bevelled heel and a slightly raised toe.
    """
    q = p - (P.LEFT_POINTS["Foot"][0], 0, P.LEFT_POINTS["Foot"][2])
    upper = loft(q[..., 2], q[..., :2], SHOE, 2.4)
    sole = curve(SHOE_SOLE, q[..., 2])[..., 0] - q[..., 1]
    return smooth_max(upper, sole, 0.008)


def arm_coordinates(p: Array) -> tuple[Array, Array]:
    """Return the coordinates of points relative to the left arm: one coordinate along the arm, and two coordinates
    across the arm.

    The coordinate [...] along the arm starts at the shoulder. The two coordinates [..., 2] across the arm point towards
    its upper side and along z. All coordinates are in metres.
    """
    q = p - P.LEFT_POINTS["Arm"]
    d = P.ARM_DIRECTION
    return q @ d, np.stack([q @ np.array([-d[1], d[0], 0]), q[..., 2]], axis=-1)


def leg_coordinates(p: Array) -> tuple[Array, Array]:
    """Return the coordinates of points relative to the left leg, in metres: one coordinate along the leg, and two
    coordinates across the leg.

    The coordinate [...] along the leg starts at the hip. The two coordinates [..., 2] across the leg are x and z.
    """
    hip, ankle = P.LEFT_POINTS["UpLeg"], P.LEFT_POINTS["Foot"]
    axis = (ankle - hip) / np.linalg.norm(ankle - hip)
    q = p - hip
    along = q @ axis
    return along, (q - along[..., None] * axis)[..., [0, 2]]


def normals(p: Array, step: float = 0.004, field: Callable[[Array], Array] = body) -> Array:
    """Return the unit gradients [n, 3] of the distance field `field` at points [n, 3].

    `step` is the distance in metres between a point and the points that the function compares. At points with x = 0,
    the function sets the x component of the gradient to 0.
    """
    offsets = np.eye(3) * step
    gradient = np.stack([field(p + o) - field(p - o) for o in offsets], axis=-1)
    return gradient / np.maximum(np.linalg.norm(gradient, axis=-1, keepdims=True), 1e-12)

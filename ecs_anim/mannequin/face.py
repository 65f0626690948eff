"""Shape of a head with a face, for the finest level of detail: brows, eyes, nose, lips, chin and ears.

The shape is mirror-symmetric in x. The functions describe the left side. Points have the shape [..., 3] and are in
metres. The proportions follow the usual canon of drawing: the eyes are at half the height of the head.
"""

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import ellipsoid, round_cone, smooth_max, union


def head(p: Array) -> Array:
    """Return the distance from points to the surface of the neck and the head."""
    neck = round_cone(p, (0, 1.44, -0.036), (0, 1.585, -0.014), 0.055, 0.050)
    return union(_carved(_skull(p), p), *_features(p), (neck, 0.025))


def _skull(p: Array) -> Array:
    cranium = ellipsoid(p, (0, 1.660, -0.006), (0.0775, 0.091, 0.098))
    jaw = ellipsoid(p, (0, 1.602, 0.034), (0.050, 0.072, 0.056))
    corner = ellipsoid(p, (0.044, 1.585, 0.014), (0.016, 0.026, 0.030))
    chin = ellipsoid(p, (0, 1.5445, 0.073), (0.024, 0.018, 0.019))
    mouth = ellipsoid(p, (0, 1.582, 0.068), (0.030, 0.026, 0.022))
    cheek = ellipsoid(p, (0.044, 1.621, 0.056), (0.020, 0.017, 0.018))
    return union(cranium, (jaw, 0.05), (corner, 0.03), (chin, 0.025), (mouth, 0.02), (cheek, 0.03))


def _carved(skull: Array, p: Array) -> Array:
    """Return the distance to the skull with eye sockets and with a groove below the lower lip."""
    socket = ellipsoid(p, (0.031, 1.6480, 0.0920), (0.0195, 0.0130, 0.0145))
    groove = ellipsoid(p, (0, 1.5625, 0.0975), (0.018, 0.0045, 0.0070))
    return smooth_max(smooth_max(skull, -socket, 0.010), -groove, 0.010)


def _features(p: Array) -> list[tuple[Array, float]]:
    """Return the distances to the features of a face, each with the width [m] of its rounded crease."""
    return [
        (round_cone(p, (0.012, 1.6640, 0.0830), (0.046, 1.6640, 0.0640), 0.0075, 0.0065), 0.012),  # brow
        (ellipsoid(p, (0.031, 1.6470, 0.0660), (0.0150, 0.0125, 0.0130)), 0.003),  # eye
        (round_cone(p, (0, 1.6520, 0.0830), (0, 1.6170, 0.0990), 0.0065, 0.0085), 0.012),  # bridge of the nose
        (ellipsoid(p, (0, 1.6125, 0.1000), (0.0105, 0.0085, 0.0110)), 0.006),  # tip of the nose
        (ellipsoid(p, (0.0105, 1.6110, 0.0920), (0.0070, 0.0070, 0.0090)), 0.005),  # nostril
        (round_cone(p, (0.003, 1.5840, 0.0905), (0.021, 1.5790, 0.0800), 0.0052, 0.0030), 0.004),  # upper lip
        (round_cone(p, (0, 1.5735, 0.0895), (0.018, 1.5770, 0.0800), 0.0060, 0.0030), 0.004),  # lower lip
        (_ear(p), 0.008),
    ]


def _ear(p: Array) -> Array:
    shell = ellipsoid(p, (0.079, 1.634, -0.008), (0.0095, 0.0310, 0.0180))
    hollow = ellipsoid(p, (0.091, 1.636, -0.003), (0.0075, 0.0180, 0.0100))
    return smooth_max(shell, -hollow, 0.006)

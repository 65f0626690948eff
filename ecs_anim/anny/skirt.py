"""The tube around hips and thighs that skirts and coats have. It follows the largest extent of the dressed body."""

import numpy as np

from ecs_anim.anny.body_places import mean_places
from ecs_anim.mannequin.arrays import Array

COUNT, ROWS = 24, 8  # vertices of a ring, and rings
HIDDEN = np.array([0.0, 1.0, -0.01])  # [m], position of the tube without a skirt
HOLLOW = 0.06  # [m], by which the middle of the hem is higher than the hem, so that a skirt looks hollow
NARROWER = 0.02  # [m], largest difference of the radii of two rings, so that a skirt lies flat on seated thighs
FORWARD = 0.3  # share of the flare at front and back
FULL_EASE = 0.4  # share of the length from which a skirt has its full distance from the body
TUCK = 0.012  # [m], by which the upper end of the tube is inside the body
GAP = 0.2  # factor on the radius of the first column of an open tube
LEVEL_ROWS = 3  # rings with level normals
HIPS = 0.95  # [m], height of the hips
BAND = 0.03  # [m], half the height of the body that a ring must surround


def skirt_tube(points: Array, top: float, hem: float, ease: float, flare: float, *, is_open: bool = False) -> Array:
    """Return the vertices [2 + ROWS * COUNT, 3] of the tube on a dressed body with the vertices `points`.

    The tube is `ease` metres from the body below its upper end at `top`, and `flare` metres wider at the hem. If
    `is_open` is true, the tube has a gap at the front: the first column of its vertices is inside the body.
    """
    down = np.linspace(0, 1, ROWS)
    y = top + (hem - top) * down
    directions, centre = around(COUNT), middle_of(points)
    trunk = trunk_of(points)
    radii = np.stack([extent(trunk, height, directions, centre) for height in y])
    for row in range(1, ROWS):
        radii[row] = np.maximum(radii[row], radii[row - 1] - NARROWER)
    radii += ease * np.minimum(down / FULL_EASE, 1)[:, None]
    radii += flare * down[:, None] * (FORWARD + (1 - FORWARD) * np.abs(directions[:, 0]))
    radii[0] -= TUCK
    if is_open:
        radii[1:, 0] *= GAP
    across = centre + radii[..., None] * directions
    rings = np.stack([across[..., 0], np.broadcast_to(y[:, None], radii.shape), across[..., 1]], axis=-1)
    ends = [[0, top, centre[1]]], [[0, hem + HOLLOW, centre[1]]]
    return np.concatenate([ends[0], rings.reshape(-1, 3), ends[1]])


def with_smooth_top(normals: Array) -> Array:
    """Return the normals [v, 3] of a body with a tube at the end, level at the upper rings of the tube.

    The upper end of a skirt or a coat is then as bright as the body above it.
    """
    result = normals.copy()
    rings = result[-1 - ROWS * COUNT : -1][: LEVEL_ROWS * COUNT]
    rings[:, 1] = 0
    rings /= np.maximum(np.linalg.norm(rings, axis=1, keepdims=True), 1e-9)
    return result


def around(count: int) -> Array:
    """Return unit vectors [count, 2] in x and z, in equal steps from the front."""
    angle = 2 * np.pi * np.arange(count) / count
    return np.stack([np.sin(angle), np.cos(angle)], axis=1)


def trunk_of(points: Array) -> Array:
    """Return the vertices of a body `points` [v, 3] that do not belong to arms."""
    return points[mean_places().arm < 0.5]


def middle_of(points: Array) -> Array:
    """Return the position [2], x and z, of the middle of the hips of a body with the vertices `points`."""
    trunk = trunk_of(points)
    hips = trunk[np.abs(trunk[:, 1] - HIPS) < BAND][:, 2]
    return np.array([0.0, (hips.min() + hips.max()) / 2])


def extent(points: Array, height: float, directions: Array, centre: Array) -> Array:
    """Return the extent [n] of the body from the centre in each direction [n, 2], at a height."""
    near = points[np.abs(points[:, 1] - height) < BAND][:, [0, 2]] - centre
    return np.max(near @ directions.T, axis=0)

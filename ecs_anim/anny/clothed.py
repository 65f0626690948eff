"""The surface of a dressed body: garments move the skin that they cover outward, so nothing lies under a garment.

Clothes have the shape of a smoothed body, and sleeves and trouser legs have a least width. Shoes have the shape of the
mannequin's shoes, which its contacts with the ground fit.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from ecs_anim.anny.base import base
from ecs_anim.anny.body_places import mean_places
from ecs_anim.anny.drape import draped
from ecs_anim.anny.garments import SHOE, Garment, inside
from ecs_anim.mannequin import body
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import smooth_step
from ecs_anim.rigs.surfaces import face_normal_sums

EDGE = 0.005  # [m], breadth of the step at the edge of a garment
TAUBIN = 8 * (0.5, -0.53)  # factors of the smoothing of clothes (G. Taubin, 1995); each second factor undoes shrinking
SHOE_ROUNDS = 10  # of the smoothing of feet in shoes
SHOE_AXIS = ((-0.02, 0.05), (0.105, 0.026))  # [m], forward position from the ankle, and height, of the ends of the axis
SHOE_REACH, BISECTIONS = 0.3, 30  # [m], distance beyond the surface of shoes, and steps of the search of the surface
SKIRT_LEGS = 0.72  # factor on the thickness of legs under a skirt
# [m], movement of hips inward under a skirt, height of the hips, and breadth of the step below the waist
SKIRT_HIPS, HIPS, WAISTBAND = 0.03, 0.80, 0.03


def dressed(points: Array, garments: Sequence[Garment], skirt_hem: float | None) -> Array:
    """Return the vertices [v, 3] of a body with garments, which come in the order from the skin outward.

    Under a skirt with a hem at the height `skirt_hem`, legs are thinner.
    """
    at = mean_places()
    covers = [smooth_step(inside(own, at), -EDGE, EDGE) for own in garments]
    cloth = [k for k, own in enumerate(garments) if own.kind != "feet"]
    moved = _smoothed(points, np.max([covers[k] for k in cloth], axis=0), TAUBIN)
    outward = vertex_directions(moved)
    moved += (
        np.max([own.thickness * cover for own, cover in zip(garments, covers, strict=True)], axis=0)[:, None] * outward
    )
    moved = draped(moved, np.max([own.drape * cover for own, cover in zip(garments, covers, strict=True)], axis=0))
    for own, cover in zip(garments, covers, strict=True):
        if own.wide:
            moved = _widened(moved, own, cover)
    if skirt_hem is not None:
        moved = _thinned(moved, at.leg * smooth_step(at.points[:, 1], skirt_hem, skirt_hem + 0.08))
    return _shod(moved)


def below_skirt(points: Array, top: float) -> Array:
    """Return the vertices [v, 3] of a body whose hips are smaller under a skirt with its upper end at `top`."""
    at = mean_places()
    y = at.points[:, 1]
    share = smooth_step(-y, -top, -top + WAISTBAND) * smooth_step(y, HIPS - WAISTBAND, HIPS) * (1 - at.arm)
    return points - (SKIRT_HIPS * share)[:, None] * vertex_directions(points)


@cache
def edges() -> Array:
    """Return the pairs of neighbouring vertices [e, 2], in both directions."""
    corners = base().corners[base().triangles]
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    return np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)


def _smoothed(points: Array, share: Array, factors: Sequence[float]) -> Array:
    """Return vertices that move towards the mean of their neighbours, by each factor, and by their share [v]."""
    a, b = edges().T
    count = np.maximum(np.bincount(a, minlength=len(points)), 1)[:, None]
    for factor in factors:
        means = np.stack([np.bincount(a, points[b, k], len(points)) for k in range(3)], axis=1) / count
        points = points + (factor * share)[:, None] * (means - points)
    return points


def vertex_directions(points: Array) -> Array:
    """Return the unit normals [v, 3] of vertices."""
    corners = base().corners[base().triangles]
    sums = face_normal_sums(points, corners, corners)
    found: Array = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return found


def _widened(points: Array, own: Garment, cover: Array) -> Array:
    """Return vertices whose distance from the axis of their limb is at least `own.wide` where the garment covers."""
    at = mean_places()
    share, axis = (at.arm, _arm_axis(points)) if own.kind == "top" else (at.leg, _leg_axis(points))
    if own.kind == "bottom":
        share = share * smooth_step(-points[:, 1], -0.75, -0.5)
    else:
        share = share * smooth_step(at.along_arm, 0.03, 0.12)
    out = points - axis
    radius = np.maximum(np.linalg.norm(out, axis=1), 1e-6)
    more = np.maximum(own.wide - radius, 0) * share * cover
    return points + (more / radius)[:, None] * out


def _arm_axis(points: Array) -> Array:
    side = np.sign(points[:, :1]) * (1, 0, 0) + (0, 1, 1)
    start = np.array(P.LEFT_POINTS["Arm"])
    along = (points * side - start) @ P.ARM_DIRECTION
    return (start + along[:, None] * P.ARM_DIRECTION) * side


def _leg_axis(points: Array) -> Array:
    hip, ankle = P.LEFT_POINTS["UpLeg"], P.LEFT_POINTS["Foot"]
    at = hip + ((points[:, 1] - hip[1]) / (ankle[1] - hip[1]))[:, None] * (ankle - hip)
    return at * (np.sign(points[:, :1]) * (1, 0, 0) + (0, 1, 1))


def _thinned(points: Array, share: Array) -> Array:
    axis = _leg_axis(points)
    return axis + (points - axis) * (1 - (1 - SKIRT_LEGS) * share)[:, None]


def _shod(points: Array) -> Array:
    """Return vertices of which those of feet are on the surface of shoes."""
    rows, _ = _of_shoes(points)
    result = points.copy()
    result[rows] = _shoe_vertices()
    return result


@cache
def _shoe_vertices() -> Array:
    """Return the vertices of feet [n, 3] on the surface of shoes. All people have equal shoes.

    The feet of the mean body become smooth, so that the gaps between toes close, and then grow from an axis inside the
    shoe to its surface. This map is continuous, so the shoes have no holes.
    """
    rows, side = _of_shoes(mean_places().points)
    is_foot = np.zeros(len(base().vertices))
    is_foot[rows] = 1
    feet = _smoothed(mean_places().points, is_foot, SHOE_ROUNDS * (0.5,))[rows] * side
    near = _on_shoe_axis(feet[:, 2])
    outward = feet - near
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
    low, high = np.zeros(len(feet)), np.full(len(feet), SHOE_REACH)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_inside = body.shoe(near + middle[:, None] * outward) < 0
        low, high = np.where(is_inside, middle, low), np.where(is_inside, high, middle)
    return (near + low[:, None] * outward) * side


def _on_shoe_axis(z: Array) -> Array:
    """Return the points [n, 3] on the axis of the left shoe that are nearest to the forward positions z [n]."""
    own = P.LEFT_POINTS["Foot"][2] + np.array([row[0] for row in SHOE_AXIS])
    near = np.clip(z, own[0], own[-1])
    heights = np.interp(near, own, [row[1] for row in SHOE_AXIS])
    return np.stack([np.full(len(z), P.LEFT_POINTS["Foot"][0]), heights, near], axis=1)


def with_shoe_normals(normals: Array, points: Array) -> Array:
    """Return normals [v, 3] that are those of the surface of shoes at the vertices of feet."""
    rows, side = _of_shoes(points)
    result = normals.copy()
    result[rows] = _shoe_slope(points[rows] * side) * side
    return result


def _of_shoes(points: Array) -> tuple[Array, Array]:
    """Return the vertices of feet [n], and factors [n, 3] that mirror those of the right foot."""
    at = mean_places()
    rows = np.flatnonzero((at.points[:, 1] < SHOE) & (at.leg > 0.5))
    return rows, np.sign(points[rows, :1]) * (1, 0, 0) + (0, 1, 1)


def _shoe_slope(points: Array) -> Array:
    steps = np.eye(3) * 1e-3
    slope = np.stack([body.shoe(points + step) - body.shoe(points - step) for step in steps], axis=1)
    found: Array = slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-9)
    return found

"""The places of the texels of a texture."""

from functools import cache

import numpy as np

from ecs_anim.anny.base import base
from ecs_anim.anny.body_places import Places, mean_places
from ecs_anim.mannequin.arrays import Array

SIZE = 512  # [texel], width and height
MARGIN = 24  # [texel], by which the picture of a part is larger than the part, for triangles of coarser meshes
CAP = 0.9  # place of the last ring of a tube in its part; the inside at the end of the tube is behind this place
PARTS = {"skirt": (0.59, 0.75, 0.01, 0.088), "hair": (0.83, 0.99, 0.01, 0.15)}  # limits of u and v of other parts


@cache
def texel_places() -> tuple[Places, Array]:
    """Return the places of all texels [SIZE * SIZE], and whether a texel belongs to an eye."""
    own, at = base(), mean_places()
    columns = np.column_stack([at.points, at.arm, at.leg, at.head, own.eyes])[own.corners]
    found = _widened(_drawn(own.uvs * SIZE, own.triangles, columns))
    found[np.isnan(found)] = 0
    return Places(found[:, :3], *found[:, 3:6].T), found[:, 6] > 0.5


def _drawn(points: Array, triangles: Array, columns: Array) -> Array:
    """Return the columns of corners [c, k], interpolated at the centres of texels [SIZE, SIZE, k].

    `points` [c, 2] are the texture coordinates in texels. Texels outside of all triangles are NaN.
    """
    picture = np.full((SIZE, SIZE, columns.shape[1]), np.nan)
    low = np.maximum(np.ceil(points[triangles].min(axis=1) - 0.5).astype(int), 0)
    extent = np.minimum(np.floor(points[triangles].max(axis=1) - 0.5).astype(int) + 1, SIZE) - low
    for step in np.ndindex(*extent.max(axis=0)):
        own = triangles[(extent > step).all(axis=1)]
        at = low[(extent > step).all(axis=1)] + step
        shares = _shares(at + 0.5, *np.moveaxis(points[own], 1, 0))
        inside = (shares > -1e-6).all(axis=1)
        found = (shares[inside, :, None] * columns[own[inside]]).sum(axis=1)
        picture[at[inside, 1], at[inside, 0]] = found
    return picture


def _shares(p: Array, a: Array, b: Array, c: Array) -> Array:
    """Return the barycentric coordinates [n, 3] of points [n, 2] in triangles. They are -1 without an area."""
    area = _area(b - a, c - a)
    second, third = _area(p - a, c - a), _area(b - a, p - a)
    sums = np.stack([area - second - third, second, third], axis=1)
    return np.where(area[:, None] != 0, sums / np.where(area == 0, 1, area)[:, None], -1)


def _area(a: Array, b: Array) -> Array:
    found: Array = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return found


def _widened(picture: Array) -> Array:
    """Return the texels [SIZE * SIZE, k]. Texels near a part have the columns of the nearest texel of the part."""
    for _ in range(MARGIN):
        for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
            empty = np.isnan(picture[..., 0])
            picture[empty] = np.roll(picture, step, axis)[empty]
    return picture.reshape(-1, picture.shape[-1])

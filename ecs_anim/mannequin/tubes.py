"""Tubes: closed surfaces from rings of points. Bags, hats and straps are tubes. Lengths are in metres."""

import numpy as np

from ecs_anim.mannequin.arrays import Array


def tube(rings: Array) -> tuple[Array, Array]:
    """Return the points [n, 3] and the triangles [m, 3] of a closed surface through `rings` [r, k, 3].

    Two additional points at the means of the first and of the last ring close the surface. Seen from the first ring
    towards the last ring, the points of a ring must be clockwise. Triangles are counter-clockwise from outside.
    """
    rows, count = rings.shape[:2]
    first, last = rows * count, rows * count + 1
    at, after = np.arange(count), (np.arange(count) + 1) % count
    found = [np.stack([np.full(count, first), after, at], axis=1)]
    for row in range(rows - 1):
        a, b = row * count, (row + 1) * count
        found += [
            np.stack([a + at, a + after, b + after], axis=1),
            np.stack([a + at, b + after, b + at], axis=1),
        ]
    end = (rows - 1) * count
    found.append(np.stack([np.full(count, last), end + at, end + after], axis=1))
    points = np.concatenate([rings.reshape(-1, 3), rings[[0, -1]].mean(axis=1)])
    triangles = np.concatenate(found)
    a, b, c = np.moveaxis(points[triangles] - points.mean(axis=0), 1, 0)
    return points, triangles if np.sum(a * np.cross(b, c)) > 0 else triangles[:, ::-1]


def oval(count: int, exponent: float = 2.0) -> Array:
    """Return `count` points [count, 2] of a superellipse with radii of 1."""
    angle = 2 * np.pi * (np.arange(count) + 0.5) / count
    ring = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    return ring / (np.abs(ring) ** exponent).sum(axis=1, keepdims=True) ** (1 / exponent)


def stack(sections: Array, axes: Array, ring: Array) -> Array:
    """Return rings [r, k, 3] that are scaled copies of `ring` [k, 2].

    A row of `sections` [r, 5] is a position on the axis, the two radii, and the two coordinates of the centre. `axes`
    [3, 3] are the directions of the axis and of both radii.
    """
    sections = np.asarray(sections, float)
    across = sections[:, None, 1:3] * ring + sections[:, None, 3:5]
    return sections[:, None, :1] * axes[0] + across @ axes[1:]


def band(path: Array, outward: Array, width: float, thickness: float) -> Array:
    """Return the rings [n, 4, 3] of a strap along `path` [n, 3]. `outward` [n, 3] are the normals of its flat side."""
    along = np.gradient(path, axis=0)
    side = np.cross(along, outward)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    corners = np.array([(-1, -1), (-1, 1), (1, 1), (1, -1)]) * (width / 2, thickness / 2)
    return path[:, None] + corners[:, :1] * side[:, None] + corners[:, 1:] * outward[:, None]

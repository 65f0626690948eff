"""Skirts: a skirt is a closed cone around the hips.

If a figure has no skirt, all vertices of the cone are at one point inside the body.
"""

from dataclasses import dataclass

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.figures import FigureShape
from ecs_anim.mannequin.paint import skirt_coordinates
from ecs_anim.mannequin.shapes import smooth_step

TOP, WAIST = 1.045, (0.160, 0.120)  # [m], height of the waist; half its breadth and depth
BACK = 0.020  # [m], backward offset of the axis at the hips relative to the waist
SIZES = ((20, 7), (12, 4), (8, 3), (6, 2))  # vertices per ring and rings, for each level of detail
HIDDEN = np.array([0.0, 1.0, -0.01])  # [m], position in figures without a skirt


@dataclass(frozen=True)
class SkirtMesh:
    """The mesh of a skirt at one level of detail. The first vertex and the last vertex close the two ends of
    the cone.
    """

    uvs: Array  # [n, 2]
    joints: Array  # [n, 4]
    weights: Array  # [n, 4]
    triangles: Array  # [m, 3]
    around: Array  # [n, 2] sine and cosine of the vertex angle around the axis; 0 on the axis
    down: Array  # [n] 0 at the waist, 1 at the hem


def skirt_mesh(level: int) -> SkirtMesh:
    """Return the skirt mesh at one level of detail. All figures have this mesh, but the positions of its vertices
    differ between figures.
    """
    count, rows = SIZES[min(level, len(SIZES) - 1)]
    angle = 2 * np.pi * np.arange(count) / count
    ring = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    around = np.concatenate([np.zeros((1, 2)), np.tile(ring, (rows, 1)), np.zeros((1, 2))])
    down = np.concatenate([[0.0], np.repeat(np.arange(rows) / (rows - 1), count), [1.0]])
    usual = _points(around, down, 0.56, np.array([0.24, 0.21]))
    return SkirtMesh(skirt_coordinates(usual), *_weights(usual), _triangles(count, rows), around, down)


def skirt_points(mesh: SkirtMesh, figure: FigureShape) -> Array:
    """Return the positions [n, 3] of the vertices of a figure's skirt, in metres."""
    if figure.skirt is None:
        return np.tile(HIDDEN, (len(mesh.down), 1))
    skirt = figure.skirt
    points = _points(mesh.around, mesh.down, skirt.hem, np.array([skirt.width, skirt.depth]))
    up = 1 - mesh.down
    points[:, [0, 2]] *= (1 + (0.5 * (figure.waist + figure.hips) - 1) * up)[:, None]
    points[:, 2] += figure.belly * up * np.maximum(mesh.around[:, 1], 0)
    return points


def _points(around: Array, down: Array, hem: float, radii: Array) -> Array:
    wide = 1 - (1 - down) ** 2.2
    across = around * (WAIST + (radii - WAIST) * wide[:, None])
    height = TOP + (hem - TOP) * down
    return np.stack([across[:, 0], height, across[:, 1] - BACK * np.minimum(4 * down, 1)], axis=1)


def _weights(p: Array) -> tuple[Array, Array]:
    """Return the joints [n, 4] and the skin weights [n, 4] of points on a skirt.

    The top of the skirt follows the hips. The lower part on each side follows the thigh of this side.
    """
    legs = 0.88 * smooth_step(0.97 - p[:, 1], 0.0, 0.33)
    left = legs * smooth_step(p[:, 0], -0.13, 0.13)
    joints = np.array([P.INDEX["Hips"], P.INDEX["LeftUpLeg"], P.INDEX["RightUpLeg"], 0])
    weights = np.stack([1 - legs, left, legs - left, np.zeros(len(p))], axis=1)
    return np.where(weights > 0, joints, 0), weights


def _triangles(count: int, rows: int) -> Array:
    """Return the triangles of the skirt. In a view from outside, the corners of each triangle are counter-clockwise."""
    column, after = np.arange(count), (np.arange(count) + 1) % count
    found = [np.stack([np.zeros(count, int), 1 + column, 1 + after], axis=1)]
    for row in range(rows - 1):
        above, below = 1 + row * count, 1 + (row + 1) * count
        found.append(np.stack([above + column, below + column, below + after], axis=1))
        found.append(np.stack([above + column, below + after, above + after], axis=1))
    last = 1 + (rows - 1) * count
    found.append(np.stack([np.full(count, last + count), last + after, last + column], axis=1))
    return np.concatenate(found)

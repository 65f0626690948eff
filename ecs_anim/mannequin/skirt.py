"""Skirts: a skirt is a closed surface around the hips and the thighs.

The cross-sections of a skirt are superellipses, like the cross-sections of the trunk. Below the hips, each side of a
skirt moves fully with the thigh of this side. A skirt therefore lies on the thighs of a seated person. If a figure has
no skirt, all vertices of the skirt are at one point inside the body.
"""

from dataclasses import dataclass

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.figures import FigureShape, Skirt
from ecs_anim.mannequin.paint import skirt_coordinates
from ecs_anim.mannequin.shapes import curve, smooth_step

TOP, SEAT = 1.045, 0.955  # [m], heights of the waist, and of the widest part of the hips
# [m], half of breadth and depth at these heights
WAIST_RADII, SEAT_RADII = np.array([0.155, 0.113]), np.array([0.177, 0.145])
# Exponents of the superellipses at waist and hem. The flat front of a hem lies on the thighs of seated people.
EXPONENTS = 2.4, 3.6
HOLLOW = 0.04  # [m], upward offset of the vertex that closes the skirt at the hem
# [m], upward offset of the hem at the back. The cloth at the front of a seated person then hangs over the knees.
HEM_RISE = 0.05
SIZES = ((20, 8), (12, 4), (8, 3), (6, 2))  # vertices per ring and rings, for each level of detail
HIDDEN = np.array([0.0, 1.0, -0.01])  # [m], position in figures without a skirt
USUAL = FigureShape("usual", 0.0, 1.0, skirt=Skirt(hem=0.56, width=0.19, depth=0.13))


@dataclass(frozen=True)
class SkirtMesh:
    """The mesh of a skirt at one level of detail. The first vertex and the last vertex close the two ends of
    the skirt.
    """

    uvs: Array  # [n, 2]
    joints: Array  # [n, 4]
    weights: Array  # [n, 4]
    triangles: Array  # [m, 3]
    around: Array  # [n, 2] position on a cross-section with radii of 1; 0 on the axis
    down: Array  # [n] 0 at the waist, 1 at the hem
    inside: int  # number of the last vertices, which show the dark inside of the skirt


def skirt_mesh(level: int) -> SkirtMesh:
    """Return the skirt mesh at one level of detail. All figures have this mesh, but the positions of its vertices
    differ between figures.
    """
    count, rows = SIZES[min(level, len(SIZES) - 1)]
    heights, scales = np.linspace(0, 1, rows), np.ones(rows)
    if level == 0:  # A second ring at the hem, just inside the first, gives the cloth an edge.
        heights, scales = np.append(heights, 1.0), np.append(scales, 0.97)
    around = np.concatenate(
        [[[0, 0]], *(scale * _ring(count, height) for height, scale in zip(heights, scales, strict=True)), [[0, 0]]]
    )
    down = np.concatenate([[0.0], np.repeat(heights, count), [1.0]])
    usual, inside = _points(around, down, USUAL), 1 + count * (level == 0)
    coordinates = skirt_coordinates(usual, inside)
    return SkirtMesh(coordinates, *tube_weights(usual), tube_triangles(count, len(heights)), around, down, inside)


def skirt_points(mesh: SkirtMesh, figure: FigureShape) -> Array:
    """Return the positions [n, 3] of the vertices of a figure's skirt, in metres."""
    if figure.skirt is None:
        return np.tile(HIDDEN, (len(mesh.down), 1))
    return _points(mesh.around, mesh.down, figure)


def _ring(count: int, down: float) -> Array:
    """Return `count` points [count, 2] on a superellipse with radii of 1, counter-clockwise in a view from above."""
    exponent = (1 - down) * EXPONENTS[0] + down * EXPONENTS[1]
    angle = 2 * np.pi * np.arange(count) / count
    ring = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    return ring / (np.abs(ring) ** exponent).sum(axis=1, keepdims=True) ** (1 / exponent)


def _points(around: Array, down: Array, figure: FigureShape) -> Array:
    skirt = figure.skirt or Skirt(TOP, *WAIST_RADII)
    y = TOP + (skirt.hem - TOP) * down + HEM_RISE * down * (1 - around[:, 1]) / 2
    keys = [  # height, half the breadth, half the depth, position of the axis, additional length of the front
        (skirt.hem, skirt.width, skirt.depth, 0.001, 0),
        (SEAT, *(figure.hips * SEAT_RADII), -0.017, 0.4 * figure.belly),
        (TOP, *(0.5 * (figure.waist + figure.hips) * WAIST_RADII), 0, figure.belly),
    ]
    radii, middle, front = np.split(curve(keys, y), (2, 3), axis=1)
    across = around * radii
    across[:, 1:] += middle + front * np.maximum(around[:, 1:], 0)
    y[-1] += HOLLOW
    return np.stack([across[:, 0], y, across[:, 1]], axis=1)


def tube_weights(p: Array) -> tuple[Array, Array]:
    """Return the joints [n, 4] and the skin weights [n, 4] of points on a skirt.

    The top of the skirt follows the hips. Like the body, the lower part on each side follows the thigh of this side.
    """
    legs = smooth_step(1.01 - p[:, 1], 0.0, 0.18)
    left = legs * smooth_step(p[:, 0], -0.12, 0.12)
    joints = np.array([P.INDEX["Hips"], P.INDEX["LeftUpLeg"], P.INDEX["RightUpLeg"], 0])
    weights = np.stack([1 - legs, left, legs - left, np.zeros(len(p))], axis=1)
    return np.where(weights > 0, joints, 0), weights


def tube_triangles(count: int, rows: int) -> Array:
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

"""Bounding spheres of a skinned character: a sphere for each clip, and a sphere for all possible joint rotations."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.bake.bake import Bake
from ecs_anim.levels.reach import Ball, reach_ball
from ecs_anim.maths import affine
from ecs_anim.runtime.entry_boxes import entry_boxes

PADDING = 1.01  # factor on the radius, because poses between the sampled times can need more room


def animated_bounds(bake: Bake, meshes: Sequence[Mesh]) -> NDArray[np.float32]:
    """Return bounding spheres [clip_count + 1, 4] f32.

    Each row of the result contains the centre and the radius [rig units] of a sphere in the space of the actor. The
    sphere in row i contains all vertices of the character during clip i. The sphere in the last row contains all
    vertices for any blend of clips and for any joint rotations. This last sphere is necessary for cross-fades and
    inverse kinematics.
    """
    entries, corners = entry_boxes(meshes)
    balls = [ball_of(_moved(bake, number, entries, corners), PADDING) for number in range(len(bake.clips))]
    return np.array([*balls, reach_ball(bake, entries, corners, balls)], np.float32)


def ball_of(points: NDArray[np.floating], padding: float = 1.0) -> Ball:
    """Return a bounding sphere of points [..., 3].

    The centre of the sphere is the centre of the points' bounding box. The radius is `padding` times the largest
    distance of a point from the centre.
    """
    points = points.reshape(-1, 3)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return np.array([*middle, padding * float(np.linalg.norm(points - middle, axis=1).max())])


def _moved(bake: Bake, number: int, entries: NDArray[Any], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the positions of the box corners [time, n, 8, 3] at the times of all bake rows of a clip, and half-way
    between two rows.

    A point that moves along an arc between two rows is farthest from the straight line half-way between the rows.
    """
    rows = bake.decoded(number)
    palettes = bake.space.palette(np.concatenate([rows, (rows[:-1] + rows[1:]) / 2])).astype(np.float64)
    return affine.transform_points(palettes[:, entries, None], corners).astype(np.float64)

"""Balls that hold a skinned character: one for each clip, and one for whatever joints may do."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.bake.bake import Bake
from ecs_anim.levels.reach import Ball, reach_ball
from ecs_anim.maths import affine
from ecs_anim.runtime.entry_boxes import entry_boxes

PADDING = 1.01  # of a radius, for what happens between the moments that are looked at


def animated_bounds(bake: Bake, meshes: Sequence[Mesh]) -> NDArray[np.float32]:
    """Balls [clip_count + 1, 4] f32: centre and radius in rig units, in the actor's own space.

    Row `clip` holds all vertices over that clip. The last row holds them in any mix of clips, and with any joint
    turned besides: cross-fades, inverse kinematics.
    """
    entries, corners = entry_boxes(meshes)
    balls = [ball_of(_moved(bake, number, entries, corners), PADDING) for number in range(len(bake.clips))]
    return np.array([*balls, reach_ball(bake, entries, corners, balls)], np.float32)


def ball_of(points: NDArray[np.floating], padding: float = 1.0) -> Ball:
    """A ball round points [..., 3]: the middle of their box, and as far as the farthest is from there."""
    points = points.reshape(-1, 3)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return np.array([*middle, padding * float(np.linalg.norm(points - middle, axis=1).max())])


def _moved(bake: Bake, number: int, entries: NDArray[Any], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The corners at all rows of a clip and half-way between them, where arcs bulge most, [moment, n, 8, 3]."""
    rows = bake.decoded(number)
    palettes = bake.space.palette(np.concatenate([rows, (rows[:-1] + rows[1:]) / 2])).astype(np.float64)
    return affine.transform_points(palettes[:, entries, None], corners).astype(np.float64)

"""Shapes of markers and overlays: balls, strips and tiles. Each shape is an instanced draw call."""

import colorsys
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.maths import affine
from ecs_anim.maths.color import srgb_to_linear
from ecs_anim.rigs.bones import ball_mesh
from ecs_anim.rigs.exposed import GOLDEN
from ecs_anim.rigs.surfaces import grid_triangles, plain_mesh
from ecs_anim.systems.instance_rows import INSTANCE_WIDTH
from ecs_anim.systems.uploaded_models import UploadedModels

Reals = NDArray[np.float64]

HUES = srgb_to_linear([colorsys.hsv_to_rgb(GOLDEN * number % 1, 0.7, 0.95) for number in range(32)])  # [32, 3]
STRIP = Material("strip", unlit=True, double_sided=True)
UP = np.array([0.0, 1.0, 0.0])


def balls(models: UploadedModels, rows: NDArray[np.float32]) -> CrowdDraw:
    """Return the draw call data of unit balls. `rows` [n, 12] f32 is their instance data."""
    ball = models.of("ball", lambda: (ball_mesh(1.0, Material("target")),))
    palettes = np.broadcast_to(affine.IDENTITY, (len(rows), 1, 3, 4))
    return CrowdDraw(ball, rows, np.ascontiguousarray(palettes), shadow_radius=0.0)


def ball_rows(centers: Reals, radius: float, colors: Reals) -> NDArray[np.float32]:
    """Return the instance data [n, 12] f32 of balls with the linear RGB `colors` [n, 3]. Lengths are in metres."""
    rows = _rows(colors)
    rows[:, :3], rows[:, 3] = centers, radius
    return rows


def strips(models: UploadedModels, begin: Reals, end: Reals, width: Reals, colors: Reals) -> CrowdDraw:
    """Return the draw call data of flat strips from the points `begin` [n, 3] to the points `end` [n, 3] [m].

    A strip can rise along its length, but its short side is horizontal. `width` [n] is in metres, and `colors` [n, 3]
    are linear RGB. Light and shadows do not change the colours.
    """
    along = end - begin
    across = np.cross(UP, along)
    across *= (width / np.maximum(np.sqrt(np.sum(across * across, axis=-1)), 1e-9))[:, None]
    axes = np.stack([across, np.broadcast_to(UP, begin.shape), along, begin], axis=-1)
    model = models.of("strip", lambda: (_strip_mesh(),))
    palettes = np.ascontiguousarray(axes[:, None], np.float32)
    return CrowdDraw(model, _rows(colors), palettes, shadow_radius=0.0, casts_shadow=False)


def tiles(
    models: UploadedModels, centers: Reals, size: float, colors: Reals, coverage: NDArray[np.float32]
) -> CrowdDraw:
    """Return the draw call data of horizontal squares with the centres `centers` [n, 3] and the side `size` [m].

    `coverage` [n] f32 is the drawn fraction of each square. The function `strips` describes the colours.
    """
    half = np.array([0.0, 0.0, size / 2])
    squares = strips(models, centers - half, centers + half, np.full(len(centers), size), colors)
    return replace(squares, coverage=coverage, joined=True)


def colors_of(numbers: NDArray[np.int64]) -> Reals:
    """Return linear RGB colours [n, 3] for actor ids or crowd numbers. Neighbouring numbers have different colours."""
    colors: Reals = HUES[numbers % len(HUES)]
    return colors


def _rows(colors: Reals) -> NDArray[np.float32]:
    """Return instance data [n, 12] f32 without a translation, a rotation or a scale."""
    rows = np.zeros((len(colors), INSTANCE_WIDTH), np.float32)
    rows[:, 3], rows[:, 7], rows[:, 11] = 1, 1, 1
    rows[:, 8:11] = colors
    return rows


def _strip_mesh() -> Mesh:
    """Return a unit square on the plane y = 0: x from -0.5 to 0.5, and z from 0 to 1."""
    corners = np.array([[x, 0.0, z] for z in (0.0, 1.0) for x in (-0.5, 0.5)])
    return plain_mesh(STRIP, corners, np.tile(UP, (4, 1)), grid_triangles(1, 1))

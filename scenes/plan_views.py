"""Scenes that show a plan of walls from above, with one person for scale."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.ground import flat
from ecs_anim.maths.plan import space_from_plan
from ecs_anim.scenes.loader import SceneFile, scene_of
from ecs_anim.scenes.schema_walls import WallsModel
from ecs_anim.scenes.walls import build_walls
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.framing import framed
from ecs_anim.walls.arrays import WallArrays
from ecs_anim.walls.queries import may_be_at, nearest_walls

ELEVATION, AZIMUTH = 60.0, 180.0  # [degrees], the picture's top is north
TALL = 1.75  # [m], height of the person
TRIED = 24  # number of tried points along each side of the plan


def plan_scene(path: Path, aspect: float) -> SceneFile:
    """Return a scene with the walls of a plan, and with one person at the walkable point that is farthest from all
    walls.

    `aspect` is the width of the picture divided by its height. Raises InputError.
    """
    walls, _ = build_walls(WallsModel(file=path.name), str(path), path.parent, flat())
    low, high = walls.arrays.segments.reshape(-1, 2).min(axis=0), walls.arrays.segments.reshape(-1, 2).max(axis=0)
    x, y = _clearest(walls.arrays, low.astype(np.float64), high.astype(np.float64))
    camera = _camera(np.array([low, high], np.float64), aspect)
    data = {
        "title": path.name,
        "rigs": {"people": {"model": "people", "height": TALL}},
        "camera": {
            "target": camera.target.tolist(),
            "distance": camera.distance,
            "azimuth_degrees": AZIMUTH,
            "elevation_degrees": ELEVATION,
        },
        "light": {"fog": [2 * camera.distance + 100, 20 * camera.distance + 1000]},
        "walls": {"file": path.name},
        "crowds": [{"rig": "people", "count": 1, "layout": {"kind": "points", "points": [[x, y]]}}],
    }
    return replace(scene_of(data), label=str(path), folder=path.parent)


def _clearest(walls: WallArrays, low: NDArray[np.float64], high: NDArray[np.float64]) -> tuple[float, float]:
    """Return the walkable point, among points of a grid, that is farthest from all walls."""
    sides = [np.linspace(begin, end, TRIED + 2)[1:-1] for begin, end in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    clearance = nearest_walls(walls, points)[0][:, 2] * may_be_at(walls, points)
    x, y = points[clearance.argmax()].tolist()
    return x, y


def _camera(corners: NDArray[np.float64], aspect: float) -> OrbitCamera:
    """Return a camera that frames the rectangle between two plan points [2, 2] [m]."""
    (west, south), (east, north) = corners.tolist()
    points = space_from_plan(np.array([[x, y] for x in (west, east) for y in (south, north)]))
    camera = OrbitCamera(azimuth=math.radians(AZIMUTH), elevation=math.radians(ELEVATION))
    return framed(camera, points, aspect)

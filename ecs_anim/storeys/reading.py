"""Reading of floors and walls of levels from well-known text, corners, or plan files."""

from collections.abc import Sequence

import shapely
from shapely.geometry.base import BaseGeometry

from ecs_anim.walls.areas import Written, read_shapes
from ecs_anim.walls.build import MITRED
from ecs_anim.walls.plan import PlanOptions, read_plan
from ecs_anim.walls.shapes import Shapes, checked_shapes


def read_floor(written: Written) -> BaseGeometry:
    """Return the polygons of a floor from well-known text or corners. Raises ValueError if the input contains no
    polygon.
    """
    shapes = read_shapes(written)
    if not shapes.polygons:
        raise ValueError("the floor of a level must be a polygon (got a line). Draw a polygon.")
    return shapely.union_all(list(shapes.polygons))


def read_walls(written: str | Sequence[Sequence[tuple[float, float]]], thickness: float) -> BaseGeometry | None:
    """Return the solids of the walls on a level, or None if there are no walls. A line becomes a wall with the
    thickness `thickness`. Raises ValueError for invalid walls.
    """
    if not written:
        return None
    parts = [read_shapes(written)] if isinstance(written, str) else [_line(corners) for corners in written]
    return shapely.union_all([_solid(part, thickness) for part in parts])


def read_floor_file(text: str, level: str | None, thickness: float) -> tuple[BaseGeometry, BaseGeometry | None]:
    """Return the floor and the solids of the walls of one level of a plan file. Raises ValueError for an
    invalid file.
    """
    shapes = checked_shapes(read_plan(text, PlanOptions(level)))
    if not shapes.polygons:
        raise ValueError("the plan of a level must have a polygon as its floor. Draw a polygon.")
    obstacles = Shapes((), shapes.lines, shapes.obstacles)
    has_walls = bool(shapes.lines or shapes.obstacles)
    return shapely.union_all(list(shapes.polygons)), _solid(obstacles, thickness) if has_walls else None


def columns_at(points: Sequence[tuple[float, float]], size: float) -> BaseGeometry:
    """Return square columns with the middles `points` and the width `size` [m]."""
    half = size / 2
    return shapely.union_all([shapely.box(x - half, y - half, x + half, y + half) for x, y in points])


def read_door(written: Written, thickness: float) -> BaseGeometry:
    """Return the solid of a closed door. Two corners define a line with the thickness of the walls. Raises ValueError
    for an invalid door.
    """
    return _solid(read_shapes(written), thickness)


def _line(corners: Sequence[tuple[float, float]]) -> Shapes:
    """Return corners as a line, or as a polygon if the last corner repeats the first corner."""
    if len(corners) > 3 and corners[0] == corners[-1]:
        return read_shapes(corners)
    return Shapes((), (shapely.LineString(corners),))


def _solid(shapes: Shapes, thickness: float) -> BaseGeometry:
    lines = shapely.buffer(list(shapes.lines), thickness / 2, cap_style="square", **MITRED)
    return shapely.union_all([*lines, *shapes.polygons, *shapes.obstacles])

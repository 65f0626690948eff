"""Reader of JuPedSim's older geometry files (XML), which contain polygons of rooms and obstacles."""

import os
from pathlib import Path
from xml.etree import ElementTree

from ecs_anim.support.arguments import LARGEST
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.markup import parse_xml
from ecs_anim.trajectories.options import UNITS
from ecs_anim.trajectories.record import Walls

GEOMETRY = Kind("geometry file", "walls_bytes", ("plan", "xml", "unknown"))


def read_walls(path: str | os.PathLike[str]) -> Walls:
    """Return the walls in a geometry file.

    The walls are the edges of all room polygons and obstacle polygons, as one MULTILINESTRING on the plan [m]. Raises
    InputError if the file is not a valid geometry file.
    """
    try:
        root = parse_xml(read_bytes(Path(path), GEOMETRY))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    unit = root.get("unit", "m")
    if root.tag != "geometry" or unit not in UNITS:
        raise InputError(
            f"{path}: the file must begin with a <geometry> element in m, cm or mm (got a <{root.tag[:40]}>"
            f" element in {unit[:40]!r}). Correct the file."
        )
    lines = [_line(polygon, UNITS[unit], path) for polygon in root.iter("polygon")]
    if not lines:
        raise InputError(f"{path}: the geometry must contain at least one polygon. Add a polygon.")
    return Walls(float("-inf"), f"MULTILINESTRING ({', '.join(lines)})")


def _line(polygon: ElementTree.Element, metres: float, path: str | os.PathLike[str]) -> str:
    """Return the polygon's vertices [m] as well-known text: a list of points in brackets."""
    points = []
    for vertex in polygon.iter("vertex"):
        try:
            x, y = (float(vertex.get(name, "")) for name in ("px", "py"))
        except ValueError:
            x = y = float("nan")
        if not (abs(x) <= LARGEST and abs(y) <= LARGEST):
            got = " ".join(f'{name}="{text}"' for name, text in vertex.attrib.items()) or "no attributes"
            raise InputError(
                f"{path}: px and py of a vertex must be numbers of at most {LARGEST:g} (got {got:.80}). Correct the"
                " vertex."
            )
        points.append(f"{x * metres:.15g} {y * metres:.15g}")
    if len(points) < 2:
        raise InputError(
            f"{path}: a polygon must have at least two vertices (got {len(points)}). Add vertices, or remove"
            " the polygon."
        )
    return f"({', '.join(points)})"

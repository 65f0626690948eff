"""Reading of plans in the XML format of JuPedSim's predecessors. A plan has rooms with wall polygons, and obstacles.

If the ends of a wall polygon coincide, the polygon is the border of a walkable area. All other wall polygons are lines.
A closed obstacle is a hole in the walkable area.
"""

from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from shapely import LineString, Polygon

from ecs_anim.support.markup import parse_xml
from ecs_anim.walls.shapes import Named


def read_geometry_xml(text: str) -> list[Named]:
    """Return the walls and the obstacles of an XML text. A name is, for example, "subroom 1, polygon 2".

    Raises ValueError for an invalid text.
    """
    root = parse_xml(text)
    require_geometry(root)
    return [*_shapes(root, "subroom"), *_shapes(root, "obstacle", is_obstacle=True)]


def require_geometry(root: ElementTree.Element) -> None:
    """Raise ValueError if an element is no geometry in metres."""
    if root.tag != "geometry":
        raise ValueError("a plan in XML must begin with <geometry> (got another element). Name another file.")
    if root.get("unit", "m") != "m":
        raise ValueError(
            f"the unit of the plan must be metres (got {root.get('unit', '')[:20]!r}). Write the plan in"
            ' metres, with unit="m".'
        )


def _shapes(root: ElementTree.Element, tag: str, *, is_obstacle: bool = False) -> Iterator[Named]:
    """Yield the shapes of all XML elements with the tag `tag` below `root`."""
    for owner in root.iter(tag):
        for number, polygon in enumerate(owner.iterfind("polygon"), 1):
            name = f"{tag} {owner.get('id', '?')[:20]}, polygon {number}"
            yield Named(name, _shape(corners_of(polygon, name)), is_obstacle)


def corners_of(polygon: ElementTree.Element, name: str) -> NDArray[np.float64]:
    """Return the vertices [n, 2] of a polygon. Raises ValueError for fewer than two vertices."""
    corners = np.array([_corner(name, vertex) for vertex in polygon.iterfind("vertex")])
    if len(corners) < 2:
        raise ValueError(
            f"{name} must have at least two vertices (got {len(corners)}). Add vertices, or remove the polygon."
        )
    return corners


def _shape(corners: NDArray[np.float64]) -> Polygon | LineString:
    is_closed = len(corners) > 3 and bool((corners[0] == corners[-1]).all())
    return Polygon(corners) if is_closed else LineString(corners)


def _corner(name: str, vertex: ElementTree.Element) -> tuple[float, float]:
    try:
        return float(vertex.get("px", "")), float(vertex.get("py", ""))
    except ValueError:
        raise ValueError(
            f'each vertex of {name} must have numbers as coordinates. Write <vertex px="0" py="0"/>.'
        ) from None

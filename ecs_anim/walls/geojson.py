"""Plans in GeoJSON (RFC 7946), with coordinates in metres: x east, y north."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from shapely import LineString, Polygon

from ecs_anim.walls.shapes import Named

TOO_DEEP = "it nests too deeply to be a plan; write one FeatureCollection"


def read_geojson(text: str) -> list[Named]:
    """The polygons and lines of a text, named by their keys. Raises ValueError."""
    try:
        return list(_geometries("", json.loads(text, parse_int=float, parse_constant=_refuse)))
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error.msg} at line {error.lineno}, column {error.colno}; mend it") from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"it holds {constant}, which is no number; give all coordinates in metres")


def _geometries(key: str, data: Any) -> Iterator[Named]:
    """What a GeoJSON object holds; a feature may have no geometry."""
    name = key or "it"
    if not isinstance(data, dict):
        raise ValueError(f"{name} should be a GeoJSON object")
    inside = f"{key}." if key else ""
    match data.get("type"):
        case "FeatureCollection":
            yield from _several(f"{inside}features", data.get("features"))
        case "GeometryCollection":
            yield from _several(f"{inside}geometries", data.get("geometries"))
        case "Feature":
            if data.get("geometry") is not None:
                yield from _geometries(f"{inside}geometry", data["geometry"])
        case "Polygon":
            yield Named(name, _polygon(f"{inside}coordinates", data.get("coordinates")))
        case "LineString":
            yield Named(name, LineString(_line(f"{inside}coordinates", data.get("coordinates"), 2)))
        case "MultiPolygon" | "MultiLineString" as kind:
            for number, part in enumerate(_listed(f"{inside}coordinates", data.get("coordinates"))):
                own = f"{inside}coordinates[{number}]"
                yield Named(own, _polygon(own, part) if kind == "MultiPolygon" else LineString(_line(own, part, 2)))
        case kind:
            raise ValueError(f"{name} has type {str(kind)[:40]!r}, and walls are polygons and lines; leave it out")


def _several(key: str, data: Any) -> Iterator[Named]:
    for number, part in enumerate(_listed(key, data)):
        yield from _geometries(f"{key}[{number}]", part)


def _polygon(key: str, rings: Any) -> Polygon:
    lines = [_line(f"{key}[{number}]", ring, 3) for number, ring in enumerate(_listed(key, rings))]
    return Polygon(lines[0], lines[1:]) if lines else Polygon()


def _line(key: str, positions: Any, fewest: int) -> NDArray[np.float64]:
    """Positions [n, 2] of a list of [x, y] or [x, y, z]."""
    try:
        array = np.array(_listed(key, positions))
    except ValueError:  # positions of several lengths
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] not in (2, 3) or array.dtype.kind not in "if" or len(array) < fewest:
        raise ValueError(f"{key} should be a list of {fewest} or more positions, such as [[0.0, 0.0], [4.0, 0.0]]")
    return array[:, :2].astype(np.float64)


def _listed(key: str, data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"{key} should be a list")
    return data

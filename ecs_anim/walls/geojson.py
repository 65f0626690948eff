"""Reading of plans in GeoJSON (RFC 7946). Coordinates are in metres: x east, y north.

A property of a feature can state the level of the feature. Another property can mark the polygon of the feature as an
obstacle.
"""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from shapely import LineString, MultiPoint, Polygon

from ecs_anim.walls.shapes import Named, Plan

# Properties that can state a level; the first existing property is used.
LEVELS = ("level", "level_id", "floor", "storey", "story")
KINDS = ("category", "feature_type", "type", "kind", "class")  # properties that can state the type of a feature
OBSTACLES = ("obstacle", "obstacles", "wall", "walls", "barrier")  # types of features that are obstacles
SHOWN = 40  # largest number of characters from the file in a message
TOO_DEEP = "the lists and objects of a plan are nested too deeply. Write one FeatureCollection."


def read_geojson(text: str) -> Plan:
    """Return the plan in a GeoJSON text. The name of a geometry is its key in the text.

    Raises ValueError for an invalid text.
    """
    data = parse_json(text)
    try:
        return Plan(list(geometries("", data)), crs_of(data))
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def parse_json(text: str) -> Any:
    """Return the content of a JSON text. All numbers become floating-point numbers. Raises ValueError."""
    try:
        return json.loads(text, parse_int=float, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"the file must be JSON ({error.msg} at line {error.lineno}, column {error.colno}). Correct the file."
        ) from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"each coordinate must be a number (got {constant}). Write all coordinates in metres.")


def crs_of(data: dict[str, Any]) -> str | None:
    """Return the name of the coordinate reference system. If `data` has no coordinate reference system, return None.

    The name has the form of GeoJSON 2008, which GIS programs use.
    """
    crs = data.get("crs")
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    return " ".join(name.split())[:SHOWN] if isinstance(name, str) else None


def geometries(key: str, data: Any) -> Iterator[Named]:
    """Yield the geometries of the GeoJSON object `data`. For a feature without a geometry, yield nothing.

    `key` is the place of the object in the file. Raises ValueError for an invalid object.
    """
    name = key or "the plan"
    if not isinstance(data, dict):
        raise ValueError(f"{name} must be a GeoJSON object. Correct the file.")
    inside = f"{key}." if key else ""
    match data.get("type"):
        case "FeatureCollection":
            yield from _several(f"{inside}features", data.get("features"))
        case "GeometryCollection":
            yield from _several(f"{inside}geometries", data.get("geometries"))
        case "Feature":
            if data.get("geometry") is not None:
                properties = data["properties"] if isinstance(data.get("properties"), dict) else {}
                level, is_obstacle = level_text(properties), _is_obstacle(properties)
                for found in geometries(f"{inside}geometry", data["geometry"]):
                    yield found._replace(level=level, is_obstacle=is_obstacle)
        case "Polygon":
            yield Named(name, _polygon(f"{inside}coordinates", data.get("coordinates")))
        case "LineString":
            yield Named(name, LineString(_line(f"{inside}coordinates", data.get("coordinates"), 2)))
        case "Point":
            yield Named(name, MultiPoint(_line(f"{inside}coordinates", [data.get("coordinates")], 1)))
        case "MultiPoint":
            yield Named(name, MultiPoint(_line(f"{inside}coordinates", data.get("coordinates"), 1)))
        case "MultiPolygon" | "MultiLineString" as kind:
            for number, part in enumerate(listed(f"{inside}coordinates", data.get("coordinates"))):
                own = f"{inside}coordinates[{number}]"
                yield Named(own, _polygon(own, part) if kind == "MultiPolygon" else LineString(_line(own, part, 2)))
        case kind:
            raise ValueError(
                f"{name} must be of a GeoJSON type with polygons or lines (got {str(kind)[:SHOWN]!r}). Remove the"
                " object."
            )


def level_text(properties: dict[str, Any]) -> str | None:
    """Return the level that the properties of a feature state, or None."""
    level = next((properties[key] for key in LEVELS if properties.get(key) is not None), None)
    if isinstance(level, float):
        return f"{level:g}"
    return " ".join(level.split())[:SHOWN] if isinstance(level, str) else None


def _is_obstacle(properties: dict[str, Any]) -> bool:
    return any(str(properties.get(key)).lower() in OBSTACLES for key in KINDS)


def _several(key: str, data: Any) -> Iterator[Named]:
    for number, part in enumerate(listed(key, data)):
        yield from geometries(f"{key}[{number}]", part)


def _polygon(key: str, rings: Any) -> Polygon:
    lines = [_line(f"{key}[{number}]", ring, 3) for number, ring in enumerate(listed(key, rings))]
    return Polygon(lines[0], lines[1:]) if lines else Polygon()


def _line(key: str, positions: Any, fewest: int) -> NDArray[np.float64]:
    """Return positions on the plan [n, 2] from a list of [x, y] or [x, y, z]."""
    try:
        array = np.array(listed(key, positions))
    except ValueError:  # the positions have different lengths
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] not in (2, 3) or array.dtype.kind not in "if" or len(array) < fewest:
        raise ValueError(
            f"{key} must be a list of {fewest} or more points, such as [[0.0, 0.0], [4.0, 0.0]]. Correct the file."
        )
    return array[:, :2].astype(np.float64)


def listed(key: str, data: Any) -> list[Any]:
    """Return `data` if it is a list. Raises ValueError with the place `key` for other types."""
    if not isinstance(data, list):
        raise ValueError(f"{key} must be a JSON list. Correct the file.")
    return data

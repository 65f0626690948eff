"""Reading of buildings in GeoJSON: IMDF (OGC 20-094), OSM indoor features, and plain features with a level."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import shapely

from ecs_anim.buildings.features import RISING, WORDS, Feature, Features, Kind, Point, Storey, Way
from ecs_anim.buildings.projection import local_metres
from ecs_anim.walls.geojson import KINDS, TOO_DEEP, crs_of, geometries, level_text, listed, parse_json
from ecs_anim.walls.plan import DEGREES, NO_PLACE, Box, box_of, require_near
from ecs_anim.walls.shapes import Named, sound_parts

Unit = Literal["degrees", "metres"]

RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\s*-\s*(-?\d+(?:\.\d+)?)")  # a range of levels in an OSM feature, such as 0-2
MOST_LEVELS = 500
SHOWN = 40  # largest number of characters from the file in a message
ON_ALL = ("category", *KINDS[1:])  # properties that can state the type of a plain feature
# keys of OSM that state the type of a feature, the most important first
TAGS = ("indoor", "highway", "room", "door", "entrance")
DIRECTIONS: Mapping[str, Way] = {"up": "up", "down": "down", "both": "both"}
# direction of the moving steps by the OSM value, for a line that leads upwards
CONVEYING: Mapping[str, Way] = {"forward": "up", "yes": "up", "backward": "down"}


class Given(NamedTuple):
    """A feature of the file, before the conversion to metres."""

    place: str
    properties: dict[str, Any]
    words: tuple[str, ...]  # words for the type of the feature, the most important first
    id: str
    geometries: list[Named]  # in the unit of the file


def read_geojson_building(texts: Mapping[str, str], unit: Unit | None, origin: Point | None) -> Features:
    """Return the features of a building in GeoJSON texts, in metres.

    `texts` contains each text by the name of its file in an archive. The name of a file outside of archives is empty.
    `unit` is the unit of the coordinates. The default is degrees if a file states WGS 84 or if the building is smaller
    than 0.3 units. `origin` is the point of the files that becomes 0, 0 of the plan. The default for degrees is the
    middle of the bounding box. Raises ValueError for an invalid text.
    """
    files = {name: _parsed(name, text) for name, text in texts.items()}
    try:
        given = [own for name, data in files.items() for own in _given(name, data)]
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    crs = next(filter(None, map(crs_of, files.values())), None)
    found = Features(storeys=_storeys(given))
    kinds = [_kind(own) for own in given]
    for own, kind in zip(given, kinds, strict=True):
        if kind is None:
            found.ignored[_described(own)] += 1
    known = [(own, kind) for own, kind in zip(given, kinds, strict=True) if kind is not None]
    to_metres = _projection([named for own, _ in known for named in own.geometries], crs, unit, origin)
    for own, kind in known:
        found.parts += _parts(own, kind, found, to_metres)
    return found


def _parsed(name: str, text: str) -> Any:
    """Return the content of a JSON text. Raises ValueError with the name of its file in an archive."""
    try:
        return parse_json(text)
    except ValueError as error:
        raise ValueError(f"{_prefix(name)}{error}") from None


def _prefix(name: str) -> str:
    """Return the beginning of a message about a file in an archive. For a file outside of archives, return no text."""
    return f"{name[-SHOWN:]!r}: " if name else ""


def _given(name: str, data: Any) -> Iterator[Given]:
    """Yield the features of a FeatureCollection."""
    if not isinstance(data, dict) or data.get("type") != "FeatureCollection":
        raise ValueError(
            f'{_prefix(name)}a building must be a GeoJSON object with "type": "FeatureCollection". Name another file.'
        )
    for number, feature in enumerate(listed(f"{_prefix(name)}features", data.get("features"))):
        place = f"{_prefix(name)}features[{number}]"
        if not isinstance(feature, dict):
            raise ValueError(f"{place} must be a GeoJSON object. Correct the file.")
        said = feature.get("properties")
        properties: dict[str, Any] = said if isinstance(said, dict) else {}
        yield Given(
            place,
            properties,
            tuple(_words(feature, properties)),
            _name(feature, "id"),
            list(geometries(place, {**feature, "type": "Feature"})),
        )


def _words(feature: dict[str, Any], properties: dict[str, Any]) -> Iterator[str]:
    """Yield the words for the type of a feature."""
    of_imdf = _text(feature.get("feature_type")) or _text(properties.get("feature_type"))
    category = _text(properties.get("category"))
    if of_imdf in ("unit", "fixture", "opening", "level", "section", "kiosk"):
        yield from (category, "unit") if of_imdf == "unit" else (of_imdf,)
        return
    if _text(properties.get("conveying")) not in ("", "no"):
        yield "escalator"
    for tag in TAGS:
        if (value := _text(properties.get(tag))) not in ("", "no"):
            yield "door" if tag in ("door", "entrance") else value
    if _text(properties.get("stairs")) == "yes":
        yield "stairs"
    yield from filter(None, (of_imdf, *(_text(properties.get(key)) for key in ON_ALL)))


def _kind(own: Given) -> Kind | None:
    """Return the kind of a feature, or None for a feature to ignore."""
    words = {WORDS[word] for word in own.words if word in WORDS}
    for kind in ("escalator", "stairs", "lift", "ramp", "hole", "obstacle"):
        if kind in words:  # these kinds come first: for example, in OSM a room with stairs=yes is a staircase
            return kind
    if own.words:
        found = next((WORDS[word] for word in own.words if word in WORDS), None)
        is_way = own.words[0] in ("footway", "path") and len(_level_keys(own.properties)) == 2
        return "ramp" if found is None and is_way else found
    has_area = any("Polygon" in named.geometry.geom_type for named in own.geometries)
    return "open" if has_area and _level_keys(own.properties) else None


def _described(own: Given) -> str:
    """Return the type of an ignored feature for messages, such as `building=yes` in OSM or `venue` in IMDF."""
    said = (f"{key}={value}" for key, value in own.properties.items() if isinstance(value, str))
    return f"{(own.words[0] if own.words else next(said, 'feature without a type and a level'))[:SHOWN]!r}"


def _storeys(given: list[Given]) -> dict[str, Storey]:
    """Return the storeys by key. A feature `level` describes a storey, and other features can refer to its id."""
    found: dict[str, Storey] = {}
    for own in given:
        of_imdf = "ordinal" in own.properties
        if "level" not in own.words[:1] or (of_imdf and not own.id):
            continue
        for key in (own.id,) if of_imdf else _level_keys(own.properties):
            height = _number(own, "elevation")
            # in OSM, the property height is the height of the storey from floor to ceiling, and not the height of its
            # floor
            if height is None and "indoor" not in own.properties:
                height = _number(own, "height")
            ordinal = _number(own, "ordinal") if of_imdf else _ordinal(key)
            name = _name(own.properties, "name", "short_name") if of_imdf else key
            found[key] = Storey(key, name or f"{ordinal:g}", ordinal, height)
    for own in given:
        for key in _level_keys(own.properties):
            if key not in found:
                found[key] = Storey(key, key, _ordinal(key), None)
        if len(found) > MOST_LEVELS:
            raise ValueError(
                f"a building must have at most {MOST_LEVELS} levels (got {len(found)}). Split the file by levels."
            )
    return found


def _level_keys(properties: dict[str, Any]) -> tuple[str, ...]:
    """Return the keys of the levels of a feature. In OSM, `0;1` are two levels and `0-2` are three levels."""
    text = level_text(properties)
    if text is None:
        return ()
    keys = list[str]()
    for part in filter(None, (own.strip() for own in text.split(";"))):
        if ends := RANGE.fullmatch(part):
            low, high = float(ends[1]), float(ends[2])
            if not 0 <= high - low < MOST_LEVELS:
                raise ValueError(
                    f"a range of levels must go from a lower level to a higher level, such as 0-2, with at most"
                    f" {MOST_LEVELS} levels (got {part[:SHOWN]!r}). Swap or correct the two levels."
                )
            keys += [f"{low + step:g}" for step in range(int(high - low) + 1)]
        else:
            keys.append(f"{_ordinal(part):g}" if _ordinal(part) is not None else part)
    return tuple(dict.fromkeys(keys))


def _ordinal(key: str) -> float | None:
    try:
        value = float(key)
    except ValueError:
        return None
    return value if abs(value) <= MOST_LEVELS else None


def _projection(named: list[Named], crs: str | None, unit: Unit | None, origin: Point | None) -> Any:
    """Return the function that converts coordinates [n, 2] of the file to plan points [n, 2] in metres."""
    points = [own._replace(geometry=shapely.envelope(own.geometry)) for own in named]
    box = box_of([own for own in points if not own.geometry.is_empty])
    if box is None:
        raise ValueError("the building must contain features with polygons, lines and finite coordinates. Add levels.")
    is_wgs = crs is not None and DEGREES.search(crs) is not None
    if unit == "metres" or (unit is None and not is_wgs and box.size >= NO_PLACE):
        shift = np.array(origin or (0.0, 0.0))
        require_near(Box(box.low - shift, box.high - shift), origin or (0.0, 0.0))
        return lambda xy: xy - shift
    if max(np.abs([box.low[0], box.high[0]])) > 180 or max(np.abs([box.low[1], box.high[1]])) > 89:
        x, y = box.high.tolist()
        raise ValueError(
            f"longitudes must be at most 180 degrees and latitudes at most 89 degrees (got {x:g}, {y:g}). For a plan in"
            ' metres, write coordinates = "metres".'
        )
    x, y = ((box.low + box.high) / 2).tolist()
    middle = origin or (x, y)
    return lambda xy: local_metres(xy, middle)


def _parts(own: Given, kind: Kind, found: Features, to_metres: Any) -> Iterator[Feature]:
    """Yield the polygons, lines and points of a feature."""
    levels = _level_keys(own.properties)
    if "level" in own.words[:1] and "ordinal" in own.properties and own.id:
        levels = (own.id,)
    risers = _number(own, "step_count")
    for named in own.geometries:
        moved = named._replace(geometry=shapely.transform(shapely.force_2d(named.geometry), to_metres))
        for part in sound_parts(moved, found.notes):
            if kind in RISING and isinstance(part, shapely.LineString) and _is_downwards(own.properties):
                part = part.reverse()
            yield Feature(
                own.place,
                kind,
                levels,
                part,
                _name(own.properties, "name", "ref"),
                _number(own, "width"),
                _way(own.properties),
                risers=int(risers) if risers is not None and 2 <= risers <= 1000 else None,
            )


def _way(properties: dict[str, Any]) -> Way | None:
    """Return the direction of stairs or of moving steps: up, down or both. Without a statement, return None.

    In OSM, a line of steps leads upwards, except with `incline` down.
    """
    said = DIRECTIONS.get(_text(properties.get("direction")))
    along = CONVEYING.get(_text(properties.get("conveying")))
    if said is not None or along is None or not _is_downwards(properties):
        return said or along
    return "down" if along == "up" else "up"


def _is_downwards(properties: dict[str, Any]) -> bool:
    """Return whether the line of a feature leads downwards."""
    incline = _text(properties.get("incline"))
    return incline == "down" or incline.startswith("-")


def _name(properties: Mapping[str, Any], *keys: str) -> str:
    """Return the name of a feature. In IMDF, a name is a table from languages to names."""
    for key in keys:
        said = properties.get(key)
        if isinstance(said, dict):
            said = said.get("en") or next(iter(said.values()), None)
        text = f"{said:g}" if isinstance(said, float) else " ".join(said.split()) if isinstance(said, str) else ""
        if text:
            return text[:SHOWN]
    return ""


def _text(value: Any) -> str:
    return value.strip().lower()[:SHOWN] if isinstance(value, str) else ""


def _number(own: Given, key: str) -> float | None:
    """Return the number of a property, which can be text such as `1.5 m`. Without a number, return None."""
    said = own.properties.get(key)
    if isinstance(said, str):
        said = said.removesuffix("m").strip()
    try:
        value = float(said) if isinstance(said, str | float) else None
    except ValueError:
        return None
    return value if value is not None and abs(value) < 1e4 else None

"""Reading of buildings in DXF. The name of a layer states the level and the kind of its lines.

The extra `dxf` installs the library `ezdxf`. Only this module imports `ezdxf`.
"""

import io
import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from ecs_anim.buildings.features import WORDS, Feature, Features, Kind, Point, Storey, damaged, require_near_origin
from ecs_anim.walls.shapes import Named, sound_parts

Scale = Literal["metres", "millimetres"]

MISSING = "DXF needs ezdxf. Install it with pip install 'ecs-anim[dxf]', or convert the drawing to GeoJSON."
METRES = {1: 0.0254, 2: 0.3048, 4: 0.001, 5: 0.01, 6: 1.0, 14: 0.1}  # [m], length of a unit by the number in $INSUNITS
LEVEL = re.compile(r"(?:L|LEVEL|FLOOR|STOREY|EG|OG)?(\d{1,3})(?:OG)?")
BASEMENT = re.compile(r"(?:B|UG)(\d{1,3})|(\d{1,3})UG")
GROUND = ("GROUND", "GF", "EG")  # words for the level 0
FLOOR_ADVICE = (
    "A floor is a closed line on a layer such as L0_FLOOR. Rename the layers, or write their meaning in layers of"
    " [building]."
)
# Words in the names of layers, in addition to the words of the other formats. The table contains the codes of the US
# National CAD Standard.
LAYER_WORDS: dict[str, Kind] = {
    **dict.fromkeys(("flor", "slab"), "open"),
    **dict.fromkeys(("cols", "furn", "parapet"), "obstacle"),
    **dict.fromkeys(("strs", "stairway"), "stairs"),
    **dict.fromkeys(("evtr", "elev"), "lift"),
    **{"rooms": "room", "doors": "door", "columns": "obstacle", "lifts": "lift", "areas": "open", "floors": "open"},
}  # fmt: skip
SAGITTA = 0.01  # [m], largest distance of an arc from its chords
MOST_ENTITIES = 200_000
DEEPEST = 8  # nested blocks
DRAWN = ("LINE", "LWPOLYLINE", "POLYLINE", "ARC", "CIRCLE", "ELLIPSE", "SPLINE")


class Layer(NamedTuple):
    """The meaning of a layer."""

    level: str | None  # None = all levels
    kind: Kind | None  # None = lines on this layer are ignored


def read_dxf_building(
    text: str, scale: Scale | None, origin: Point, layers: Mapping[str, tuple[str | None, Kind | None]]
) -> Features:
    """Return the features of a building in the text of a DXF drawing, in metres.

    `scale` overrides the unit of the drawing. The point `origin` [m] of the drawing becomes 0, 0 of the plan. `layers`
    replaces the level and the kind of layers by name. Raises ValueError for an invalid drawing, and without ezdxf.
    """
    document, found = _document(text), Features(floor_advice=FLOOR_ADVICE)
    metres = _metres(document, scale)
    meanings: dict[str, Layer] = {}
    lines: dict[tuple[Layer, bool], list[LineString]] = {}
    for layer, is_block, line in _lines(document, SAGITTA / metres):
        if layer not in meanings:
            meanings[layer] = _meaning(layer, layers)
        if meanings[layer].kind is None:
            found.ignored[f"lines on the layer {layer[:40]!r}"] += 1
        else:
            points = line * metres - np.array(origin)
            require_near_origin(points, f"{layer[:40]!r}", "Add origin, or coordinates.")
            lines.setdefault((meanings[layer], is_block), []).append(LineString(points))
    if unknown := [name for name in layers if name not in meanings]:
        raise ValueError(
            f"the drawing has no lines on the layer {unknown[0][:40]!r}, which `layers` names."
            " Correct the name in `layers`."
        )
    used = {own.level for own in meanings.values() if own.kind is not None and own.level is not None} or {"0"}
    found.storeys = {name: Storey(name, name, _ordinal(name)) for name in sorted(used)}
    for (meaning, is_block), parts in lines.items():
        found.parts += _features(meaning, is_block, parts, found)
    return found


def _document(text: str) -> Any:
    try:
        import ezdxf
    except ImportError:
        raise ValueError(MISSING) from None
    logging.getLogger("ezdxf").setLevel(logging.CRITICAL)
    try:
        return ezdxf.read(io.StringIO(text.replace("\r\n", "\n")))
    except Exception as error:  # ezdxf raises errors of any type for damaged drawings
        raise damaged("drawing must be valid DXF", error) from None


def _metres(document: Any, scale: Scale | None) -> float:
    """Return the length of a unit of a drawing [m]."""
    if scale is not None:
        return {"metres": 1.0, "millimetres": 0.001}[scale]
    unit = document.header.get("$INSUNITS", 0)
    if unit not in METRES:
        raise ValueError(
            f"the drawing must state a unit of length (got $INSUNITS = {unit!s:.20})."
            ' Write coordinates = "metres" or coordinates = "millimetres" in [building].'
        )
    return METRES[unit]


def _lines(document: Any, sagitta: float) -> Iterator[tuple[str, bool, NDArray[np.float64]]]:
    """Yield the layer and the points [n, 2] of each line, and whether the line belongs to a block."""
    left = [MOST_ENTITIES]

    def walk(entities: Any, layer: str, depth: int) -> Iterator[tuple[str, bool, NDArray[np.float64]]]:
        from ezdxf.path import make_path

        for entity in entities:
            left[0] -= 1
            if left[0] < 0 or depth > DEEPEST:
                raise ValueError(
                    f"a drawing must have at most {MOST_ENTITIES:,} entities, and blocks nested at most {DEEPEST}"
                    " levels deep. Purge the drawing."
                )
            own = str(entity.dxf.get("layer", "0"))
            own = (
                layer if own == "0" and layer else own
            )  # in DXF, the lines of a block on layer 0 belong to the layer of the block
            if entity.dxftype() == "INSERT":
                yield from walk(entity.virtual_entities(), own, depth + 1)
            elif entity.dxftype() in DRAWN:
                path = make_path(entity)
                points = np.array([(point.x, point.y) for point in path.flattening(sagitta)])
                if len(points) > 1:
                    yield own, depth > 0, points

    try:
        yield from walk(document.modelspace(), "", 0)
    except ValueError:
        raise
    except Exception as error:  # ezdxf raises errors of any type for damaged entities
        raise damaged("drawing must be valid DXF", error) from None


def _meaning(layer: str, layers: Mapping[str, tuple[str | None, Kind | None]]) -> Layer:
    """Return the level and the kind of a layer. Words in the name of the layer state both."""
    if layer in layers:
        level, kind = layers[layer]
        return Layer(level, kind)
    words = [word for word in re.split(r"[^A-Za-z0-9]+", layer) if word]
    levels = [f"{-int(own[1] or own[2])}" for word in words if (own := BASEMENT.fullmatch(word.upper()))]
    levels += ["0" for word in words if word.upper() in GROUND]
    levels += [f"{int(own[1])}" for word in words if (own := LEVEL.fullmatch(word.upper()))]
    kinds = [LAYER_WORDS.get(word.lower(), WORDS.get(word.lower())) for word in words]
    # if several words state a kind, the last word counts, because it is the most specific, as in A-FLOR-STRS
    return Layer(next(iter(levels), None), next((kind for kind in reversed(kinds) if kind is not None), None))


def _ordinal(name: str) -> float | None:
    return float(name) if re.fullmatch(r"-?\d{1,3}", name) else None


def _features(meaning: Layer, is_block: bool, lines: list[LineString], found: Features) -> Iterator[Feature]:
    """Yield the features of the lines of a layer. Closed lines are polygons, except on layers of doors."""
    kind, level = meaning.kind, meaning.level
    assert kind is not None  # the caller ignores lines without a kind
    closed = [line for line in lines if line.is_closed and len(line.coords) > 3]
    open_lines = [line for line in lines if not line.is_closed]
    shapes: list[BaseGeometry] = [Polygon(line) for line in closed]
    if kind == "door" and is_block:
        touching = shapely.union_all(lines).buffer(0.05)
        shapes = [part.convex_hull for part in shapely.get_parts(touching)]
    elif kind in ("door", "obstacle"):
        shapes += open_lines
    elif open_lines:
        enclosed = list(shapely.polygonize([shapely.union_all(open_lines)]).geoms)
        if not enclosed:
            found.ignored["open lines that enclose no area"] += len(open_lines)
        shapes += enclosed
    place = f"the layers {kind}"
    for shape in shapes:
        for part in sound_parts(Named(place, shape), found.notes):
            yield Feature(place, kind, () if level is None else (level,), part)

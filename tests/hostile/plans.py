"""Damaged plans of walls: well-known text, GeoJSON, XML and pictures, changed in their bytes or in their keys.

A case is a number, and draws all else from it: the plan, its options, the mishap, and where.
"""

import io
import json
import tempfile
import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from ecs_anim.ground.ground import flat
from ecs_anim.scenes.schema_walls import WallsModel
from ecs_anim.scenes.walls import build_walls
from ecs_anim.support.errors import InputError, InputWarning
from tests.hostile.mutations import change, damaged, key_paths

HALL = [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]]
GEOJSON = {
    "type": "FeatureCollection",
    "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}},
    "features": [
        {"type": "Feature", "properties": {"level": 0}, "geometry": {"type": "Polygon", "coordinates": HALL}},
        {
            "type": "Feature",
            "properties": {"category": "obstacle", "name": "box"},
            "geometry": {"type": "MultiLineString", "coordinates": [[[1, 1], [4, 1]], [[6, 2], [6, 8]]]},
        },
        {"type": "Feature", "properties": None, "geometry": {"type": "Point", "coordinates": [1, 2]}},
    ],
}
TEXTS = (
    "POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0), (4 2, 4 3, 5 3, 5 2, 4 2))",
    "GEOMETRYCOLLECTION (POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0)), MULTILINESTRING ((1 1, 1 4), (3 2, 5 2, 5 4)))",
    "SRID=25832;POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0), (0 2, 2 2, 2 4, 0 4, 0 2))",
    "MULTIPOLYGON Z (((0 0 1, 10 0 1, 10 6 1, 0 6 1, 0 0 1)), ((20 0 1, 30 0 1, 30 6 1, 20 0 1)))",
    json.dumps(GEOJSON),
    '<geometry unit="m"><subroom id="0"><polygon><vertex px="0" py="0"/><vertex px="8" py="0"/><vertex px="8" py="8"/>'
    '<vertex px="0" py="0"/></polygon></subroom><obstacle id="1"><polygon><vertex px="5" py="1"/>'
    '<vertex px="6" py="1"/><vertex px="6" py="2"/><vertex px="5" py="1"/></polygon></obstacle></geometry>',
)
SCRAPS = (
    *("", "0", "-", ".", "e9", "e308", "nan", "inf", "(", ")", "((", "))", "[", "]", "{", "<", "/>", '"', ",", ";"),
    *(" EMPTY", "SRID=4326;", "Z", "<!--", "<!DOCTYPE a [", "&a;", "\\u0000", "\x00", "\ufeff", "\n"),
)
ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1")
PICTURES = ("PNG", "JPEG", "WEBP")
Key = dict[str, Any]  # of [walls]


@cache
def folder() -> Path:
    """Where this process writes its plans."""
    return Path(tempfile.mkdtemp(prefix="plans"))


@cache
def picture(kind: str) -> bytes:
    """A picture of walls."""
    image, data = Image.new("L", (60, 40), 255), io.BytesIO()
    ImageDraw.Draw(image).rectangle((5, 5, 40, 8), fill=0)
    ImageDraw.Draw(image).line((10, 35, 50, 15), fill=0, width=3)
    image.save(data, kind)
    return data.getvalue()


def forge(number: int) -> tuple[bytes, Key]:
    """The file of case `number` after its mishaps, and how the scene names it."""
    chance = Random(number)
    if number % 5 == 4:
        return damaged(picture(chance.choice(PICTURES)), chance), {"picture": {"file": "it", "metres_per_pixel": 0.1}}
    options: Key = {"file": "it", "polygons": ("walkable", "obstacles")[number % 2]}
    if chance.random() < 0.2:
        options |= chance.choice(({"origin": (3.0, -4.0)}, {"origin": (1e9, 1e9)}, {"level": 0}, {"level": "1"}))
    text = _text(number % 5, chance)
    return text if isinstance(text, bytes) else text.encode(chance.choice(ENCODINGS), "replace"), options


def _text(way: int, chance: Random) -> str | bytes:
    match way:
        case 0 | 1:
            plan = json.loads(json.dumps(GEOJSON))
            for _ in range(chance.choice((1, 1, 3))):
                change(plan, chance.choice([keys for keys in key_paths(plan) if keys]), chance)
            return json.dumps(plan)
        case 2:
            return damaged(chance.choice(TEXTS).encode(), chance)
        case _:
            text = chance.choice(TEXTS)
            for _ in range(chance.choice((1, 1, 3))):
                at = chance.randrange(len(text))
                text = text[:at] + chance.choice(SCRAPS) + text[at + chance.choice((0, 1, 4)) :]
            return text


def attempt(number: int) -> str:
    """How case `number` ends: refused in one line, or walls of finite corners. Raises whatever else comes of it."""
    data, options = forge(number)
    (folder() / "it").write_bytes(data)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            walls, _ = build_walls(WallsModel(**options), "x.toml", folder(), flat())
        except InputError as error:
            return _checked(str(error), "refused")
    for own in warned:
        assert own.category is InputWarning, own
        _checked(str(own.message), "warned")
    assert np.isfinite(walls.arrays.segments).all()
    assert len(walls.arrays.segments) >= 3
    assert np.isfinite(walls.surfaces[0].positions).all()
    return "accepted with a warning" if warned else "accepted"


def _checked(line: str, outcome: str) -> str:
    assert line.startswith("x.toml: walls."), line
    assert line.isprintable(), line
    assert len(line.replace(str(folder()), "")) < 360, line
    return outcome

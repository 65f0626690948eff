"""Damaged plans of walls: well-known text, GeoJSON and XML, changed in their bytes or in their keys.

A case is a number, and draws all else from it: the plan, the mishap, and where.
"""

import json
import warnings
from random import Random

import numpy as np

from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.walls.build import walls_from_text
from tests.hostile.mutations import change, damaged, key_paths

GEOJSON = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]]}},
        {
            "type": "Feature",
            "geometry": {"type": "MultiLineString", "coordinates": [[[1, 1], [4, 1]], [[6, 2], [6, 8]]]},
        },
    ],
}
TEXTS = (
    "POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0), (4 2, 4 3, 5 3, 5 2, 4 2))",
    "GEOMETRYCOLLECTION (POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0)), MULTILINESTRING ((1 1, 1 4), (3 2, 5 2, 5 4)))",
    json.dumps(GEOJSON),
    '<geometry unit="m"><subroom id="0"><polygon><vertex px="0" py="0"/><vertex px="8" py="0"/><vertex px="8" py="8"/>'
    '<vertex px="0" py="0"/></polygon></subroom><obstacle id="1"><polygon><vertex px="5" py="1"/>'
    '<vertex px="6" py="1"/><vertex px="6" py="2"/><vertex px="5" py="1"/></polygon></obstacle></geometry>',
)
SCRAPS = (
    "",
    "0",
    "-",
    ".",
    "e9",
    "e308",
    "nan",
    "inf",
    "(",
    ")",
    "((",
    "))",
    "[",
    "]",
    "{",
    "<",
    "/>",
    '"',
    ",",
    " EMPTY",
)


def forge(number: int) -> str:
    """The plan of case `number` after its mishaps."""
    chance = Random(number)
    match number % 3:
        case 0:
            plan = json.loads(json.dumps(GEOJSON))
            for _ in range(chance.choice((1, 1, 3))):
                change(plan, chance.choice([keys for keys in key_paths(plan) if keys]), chance)
            return json.dumps(plan)
        case 1:
            return damaged(chance.choice(TEXTS).encode(), chance).decode("utf-8", "replace")
        case _:
            text = chance.choice(TEXTS)
            for _ in range(chance.choice((1, 1, 3))):
                at = chance.randrange(len(text))
                text = text[:at] + chance.choice(SCRAPS) + text[at + chance.choice((0, 1, 4)) :]
            return text


def attempt(number: int) -> str:
    """How case `number` ends: refused in one line, or walls of finite corners. Raises whatever else comes of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", InputWarning)
        try:
            walls = walls_from_text(forge(number), meaning=("walkable", "obstacles")[number % 2])
        except InputError as error:
            line = str(error)
            assert line.startswith("plan: "), line
            assert "\n" not in line
            assert len(line) < 300, line
            return "refused"
    assert np.isfinite(walls.arrays.segments).all()
    assert len(walls.arrays.segments) >= 3
    assert np.isfinite(walls.surfaces[0].positions).all()
    return "accepted"

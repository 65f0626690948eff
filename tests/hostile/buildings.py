"""Damaged buildings: files with levels, doors, stairs and lifts, changed in their bytes or in their keys.

A case is a number, and draws all else from it: the format, the options, and the damage.
"""

import json
import tempfile
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import shapely

from ecs_anim.scenes.buildings import with_building
from ecs_anim.scenes.levels import build_building
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError, InputWarning
from tests.builders.buildings import dxf_drawing, imdf_archive, imdf_features, in_degrees, jupedsim_xml, osm_features
from tests.hostile.mutations import change, damaged, key_paths

SCENE = '[building]\nfile = "it"\n{options}\n[rigs.people]\nmodel = "chain"\n[[crowds]]\nrig = "people"\n'
OPTIONS = ("", "", "storey_height = 2.0", "heights = { 1 = 4.0 }", 'coordinates = "degrees"', "origin = [8.4, 49.0]")
SHOWN = 420  # characters of a message without paths


@cache
def folder() -> Path:
    """Where this process writes its buildings."""
    return Path(tempfile.mkdtemp(prefix="buildings"))


@cache
def trees() -> tuple[dict[str, Any], ...]:
    features = (osm_features(), imdf_features(), in_degrees(imdf_features()))
    return tuple({"type": "FeatureCollection", "features": own} for own in features)


def forge(number: int) -> bytes:
    """The file of case `number` after its damage."""
    chance = Random(number)
    if number % 5 == 4:
        return _damaged_xml(chance)
    if number % 5 == 3 and find_spec("ezdxf"):
        return _damaged_dxf(chance)
    if number % 5 == 2 and find_spec("ifcopenshell"):
        return _damaged_ifc(chance)
    if number % 10 == 6:
        return damaged(imdf_archive(imdf_features()), chance)
    tree = json.loads(json.dumps(chance.choice(trees())))
    if number % 4 == 0:
        return damaged(json.dumps(tree).encode(), chance)
    for _ in range(chance.choice((1, 1, 3))):
        paths = [keys for keys in key_paths(tree) if keys and ("coordinates" not in keys or chance.random() < 0.1)]
        change(tree, chance.choice(paths), chance)
    return json.dumps(tree).encode()


def _damaged_xml(chance: Random) -> bytes:
    """JuPedSim's XML with a few values replaced or cut."""
    if chance.random() < 0.3:
        return damaged(jupedsim_xml().encode(), chance)
    pieces = jupedsim_xml().split('"')  # every second piece is the value of an attribute
    for _ in range(chance.choice((1, 1, 3))):
        values = ("", "0", "-1", "1e308", "nan", "inf", "5", "3", "stair", "escalator_down", "\u202e", "x" * 300)
        pieces[2 * chance.randrange(len(pieces) // 2) + 1] = chance.choice(values)
    return '"'.join(pieces).encode()


def _damaged_dxf(chance: Random) -> bytes:
    """A drawing with a few lines of its text replaced, left out or repeated."""
    lines = dxf_drawing().splitlines()
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.randrange(len(lines))
        value = chance.choice(
            ("", "0", "-1", "1e308", "nan", "8", "COLUMN", "INSERT", "SPLINE", "\u202e", lines[at - 2])
        )
        lines[at : at + chance.choice((0, 1, 1, 2))] = [value]
    return "\n".join(lines).encode()


@cache
def _ifc() -> str:
    from tests.builders.ifc_files import ifc_house

    return ifc_house()


def _damaged_ifc(chance: Random) -> bytes:
    """An IFC file with a few characters replaced, left out or repeated."""
    text = _ifc()
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.randrange(len(text))
        value = chance.choice(("", "0", "#1", "$", "(", ")", "'", ";", "1e308", "-1", "*", text[at : at + 9]))
        text = text[:at] + value + text[at + chance.choice((0, 1, 4)) :]
    return text.encode()


def attempt(number: int) -> str:
    """How case `number` ends: refused in one line, or a building with finite floors."""
    (folder() / "it").write_bytes(forge(number))
    scene = parse_scene(SCENE.format(options=Random(number).choice(OPTIONS)), "x.toml", folder())
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            building = build_building(with_building(scene))
        except InputError as error:
            return _checked(str(error), "refused")
    for own in warned:
        assert own.category is InputWarning, own
        _checked(str(own.message), "warned")
    assert building is not None
    for level in building.levels:
        assert level.area.area > 0
        assert np.isfinite(shapely.get_coordinates(level.area)).all()
    return "accepted"


def _checked(line: str, outcome: str) -> str:
    assert line.startswith("x.toml: "), line
    assert line.isprintable(), line
    assert len(line.replace(str(folder()), "")) < SHOWN, line
    return outcome

"""Damaged scene files: shipped scenes and two buildings, with keys and values changed, or their text cut up. Seeded."""

import atexit
import copy
import functools
import json
import math
import os
import random
import shutil
import tempfile
import tomllib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes import rigs
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.support.errors import InputError, InputWarning
from tests.builders.buildings import osm_features

FOLDER = Path(rigs.__file__).parents[0]  # of the scenes that ship
BUILDING = Path(__file__).with_name("building.toml")  # keys of storeys and evacuation that few shipped scenes have
FROM_FILE = """
[building]
file = "house.geojson"
coordinates = "metres"
storey_height = 3.2
heights = { 1 = 3.3 }
origin = [1.0, 2.0]
door_width = 1.0
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 6
layout = { kind = "grid", spacing = 1.0, center = [3, 1], level = "1" }
body = {}
hold_handrails = 0.5
[crowds.steering]
goals = [{ at = [3, 0], level = "0" }]
"""
ACTORS = 6
MOST_SECONDS = 10.0  # of the processor, which others may be using too
Chance = random.Random
Keys = tuple[str | int, ...]  # the keys that lead to a value

NUMBERS = (0, 1, -1, 2, 3, 7, 0.5, -0.0, 1e-9, 1e-30, 1e9, -1e9, 1e39, 1e308, 5e-324, 2**31, 2**63, -(2**63), 10**30)
NOT_FINITE = (math.inf, -math.inf, math.nan)
TEXTS = ("", " ", "x", "\0", "\x1b[31m", "\u202e", "\n", "中文", "..", "/", "a/b.glb", "random", "speed > 2", "speed >")
NAMES = ("mannequin", "chain", "walk", "idle", "Hips", "Head", "LeftFoot", "RightHand", "speed", "people", "any")
CONTAINERS: tuple[Any, ...] = ([], {}, [[]], [{}], {"": 1}, [0.0, 0.0], [1.0, 1.0, 1.0], ["walk"] * 2, {"kind": "flat"})
STRANGE: tuple[Any, ...] = (*NUMBERS, *NOT_FINITE, *TEXTS, *NAMES, *CONTAINERS, True, False, 100 * "long ")


@functools.cache
def whole_scenes() -> list[tuple[str, str]]:
    """Names and texts of the undamaged scenes."""
    paths = (BUILDING, *(FOLDER / f"{name}.toml" for name in shipped_scenes()))
    return [("house", FROM_FILE.replace("house", house())), *((path.stem, path.read_text("utf-8")) for path in paths)]


@functools.cache
def house() -> str:
    """The path of a building in GeoJSON, without the ending."""
    folder = Path(tempfile.mkdtemp(prefix="house"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tree = {"type": "FeatureCollection", "features": osm_features()}
    (folder / "house.geojson").write_text(json.dumps(tree))
    return str(folder / "house")


def forge(number: int) -> tuple[str, str]:
    """How case `number` is damaged, and the text that comes of it."""
    chance = Chance(number)
    name, text = chance.choice(whole_scenes())
    if number % 5 == 0:
        way = TEXT_WAYS[number // 5 % len(TEXT_WAYS)]
        return f"{name} {way.__name__}", way(text, chance)
    scene = tomllib.loads(text)
    ways = [chance.choice(TREE_WAYS) for _ in range(chance.choice((1, 1, 1, 2, 4)))]
    for way in ways:
        way(scene, chance)
    return f"{name} {' '.join(way.__name__ for way in ways)}", as_toml(scene)


def attempt(number: int) -> str:
    """How case `number` ends; raises what is neither a world of finite places nor an InputError of one line."""
    way, text = forge(number)
    begin = process_time()
    end = "refused" if told(text) else "accepted"
    spent = process_time() - begin
    assert spent < MOST_SECONDS, f"{spent:.1f} s"
    return f"{way.split()[1]} {end}"


def told(text: str) -> str:
    """The line that a scene is refused with; empty where its world was made and took two steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        try:
            with load_scene(parse_scene(text, "x.toml", FOLDER), actors=ACTORS, threads=1) as world:
                for _ in range(2):
                    world.step(1 / 60)
                for _, (transforms,) in world.query(Transforms):
                    assert np.isfinite(transforms.translation).all(), "somebody is nowhere"
                    assert np.isfinite(transforms.rotation).all(), "somebody faces nowhere"
        except InputError as error:
            line = str(error)
        else:
            return ""
    assert line.startswith("x.toml: "), line
    assert "\n" not in line
    return line


def prepare() -> None:
    """Prepare a worker once: rigs are read once, bakes have a separate folder, and all kernels are loaded."""
    rigs.load_model = functools.lru_cache(maxsize=64)(rigs.load_model)
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)
    for _, text in whole_scenes():
        assert told(text) == ""


def prepare_few() -> None:
    """Prepare a worker for cases that can afford to load a kernel or two: rigs are read once."""
    rigs.load_model = functools.lru_cache(maxsize=64)(rigs.load_model)


def key_paths(value: Any, path: Keys = ()) -> Iterator[Keys]:
    """The keys that lead to each value below one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from key_paths(item, (*path, key))


def pick(scene: dict[str, Any], chance: Chance, kinds: type | tuple[type, ...] = object) -> tuple[Any, Any] | None:
    """A container and a key in it, of a random value of these types; None where there is none."""
    found = [keys for keys in key_paths(scene) if isinstance(value_at(scene, keys), kinds)]
    if not found:
        return None
    *path, key = chance.choice(found)
    return value_at(scene, tuple(path)), key


def value_at(scene: Any, keys: Keys) -> Any:
    for key in keys:
        scene = scene[key]
    return scene


def delete(scene: dict[str, Any], chance: Chance) -> None:
    if found := pick(scene, chance):
        del found[0][found[1]]


def replace(scene: dict[str, Any], chance: Chance) -> None:
    if found := pick(scene, chance):
        found[0][found[1]] = copy.deepcopy(chance.choice(STRANGE))  # later changes are to this scene's


def change_number(scene: dict[str, Any], chance: Chance) -> None:
    if found := pick(scene, chance, (int, float)):
        found[0][found[1]] = chance.choice((*NUMBERS, *NOT_FINITE))


def scale_number(scene: dict[str, Any], chance: Chance) -> None:
    """Stays most often within what is allowed."""
    if found := pick(scene, chance, (int, float)):
        container, key = found
        container[key] = type(container[key])(container[key] * chance.choice((0.01, 0.3, 3, 30, 1000, -1)))


def change_text(scene: dict[str, Any], chance: Chance) -> None:
    if found := pick(scene, chance, str):
        found[0][found[1]] = chance.choice((*TEXTS, *NAMES))


def swap(scene: dict[str, Any], chance: Chance) -> None:
    """Two values change places."""
    first, second = pick(scene, chance), pick(scene, chance)
    if first and second:
        held = copy.deepcopy([first[0][first[1]], second[0][second[1]]])  # no table holds itself
        first[0][first[1]], second[0][second[1]] = held[1], held[0]


def double(scene: dict[str, Any], chance: Chance) -> None:
    """An entry of a list comes twice."""
    if found := pick(scene, chance, list):
        held = found[0][found[1]]
        held.extend(copy.deepcopy(held[: chance.choice((1, 2, 50))]))


def empty(scene: dict[str, Any], chance: Chance) -> None:
    if found := pick(scene, chance, (list, dict)):
        found[0][found[1]].clear()


def rename(scene: dict[str, Any], chance: Chance) -> None:
    tables = [table for keys in [(), *key_paths(scene)] if isinstance(table := value_at(scene, keys), dict) and table]
    table = chance.choice(tables)
    key = chance.choice(list(table))
    table[chance.choice((*TEXTS, *NAMES, key + "s", key[:-1], *KEYS))] = table.pop(key)


def borrow(scene: dict[str, Any], chance: Chance) -> None:
    """A key with its value, of another scene that ships, in a table here."""
    other = tomllib.loads((FOLDER / f"{chance.choice(shipped_scenes())}.toml").read_text("utf-8"))
    path = chance.choice([keys for keys in key_paths(other) if isinstance(keys[-1], str)])
    similar = [keys for keys in key_paths(scene) if keys[:-1:2] == path[:-1:2] and isinstance(keys[-1], str)]
    keys = chance.choice(similar or [(path[0],)])
    value_at(scene, keys[:-1])[path[-1]] = value_at(other, path)


def nest(scene: dict[str, Any], chance: Chance) -> None:
    if found := pick(scene, chance):
        for _ in range(chance.choice((1, 2, 60))):
            found[0][found[1]] = chance.choice(([found[0][found[1]]], {"a": found[0][found[1]]}))


def cut(text: str, chance: Chance) -> str:
    return text[: chance.randrange(len(text))]


def drop_line(text: str, chance: Chance) -> str:
    lines = text.splitlines(keepends=True)
    del lines[chance.randrange(len(lines))]
    return "".join(lines)


def repeat_line(text: str, chance: Chance) -> str:
    lines = text.splitlines(keepends=True)
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return "".join(lines)


def change_characters(text: str, chance: Chance) -> str:
    characters = list(text)
    for _ in range(chance.choice((1, 1, 3))):
        characters[chance.randrange(len(characters))] = chance.choice('0123456789-.eE"[]{},=#\n\\\0\x1b中²')
    return "".join(characters)


def insert_depth(text: str, chance: Chance) -> str:
    opened, closed = chance.choice((("[", "]"), ("{a=", "}")))
    depth = chance.choice((50, 190, 250, 3000))
    return text + f"\ndeep = {opened * depth}1{closed * depth}\n"


def insert_digits(text: str, chance: Chance) -> str:
    number = chance.choice(("9" * 5000, "-" + "9" * 5000, "1e" + "9" * 4000, "0x" + "f" * 5000, "0." + "9" * 5000))
    return chance.choice((f"seed = {number}\n{text}", f"{text}\ngoal_radius = {number}\n"))


TEXT_WAYS: tuple[Callable[[str, Chance], str], ...] = (
    cut,
    drop_line,
    repeat_line,
    change_characters,
    insert_depth,
    insert_digits,
)
TREE_WAYS: tuple[Callable[[dict[str, Any], Chance], None], ...] = (
    delete,
    replace,
    change_number,
    scale_number,
    scale_number,
    change_text,
    swap,
    double,
    empty,
    rename,
    borrow,
    borrow,
    nest,
)
KEYS = tuple(
    sorted(
        {
            key
            for name in shipped_scenes()
            for keys in key_paths(tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8")))
            for key in keys
            if isinstance(key, str)
        }
    )
)


def as_toml(scene: dict[str, Any]) -> str:
    """A scene as text."""
    return "".join(f"{json.dumps(key, ensure_ascii=False)} = {_value(value)}\n" for key, value in scene.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {_value(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else repr(value)

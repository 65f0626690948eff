"""Variation of scenes by the seed. The module draws random values for the scene keys in the table [vary]."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ecs_anim.scenes.loader import Keys, SceneFile, validated
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema import PRESET, OneOfModel, SceneModel
from ecs_anim.scenes.sizes import require_sizes
from ecs_anim.scenes.wild import wild
from ecs_anim.support.errors import InputError

# keys that can name a folder, of which the seed selects one file
PICTURES = (("sky", "image"), ("surfaces", "floor_texture"), ("surfaces", "wall_texture"))
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".hdr")
# keys that cannot vary: the variation itself, and code, which is allowed before the draw
FIXED = ("seed", "vary", "parts", "systems")
STEP = re.compile(r"\.?([A-Za-z_][\w-]*)|\[(\d+)\]")  # one step of a scene key: a table's key, or a list index
Range = tuple[int, int] | tuple[float, float]
Choice = Range | OneOfModel


def varied(scene: SceneFile, seed: int) -> SceneFile:
    """Return the scene with random values for the keys in `vary`. `seed` determines the values.

    Each key has a separate random generator, so an additional key does not change the values of other keys. Raises
    InputError if a possible value is invalid.
    """
    scene = _with_draws(scene, seed)
    files = _drawn_files(scene, seed)
    return with_values(scene, files, SceneKey(scene.label, f"folders, of seed {seed}")) if files else scene


def with_preset(scene: SceneFile, preset: str | None) -> SceneFile:
    """Return the scene with a preset of variation. The keys in `vary` of the scene have priority over the preset."""
    if preset is None:
        return scene
    said = said_of(scene)
    data = {**said, "vary": {PRESET: preset, **_table(said.get("vary", {}))}}
    return replace(scene, model=_validated(scene, data, SceneKey(scene.label, "vary")))


def choices(model: SceneModel) -> dict[str, Choice]:
    """Return the possible values of each varied scene key. The keys of the scene have priority over its preset."""
    vary = _table(model.vary)
    own: dict[str, Choice] = {name: choice for name, choice in vary.items() if not isinstance(choice, str)}
    return {**wild(model), **own} if PRESET in vary else own


def _table(vary: Mapping[str, Any] | str) -> Mapping[str, Any]:
    return {PRESET: vary} if isinstance(vary, str) else vary


def drawn_values(scene: SceneFile, seed: int) -> dict[str, Any]:
    """Return the random values with which the function `varied` replaces values of the scene, by scene key."""
    values = {name: _draw(choice, seed, name) for name, choice in choices(scene.model).items()}
    return values | _drawn_files(_with_draws(scene, seed), seed)


def _with_draws(scene: SceneFile, seed: int) -> SceneFile:
    """Return the scene with random values for the keys in `vary`, before the choice of files from folders."""
    chosen = choices(scene.model)
    if not chosen:
        return scene
    said = said_of(scene)
    drawn = dict(said)
    for name, choice in chosen.items():
        key = SceneKey(scene.label, f"vary.{json.dumps(name)}")
        keys = _keys(name, key)
        for value in _ends(choice, key):
            _validated(scene, _with(said, keys, value, key), key)
        drawn = _with(drawn, keys, _draw(choice, seed, name), key)
    model = _validated(scene, drawn, SceneKey(scene.label, f"vary, of seed {seed}"))
    return replace(scene, model=model)


def _drawn_files(scene: SceneFile, seed: int) -> dict[str, str]:
    """Return the random file of each folder that a key of `PICTURES` names, by scene key.

    Raises InputError if a folder contains no picture.
    """
    drawn = {}
    for table, key in PICTURES:
        named = getattr(getattr(scene.model, table), key, None)
        if named is not None and (scene.folder / named).is_dir():
            files = sorted(path.name for path in (scene.folder / named).iterdir() if path.suffix.lower() in SUFFIXES)
            if not files:
                raise scene.key(f"{table}.{key}").fault(
                    f"the folder {named} must contain a picture ({', '.join(SUFFIXES)}). Name another folder."
                )
            name = f"{table}.{key}"
            drawn[name] = f"{named}/{_draw(OneOfModel(one_of=files), seed, name)}"
    return drawn


def with_values(scene: SceneFile, values: Mapping[str, Any], origin: SceneKey) -> SceneFile:
    """Return the scene with other values for some scene keys. `values` contains these values by scene key.

    The message of an error begins with `origin`, the scene key or option that sets the values.
    """
    said, key = said_of(scene), origin
    for name, value in values.items():
        key = origin / f".{json.dumps(name)}"
        said = _with(said, _keys(name, key), value, key)
    return replace(scene, model=_validated(scene, said, key if len(values) == 1 else origin))


def said_of(scene: SceneFile) -> dict[str, Any]:
    """Return the content of the scene file, without default values."""
    said: dict[str, Any] = json.loads(scene.model.model_dump_json(exclude_unset=True, by_alias=True))
    return said


def _validated(scene: SceneFile, data: Mapping[str, Any], key: SceneKey) -> SceneModel:
    """Return a validated model from `data`.

    The message of an error contains `key`, the scene key or option that sets the values.
    """
    try:
        model = validated(type(scene.model), data, scene.label)
        require_sizes(scene.label, model)
    except InputError as error:
        raise key.fault(str(error).removeprefix(f"{scene.label}: ")) from None
    return model


def _keys(name: str, key: SceneKey) -> Keys:
    steps = list(STEP.finditer(name))
    if not steps or "".join(step.group() for step in steps) != name or name.startswith((".", "[")):
        raise key.fault(
            'the name must be a scene key. Write a name such as "light.sun_azimuth_degrees" or "crowds[0].count".'
        )
    keys = tuple(step.group(1) or int(step.group(2)) for step in steps)
    if keys[0] in FIXED:
        raise key.fault(
            f"the key {keys[0]} cannot vary, because the program needs its value before the random choice. Vary "
            "another key."
        )
    return keys


def _with(data: Any, keys: Keys, value: Any, key: SceneKey) -> Any:
    """Return a copy of the table or list `data` with the value `value` at the key path `keys`.

    The function creates missing tables on the key path. An index or a name selects an item of a list.
    """
    first, *rest = keys
    if isinstance(data, list) and isinstance(first, str):
        first = _index_of(first, data, key)
    if isinstance(first, int):
        if not isinstance(data, list):
            raise key.fault(
                f"the index [{first}] needs a list, but the value before the index is not a list. Remove the index."
            )
        if first >= len(data):
            raise key.fault(
                f"the index [{first}] must be less than {len(data)}, the length of the list in the scene. Use a smaller"
                " index."
            )
        inner = _with(data[first], tuple(rest), value, key) if rest else value
        return [*data[:first], inner, *data[first + 1 :]]
    if not isinstance(data, dict):
        raise key.fault(
            f"the scene has no key {first!r}, because the value before {first!r} is not a table. Name another key."
        )
    return {**data, first: _with(data.get(first, {}), tuple(rest), value, key) if rest else value}


def _index_of(name: str, tables: Sequence[Any], key: SceneKey) -> int:
    """Return the index of the table with the name `name` in `tables`. A crowd without a name has the name of its rig.

    Raises InputError.
    """
    names = [table.get("name", table.get("rig")) if isinstance(table, dict) else None for table in tables]
    if names.count(name) != 1:
        there = ", ".join(map(str, filter(None, names))) or "no table has a name"
        raise key.fault(
            f"exactly one table of the list must have the name {name!r} (got {names.count(name)} tables). Use"
            f" one of the names: {there}"
        )
    return names.index(name)


def _ends(choice: Choice, key: SceneKey) -> Iterator[Any]:
    """Yield the values that the function `varied` must validate: both ends of a range, or all values of a list.

    Raises InputError.
    """
    if isinstance(choice, OneOfModel):
        yield from choice.one_of
        return
    low, high = choice
    if low > high:
        raise key.fault(f"a range must begin with the smaller number (got {low:g} to {high:g}). Swap the two numbers.")
    yield from choice


def _draw(choice: Choice, seed: int, name: str) -> Any:
    """Return a random value from `choice`. The seed and the name of the key determine the value."""
    digest = hashlib.blake2b(name.encode("utf-8"), digest_size=8).digest()
    rng = np.random.default_rng((seed, int.from_bytes(digest, "little")))
    if isinstance(choice, OneOfModel):
        return choice.one_of[int(rng.integers(len(choice.one_of)))]
    low, high = choice
    if isinstance(low, int) and isinstance(high, int):
        return int(rng.integers(low, high, endpoint=True))
    return low + (high - low) * float(rng.random())

"""Damaged packed models and avatars: meshopt, Draco, KTX2, WebP and VRM files, changed in their text or their streams.

A case is a number, and draws all else from it, as in `tests.hostile.gltf`.
"""

import importlib.util
import json
import time
from collections.abc import Callable
from functools import cache
from random import Random

from tests.builders.packed_models import FORMS, Packed
from tests.builders.vrm_files import Avatar
from tests.hostile.gltf import Model, broken, changed, folder, grafted, loads, nudged, packed

SECONDS = 20.0  # of the processor that a case may take
NEEDED = {"draco": "DracoPy", "coarse_draco": "DracoPy", "ktx2": "opengl_basisu"}  # modules of forms


@cache
def models() -> tuple[Model, ...]:
    """One character in each form whose packages are there, and as an avatar of both versions of VRM."""
    forms = [name for name in FORMS if name not in NEEDED or importlib.util.find_spec(NEEDED[name])]
    return (*map(_form, forms), *map(_avatar, (0, 1)))


def _form(name: str) -> Model:
    made = Packed()
    for step in FORMS[name]:
        step(made)
    return _model(name, made.raw, bytes(made.data))


def _avatar(version: int) -> Model:
    made = Avatar(version)
    return _model(f"vrm {version}", made.raw, bytes(made.data))


def _model(name: str, raw: dict, data: bytes) -> Model:
    raw["buffers"] = [{"byteLength": len(data)}]
    return Model(name, json.loads(json.dumps(raw)), data)


def gnawed(model: Model, chance: Random) -> bytes:
    """Bytes of one view that are others: a stream's, or a picture's, or plain numbers."""
    data, views = bytearray(model.data), model.document["bufferViews"]
    view = chance.choice([*views, *views[-3:] * (len(views) // 3)])  # the last ones are packed
    view = next(iter(view.get("extensions", {}).values()), view)
    first, size = view.get("byteOffset", 0), view["byteLength"]
    for _ in range(chance.choice([1, 1, 4, 40])):
        at = first + chance.randrange(min(size, chance.choice([16, 256, size])))
        data[at] = chance.choice([0, 255, chance.randrange(256), data[at] ^ (1 << chance.randrange(8))])
    return packed(model.document, bytes(data))


def cut(model: Model, chance: Random) -> bytes:
    """A view that ends too early, or that is another's."""
    document = json.loads(json.dumps(model.document))
    view = chance.choice(document["bufferViews"])
    view = next(iter(view.get("extensions", {}).values()), view)
    match chance.choice(["byteLength", "byteOffset", "both"]):
        case "both":
            view |= {key: chance.choice(document["bufferViews"]).get(key, 0) for key in ("byteOffset", "byteLength")}
        case key:
            view[key] = chance.randrange(1 + view.get(key, 0))
    return packed(document, model.data)


WAYS: list[Callable[[Model, Random], bytes]] = [gnawed, gnawed, gnawed, cut, changed, changed, nudged, grafted, broken]


def attempt(number: int) -> str:
    """How case `number` ends; raises what is neither a rig nor an InputError of one line."""
    chance = Random(number)
    model, way = chance.choice(models()), WAYS[number % len(WAYS)]
    path = folder() / "packed.glb"
    path.write_bytes(way(model, chance))
    began = time.process_time()
    ended = "accepted" if loads(path) else "refused"
    spent = time.process_time() - began
    assert spent < SECONDS, f"{model.name} {ended} after {spent:.1f} s"
    return f"{way.__name__} {ended}"


def prepare() -> None:
    """Prepare a worker once: trigger late imports and compilation."""
    for model in models():
        path = folder() / "packed.glb"
        path.write_bytes(packed(model.document, model.data))
        assert loads(path), model.name

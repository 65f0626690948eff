"""Damaged bakes: bytes that changed, and headers that say something else under a right checksum.

A case is a number, and draws all else from it: the bake, the mishap, and where.
"""

import json
import warnings
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from ecs_anim.bake.file import PREFIX, from_bytes, sealed, to_bytes
from ecs_anim.bake.header import aligned, to_json
from ecs_anim.support.errors import InputError
from tests.bake.test_bake import BAKES
from tests.hostile.mutations import at, change, damaged, key_paths

FREE = {"name", "content", "extras"}  # texts that may be any


def header_of(data: bytes) -> dict[str, Any]:
    """The header of a file."""
    return json.loads(data[PREFIX.size : PREFIX.size + PREFIX.unpack(data[: PREFIX.size])[2]])


def edited(data: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """The file with its header changed, and lengths and checksum made right again."""
    header, length = header_of(data), PREFIX.unpack(data[: PREFIX.size])[2]
    change(header)
    return sealed(to_json(header), data[PREFIX.size + aligned(length) :])


def forge(number: int) -> tuple[bytes, bytes]:
    """The bake of case `number`, before and after its mishap."""
    chance = Random(number)
    original = chance.choice(originals())
    match number % 8:
        case 0 | 1 | 2:
            return original, _with_header(original, chance, lambda keys: True)
        case 3:
            return original, _with_header(original, chance, lambda keys: keys[0] == "sections")
        case _:
            return original, damaged(original, chance)


def _with_header(data: bytes, chance: Random, wanted: Callable[[tuple], bool]) -> bytes:
    """One value of the header replaced, deleted or doubled."""
    every = [keys for keys in key_paths(header_of(data)) if keys and not FREE & set(keys) and wanted(keys)]
    keys = chance.choice(every)
    return edited(data, lambda header: change(header, keys, chance))


@cache
def originals() -> list[bytes]:
    """Files of all kinds of bakes."""
    return [to_bytes(bake) for bake in BAKES.values()]


def attempt(number: int) -> str:
    """How case `number` ends: refused in one line, or another true bake. Raises AssertionError."""
    original, data = forge(number)
    if data == original:
        return "unchanged"
    refusal = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            from_bytes(data, "some.bake")
        except InputError as error:
            refusal = str(error)
    assert not refusal or refusal.isprintable(), f"not one line: {refusal!r}"
    assert refusal or told(original) == told(data), "an accepted bake says what it was"
    return "refused" if refusal else "accepted"


def told(data: bytes) -> dict[str, Any]:
    """The header without what may truly be otherwise, such as whether a clip loops."""
    header = header_of(data)
    for name in ("size", "error_mm", "rate_hz"):
        del header[name]
    for clip in at(header, ("clips",)):
        for name in ("start_s", "loops", "error_position", "error_angle"):
            del clip[name]
    return header

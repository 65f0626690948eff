"""Changes of JSON documents and of bytes, drawn from a generator: what all attacks on files share."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

STRANGE = [None, True, False, -1, 0, 1, 2, 3, 5126, 2**31, 2**64, 10**400, 0.0, 0.5, -0.5, 7.25, -1e308, 1e39, 1e308]
STRANGE += ["", "x", "\0", "a\nb", "\ud800", [], [0], [[]], {}]
Keys = tuple[str | int, ...]


def key_paths(value: Any, keys: Keys = ()) -> Iterator[Keys]:
    """The keys that lead to each value of a JSON document, those of the whole first."""
    yield keys
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from key_paths(item, (*keys, key))


def at(value: Any, keys: Keys) -> Any:
    """Return the value at a path of keys."""
    for key in keys:
        value = value[key]
    return value


def change(document: Any, keys: Keys, chance: Random) -> None:
    """Replace, delete or double what keys lead to; nothing where an earlier change took it away."""
    try:
        holder, key = at(document, keys[:-1]), keys[-1]
        action = chance.choice(["set", "set", "set", "delete", "double"])
        if action == "delete":
            del holder[key]
        elif action == "double" and isinstance(holder, list) and isinstance(key, int):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(chance.choice(STRANGE))
    except (KeyError, IndexError, TypeError):
        return


def damaged(data: bytes, chance: Random) -> bytes:
    """The bytes after one of many mishaps."""
    out = bytearray(data)
    match chance.choice(["flip", "bytes", "bytes", "cut", "insert", "swap"]):
        case "flip":
            out[chance.randrange(len(out))] ^= 1 << chance.randrange(8)
        case "bytes":
            for _ in range(chance.choice([1, 2, 8, 64])):
                out[chance.randrange(len(out))] = chance.randrange(256)
        case "cut":
            del out[chance.randrange(len(out)) :]
        case "insert":
            at = chance.randrange(len(out) + 1)
            out[at:at] = chance.randbytes(chance.choice([1, 8, 64]))
        case "swap":
            a, b, n = chance.randrange(len(out)), chance.randrange(len(out)), chance.randrange(1, 200)
            out[a : a + n], out[b : b + n] = out[b : b + n], out[a : a + n]
    return bytes(out)

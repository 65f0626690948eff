"""Snapshots: all that changes in a world, as a file from which it goes on to the bit.

A .npz archive (numpy): `header`, JSON in UTF-8 as bytes, then an array for each changing field that is one. Names are
the number of the entity, in the order they were created, and the field's path: "2.Transforms.translation".
"""

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.columns import Field, Role, fields_of
from ecs_anim.errors import InputError
from ecs_anim.files import Kind, opened
from ecs_anim.pictures import complete_file

SNAPSHOT = Kind("snapshot", "snapshot_bytes")
KIND = "ecs-anim world"
FORMAT_VERSION = 3
HEADER = "header"
COUNT = "Crowd.actor_count"
DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, ValueError, LookupError, TypeError, AttributeError, EOFError,
    RuntimeError, MemoryError, SyntaxError,
)  # fmt: skip

Arrays = dict[str, NDArray[Any]]


class Saved(Protocol):
    """What of a world is saved."""

    time: float
    frame: int
    origin: dict[str, Any]

    @property
    def entities(self) -> tuple[int, ...]:
        """All, in their order."""
        ...

    def components(self, entity: int) -> tuple[object, ...]:
        """Of one entity."""
        ...


def save_snapshot(world: Saved, path: Path) -> None:
    """Write a world's state under this name only when it is complete. Raises InputError where that cannot be."""
    state = dict(_state_of(world))
    arrays = {name: field.value for name, field in state.items() if isinstance(field.value, np.ndarray)}
    header = {
        "kind": KIND,
        "format": FORMAT_VERSION,
        "origin": world.origin,
        "time": world.time,
        "frame": world.frame,
        "values": {name: field.value for name, field in state.items() if name not in arrays},
    }
    header["digest"] = _digest(header, arrays)
    text = np.frombuffer(json.dumps(header).encode("utf-8"), np.uint8)
    with complete_file(path) as file:
        np.savez(file, allow_pickle=False, **{HEADER: text}, **arrays)


def read_snapshot(path: Path) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file. Raises InputError for one that is no whole snapshot of this format."""
    try:
        with opened(path, SNAPSHOT) as file, np.load(file.stream, allow_pickle=False) as archive:
            header = json.loads(archive[HEADER].tobytes().decode("utf-8"))
            _require_kind(header, path)
            arrays = {name: archive[name] for name in archive.files if name != HEADER}
            intact = header.pop("digest") == _digest(header, arrays)
    except DAMAGE:
        raise InputError(f"{path}: this is no snapshot of a world, or a damaged one; save it again") from None
    if not intact:
        raise InputError(f"{path}: the snapshot is damaged; save it again")
    return header, arrays


def restore(world: Saved, header: Mapping[str, Any], arrays: Arrays, path: Path) -> None:
    """Put a world into the state of a snapshot; it stays as it is until all of that fits. Raises InputError."""
    state, found = dict(_state_of(world)), header["values"] | arrays
    if state.keys() != found.keys():
        odd = min(state.keys() ^ found.keys())
        raise InputError(f"{path}: what it holds is not what this world holds ({odd}); save it again")
    for name, field in state.items():
        if not _fits(field, found[name], found.get(f"{name.partition('.')[0]}.{COUNT}", 0)):
            raise InputError(f"{path}: {name} does not fit this world; save it again")
    for name, field in state.items():
        field.put(found[name])
    world.time, world.frame = float(header["time"]), int(header["frame"])


def _require_kind(header: Any, path: Path) -> None:
    if header["kind"] != KIND:
        raise ValueError(header["kind"])
    if header["format"] != FORMAT_VERSION:
        own = f"this version of ecs-anim reads {FORMAT_VERSION}"
        raise InputError(f"{path}: a snapshot of format {header['format']}; {own}; save it again")


def _state_of(world: Saved) -> Iterator[tuple[str, Field]]:
    """All changing fields, with their names in the file."""
    for number, entity in enumerate(world.entities):
        for field in fields_of(world.components(entity)):
            yield f"{number}.{field.path}", field


def _fits(field: Field, value: Any, count: int) -> bool:
    """Whether a value can stand where another does; columns have a row for each of `count` actors."""
    now = field.value
    if not isinstance(now, np.ndarray):
        return type(value) is type(now)
    if not isinstance(value, np.ndarray) or value.dtype != now.dtype or value.ndim != now.ndim:
        return False
    if field.role is Role.ACTOR:
        return len(value) == count and value.shape[1:] == now.shape[1:]
    return value.shape[1:2] == now.shape[1:2]


def _digest(header: Mapping[str, Any], arrays: Arrays) -> str:
    digest = hashlib.blake2b(json.dumps(header, sort_keys=True).encode("utf-8"), digest_size=32)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.view(np.uint8).data if array.size else b"")
    return digest.hexdigest()

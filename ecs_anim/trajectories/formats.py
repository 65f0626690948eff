"""Formats: which one a file has, told by what it holds and not by its name."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.trajectories import hdf5, parquet, sqlite
from ecs_anim.trajectories.hdf5 import hdf5_source
from ecs_anim.trajectories.line_source import SLAB
from ecs_anim.trajectories.ndjson import is_ndjson, ndjson_source
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.parquet import parquet_source
from ecs_anim.trajectories.source import TRAJECTORIES, Source
from ecs_anim.trajectories.sqlite import sqlite_source
from ecs_anim.trajectories.text import text_source
from ecs_anim.trajectories.text_head import read_head


class Binary(NamedTuple):
    """A binary format, told by the first bytes of its files."""

    name: str
    magic: bytes
    source: Callable[[Path, ReadOptions], Source]


BINARY = (
    Binary("SQLite", sqlite.MAGIC, sqlite_source),
    Binary("HDF5", hdf5.MAGIC, hdf5_source),
    Binary("Parquet", parquet.MAGIC, parquet_source),
)


def source_of(path: Path, options: ReadOptions) -> Source:
    """The source of a file. Raises InputError for what is in none of the formats."""
    start = _start(path)
    for binary in BINARY:
        if start.startswith(binary.magic):
            return binary.source(path, options)
    if not start.strip():
        raise InputError(f"{path}: the file is empty")
    if b"\0" in start:
        *names, last = (binary.name for binary in BINARY)
        raise InputError(f"{path}: it is neither text nor {', '.join(names)} or {last}: no file of trajectories")
    if start.lstrip()[:1] == b"<":
        raise InputError(f"{path}: it is XML, which may hold walls and no trajectories; name the file of positions")
    if start.lstrip()[:1] == b"{":
        return ndjson_source(path, start)
    return text_source(path, start, options)


def holds_trajectories(path: Path) -> bool:
    """Whether a file is there that looks like one of trajectories, broken or not."""
    try:
        start = _start(path)
        if start.startswith(tuple(binary.magic for binary in BINARY)) or is_ndjson(start):
            return True
        return b"\0" not in start and start.lstrip()[:1] not in (b"", b"{", b"<") and bool(read_head(path, start).rows)
    except InputError:
        return False


def _start(path: Path) -> bytes:
    with opened(path, TRAJECTORIES) as file:
        return file.first(SLAB)

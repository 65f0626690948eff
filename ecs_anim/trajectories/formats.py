"""The choice of the trajectory reader for a file type."""

from collections.abc import Callable, Mapping
from pathlib import Path

from ecs_anim.support.errors import InputError
from ecs_anim.support.file_types import HEAD, encoding_of, type_of_bytes
from ecs_anim.support.files import Kind, WrongType, opened
from ecs_anim.support.known_types import TEXT
from ecs_anim.trajectories.hdf5 import hdf5_source
from ecs_anim.trajectories.line_source import SLAB
from ecs_anim.trajectories.ndjson import ndjson_source
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.parquet import parquet_source
from ecs_anim.trajectories.source import TRAJECTORIES, Source
from ecs_anim.trajectories.sqlite import sqlite_source
from ecs_anim.trajectories.sumo import sumo_source
from ecs_anim.trajectories.text import text_source
from ecs_anim.trajectories.viswalk import viswalk_source

TYPED = Kind(TRAJECTORIES.name, TRAJECTORIES.budget, ("trajectories", "unknown"))

# The source of each file type, from a path, the first bytes and the reading options.
SOURCES: Mapping[str, Callable[[Path, bytes, ReadOptions], Source]] = {
    "sqlite": lambda path, _, options: sqlite_source(path, options),
    "hdf5": lambda path, _, options: hdf5_source(path, options),
    "parquet": lambda path, _, options: parquet_source(path, options),
    "ndjson": lambda path, start, _: ndjson_source(path, start),
    "fcd": sumo_source,
    "viswalk": viswalk_source,
    "table": text_source,
    "text": text_source,
}


def source_of(path: Path, options: ReadOptions) -> Source:
    """Return the source of a trajectory file: an object that yields the rows of the file. Raises InputError for an
    unknown file type.
    """
    with opened(path, TYPED) as file:
        found, start = type_of_bytes(file.first(HEAD), file.size), file.first(SLAB)
    if encoding_of(start) != "utf-8":
        raise InputError(f"{path}: the text must be UTF-8 (got UTF-16). Save the file as UTF-8.")
    if found.name not in SOURCES or (found is TEXT and options.columns is None):
        raise WrongType(path, found, TRAJECTORIES.name)
    return SOURCES[found.name](path, start, options)

"""Reader of the Pedestrian Dynamics Data Archive's HDF5 files. The reader needs h5py (the extra `hdf5`)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.support.budgets import limit, require
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.trajectories.columns import shown
from ecs_anim.trajectories.hdf5_storage import attribute, require_safe
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Rows, checked
from ecs_anim.trajectories.source import TRAJECTORIES, Layout, Source, said_rate, too_large
from ecs_anim.trajectories.trial import tried

DATA = "trajectory"  # name of the data set
COLUMNS, HEIGHT = ("id", "frame", "x", "y"), "z"
AT_ONCE = 8192  # rows that are read together
METRES = re.compile(r"\b(centi|milli)met(?:er|re)", re.IGNORECASE)  # matches units in descriptions of columns
UNITS = {"": "m", "centi": "cm", "milli": "mm"}


@dataclass(frozen=True)
class Hdf5Source(Source):
    """An HDF5 file from the Pedestrian Dynamics Data Archive."""

    def rows(self) -> Iterator[Rows]:
        """Yield all rows of the data set."""
        with _data_set(self.path) as data:
            for start in range(0, len(data), AT_ONCE):
                yield self._read(data, start, min(start + AT_ONCE, len(data)))

    def _read(self, data: Any, start: int, stop: int) -> Rows:
        names = data.dtype.names
        roles = (*COLUMNS, HEIGHT) if HEIGHT in names and data.dtype[HEIGHT].kind in "iuf" else COLUMNS
        table = data.fields(list(roles))[start:stop]
        columns = {
            role: table[role].astype(np.int64 if table[role].dtype.kind == "i" else np.float64) for role in roles
        }
        return checked(columns, np.arange(start + 1, stop + 1), self.label)


def hdf5_source(path: Path, options: ReadOptions) -> Source:
    """Return the source for an HDF5 file of the archive. The function does not use `options`. Raises InputError if the
    file is damaged or unsafe.
    """
    return tried(opened_source, path, options, "h5py")


def opened_source(path: Path, options: ReadOptions) -> Hdf5Source:
    """Open an HDF5 file in this process.

    Some damaged files crash the process that reads them. Therefore, `hdf5_source` first calls this function in a child
    process.
    """
    with _data_set(path) as data:
        wkt = _first_attribute((data.file, data), "wkt_geometry", path)
        rate = said_rate(_first_attribute((data, data.file), "fps", path), f"{path}: fps of {DATA}")
        said = METRES.search(str(attribute(data, "x", path)))
        unit, note = (UNITS[said[1].lower()], ()) if said else ("m", ("metres, from the definition of the archive",))
        walls = ((-np.inf, _text(wkt, path)),) if wkt is not None else ()
        return Hdf5Source(path, Layout("Pedestrian Dynamics Data Archive HDF5", True, unit, rate, walls, note))


@contextmanager
def _data_set(path: Path) -> Iterator[Any]:
    """Open the data set of samples. Raises InputError for a damaged or unsafe file, or if h5py is missing."""
    try:
        import h5py
    except ImportError:
        raise InputError(
            f"{path}: HDF5 files need the package h5py. Install h5py: pip install 'ecs-anim[hdf5]'"
        ) from None
    with opened(path, TRAJECTORIES) as file:
        try:
            with h5py.File(file.stream, "r", rdcc_nbytes=limit("chunk_bytes")) as content:
                if isinstance(content.get(DATA, getlink=True), h5py.SoftLink | h5py.ExternalLink):
                    raise InputError(
                        f"{path}: {DATA} must be a data set, not a link to another file. Write a copy of the file "
                        "that contains the data set."
                    )
                if not isinstance(content.get(DATA), h5py.Dataset):
                    raise InputError(
                        f"{path}: an HDF5 file of trajectories must have a data set {DATA!r}. Write the data set, or"
                        " name another file."
                    )
                _check(content[DATA], path)
                yield content[DATA]
        except MemoryError:
            raise too_large(path, "chunks") from None
        except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
            raise InputError(
                f"{path}: the file is damaged or incomplete: {error}. Copy or write the file again."
            ) from None


def _check(data: Any, path: Path) -> None:
    """Raise InputError if reading a data set is unsafe, or if the data set is not a table of numbers."""
    names = data.dtype.names or ()
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise InputError(
            f"{path}: the data set {DATA!r} needs the column {missing[0]!r} (got the columns {shown(names)}). Write the"
            " file with this column."
        )
    if data.ndim != 1:
        raise InputError(
            f"{path}: the data set {DATA!r} must have one dimension (got the shape {data.shape}). Write one row for"
            " each sample."
        )
    for name in COLUMNS:
        if data.dtype[name].kind not in "iuf":
            raise InputError(
                f"{path}: column {name} of {DATA} must contain real numbers (got {data.dtype[name]}). Write the"
                " column as numbers."
            )
    require_safe(data, DATA, path)


def _first_attribute(owners: tuple[Any, ...], name: str, path: Path) -> Any:
    """Return the attribute `name` of the first object in `owners` that has this attribute, or None."""
    return next((value for owner in owners if (value := attribute(owner, name, path)) is not None), None)


def _text(value: Any, path: Path) -> str:
    if not isinstance(value, bytes | str):
        raise InputError(
            f"{path}: the attribute wkt_geometry must be text (got {value!r:.40}). Correct or remove the attribute."
        )
    require("walls_bytes", len(value), f"{path}: wkt_geometry", "write simpler outlines")
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

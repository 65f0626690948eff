"""The Pedestrian Dynamics Data Archive's HDF5 files; needs h5py, the extra `hdf5`."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.trajectories.columns import shown
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Label, Rows, checked
from ecs_anim.trajectories.source import TRAJECTORIES, Block, Layout, Pieces, even_pieces, said_rate, spans

MAGIC = b"\x89HDF\r\n\x1a\n"
DATA = "trajectory"  # data set
COLUMNS = ("id", "frame", "x", "y")
AT_ONCE = 8192  # rows
LONGEST, SLOWEST, BUSIEST = 5, 5e6, 20  # processor seconds for small files, bytes a second, seconds to wait for each
PIECE = 512  # rows
METRES = re.compile(r"\b(centi|milli|)met(?:er|re)", re.IGNORECASE)  # in descriptions of columns
NOWHERE = subprocess.DEVNULL
UNITS = {"": "m", "centi": "cm", "milli": "mm"}


# What a damaged file may crash, or keep for ever: reads whatever is read later, so that this process need not find out.
TRIAL = f"""
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, 2 * (int(sys.argv[2]),))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except ImportError:  # not on Windows
    pass
import h5py
with h5py.File(sys.argv[1], "r") as file:
    data = file["{DATA}"]
    said = [list(own.attrs.items()) for own in (file, data)]
    for start in range(0, len(data), {AT_ONCE}):
        data[start : start + {AT_ONCE}]
"""


@dataclass(frozen=True)
class Hdf5Source:
    """A file of the archive. Addresses of pieces are rows."""

    path: Path
    layout: Layout

    @property
    def label(self) -> Label:
        return Label(str(self.path), "row")

    def blocks(self) -> Iterator[Block]:
        """The whole data set, in its order."""
        with _data_set(self.path) as data:
            for start in range(0, len(data), AT_ONCE):
                count = min(AT_ONCE, len(data) - start)
                rows = self._read(data, start, start + count)
                yield Block(even_pieces(start, count, PIECE), rows, np.arange(count) // PIECE)

    def rows(self, pieces: Pieces) -> Iterator[Rows]:
        """What is in these pieces."""
        with _data_set(self.path) as data:
            for start, stop in spans(pieces):
                for first in range(start, stop, AT_ONCE):
                    yield self._read(data, first, min(first + AT_ONCE, stop))

    def _read(self, data: Any, start: int, stop: int) -> Rows:
        table = data[start:stop]
        columns = {role: table[role].astype(np.float64) for role in COLUMNS}
        return checked(columns, np.arange(start + 1, stop + 1), self.label)


def hdf5_source(path: Path, options: ReadOptions) -> Hdf5Source:
    """The source of a file of the archive; no option counts. Raises InputError."""
    _require_sound(path)
    with _data_set(path) as data:
        names = data.dtype.names or ()
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise InputError(f"{path}: {DATA} has no column {missing[0]!r}; its columns are {shown(names)}")
        if data.ndim != 1:
            raise InputError(f"{path}: {DATA} should be one list of rows (its shape is {data.shape})")
        wkt = data.file.attrs.get("wkt_geometry", data.attrs.get("wkt_geometry"))
        rate = said_rate(data.attrs.get("fps", data.file.attrs.get("fps")), f"{path}: fps of {DATA}")
        said = METRES.search(str(data.attrs.get("x", "")))
        unit, note = (UNITS[said[1].lower()], ()) if said else ("m", ("metres: by the archive's definition",))
        walls = ((-np.inf, _text(wkt)),) if wkt is not None else ()
        return Hdf5Source(path, Layout("Pedestrian Dynamics Data Archive HDF5", True, unit, rate, walls, note))


def _require_sound(path: Path) -> None:
    """Read a file in a process of its own first: HDF5's library crashes on some damage. Raises InputError.

    Whatever else is wrong is told by who reads it. A program that has Python within has none to start.
    """
    if not Path(sys.executable or "").name.startswith("python"):
        return
    with opened(path, TRAJECTORIES):
        seconds = LONGEST + int(path.stat().st_size / SLOWEST)
        command = [sys.executable, "-P", "-c", TRIAL, str(path), str(seconds)]
        try:
            ended = subprocess.run(
                command, stdin=NOWHERE, stdout=NOWHERE, stderr=NOWHERE, check=False, timeout=BUSIEST * seconds
            ).returncode
        except subprocess.TimeoutExpired:
            ended = -1
    if ended not in (0, 1):  # 1: an exception
        raise InputError(
            f"{path}: damaged: HDF5's library crashes or never ends as it reads it; fetch or write the file anew"
        )


@contextmanager
def _data_set(path: Path) -> Iterator[Any]:
    """The data set of samples. Raises InputError for a damaged file, or where h5py is missing."""
    try:
        import h5py
    except ImportError:
        raise InputError(f"{path}: HDF5 files need h5py; install it: pip install 'ecs-anim[hdf5]'") from None
    with opened(path, TRAJECTORIES) as file:
        try:
            with h5py.File(file.stream, "r") as content:
                if not isinstance(content.get(DATA), h5py.Dataset):
                    raise InputError(f"{path}: an HDF5 file without a data set {DATA!r} is none of the archive's")
                yield content[DATA]
        except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
            raise InputError(f"{path}: damaged or cut short: {error}") from None


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

"""Chunks of a crowd: the parts of a crowd on which systems work. A small workspace stores the poses of a chunk."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, Protocol, TypeVar, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.runtime.clip_table import ClipTables
from ecs_anim.systems.stages import BlockRoom, Stage

Rows = slice | NDArray[np.int32]
Columns = tuple[NDArray[Any], ...]  # columns of a record of `ecs_anim.ecs.records`, or a chunk's rows of each column
Made = TypeVar("Made")
Side = Literal["before", "after"]  # placement relative to another system

# State that a pose system keeps between steps:
# - "nothing": no state.
# - "results": no state for the next pose. Columns keep the results of actors that the CPU stops posing. So hybrid
#   crowds must be posed in each step.
# - "spans": state of the last pose. The next pose continues over `Chunk.dt`, which can span several steps.
# - "steps": state of the last step, so each step must be posed.
Memory = Literal["nothing", "results", "spans", "steps"]
MEMORIES: tuple[Memory, ...] = get_args(Memory)


@dataclass(slots=True)
class Chunk:
    """Actors of one crowd in consecutive rows, and the time step. `chunk_of` also makes chunks of picked rows."""

    rows: Rows  # rows of the columns: a slice, or numbers of picked actors
    actor_count: int
    dt: float  # [s], time step; for actors that are not posed in each step, the time since their last pose
    workspace: "Workspace"
    palette_rows: Rows  # rows of columns that have a row only for each actor that the CPU poses
    skins_alone: bool = False  # only the skin palettes read the model matrices
    _records: list[tuple[Columns, Columns]] = field(default_factory=list)  # records, and the chunk's rows of each

    @property
    def is_picked(self) -> bool:
        """True if systems get copies of rows. `publish` copies the rows back."""
        return False

    @property
    def _end(self) -> int:
        """The index of the chunk's last row, plus 1."""
        assert isinstance(self.rows, slice)
        return int(self.rows.stop)

    def read(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the chunk's rows of a column, C-contiguous. The rows can be a copy.

        Raises IndexError for a column with too few rows.
        """
        part = column[self.rows]
        if len(part) != self.actor_count:
            raise IndexError(f"a column must have at least {self._end} rows (got {len(column)})")
        return part

    def read_all(self, record: Columns) -> Columns:
        """Return the chunk's rows of each column of a record as a plain tuple, the argument type of kernels."""
        for own, part in self._records:
            if own is record:
                return part
        if len(record[0]) < self._end:
            name = type(record).__name__
            raise IndexError(f"{name} must have at least {self._end} rows (got {len(record[0])})")
        part = tuple([column[self.rows] for column in record])
        self._records.append((record, part))  # for other systems
        return part

    def write(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the chunk's rows of a column for writing. After the system has run, the column has the new values."""
        return self.read(column)

    def write_all(self, record: Columns) -> Columns:
        """Return the chunk's rows of each column of a record for writing, as `write` does for one column."""
        return self.read_all(record)

    def palette_row_numbers(self) -> NDArray[np.int32]:
        """Return the indices of the chunk's palette rows."""
        rows = self.palette_rows
        return _numbers(rows.start, rows.stop) if isinstance(rows, slice) else rows

    def publish(self) -> None:
        """Copy written rows back to their columns.

        The caller is the code that runs the systems: after each system, or after stages that ran together.
        """


@dataclass(slots=True)
class PickedChunk(Chunk):
    """Actors of one crowd that are picked by row number. Systems work on copies of the rows."""

    _picked: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)  # columns, and copies of their rows
    _written: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)  # the written ones

    @property
    def is_picked(self) -> bool:
        """True if systems get copies of rows. `publish` copies the rows back."""
        return True

    def read(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of the chunk's rows of a column. All systems share the copy until `publish`."""
        for own, part in self._picked:
            if own is column:
                return part
        part = column.take(cast("NDArray[np.int32]", self.rows), axis=0)  # takes a fifth of the time of column[rows]
        self._picked.append((column, part))
        return part

    def read_all(self, record: Columns) -> Columns:
        """Return copies of the chunk's rows of each column of a record."""
        return tuple([self.read(column) for column in record])

    def write(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of the chunk's rows of a column. `publish` copies the rows back to the column."""
        part = self.read(column)
        if not any(own is column for own, _ in self._written):
            self._written.append((column, part))
        return part

    def write_all(self, record: Columns) -> Columns:
        """Return copies of the chunk's rows of each column of a record. `publish` copies the rows back."""
        return tuple([self.write(column) for column in record])

    def publish(self) -> None:
        """Copy the rows that systems have written back to their columns."""
        for column, part in self._written:
            column[self.rows] = part
        self._written.clear()
        self._picked.clear()


def chunk_of(
    rows: Rows, actor_count: int, dt: float, workspace: "Workspace", palette_rows: Rows, skins_alone: bool = False
) -> Chunk:
    """Return the chunk of `rows`. The fields of `Chunk` describe the arguments."""
    kind = Chunk if isinstance(rows, slice) else PickedChunk
    return kind(rows, actor_count, dt, workspace, palette_rows, skins_alone)


@lru_cache(maxsize=64)
def _numbers(start: int, stop: int) -> NDArray[np.int32]:
    """Return the row numbers from `start` up to, but not including, `stop`. The result is cached for later steps."""
    numbers = np.arange(start, stop, dtype=np.int32)
    numbers.flags.writeable = False
    return numbers


class ChunkSystem(Protocol):
    """A system that runs on one chunk at a time. A chunk system uses no rows of other chunks.

    Therefore, chunks can run in any order and on any thread. A chunk system has the method `run` or the method
    `stages`.
    """

    @property
    def name(self) -> str:
        """The name of the system in reports, and in the placement of other systems."""

    @property
    def components(self) -> tuple[type, ...]:
        """The component types that a crowd must have. The schedule skips the system for all other crowds."""


class RunSystem(ChunkSystem, Protocol):
    """A chunk system that runs on the whole chunk."""

    def run(self, chunk: Chunk, *components: Any, **none: Any) -> None:
        """Run the system on the chunk. The components are positional arguments in the order of `components`.

        The protocol also has keyword arguments. Therefore, the method of a system can name its component arguments.
        """


class StageSystem(ChunkSystem, Protocol):
    """A chunk system of compiled stages. The stages of several systems run together on blocks of actors."""

    def stages(self, chunk: Chunk, *components: Any, **none: Any) -> Sequence[Stage]:
        """Return the stages for the chunk, or an empty list. `RunSystem.run` describes the arguments."""


def memory_of(system: object) -> Memory:
    """Return the kind of memory that a system declares. The default is "steps", the most general kind."""
    return getattr(system, "remembers", "steps")


def unwanted_by(system: object) -> tuple[type, ...]:
    """Return the component types that exclude a crowd: the system does not run for a crowd with one of them."""
    return getattr(system, "unless", ())


class SkippingSystem(Protocol):
    """A chunk system that can take many steps at once, if its result is a function of time.

    The result must be bit-identical to the result of single steps.
    """

    def can_skip(self, *components: Any, **none: Any) -> bool:
        """Return whether the system can skip steps of a crowd from its current state.

        While steps are skipped, no other system changes the state of the system.
        """

    def skip(self, chunk: Chunk, steps: int, *components: Any, **none: Any) -> None:
        """Advance the system by `steps` steps of `chunk.dt` at once. The chunk has no poses."""


class WorldSystem(Protocol):
    """A system that runs on the whole world, before or after the chunks."""

    @property
    def name(self) -> str:
        """The name of the system in reports.

        Users also give this name to place other systems before or after the system.
        """

    def run(self, world: World, dt: float) -> None:
        """Run the system, once in each step."""


class SkippingWorldSystem(Protocol):
    """A world system that can report steps in which the system has no effect."""

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return the number of next steps that do not need this system. `ends` are the steps' end times [s]."""


class Forgetful:
    """A world system that never prevents skipping.

    Such a system meets one of two conditions. Either its results matter only in the step that computes them, or it
    affects only crowds with another system that prevents skipping.
    """

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return the number of all steps."""
        return len(ends)


class FunctionOfTime:
    """A chunk system that does nothing in skipped steps.

    The first step after the skipped steps computes the result from the time.
    """

    def skip(self, chunk: Chunk, steps: int, *components: object) -> None:
        """Do nothing."""


class Workspace:
    """Memory for the local poses and the model matrices of a chunk.

    Each thread uses one small workspace for all chunks.
    """

    def __init__(self) -> None:
        self.blocks = BlockRoom()
        self._pose = np.empty(0, np.float32)
        self.pose: NDArray[np.float32]  # [chunk, row_width] f32, rows of the crowd's PoseLayout
        self._scratch: dict[str, NDArray[np.float32]] = {}
        self._kept: dict[tuple[object, ...], Any] = {}

    @property
    def model(self) -> NDArray[np.float32]:
        """The model matrices [>= chunk, joint_count, 12] f32, for systems that run on the whole chunk."""
        return self.blocks.model

    def fit(self, chunk_size: int, tables: ClipTables) -> None:
        """Give the arrays the shapes for a crowd. The memory grows only if no earlier crowd needed as much."""
        row_width = tables.layout.row_width
        self._pose = _at_least(self._pose, chunk_size * row_width)
        self.pose = self._pose[: chunk_size * row_width].reshape(chunk_size, row_width)

    def scratch(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Return an f32 array of this shape for one system.

        The array has old values, and the next chunk can use its memory.
        """
        size = math.prod(shape)
        memory = self._scratch[name] = _at_least(self._scratch.get(name, self._pose[:0]), size)
        return memory[:size].reshape(shape)

    def kept(self, make: Callable[..., Made], *sizes: int) -> Made:
        """Return the memory from `make(*sizes)`. Each thread calls `make` once, and stages overwrite the memory."""
        key = make, *sizes
        if key not in self._kept:
            self._kept[key] = make(*sizes)
        made: Made = self._kept[key]
        return made


def _at_least(memory: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    return memory if len(memory) >= size else np.empty(size, np.float32)

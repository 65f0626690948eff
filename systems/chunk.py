"""Chunks of a crowd, and the small workspace in which a chunk's poses live."""

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
Columns = tuple[NDArray[Any], ...]  # of a record of `ecs_anim.ecs.records`, or a chunk's part of them, in its order
Made = TypeVar("Made")
Side = Literal["before", "after"]  # of another system

# State that a pose system keeps between steps:
# - "nothing": no state.
# - "results": no state for the next pose. Columns keep the results of actors that the CPU stops posing, so the poses of
#   hybrid crowds cannot be left out in any step.
# - "spans": state of the last pose; the next pose continues over `Chunk.dt`, which can span several steps.
# - "steps": state of the last step, so every step must be posed.
Memory = Literal["nothing", "results", "spans", "steps"]
MEMORIES: tuple[Memory, ...] = get_args(Memory)


@dataclass(slots=True)
class Chunk:
    """Neighbouring actors of one crowd, and the time step. `chunk_of` makes chunks of any rows."""

    rows: Rows  # of every column; actors that the CPU poses alone are picked by number
    actor_count: int
    dt: float  # [s]; where far actors are posed less often, of poses the time since the one before
    workspace: "Workspace"
    palette_rows: Rows  # of what has a row for each actor that the CPU poses; no slice = the rows themselves
    skins_alone: bool = False  # model matrices serve skin palettes alone
    _records: list[tuple[Columns, Columns]] = field(default_factory=list)  # records, and the chunk's part of each

    @property
    def is_picked(self) -> bool:
        """Whether systems get copies of rows, which `publish` copies back."""
        return False

    @property
    def _end(self) -> int:
        """The row behind the chunk's last one."""
        assert isinstance(self.rows, slice)
        return int(self.rows.stop)

    def read(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the chunk's rows of a column, C-contiguous. They can be a copy.

        Raises IndexError for a column with too few rows.
        """
        part = column[self.rows]
        if len(part) != self.actor_count:
            raise IndexError(f"a column must have rows for {self._end} actors or more (got {len(column)})")
        return part

    def read_all(self, record: Columns) -> Columns:
        """Return the chunk's rows of each column of a record, as `read` does: a plain tuple, as kernels take it."""
        for own, part in self._records:
            if own is record:
                return part
        if len(record[0]) < self._end:
            name = type(record).__name__
            raise IndexError(f"{name} must have rows for {self._end} actors or more (got {len(record[0])})")
        part = tuple([column[self.rows] for column in record])
        self._records.append((record, part))  # for other systems
        return part

    def write(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the chunk's rows of a column for writing. The column has the new values once the system has run."""
        return self.read(column)

    def write_all(self, record: Columns) -> Columns:
        """Return the chunk's rows of each column of a record for writing, as `write` does for one column."""
        return self.read_all(record)

    def palette_row_numbers(self) -> NDArray[np.int32]:
        """Return the chunk's palette rows one by one."""
        rows = self.palette_rows
        return _numbers(rows.start, rows.stop) if isinstance(rows, slice) else rows

    def publish(self) -> None:
        """Copy written rows back to their columns: called after each system, or after stages that ran together."""


@dataclass(slots=True)
class PickedChunk(Chunk):
    """Actors of one crowd that are picked by number: systems work on copies of their rows."""

    _picked: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)  # columns, and copies of rows
    _written: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)  # of these, those that are written

    @property
    def is_picked(self) -> bool:
        """Whether systems get copies of rows, which `publish` copies back."""
        return True

    def read(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of the chunk's rows, which all systems share until it is published."""
        for own, part in self._picked:
            if own is column:
                return part
        part = column.take(cast("NDArray[np.int32]", self.rows), axis=0)  # a fifth of column[rows]'s time
        self._picked.append((column, part))
        return part

    def read_all(self, record: Columns) -> Columns:
        """Return copies of the chunk's rows of each column of a record."""
        return tuple([self.read(column) for column in record])

    def write(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of the chunk's rows, which `publish` copies back."""
        part = self.read(column)
        if not any(own is column for own, _ in self._written):
            self._written.append((column, part))
        return part

    def write_all(self, record: Columns) -> Columns:
        """Return copies of the chunk's rows of each column of a record, which `publish` copies back."""
        return tuple([self.write(column) for column in record])

    def publish(self) -> None:
        """Copy written rows back to their columns."""
        for column, part in self._written:
            column[self.rows] = part
        self._written.clear()
        self._picked.clear()


def chunk_of(
    rows: Rows, actor_count: int, dt: float, workspace: "Workspace", palette_rows: Rows, skins_alone: bool = False
) -> Chunk:
    """Return the chunk of these rows: see `Chunk` for the arguments."""
    kind = Chunk if isinstance(rows, slice) else PickedChunk
    return kind(rows, actor_count, dt, workspace, palette_rows, skins_alone)


@lru_cache(maxsize=64)
def _numbers(start: int, stop: int) -> NDArray[np.int32]:
    """The row numbers of a slice; crowds have the same chunks in each step."""
    numbers = np.arange(start, stop, dtype=np.int32)
    numbers.flags.writeable = False
    return numbers


class ChunkSystem(Protocol):
    """Behaviour of one chunk; it touches no other chunk's rows, so chunks run in any order and on any thread.

    A system has `run`, or `stages`: see `StageSystem`.
    """

    @property
    def name(self) -> str:
        """How reports and places call it."""

    @property
    def components(self) -> tuple[type, ...]:
        """A crowd without all of these is passed over."""


class RunSystem(ChunkSystem, Protocol):
    """A chunk system that runs on the whole chunk."""

    def run(self, chunk: Chunk, *components: Any, **none: Any) -> None:
        """Advance the chunk; the components come in the declared order, and by no names.

        A signature of both kinds lets a system declare which components it takes.
        """


class StageSystem(ChunkSystem, Protocol):
    """A chunk system of compiled stages, which blocks of the chunk's actors go through with the stages of others."""

    def stages(self, chunk: Chunk, *components: Any, **none: Any) -> Sequence[Stage]:
        """Bind the stages to the chunk; empty if there is nothing to do. Components are passed as to `run`."""


def memory_of(system: object) -> Memory:
    """Return the memory that a system declares; default: "steps", the most general."""
    return getattr(system, "remembers", "steps")


def unwanted_by(system: object) -> tuple[type, ...]:
    """Components whose crowds a system leaves to another one."""
    return getattr(system, "unless", ())


class SkippingSystem(Protocol):
    """A chunk system that can take many steps at once, to the bit, while what it does is a function of time."""

    def can_skip(self, *components: Any, **none: Any) -> bool:
        """Whether that is so from where a whole crowd now stands, as long as no other system changes it."""

    def skip(self, chunk: Chunk, steps: int, *components: Any, **none: Any) -> None:
        """Take so many steps of `chunk.dt`; there are no poses."""


class WorldSystem(Protocol):
    """Behaviour of the world as a whole, before or after the chunks."""

    @property
    def name(self) -> str:
        """How reports and places call it."""

    def run(self, world: World, dt: float) -> None:
        """Act once a step."""


class SkippingWorldSystem(Protocol):
    """A world system that knows when it has nothing to do."""

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """How many of the coming steps, which end at these times [s], leave the world the same without it."""


class Forgetful:
    """A world system whose work in a step matters in that step alone, or that runs only where others hold each step."""

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return all steps."""
        return len(ends)


class FunctionOfTime:
    """A chunk system that needs nothing of skipped steps: while it can skip, the step after them gives the result."""

    def skip(self, chunk: Chunk, steps: int, *components: object) -> None:
        """Do nothing."""


class Workspace:
    """Local poses and model matrices of the chunk at hand: one a thread, re-used, small enough for the cache."""

    def __init__(self) -> None:
        self.blocks = BlockRoom()
        self._pose = np.empty(0, np.float32)
        self.pose: NDArray[np.float32]  # [chunk, row_width] f32, rows of the crowd's PoseLayout
        self._scratch: dict[str, NDArray[np.float32]] = {}
        self._kept: dict[tuple[object, ...], Any] = {}

    @property
    def model(self) -> NDArray[np.float32]:
        """Model matrices [>= chunk, joint_count, 12] f32, for systems that run on the whole chunk."""
        return self.blocks.model

    def fit(self, chunk_size: int, tables: ClipTables) -> None:
        """Shape the arrays for a crowd; memory grows only when a crowd needs more than any before."""
        row_width = tables.layout.row_width
        self._pose = _at_least(self._pose, chunk_size * row_width)
        self.pose = self._pose[: chunk_size * row_width].reshape(chunk_size, row_width)

    def scratch(self, name: str, *shape: int) -> NDArray[np.float32]:
        """An array of a system's own, f32 and not cleared, that the next chunk may re-use."""
        size = math.prod(shape)
        memory = self._scratch[name] = _at_least(self._scratch.get(name, self._pose[:0]), size)
        return memory[:size].reshape(shape)

    def kept(self, make: Callable[..., Made], *sizes: int) -> Made:
        """Return the memory that a function makes of sizes. Each thread makes it once, and stages overwrite it."""
        key = make, *sizes
        if key not in self._kept:
            self._kept[key] = make(*sizes)
        made: Made = self._kept[key]
        return made


def _at_least(memory: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    return memory if len(memory) >= size else np.empty(size, np.float32)

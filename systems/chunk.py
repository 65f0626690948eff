"""Chunks: the parts of a crowd that systems process one after the other.

The working memory of a thread contains the poses of only one chunk, so that the poses stay in the CPU's caches.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, Protocol, TypeVar, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.runtime.clip_table import ClipTables
from ecs_anim.systems.stages import BlockRoom, Stage, StageMemories

Rows = slice | NDArray[np.int32]
# columns of a record of `ecs_anim.ecs.records`, or the rows of these columns in a chunk
Columns = tuple[NDArray[Any], ...]
Made = TypeVar("Made")
Side = Literal["before", "after"]  # position relative to another system

# State that a pose system keeps between steps:
# - "nothing": no state.
# - "results": no state for the next pose, but the columns keep the results of the last pose. If an actor of a hybrid
#   crowd stops being a near actor, these results stay in its row. Therefore, a hybrid crowd needs poses in each step.
# - "spans": state of the last pose. The next pose continues from this state over `Chunk.dt` seconds, which can be
#   several steps.
# - "steps": state of the last step. Therefore, the crowd needs poses in each step.
Memory = Literal["nothing", "results", "spans", "steps"]
MEMORIES: tuple[Memory, ...] = get_args(Memory)

MOST_KEPT = 24  # number of records, and number of columns, that a chunk keeps


@dataclass(slots=True)
class Chunk:
    """Actors of one crowd in consecutive rows, with the time step.

    The schedule keeps a chunk for the next step while the crowd has the same components and the same number of actors.
    A kept chunk returns the same arrays and the same tuples in each step, so that its stages are prepared only once.

    The function `chunk_of` also returns chunks of separate rows.
    """

    rows: Rows  # rows in the columns: a slice, or an array of row numbers
    actor_count: int
    dt: float  # [s], time step; with update rates, the time since the last pose of the actors
    workspace: "Workspace"
    palette_rows: Rows  # rows in columns that contain only actors whose poses the CPU computes
    skins_alone: bool = False  # true = only the skin palettes read the model matrices
    memories: StageMemories | None = None  # memories for the arguments of stages; None = the memories of the thread
    # records, and the rows of these records in the chunk
    _records: list[tuple[Columns, Columns]] = field(default_factory=list)
    # columns, and the rows of these columns in the chunk
    _columns: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)
    # working memory of systems, and the part of this memory for the chunk
    _scratch: dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]] = field(default_factory=dict)

    def begin(self, dt: float, workspace: "Workspace", tables: ClipTables, skins_alone: bool) -> None:
        """Begin a step in the working memory of a thread."""
        if dt != self.dt:  # keeps the number object of the previous step, so that stages find equal arguments
            self.dt = dt
        self.workspace, self.skins_alone = workspace, skins_alone
        workspace.pose = self.scratch("pose", self.actor_count, tables.layout.row_width)
        workspace.blocks.begin(self.actor_count, tables.layout.skeleton.joint_count, self.memories)

    def scratch(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Return an f32 array with the given shape for one system.

        The returned array contains old values. The next chunk can use the same memory.
        """
        memory, part = self._scratch.get(name, (None, None))
        if part is None or part.shape != shape or memory is not self.workspace.memories.get(name):
            size = math.prod(shape)
            memory = self.workspace.memory(name, size)
            part = memory[:size].reshape(shape)
            self._scratch[name] = memory, part
        return part

    @property
    def is_picked(self) -> bool:
        """True if systems get copies of the rows.

        If systems get copies, the method `publish` copies the rows back to their columns.
        """
        return False

    @property
    def _end(self) -> int:
        """The index of the chunk's last row, plus 1."""
        assert isinstance(self.rows, slice)
        return int(self.rows.stop)

    def read(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the rows of a column in the chunk, as a C-contiguous array. The returned array can be a copy.

        Raises IndexError if the column has too few rows.
        """
        for own, part in self._columns:
            if own is column:
                return part
        part = column[self.rows]
        if len(part) != self.actor_count:
            raise IndexError(
                f"a column must have at least {self._end} rows, up to the end of this chunk (got {len(column)}"
                " rows). Use a column of the same crowd."
            )
        if len(self._columns) == MOST_KEPT:
            self._columns.clear()
        self._columns.append((column, part))  # kept for other systems, and for the next steps
        return part

    def read_all(self, record: Columns) -> Columns:
        """Return the rows of each column of a record in the chunk, as a plain tuple, which kernels take."""
        for own, part in self._records:
            if own is record:
                return part
        if len(record[0]) < self._end:
            name = type(record).__name__
            raise IndexError(
                f"{name} must have at least {self._end} rows, up to the end of this chunk (got {len(record[0])} rows)"
            )
        if len(self._records) == MOST_KEPT:
            self._records.clear()
        part = tuple([column[self.rows] for column in record])
        self._records.append((record, part))  # kept for other systems, and for the next steps
        return part

    def write(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the rows of a column in the chunk for writing.

        When the system has run, the column contains the new values.
        """
        return self.read(column)

    def write_all(self, record: Columns) -> Columns:
        """Return the rows of each column of a record in the chunk for writing, as `write` does for a column."""
        return self.read_all(record)

    def palette_row_numbers(self) -> NDArray[np.int32]:
        """Return the indices of the palette rows in the chunk."""
        rows = self.palette_rows
        return _numbers(rows.start, rows.stop) if isinstance(rows, slice) else rows

    def publish(self) -> None:
        """Copy the written rows back to their columns.

        The code that runs the systems calls this method: after each system, or after a group of stages.
        """


@dataclass(slots=True)
class PickedChunk(Chunk):
    """Actors of one crowd in separate rows. Systems work on copies of the rows."""

    # columns, and the copies of their rows
    _picked: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)
    # the columns and copies that systems have written
    _written: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)

    @property
    def is_picked(self) -> bool:
        """Always true, because systems get copies of the rows.

        The method `publish` copies the rows back to their columns.
        """
        return True

    def read(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of a column's rows in the chunk. All systems use the same copy until `publish` is called."""
        for own, part in self._picked:
            if own is column:
                return part
        part = column.take(cast("NDArray[np.int32]", self.rows), axis=0)  # five times as fast as column[rows]
        self._picked.append((column, part))
        return part

    def read_all(self, record: Columns) -> Columns:
        """Return copies of the rows of each column of a record in the chunk."""
        return tuple([self.read(column) for column in record])

    def write(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of a column's rows in the chunk for writing.

        The method `publish` copies the rows back to the column.
        """
        part = self.read(column)
        if not any(own is column for own, _ in self._written):
            self._written.append((column, part))
        return part

    def write_all(self, record: Columns) -> Columns:
        """Return copies of the rows of each column of a record in the chunk for writing.

        The method `publish` copies the rows back to their columns.
        """
        return tuple([self.write(column) for column in record])

    def publish(self) -> None:
        """Copy each row that a system has written from the chunk to the column of the crowd."""
        for column, part in self._written:
            column[self.rows] = part
        self._written.clear()
        self._picked.clear()


def chunk_of(rows: Rows, actor_count: int, dt: float, workspace: "Workspace", palette_rows: Rows) -> Chunk:
    """Return the chunk with the rows `rows`. The fields of `Chunk` describe the arguments."""
    kind = Chunk if isinstance(rows, slice) else PickedChunk
    return kind(rows, actor_count, dt, workspace, palette_rows)


@lru_cache(maxsize=64)
def _numbers(start: int, stop: int) -> NDArray[np.int32]:
    """Return the row numbers from `start` to `stop` - 1. The result is cached for later steps."""
    numbers = np.arange(start, stop, dtype=np.int32)
    numbers.flags.writeable = False
    return numbers


class ChunkSystem(Protocol):
    """A system that runs on one chunk after the other. A chunk system uses no rows of other chunks.

    Therefore, chunks can run in any order and on any thread. A chunk system has either a method `run` or a method
    `stages`.
    """

    @property
    def name(self) -> str:
        """The name of the system in reports.

        The placement of a user's system refers to this name: the user's system can run before or after this system.
        """

    @property
    def components(self) -> tuple[type, ...]:
        """The types of components that the system requires.

        If a crowd lacks a component of one of the returned types, the system does not run for this crowd.
        """


class RunSystem(ChunkSystem, Protocol):
    """A chunk system that processes the whole chunk in one call."""

    def run(self, chunk: Chunk, *components: Any, **none: Any) -> None:
        """Run the system on the chunk.

        The components are positional arguments, in the order of the property `components`.

        The keyword arguments of the protocol have no use at run time. The keyword arguments allow a system to give its
        own names to the component arguments.
        """


class StageSystem(ChunkSystem, Protocol):
    """A chunk system that consists of compiled stages.

    The stages of several systems run together on blocks of actors.
    """

    def stages(self, chunk: Chunk, *components: Any, **none: Any) -> Sequence[Stage]:
        """Return the stages for the chunk.

        The returned sequence of stages can be empty. The docstring of `RunSystem.run` describes the arguments.
        """


def memory_of(system: object) -> Memory:
    """Return the kind of memory that a system declares.

    If the system declares no kind of memory, return "steps", which is always safe.
    """
    return getattr(system, "remembers", "steps")


def unwanted_by(system: object) -> tuple[type, ...]:
    """Return the types of components that exclude a crowd.

    The system does not run for a crowd that has a component of one of the returned types.
    """
    return getattr(system, "unless", ())


class SkippingSystem(Protocol):
    """A chunk system that can take many steps in one call, because its result depends only on the time.

    The result must be bit-identical to the result of single steps.
    """

    def can_skip(self, *components: Any, **none: Any) -> bool:
        """Return whether the system can skip steps of a crowd in its current state.

        While steps are skipped, no other system changes the state of the crowd.
        """

    def skip(self, chunk: Chunk, steps: int, *components: Any, **none: Any) -> None:
        """Advance the system by `steps` steps of `chunk.dt` seconds in one call.

        While steps are skipped, the chunk has no poses.
        """


class WorldSystem(Protocol):
    """A system that runs on the whole world, before or after all chunk systems."""

    @property
    def name(self) -> str:
        """The name of the system in reports.

        The placement of a user's system refers to this name: the user's system can run before or after this system.
        """

    def run(self, world: World, dt: float) -> None:
        """Run the system. The schedule calls this method once in each step."""


class SkippingWorldSystem(Protocol):
    """A world system that can report future steps in which it has no effect."""

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return the number of next steps in which the system has no effect.

        `ends` contains the end time [s] of each step.
        """


class Forgetful:
    """A world system that never prevents a skip of steps.

    A world system is forgetful under one of two conditions. The first condition: the results of the system are used
    only in the step that computes them. The second condition: each crowd that the system changes also has another
    system that prevents a skip.
    """

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return the number of steps in `ends`."""
        return len(ends)


class FunctionOfTime:
    """A chunk system that does nothing in skipped steps.

    In the first step after the skipped steps, the system computes its result from the time.
    """

    def skip(self, chunk: Chunk, steps: int, *components: object) -> None:
        """Do nothing, because skipped steps do not change the result."""


class Workspace:
    """Working memory for the local poses and the model matrices of one chunk.

    Each thread uses one workspace for all chunks.
    """

    def __init__(self) -> None:
        self.blocks = BlockRoom()
        self.pose: NDArray[np.float32]  # [chunk, row_width] f32, pose rows in the crowd's PoseLayout
        self.memories: dict[str, NDArray[np.float32]] = {}  # working memory, by the name in `Chunk.scratch`
        self._kept: dict[tuple[object, ...], Any] = {}

    @property
    def model(self) -> NDArray[np.float32]:
        """The model matrices [>= chunk, joint_count, 12] f32, for systems that process the whole chunk."""
        return self.blocks.model

    def memory(self, name: str, size: int) -> NDArray[np.float32]:
        """Return an array with at least `size` numbers.

        The memory grows only if a chunk needs more memory than all previous chunks.
        """
        memory = self.memories.get(name)
        if memory is None or len(memory) < size:
            memory = self.memories[name] = np.empty(size, np.float32)
        return memory

    def kept(self, make: Callable[..., Made], *sizes: int) -> Made:
        """Return the result of `make(*sizes)`, which is working memory for stages.

        For equal arguments, each thread calls `make` only once. Stages overwrite the memory.
        """
        key = make, *sizes
        if key not in self._kept:
            self._kept[key] = make(*sizes)
        made: Made = self._kept[key]
        return made

"""Stages: compiled functions that change the poses of a chunk, and their working memory.

A chunk system has either a method `run`, or a method that returns stages.

A stage processes blocks of up to 128 actors. Consecutive stages run block by block: all stages on the first block, then
all stages on the next block. Therefore, the matrices of a block stay in a fast cache. Systems without stages process
the whole chunk. A system without stages can also run between stages.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.kernels.frames import read_models, write_models
from ecs_anim.kernels.stages import (
    BLOCK,
    EIGHT,
    Blocks,
    StageKernel,
    StageMemory,
    in_order,
    list_by_kind,
    mark_kind,
    run_blocks,
)
from ecs_anim.runtime.clip_table import PoseLayout

MATRIX = 12  # numbers in a 3 x 4 matrix


class Stage(NamedTuple):
    """A compiled function, and its arguments for one chunk."""

    kernel: StageKernel
    arguments: tuple[Any, ...]  # fields of the kernel's record, without the blocks
    actors: NDArray[np.bool_] | None = None  # [chunk], true = the stage applies to the actor; None = all actors
    moves_fixed: bool = False  # true = the stage moves joints that no clip moves


class StageMemories:
    """The memories in which the stages of a chunk find their arguments.

    In each step, the n-th run of stages uses the n-th memory.
    """

    def __init__(self) -> None:
        self._memories: list[StageMemory] = []
        self._used = 0  # number of runs in this step

    def begin(self) -> None:
        """Begin a step."""
        self._used = 0

    def take(self) -> StageMemory:
        """Return the memory of the next run."""
        self._used += 1
        if self._used > len(self._memories):
            self._memories.append(StageMemory())
        return self._memories[self._used - 1]


class BlockRoom:
    """The memory of one thread for the model matrices of one block, or of all blocks in a chunk.

    The matrices are stored in groups of eight actors.
    """

    def __init__(self) -> None:
        # [groups of eight actors, (joint + 1) x 12 x 8], matrices side by side
        self.frames = np.empty((0, 0), np.float32)
        self.when_asked: Callable[[], None] | None = None  # runs the waiting stages before `model` is returned
        self._own_memories = self._memories = StageMemories()
        self._kinds = np.empty(0, np.int64)  # [>= chunk], kinds of the actors
        self._slots = np.empty(0, np.int64)  # [>= slot], rows of the actors in the order of their kinds
        self._sorted = _read_only(self._slots)
        self._model = np.empty((0, 0, MATRIX), np.float32)
        # rows of the chunk in the order of the groups; None = the groups are not kept
        self._rows: NDArray[np.int64] | None = None
        self._is_shown = False  # true = `model` was returned since the last stage
        self._count = self._joint_count = 0  # number of actors in the chunk, and number of their joints

    def begin(self, actor_count: int, joint_count: int, memories: StageMemories | None = None) -> None:
        """Prepare the memory for a chunk. `memories` are the chunk's own memories for the arguments of stages."""
        self._memories = memories or self._own_memories
        self._memories.begin()
        self._count, self._joint_count = actor_count, joint_count
        self._is_shown, self._rows = False, None

    def hold(self, model: NDArray[np.float32]) -> None:
        """Prepare the memory for a chunk with existing model matrices [chunk, joint, 12]."""
        self.begin(*model.shape[:2])
        self._model, self._is_shown = model, True
        self._rows, _ = in_order(len(model))

    @property
    def model(self) -> NDArray[np.float32]:
        """The model matrices of the chunk, one actor after the other, [>= chunk, joint, 12].

        A system can write values into the returned array.

        If a system has written values, the next stages use these values.
        """
        if self.when_asked:
            self.when_asked()
        if self._rows is not None and not self._is_shown:
            if self._model.shape[1] != self._joint_count or len(self._model) < self._count:
                self._model = np.empty((self._count, self._joint_count, MATRIX), np.float32)
            write_models(self.frames, self._rows, self._model)
            self._is_shown = True
        return self._model

    def run(self, stages: Sequence[Stage], *, keeps: bool = False) -> NDArray[np.int64]:
        """Run stages on the chunk, and return the CPU cycles of each stage.

        If `keeps` is true, store the matrices of all blocks for `model` and for further stages.
        """
        rows, lists, slot_count, conditions = self._sort(stages)
        apart = keeps or self._rows is not None
        self._fit_frames(slot_count if apart else BLOCK)
        if self._rows is not None:
            self._arrange(self._rows, rows[:slot_count])
        blocks = Blocks(self.frames, rows, apart or any(own.moves_fixed for own in stages))
        bound = [(own.kernel, (blocks, *own.arguments)) for own in stages]
        cycles = run_blocks(bound, conditions, lists, self._memories.take(), apart=apart)
        self._rows, self._is_shown = rows[:slot_count].copy() if apart else None, False
        return cycles

    def _sort(self, stages: Sequence[Stage]) -> tuple[NDArray[np.int64], NDArray[np.int64], int, list[int]]:
        """Sort the actors by the stages that run for them.

        Return the rows of the actors, the lists of `list_by_kind`, the number of slots, and the condition of each
        stage. The condition is a unique bit if the stage runs only for some actors. Otherwise, the condition is 0.
        """
        conditions, bit = [], 1
        if len(self._kinds) < self._count:
            self._kinds = np.zeros(self._count, np.int64)
        for own in stages:
            conditions.append(0 if own.actors is None else bit)
            if own.actors is not None:
                mark_kind(own.actors, bit, self._kinds)
                bit *= 2
        if bit == 1:
            rows, lists = in_order(self._count)
            return rows, lists, len(rows), conditions
        most = self._count + EIGHT * min(self._count, bit)  # `bit` kinds of actors are possible
        if len(self._slots) < most:
            self._slots = np.empty(most, np.int64)
            self._sorted = _read_only(self._slots)
        lists = list_by_kind(self._kinds[: self._count], self._slots)
        slot_count = -(-int(lists[-1, 2]) // EIGHT) * EIGHT if len(lists) else 0
        return self._sorted, lists, slot_count, conditions

    def _fit_frames(self, slots: int) -> None:
        shape = slots // EIGHT, (self._joint_count + 1) * MATRIX * EIGHT
        if self.frames.shape[1] != shape[1] or len(self.frames) < shape[0]:
            shown = self.model if self._rows is not None else None  # keep the current matrices of the chunk
            self._is_shown = shown is not None
            self.frames = np.empty(shape, np.float32)

    def _arrange(self, before: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Copy the model matrices of the chunk into groups of eight, in the order `rows`.

        The method copies only if `rows` is new, or if a system can have changed `model`.
        """
        if self._is_shown or not np.array_equal(rows, before):
            read_models(self.model, rows, self.frames)


def _read_only(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    view = rows.view()
    view.flags.writeable = False
    return view


def moves_fixed(layout: PoseLayout, *moved: NDArray[np.int32]) -> bool:
    """Return whether a stage moves a joint that no clip moves. `moved` contains the joints that the stage moves."""
    return any(map(layout.includes_fixed, moved))

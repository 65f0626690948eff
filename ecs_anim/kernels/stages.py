"""Stages: compiled steps of the pose pipeline. A block of up to 128 actors goes through all stages in order, while its
joint matrices are in the CPU's cache. A stage is a function with a named tuple of arguments. Each call processes one
block. `run_blocks` calls the stages through their addresses, so each stage is compiled only once for any combination of
stages.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from operator import is_
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ecs_anim.kernels import Kernel, entry, inlined, kernel
from ecs_anim.kernels.columns import declared, named, placed_like, plain_types
from ecs_anim.kernels.types import BOOLS, COUNT, FLAG, LONGS, LONGS_2D, OUT_2D, OUT_BYTES, OUT_LONGS, OUT_LONGS_2D, void
from ecs_anim.simd import fence
from ecs_anim.simd.memory import without_counts

ROOM = 8192  # bytes for the arguments of a stage
BYTE, LONG = ir.IntType(8), ir.IntType(64)
# Arguments: address of the stage's arguments; first and end of the block in `rows`; first row of the block in `frames`.
ENTRY = types.void(types.CPointer(types.uint8), types.intp, types.intp, types.intp)


EIGHT = 8  # number of actors side by side
BLOCK = 128  # number of actors whose matrices fit in the second-level cache


class Blocks(NamedTuple):
    """Arguments that all stages of a chunk share. `Blocks` is the first field in the arguments of each stage."""

    frames: OUT_2D  # [eight, (joint + 1) x 3 x 4 x 8] f32: model matrices; a lane is an actor
    rows: LONGS  # [slot], rows of the chunk's actors in the order of blocks; see `list_by_kind`
    anew: FLAG  # whether other stages can have moved joints that no clip moves


BLOCKS: Any = declared(Blocks)


def _reader(kind: types.Type) -> Any:
    """Return the numba intrinsic that reads the arguments of a stage from memory."""

    @intrinsic
    def read(typing, room):
        def generate(context, builder, signature, arguments):
            pointer = builder.bitcast(arguments[0], context.get_data_type(kind).as_pointer())
            return without_counts(context, builder, kind, context.unpack_value(builder, kind, pointer))

        return kind(room), generate

    return read


@intrinsic
def _write(typing, value, room):
    """Write a value to memory. The caller must keep the arrays in the value alive until the value is read."""

    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        own = without_counts(context, builder, kind, arguments[0])
        if context.get_abi_sizeof(context.get_data_type(kind)) > ROOM:
            raise ValueError(
                f"the arguments of a stage take more than {ROOM} bytes. Pass fewer arguments to the stage."
            )
        pointer = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        to = builder.bitcast(pointer, context.get_data_type(kind).as_pointer())
        context.pack_value(builder, kind, own, to)
        return context.get_dummy_value()

    return types.void(value, room), generate


@intrinsic
def _call(typing, address, room, first, end, frame):
    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), LONG, LONG, LONG])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(arguments[1], BYTE.as_pointer()), *arguments[2:]])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5), generate


@intrinsic
def _cycles(typing):
    """Return the value of the processor's cycle counter."""

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(LONG, [])
        counter = builder.module.globals.get("llvm.readcyclecounter")
        counter = counter or ir.Function(builder.module, kind, "llvm.readcyclecounter")
        return builder.call(counter, [])

    return types.int64(), generate


def _entry(room, first, end, frame):
    """Read the arguments of a stage, and run the stage. Each stage has a copy of this function."""
    _stage(_read(room), first, end, frame)  # type: ignore[name-defined]  # noqa: F821


def _bind(values, room):
    """Write the arguments of a stage to `room`, a memory of `ROOM` bytes."""
    _write(values, room)


class StageKernel:
    """A compiled stage. `bind` stores the arguments of the stage, and `run_blocks` calls the stage."""

    def __init__(self, function: Callable[..., None], arguments: type) -> None:
        self.function, self._arguments = function, arguments
        self.__doc__ = function.__doc__
        if config.DISABLE_JIT:
            return
        fields, read = list(arguments.__annotations__.values()), _reader(declared(arguments))
        self._entry = entry(ENTRY, placed_like(function, _entry, "_entry", _stage=inlined(function), _read=read))
        taken = void(types.BaseTuple.from_types(plain_types(fields), tuple), OUT_BYTES)
        self._keep: Kernel = kernel(taken)(placed_like(function, _bind, "_bind"))

    def run_plain(self, arguments: tuple[Any, ...], first: int, end: int, frame: int) -> None:
        """Run the stage for a block as a Python function, without compilation."""
        kinds = self._arguments.__annotations__.values()
        self.function(self._arguments(*named(arguments, kinds)), first, end, frame)

    @cached_property
    def address(self) -> int:
        """Return the address of the compiled stage. The first access compiles the stage."""
        return int(self._entry.compiled().address)

    @cached_property
    def bind(self) -> Callable[[tuple[Any, ...], NDArray[np.uint8]], None]:
        """Return the compiled function that writes a plain tuple of arguments to memory (`_bind`)."""
        compiled: Callable[..., None] = self._keep.compiled()
        return compiled


def stage(arguments: type) -> Callable[[Callable[..., None]], StageKernel]:
    """Return the decorator that makes a stage from a function. The annotations of the named tuple `arguments` are numba
    types, the first of them `BLOCKS`.
    """
    return lambda function: StageKernel(function, arguments)


class StageMemory:
    """The memory in which stages that run together find their arguments. The class writes the arguments of a stage only
    if one of them is a different object than in the previous call.
    """

    def __init__(self) -> None:
        self._rooms: list[NDArray[np.uint8]] = []
        self._rows = np.empty((0, 3), np.int64)
        self._written: list[tuple[Any, ...]] = []  # the stages and their arguments, whose arrays stay in memory

    def bound(
        self, stages: Sequence[tuple[StageKernel, tuple[Any, ...]]], conditions: Sequence[int]
    ) -> NDArray[np.int64]:
        """Write the arguments of stages. Return rows [stage, 3]: address, address of the arguments, condition."""
        if len(stages) != len(self._written):
            self._resize(len(stages))
        for number, ((own, arguments), condition) in enumerate(zip(stages, conditions, strict=True)):
            blocks, *others = arguments
            asked, written = (own, condition, *blocks, *others), self._written[number]
            if len(asked) != len(written) or not all(map(is_, asked, written)):
                own.bind(arguments, self._rooms[number])
                self._rows[number] = own.address, self._rooms[number].ctypes.data, condition
                self._written[number] = asked
        return self._rows

    def _resize(self, count: int) -> None:
        self._rooms += [np.empty(ROOM, np.uint8) for _ in range(len(self._rooms), count)]
        self._rows, self._written = np.empty((count, 3), np.int64), [()] * count


def run_blocks(
    stages: Sequence[tuple[StageKernel, tuple[Any, ...]]],
    conditions: Sequence[int],
    lists: NDArray[np.int64],
    memory: StageMemory,
    *,
    apart: bool,
) -> NDArray[np.int64]:
    """Run all blocks through the stages, each with its arguments. Return the processor cycles of each stage.

    `conditions` contains the bits of the kinds of actors that use each stage (0 = all actors). `lists` is the result of
    `list_by_kind`. `apart` states whether each block has its own frames.
    """
    cycles = np.zeros(len(stages), np.int64)
    if config.DISABLE_JIT:
        calls = [partial(own.run_plain, arguments) for own, arguments in stages]
        _run_plain(calls, conditions, lists, apart)
    else:
        _run_blocks(memory.bound(stages, conditions), lists, apart, cycles)
    return cycles


def _run_plain(
    calls: Sequence[Callable[..., None]], conditions: Sequence[int], lists: NDArray[np.int64], apart: bool
) -> None:
    """Run all blocks through the stages as Python functions, without compilation. See `_run_blocks`."""
    for kind, begin, end in lists.tolist():
        for first in range(begin, end, BLOCK):
            for call, condition in zip(calls, conditions, strict=True):
                if condition & kind == condition:
                    call(first, min(first + BLOCK, end), first // 8 if apart else 0)


@kernel(void(LONGS_2D, LONGS_2D, FLAG, OUT_LONGS))
def _run_blocks(stages, lists, apart, out_cycles):
    """Run all blocks through `stages` [stage, 3]: address, address of the arguments, condition."""
    for number in range(lists.shape[0]):
        kind, end = lists[number, 0], lists[number, 2]
        for first in range(lists[number, 1], end, BLOCK):
            last, frame, before = min(first + BLOCK, end), first // 8 if apart else 0, _cycles()
            for own in range(stages.shape[0]):
                if stages[own, 2] & kind == stages[own, 2]:
                    _call(stages[own, 0], stages[own, 1], first, last, frame)
                now = _cycles()
                out_cycles[own] += now - before
                before = now
    fence()  # completes non-temporal stores, so that all threads can read the data


@lru_cache(maxsize=16)
def in_order(actor_count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and lists for a chunk whose actors are all of one kind. See `list_by_kind`."""
    rows = np.arange(-(-actor_count // EIGHT) * EIGHT, dtype=np.int64)
    rows[actor_count:] = actor_count - 1
    lists = np.array([[0, 0, actor_count]], np.int64)
    rows.flags.writeable = lists.flags.writeable = False
    return rows, lists


@kernel(void(BOOLS, COUNT, OUT_LONGS))
def mark_kind(chosen, bit, out_kinds):
    """Set the bit `bit` in the kinds of chosen actors. Clear this bit for all other actors. Clear all higher bits."""
    for actor in range(chosen.shape[0]):
        out_kinds[actor] = (out_kinds[actor] & (bit - 1)) | (bit if chosen[actor] else 0)


def list_by_kind(kinds: NDArray[np.int64], out_rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Write the rows of a chunk's actors to `out_rows`, sorted by the kind of the actors. Return lists [list, 3] of the
    kind, the first slot, and the slot after the last one. Each list begins at a multiple of eight, and its last actor
    is repeated up to the next multiple. `out_rows` has room for all actors, and for eight more rows per kind.
    """
    lists = np.empty((len(kinds), 3), np.int64)
    return lists[: _list_by_kind(kinds, lists, out_rows)]


@kernel(types.int64(LONGS, OUT_LONGS_2D, OUT_LONGS))
def _list_by_kind(kinds, out_lists, out_rows):
    """Write the lists and the rows of all actors. Return the number of lists."""
    count = _count_kinds(kinds, out_lists)
    begin = 0
    for own in range(count):
        end, kind, at = begin + out_lists[own, 2], out_lists[own, 0], begin
        for actor in range(kinds.shape[0]):
            out_rows[at] = actor  # this also writes one slot after the list; the code below overwrites it
            at += kinds[actor] == kind
        out_lists[own, 1], out_lists[own, 2] = begin, end
        begin += (end - begin + EIGHT - 1) // EIGHT * EIGHT
        for number in range(end, begin):
            out_rows[number] = out_rows[end - 1]
    return count


@inlined
def _count_kinds(kinds, out_lists):
    """Write each kind of actors and the number of its actors. Return the number of kinds."""
    count, found = 0, 0
    for actor in range(kinds.shape[0]):
        kind = kinds[actor]
        if found >= count or out_lists[found, 0] != kind:  # consecutive actors often have the same kind
            found = 0
            while found < count and out_lists[found, 0] != kind:
                found += 1
            if found == count:
                out_lists[found, 0], out_lists[found, 2] = kind, 0
                count += 1
        out_lists[found, 2] += 1
    return count

"""Measurement of the duration of each drawing pass of a picture.

On a GPU, the timer uses the clock of the GPU. On a software renderer, the timer uses the wall clock.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_int, c_int64, c_uint, c_uint64
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter_ns

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.resource import Resource

LATE = 4  # if a query has no result after this number of later pictures, the timer waits for the result


class PassMarks:
    """Receiver of time marks. A time mark is the start or the end of a drawing pass.

    The base class `PassMarks` ignores the marks.
    """

    def begin(self, name: str) -> None:
        """Mark the end of the previous pass and the start of the pass with the name `name`."""

    @contextmanager
    def inside(self, name: str, byte_count: int = 0) -> Iterator[None]:
        """Measure a `with` block as a pass with the name `name`.

        The time of the block is not part of the enclosing pass. The block uploads `byte_count` bytes to the GPU.
        """
        yield

    def end(self) -> None:
        """Mark the end of the picture."""


NO_MARKS = PassMarks()


@dataclass(frozen=True)
class PassTime:
    """One time interval of a drawing pass. All times are nanoseconds of the clock `perf_counter_ns`."""

    name: str
    begin_ns: int  # wall clock; for a software renderer, all draw calls of the pass are complete at the end
    end_ns: int
    gpu_begin_ns: int | None  # GPU clock; None = no reliable clock
    gpu_end_ns: int | None
    byte_count: int  # uploaded bytes

    @property
    def wall_ns(self) -> int:
        """Return the duration of the interval on the wall clock in nanoseconds."""
        return self.end_ns - self.begin_ns

    @property
    def gpu_ns(self) -> int | None:
        """Return the duration of the interval on the GPU clock in nanoseconds."""
        return None if self.gpu_begin_ns is None or self.gpu_end_ns is None else self.gpu_end_ns - self.gpu_begin_ns


Picture = tuple[PassTime, ...]


@dataclass
class _Mark:
    name: str
    wall_ns: int
    query: int  # timestamp query; 0 = none
    byte_count: int = 0


class PassTimer(PassMarks, Resource):
    """A timer for the drawing passes of pictures. Free the timer before you close the context.

    On a GPU, each mark is a timestamp query. The timer reads the result of a query only when the result is available.
    Therefore, the methods of the timer usually do not wait for the GPU. A software renderer often executes draw calls
    only at the end of the picture. With a software renderer, each mark therefore waits until all previous draw calls
    are complete.
    """

    def __init__(self, capabilities: Capabilities, *, on_gpu: bool | None = None) -> None:
        able = not capabilities.is_software and _timestamp_bits() > 0
        self.on_gpu = able if on_gpu is None else on_gpu  # whether the timer reads the GPU's clock
        self._marks: list[_Mark] = []  # marks of the current picture
        self._within = ""  # name of the current pass
        self._offset = 0  # [ns] from the GPU's clock to `perf_counter_ns`
        self._pending: deque[tuple[list[_Mark], int]] = deque()  # marks of finished pictures, and their clock offsets
        self._done: list[Picture] = []
        self._free_queries: list[int] = []

    def begin(self, name: str) -> None:
        """Mark the end of the previous pass and the start of a pass. See `PassMarks.begin`."""
        self._within = name
        self._mark(name)

    @contextmanager
    def inside(self, name: str, byte_count: int = 0) -> Iterator[None]:
        """Measure a `with` block as a pass. See `PassMarks.inside`. Before the first pass of a picture, do nothing."""
        if not self._marks:
            yield
            return
        around = self._within
        self._mark(name, byte_count)
        yield
        self._mark(around)

    def end(self) -> None:
        """Mark the end of the picture. See `PassMarks.end`."""
        self._mark("")
        self._pending.append((self._marks, self._offset))
        self._marks = []
        self._read(wait_for=len(self._pending) - LATE)

    def take(self) -> list[Picture]:
        """Return the pass times of all pictures since the last call of `take`.

        Each call of `begin` gives one pass time.
        """
        self._read(wait_for=len(self._pending))
        done, self._done = self._done, []
        return done

    def _mark(self, name: str, byte_count: int = 0) -> None:
        if not self.on_gpu:
            gl.glFinish()
        elif not self._marks:
            self._offset = perf_counter_ns() - _gpu_now()
        now, query = perf_counter_ns(), 0
        if self.on_gpu:
            query = self._query()
            gl.glQueryCounter(query, gl.GL_TIMESTAMP)
        self._marks.append(_Mark(name, now, query, byte_count))

    def _query(self) -> int:
        return self._free_queries.pop() if self._free_queries else self.generate("Queries")

    def _read(self, wait_for: int) -> None:
        """Read all available query results.

        For the oldest `wait_for` pictures, wait until the query results are available.
        """
        while self._pending and (wait_for > 0 or self._is_there(self._pending[0][0])):
            wait_for -= 1
            self._done.append(self._picture(*self._pending.popleft()))

    def _is_there(self, marks: list[_Mark]) -> bool:
        if not self.on_gpu:
            return True
        value = c_uint()
        gl.glGetQueryObjectuiv(marks[-1].query, gl.GL_QUERY_RESULT_AVAILABLE, value)
        return bool(value.value)

    def _picture(self, marks: list[_Mark], offset: int) -> Picture:
        clock = [_result(mark.query) + offset if mark.query else None for mark in marks]
        self._free_queries += [mark.query for mark in marks if mark.query]
        return tuple(
            PassTime(mark.name, mark.wall_ns, after.wall_ns, *times, mark.byte_count)
            for (mark, after), times in zip(pairwise(marks), pairwise(clock), strict=True)
        )


def _timestamp_bits() -> int:
    """Return the number of bits of the GPU's timestamp clock. If OpenGL has no timestamp clock, return 0."""
    value = c_int()
    gl.glGetQueryiv(gl.GL_TIMESTAMP, gl.GL_QUERY_COUNTER_BITS, value)
    return int(value.value)


def _gpu_now() -> int:
    value = c_int64()
    gl.glGetInteger64v(gl.GL_TIMESTAMP, value)
    return int(value.value)


def _result(query: int) -> int:
    value = c_uint64()
    gl.glGetQueryObjectui64v(query, gl.GL_QUERY_RESULT, value)
    return int(value.value)

"""The history of a world: its last frames can be shown again, with bits equal to those of the first run.

The history contains copies of the state, and the duration of each step. To show a frame again, the history restores the
last copy before the frame and repeats the steps after this copy. If the copies need too much memory, the history first
keeps only every second copy. After the interval between two copies has reached its limit, the history forgets the
oldest copy.
"""

import copy
from bisect import bisect_right
from sys import getsizeof
from typing import Any, NamedTuple

from ecs_anim.components.palette import Palette
from ecs_anim.ecs.snapshot import State, state_of
from ecs_anim.ecs.world import World
from ecs_anim.systems.derived import derive_from_state
from ecs_anim.systems.skinning import set_skinning
from ecs_anim.view.camera import OrbitCamera

MEMORY = 256 << 20  # [byte], limit for all copies of the state
SHORTEST, LONGEST = 16, 64  # limits of the number of steps between two copies; long intervals need little memory
FEWEST = 2  # number of copies that the history always keeps, because one of them can be of the present frame


class StateCopy(NamedTuple):
    """A copy of the state of a world."""

    time: float  # [s]
    frame: int
    values: dict[str, Any]  # values of fields, by name
    byte_count: int  # [byte], memory of the values


class History:
    """The present frame and the stored frames of a world. User code must advance the world only with the methods of the
    history.

    The user's camera and the skinning methods do not change when another frame is shown.
    """

    def __init__(self, world: World, memory: int = MEMORY) -> None:
        """Begin with the present frame of a world. `memory` is the limit for all copies of the state [byte]."""
        self._world, self._memory = world, memory
        self.restart()

    def restart(self) -> None:
        """Forget all stored frames, and begin with the present frame."""
        self._copies = [copy_of(self._world)]
        self._interval = SHORTEST  # number of steps between two copies
        self._durations: list[float] = []  # [s], by stored step
        self._times = [self._world.time]  # [s], by stored frame
        self._waiting = 0.0  # [s], time that `play` has not shown yet, because it is shorter than the next stored step

    @property
    def time(self) -> float:
        """The time of the present frame [s]."""
        return self._world.time

    @property
    def span(self) -> tuple[float, float]:
        """The times of the first and the last stored frame [s]."""
        return self._times[0], self._times[-1]

    @property
    def is_complete(self) -> bool:
        """Whether the present frame is stored. After a time step without the history's methods, the result is False."""
        return 0 <= self._at < len(self._times) and self._times[self._at] == self.time

    def play(self, dt: float) -> None:
        """Advance the world by `dt` seconds.

        If the next frames are stored, show the stored frame that is `dt` seconds later. After the last stored frame,
        take a new step of `dt` seconds.
        """
        if self._is_last:
            self._step(dt)
            return
        end = self.time + self._waiting + dt
        self._show(bisect_right(self._times, end) - 1)
        self._waiting = end - self.time

    def step(self, dt: float) -> None:
        """Show the next stored frame. After the last stored frame, take a new step of `dt` seconds."""
        if self._is_last:
            self._step(dt)
        else:
            self._show(self._at + 1)

    def step_back(self) -> bool:
        """Show the previous frame. If the previous frame is not stored, return False."""
        is_stored = self._at > 0
        if is_stored:
            self._show(self._at - 1)
        return is_stored

    def seek(self, time: float) -> None:
        """Show the stored frame that is nearest to `time` [s]."""
        after = min(bisect_right(self._times, time), len(self._durations))
        before = max(after - 1, 0)
        self._show(min(before, after, key=lambda at: abs(self._times[at] - time)))

    @property
    def _first(self) -> int:
        return self._copies[0].frame

    @property
    def _at(self) -> int:
        """The index of the present frame among the stored frames."""
        return self._world.frame - self._first

    @property
    def _is_last(self) -> bool:
        return self._at == len(self._durations)

    def _step(self, dt: float) -> None:
        """Take a new step. If the duration is 0, take no step, because a step of 0 s changes some poses."""
        self._waiting = 0.0
        if dt <= 0:
            return
        if self._world.frame - self._copies[-1].frame >= self._interval:
            self._store()
        self._world.step(dt)
        self._durations.append(dt)
        self._times.append(self.time)

    def _store(self) -> None:
        """Store a copy of the present frame. If the memory is full, forget other copies."""
        self._copies.append(copy_of(self._world))
        while sum(own.byte_count for own in self._copies) > self._memory and len(self._copies) > FEWEST:
            if self._interval < LONGEST:
                self._interval *= 2
                self._copies = self._copies[::2]
            else:
                self._forget_oldest()

    def _forget_oldest(self) -> None:
        oldest = self._copies.pop(0)
        forgotten = self._first - oldest.frame
        del self._durations[:forgotten], self._times[:forgotten]

    def _show(self, at: int) -> None:
        """Show the stored frame with the index `at`. To save time, compute poses only in the last repeated step."""
        self._waiting = 0.0
        frame = self._first + at
        before = self._copies[bisect_right(self._copies, frame, key=lambda own: own.frame) - 1]
        if not before.frame <= self._world.frame <= frame:
            restore_copy(self._world, before)
        while self._world.frame < frame:
            self._world.step(self._durations[self._at], posed=self._world.frame + 1 == frame)


def _changing(world: World) -> State:
    """Return all changing fields of a world, except the fields of the user's camera."""
    return {name: field for name, field in state_of(world).items() if not isinstance(field.owner, OrbitCamera)}


def copy_of(world: World) -> StateCopy:
    """Return a copy of the state of a world, except the user's camera."""
    values = {name: copy.deepcopy(field.value) for name, field in _changing(world).items()}
    return StateCopy(world.time, world.frame, values, sum(map(getsizeof, values.values())))


def restore_copy(world: World, state: StateCopy) -> None:
    """Give a world the state of a copy, and compute its poses. The restoration does not change the skinning methods."""
    methods = [(entity, palette.method) for entity, (palette,) in world.query(Palette) if palette.source is not None]
    fields = _changing(world)
    for name, value in state.values.items():
        fields[name].put(copy.deepcopy(value))
    world.time, world.frame = state.time, state.frame
    derive_from_state(world)
    for entity, method in methods:
        set_skinning(world, entity, method)

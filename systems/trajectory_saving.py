"""Saving of trajectories: the positions of a world's actors are written to a file while the world advances."""

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.presence import Presence
from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import direction_of_heading
from ecs_anim.support.arguments import number, unknown
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import require_writable, told
from ecs_anim.systems.crowd_handle import CrowdHandle
from ecs_anim.systems.queries import stage_of
from ecs_anim.trajectories.frames import NO_AREA, Frame
from ecs_anim.trajectories.writer import Writer, require_trajectory_format, writer_for
from ecs_anim.walls.walls import Walls

USUAL_RATE = 10  # [1/s]
LOWEST_RATE, HIGHEST_RATE = 1e-3, 1e3  # [1/s]; no scene has more than 1000 steps per second
# largest time between a step and a frame, as a fraction of the frame interval, because sums of steps are rounded
OFF = 0.01
TICK = np.float32(1e-3)  # [s], tolerance for arrivals and departures at the time of a frame


class _AbandonedError(Exception):
    """An error that makes the writer of a file discard the file."""


class SavedTrajectories:
    """An open trajectory file, with the number of its frames and the number of its samples."""

    def __init__(
        self, path: Path, sample_rate: float, crowds: Sequence[str] | None, world: World, writer: Writer
    ) -> None:
        self.path = path
        self.sample_rate = sample_rate  # [1/s]
        self.frames = 0
        self.samples = 0  # number of rows; each row is one actor in one frame
        self._crowds, self._writer = crowds, writer
        self._due = math.ceil(world.time * sample_rate - OFF)  # number of the next frame
        self._walls: list[Walls] = []  # all sets of walls so far; each frame contains an index into this list
        self._low, self._high = np.full(2, np.inf), np.full(2, -np.inf)

    def take(self, world: World) -> None:
        """If the world time is the time of a frame, write the frame.

        Raises InputError if no step ended at the time of a frame.
        """
        late = world.time * self.sample_rate - self._due
        if late > OFF:
            raise _missed(str(self.path), self._due, self.sample_rate, world.time)
        if late >= -OFF:
            self._write(self._frame(world))
            self._due += 1

    def finish(self, world: World) -> None:
        """Write the data that is known only at the end. Raises InputError if no frame contains an actor."""
        if self.samples == 0:
            raise InputError(
                f"{self.path}: no actor was present until {world.time:g} s. Take more steps, or name other crowds."
            )
        areas = []
        if self._walls:
            from ecs_anim.walls.outline import outline_wkt  # imports shapely, which no other code here needs

            areas = [outline_wkt(walls, self._low, self._high) for walls in self._walls]
        with told(self.path):
            self._writer.finish(np.stack([self._low, self._high]), areas)

    def _write(self, frame: Frame) -> None:
        with told(self.path):
            self._writer.write(frame)
        self.frames, self.samples = self.frames + 1, self.samples + len(frame.ids)
        self._low = np.minimum(self._low, frame.xy.min(axis=0, initial=np.inf))
        self._high = np.maximum(self._high, frame.xy.max(axis=0, initial=-np.inf))

    def _frame(self, world: World) -> Frame:
        """Return one frame: the ids and positions of all actors in the scene, sorted by id."""
        chosen = [
            (entity, crowd)
            for entity, (crowd,) in world.query(Crowd)
            if self._crowds is None or crowd.name in self._crowds
        ]
        parts = [people_of(world, entity, crowd) for entity, crowd in chosen]
        ids, xy, headings = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(ids)
        ways, stage = direction_of_heading(headings[order]), stage_of(world)
        floors = np.concatenate([floors_of(world, entity) for entity, _ in chosen])[order] if stage.storeys else None
        return Frame(self._due, ids[order], xy[order], ways, self._area(stage), floors)

    def _area(self, stage: Stage) -> int:
        walls = stage.walls
        if walls is None or stage.storeys:  # the walls of a building are walls on its unfolded plan
            return NO_AREA
        if walls not in self._walls:
            self._walls.append(walls)
        return self._walls.index(walls)


@checked
def save_trajectories(
    world: World, path: str | os.PathLike[str], *, sample_rate: float | None = None, crowds: Sequence[str] | None = None
) -> AbstractContextManager[SavedTrajectories]:
    """Write the positions of actors to a file while the world advances, until the end of a `with` block.

        with ea.save_trajectories(world, "people.sqlite", sample_rate=10):
            for _ in range(600):
                world.step(1 / 60)

    The file extension selects the format:

    * .sqlite: the format of JuPedSim, version 2, including the walls of the scene. Not for scenes with levels
    * .csv
    * .parquet: requires the 'parquet' extra

    In scenes with levels, the file has the columns z_m and level: the height [m] of the floor below an actor, and the
    name of the level. An actor on stairs belongs to the level below.

    `sample_rate` is the number of frames per second. The first frame is written immediately. The default is the highest
    rate up to 10 for which a whole number of the scene's steps fits between two frames. `crowds` are the names of the
    saved crowds. By default, all crowds are saved.

    The file contains world times and the ids of actors. x is east, and y is north. Absent actors have no rows.

    The file appears only if the block ends without an error. Raises InputError if the file cannot be written, if a
    crowd is unknown, if no step ends at the time of a frame, or if no actor was present.
    """
    world.require_open()
    path = Path(path)
    require_trajectory_format(path)
    require_writable(path)
    steps_a_second = stage_of(world).frame_rate
    usual = Fraction(steps_a_second, math.ceil(steps_a_second / USUAL_RATE))
    chosen = float(usual) if sample_rate is None else number("sample_rate", sample_rate, LOWEST_RATE, HIGHEST_RATE)
    _require_crowds(world, path, crowds)
    return _saving(world, path, chosen, crowds)


@contextmanager
def _saving(world: World, path: Path, rate: float, crowds: Sequence[str] | None) -> Iterator[SavedTrajectories]:
    file = writer_for(path, rate, stage_of(world).storey_names)
    writer = file.__enter__()
    try:
        saved = SavedTrajectories(path, rate, crowds, world, writer)
        saved.take(world)
        off = world.on("stepped", saved.take)
        try:
            yield saved
        finally:
            off()
        saved.finish(world)
    except BaseException:
        # The writer of the file does not get the error of the caller. Otherwise, it would report an operating-system
        # error as its own error.
        file.__exit__(_AbandonedError, _AbandonedError(), None)
        raise
    file.__exit__(None, None, None)


def require_rate(place: str, rate: float, steps_a_second: int, frames: range) -> None:
    """Raise InputError if no step of the scene ends at the time of a frame.

    `frames` are the numbers of the scene's steps.
    """
    missed = _first_missed(rate, steps_a_second, frames)
    if missed is not None:
        frame, step = missed
        raise _missed(place, frame, rate, step / steps_a_second)


@lru_cache(maxsize=16)
def _first_missed(rate: float, steps_a_second: int, frames: range) -> tuple[int, int] | None:
    """Return the number of the first frame at whose time no step ends, and the number of the next step.

    If there is no such frame, return None.
    """
    frame, step = math.ceil(frames[0] / steps_a_second * rate - OFF), 0
    while (step := math.ceil((frame - OFF) / rate * steps_a_second)) <= frames[-1]:
        if step / steps_a_second * rate - frame > OFF:
            return frame, step
        frame += 1
    return None


def _missed(place: str, frame: int, rate: float, time: float) -> InputError:
    return InputError(
        f"{place}: frame {frame} needs a time step at {frame / rate:g} s, but the next time step is at"
        f" {time:g} s. Choose a rate with a whole number of time steps per frame."
    )


def _require_crowds(world: World, path: Path, crowds: Sequence[str] | None) -> None:
    names = [crowd.name for _, (crowd,) in world.query(Crowd)]
    if not names:
        raise InputError(
            f"{path}: a file of trajectories needs a crowd, but the world has no crowd. Add a crowd to the world."
        )
    for name in names if crowds is None else crowds:
        if name not in names:
            raise unknown("crowd", name, names)
    if crowds is not None and not crowds:
        raise ValueError(
            "the list of crowds must not be empty. Name a crowd, or leave out `crowds` to write all crowds."
        )


def floors_of(world: World, entity: int) -> NDArray[np.float64]:
    """Return the heights [m] and the storeys of the actors of a crowd that are in the scene, [n, 2]."""
    heights = world.get(entity, Transforms).translation[:, 1]
    return np.column_stack([heights, stage_of(world).storeys_at(heights)])[_there(world, entity)].astype(np.float64)


def _there(world: World, entity: int) -> NDArray[np.bool_] | slice:
    presence = world.find(entity, Presence)
    return slice(None) if presence is None else presence.is_there(world.time, TICK)


def people_of(
    world: World, entity: int, crowd: Crowd
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the ids [n], plan points [n, 2] [m] and headings [n] [rad] of a crowd's actors that are in the scene."""
    handle, there = CrowdHandle(world, entity), _there(world, entity)
    return crowd.ids[there], handle.positions[there], handle.headings[there]

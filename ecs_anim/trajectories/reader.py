"""The reader of trajectory files.

The reader builds an index of the whole file. The index can return the samples of any time span.
"""

import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ecs_anim.support.arguments import FARTHEST
from ecs_anim.support.budgets import memory_excess
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.trajectories.asked import Scale, overruled, scale_of
from ecs_anim.trajectories.floors import Floor, floor_of
from ecs_anim.trajectories.formats import source_of
from ecs_anim.trajectories.heights import ground_heights, lifted_floors
from ecs_anim.trajectories.index import Index, built_index
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.record import Trajectories, Walls
from ecs_anim.trajectories.rows import Reals, Rows, Whole, joined
from ecs_anim.trajectories.source import Source

SAMPLE_BYTES = 200  # bytes per sample during reading: its columns, and their sorted copies
# Possessive quantifiers and the lookbehind keep the time linear, because a file can contain a number with a million
# digits.
NUMBER = r"([-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?+)"
POINT = re.compile(rf"(?<![\w.]){NUMBER}\s++{NUMBER}(?:\s++{NUMBER})*+")  # a point in well-known text
ROUND = 100.0  # [m], rounding of a suggested origin
LONGEST, SHORTEST = 1e11, 1e-9  # [s], farthest time that float64 resolves, and least time between samples of a person
RISES = 1.5  # [m]; people with a smaller range of heights are on one plane, because heads differ in height
SAME = 1e-6  # [m], largest distance between the end of a footstep and the start of the next


@dataclass(frozen=True, eq=False)
class Recording:
    """A trajectory file whose samples can be read by time span.

    The index contains a copy of the rows. Most of the copy is in a temporary file. Every method raises InputError if
    the file is invalid.
    """

    path: str
    source: Source
    index: Index
    scale: Scale
    floors: tuple[Floor, ...] = ()  # floors of the file, if it has several; `index` has the rows of one floor or of all
    has_heights: bool = False  # whether the samples have heights; false = all people are on one plane
    by_level: bool = False  # whether the heights come from the names of the floors, and not from z

    @property
    def format(self) -> str:
        """Return the usual name of the file's format."""
        return self.source.layout.format

    @property
    def ticks(self) -> str:
        """Return the unit of the times in the file, in words."""
        return "frames" if self.source.layout.counts_frames else "units of time"

    @property
    def is_simulated(self) -> bool:
        """Return whether a simulator wrote the file.

        Simulators write positions of bodies. Recordings contain positions of heads.
        """
        return self.source.layout.is_simulated

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes on facts that the file does not state itself.

        Such a fact comes from the column names, from the definition of the file format, or from the user's
        `ReadOptions`.
        """
        unseen = self.index.unseen
        gaps = (
            (f"{unseen:,} row{'s have' if unseen > 1 else ' has'} no position, so the paths of people have gaps",)
            if unseen
            else ()
        )
        told = *self.source.layout.notes, *self.scale.notes, *gaps, *overruled(self.source.layout, self.scale)
        return (*told, *self._far_notes())

    def _far_notes(self) -> tuple[str, ...]:
        """If positions are too far from 0, 0 for drawing, return a note that suggests an origin. Otherwise, return no
        note.
        """
        low, high = self.bounds
        if max(-low.min(), high.max()) <= FARTHEST:
            return ()
        east, north = nearby_origin(low)
        return (
            f"the positions are too far from 0, 0 for drawing. Set origin = [{east:.0f}, {north:.0f}]"
            f" (--origin {east:.0f},{north:.0f})",
        )

    @property
    def names(self) -> tuple[str, ...]:
        """If the ids in the file are texts, return the ids in the order of their numbers.

        If the ids in the file are numbers, return an empty tuple.
        """
        return self.source.layout.ids.texts if self.source.layout.ids else ()

    @property
    def levels(self) -> tuple[str, ...]:
        """Return the names in the column of floor names. If the file has no such column, return an empty tuple."""
        return self.source.layout.levels.texts if self.source.layout.levels else ()

    def person(self, number: int) -> str:
        """Return the id in the file for the person with the number `number`."""
        return self.source.label.person(number)

    def number_of(self, person: str) -> int | None:
        """Return the number of the person with the id `person` in the file, or None if this id does not exist."""
        if self.source.layout.ids is not None:
            return self.source.layout.ids.number(person)
        return int(person) if person.lstrip("-").isdecimal() and int(person) in self.index.ids else None

    @property
    def ids(self) -> Whole:
        """Return the numbers of all people [people], ascending."""
        return self.index.ids

    @property
    def first(self) -> Reals:
        """Return the time [people] [s] of each person's first sample."""
        return self.index.first / self.scale.rate

    @property
    def last(self) -> Reals:
        """Return the time [people] [s] of each person's last sample."""
        return self.index.last / self.scale.rate

    @property
    def span(self) -> tuple[float, float]:
        """Return the time of the file's first sample and the time of its last sample [s]."""
        return float(self.first.min()), float(self.last.max())

    @property
    def bounds(self) -> tuple[Reals, Reals]:
        """Return the lower and the upper bounds [2] of x and y on the plan [m]."""
        corners = self.scale.on_the_plan(np.stack([self.index.low, self.index.high]))
        return corners.min(axis=0), corners.max(axis=0)

    @property
    def walls(self) -> tuple[Walls, ...]:
        """Return the outlines of the walls in the file, on the plan [m]."""
        return tuple(Walls(tick / self.scale.rate, self._mapped(wkt)) for tick, wkt in self.source.layout.walls)

    def _mapped(self, wkt: str) -> str:
        """Return `wkt` with all points converted to the plan [m]. The returned points have no heights."""

        def point(found: re.Match[str]) -> str:
            xy = self.scale.on_the_plan(np.array([float(found[1]), float(found[2])]))
            return f"{xy[0] + 0.0:.15g} {xy[1] + 0.0:.15g}"  # never -0

        return POINT.sub(point, wkt)

    def on_floor(self, name: str) -> "Recording":
        """Return the samples of one floor, without heights. Raises InputError if the recording lacks the floor."""
        floor = floor_of(name, self.floors, self.path)
        index = _index_of_floor(floor, self.index, self.path, self.source, self.scale)
        return replace(self, index=index, has_heights=False)

    def between(self, start: float, stop: float) -> Trajectories:
        """Return the samples from `start` up to, but not including, `stop` [s]."""
        first, end = (_tick_from(time, self) for time in (start, stop))
        return self._between(first, end)

    def windows(self, seconds: float = 1.0) -> Iterator[Trajectories]:
        """Yield all samples exactly once, in time windows of `seconds`."""
        if not 0 < seconds < np.inf:
            raise ValueError(
                f"`seconds`, the length of a time window, must be a finite number above 0 (got {seconds})."
            )
        start, stop = self.span
        for k in range(int((stop - start) / seconds) + 1):
            yield self.between(start + k * seconds, start + (k + 1) * seconds)

    def whole(self) -> Trajectories:
        """Return all samples. Raises InputError if the samples need more memory than the machine has."""
        if limit_message := memory_excess(self.index.row_count * SAMPLE_BYTES, "read the samples in windows"):
            raise InputError(f"{self.path}: {self.index.row_count:,} samples take too much memory: {limit_message}")
        return self._between(-np.inf, np.inf)

    def _between(self, first: float, end: float) -> Trajectories:
        parts = []
        for rows in self.index.rows.between(first, end):
            inside = (rows.ticks >= first) & (rows.ticks < end) & rows.seen
            if inside.any():
                parts.append(rows.taken(inside))
        return self._assembled(parts) if parts else _nobody(self)

    def _assembled(self, parts: list[Rows]) -> Trajectories:
        rows = joined(parts)
        parts.clear()  # free memory before the next copy
        rows = rows.taken(np.lexsort((rows.lines, rows.ticks, rows.ids)))
        again = np.flatnonzero((np.diff(rows.ids) == 0) & (np.diff(rows.ticks) == 0))
        if len(again):
            rows = self._once(rows, again)
        times = rows.ticks / self.scale.rate
        self._require_apart(rows, times)
        ids, starts = np.unique(rows.ids, return_index=True)
        headings = None
        if rows.heading_vectors is not None:
            size = np.sqrt(np.sum(rows.heading_vectors * rows.heading_vectors, axis=-1, keepdims=True))
            headings = self.scale.turned(rows.heading_vectors / np.where(size > 0, size, 1.0))
        return Trajectories(
            ids,
            np.append(starts, len(rows.ids)),
            times,
            self.scale.on_the_plan(rows.xy),
            headings,
            rows.groups,
            self.walls,
            self.names,
            self._heights(rows) if self.has_heights else None,
        )

    def _heights(self, rows: Rows) -> Reals:
        return ground_heights(rows, self.scale.metres, self.floors, self.index.range[0], self.by_level)

    def _require_apart(self, rows: Rows, times: Reals) -> None:
        """Raise InputError if two samples of a person are nearly simultaneous.

        The speed between two nearly simultaneous samples would be meaningless.
        """
        near = np.flatnonzero((np.diff(rows.ids) == 0) & (np.diff(times) < SHORTEST))
        if len(near):
            row = int(near[0])
            raise InputError(
                f"{self.path}: {self.source.label.counted}s {rows.lines[row]} and {rows.lines[row + 1]}: two"
                f" samples of person {self.person(int(rows.ids[row]))} must be at least {SHORTEST:g} s apart in"
                f" time (got {times[row + 1] - times[row]:.6g} s). Check the times and the rate."
            )

    def _once(self, rows: Rows, again: np.ndarray) -> Rows:
        """Return the rows without the repeated samples. `again` contains the row number before each repeated sample.

        Raises InputError for a repeated sample. In files of footsteps, a repeated sample at the same point is valid.
        """
        apart = np.abs(rows.xy[again] - rows.xy[again + 1]).max(axis=-1) * self.scale.metres
        wrong = again[apart > SAME] if self.source.layout.footsteps else again
        if len(wrong):
            row, word = int(wrong[0]), "frame" if self.source.layout.counts_frames else "time"
            counted, person = self.source.label.counted, self.person(int(rows.ids[row]))
            raise InputError(
                f"{self.path}: {counted}s {rows.lines[row]} and {rows.lines[row + 1]}: person {person} has"
                f" {word} {rows.ticks[row]:.17g} twice. Remove one of the two rows."
            )
        kept = np.ones(len(rows.ids), bool)
        kept[again + 1] = False
        return rows.taken(kept)


def recording(path: str | os.PathLike[str], options: ReadOptions | None = None) -> Recording:
    """Open a trajectory file in any known format, and build its index.

    Raises InputError if the file is unreadable, is invalid, or lacks a needed fact such as the unit. Warns if an option
    replaces the unit or the rate in the file. Also warns if the heights of the floors are not known.
    """
    options = options or ReadOptions()
    source = source_of(Path(path), options)
    scale = scale_of(source, options)
    index = built_index(source.rows(), os.fspath(path), source.layout.levels, scale.metres)
    floors, warning = lifted_floors(index.floors, options.level_heights, os.fspath(path))
    by_level = options.level_heights is not None or bool(warning)
    has_heights = len(floors) > 1 or index.range[1] - index.range[0] > RISES
    told = [
        f"{text}. To use the value of the file or of its format, leave out {text.split()[0]}."
        for text in overruled(source.layout, scale)
    ]
    if options.level is not None:
        index = _index_of_floor(floor_of(options.level, floors, os.fspath(path)), index, os.fspath(path), source, scale)
        has_heights = False
    elif warning:
        told.append(warning)
    _require_near(index, scale.rate, os.fspath(path))
    where = os.path.abspath(path)  # the same name for each reading, so that Python shows the warning only once
    for text in told:
        warnings.warn(f"{where}: {text}", InputWarning, stacklevel=2)
    return Recording(os.fspath(path), source, index, scale, floors if len(floors) > 1 else (), has_heights, by_level)


def _index_of_floor(floor: Floor, index: Index, path: str, source: Source, scale: Scale) -> Index:
    """Return an index of the rows on one floor."""
    parts = (part.taken(floor.holds(part, scale.metres)) for part in index.rows.between(-np.inf, np.inf))
    return built_index(parts, path, source.layout.levels, scale.metres)


def _require_near(index: Index, rate: float, path: str) -> None:
    """Raise InputError if times are so far from 0 that float64 cannot distinguish the times of consecutive samples."""
    first, last = float(index.first.min()) / rate, float(index.last.max()) / rate
    if max(-first, last) > LONGEST:
        raise InputError(
            f"{path}: all times must be within {LONGEST:g} s of 0 (got times from {first:.6g} s to {last:.6g}"
            " s). Check the times and the rate."
        )


def nearby_origin(low: Reals) -> tuple[float, float]:
    """Return a rounded point [m] near the lower bounds `low` of the positions, as a suggested origin."""
    east, north = np.floor(low / ROUND) * ROUND
    return float(east), float(north)


def load(path: str | os.PathLike[str], options: ReadOptions | None = None) -> Trajectories:
    """Return all samples of a file. Raises InputError in the same cases as `recording`."""
    return recording(path, options).whole()


def _tick_from(time: float, own: Recording) -> float:
    """Return the first tick at or after `time` [s].

    If the ticks of the file are frame numbers, the function returns a whole number and allows for rounding errors of
    `time`.
    """
    tick = time * own.scale.rate
    whole = float(np.rint(tick))
    near = own.source.layout.counts_frames and abs(tick - whole) <= 1e-9 * max(1.0, abs(tick))
    return whole if near else tick


def _nobody(own: Recording) -> Trajectories:
    empty = np.zeros(0)
    return Trajectories(
        empty.astype(np.int64), np.zeros(1, np.intp), empty, np.zeros((0, 2)), None, None, own.walls, own.names
    )

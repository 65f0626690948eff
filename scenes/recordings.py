"""Recordings of people for crowds. This module computes the path of an actor for each person in a trajectory file."""

import math
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.ways import Line
from ecs_anim.maths.small_matrices import length
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_trajectories import TrajectoryModel
from ecs_anim.support.arguments import FARTHEST
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.trajectories import ReadOptions, Recording, RootOptions, Roots, recording, roots
from ecs_anim.trajectories.reader import nearby_origin
from ecs_anim.trajectories.record import Trajectories, Walls
from ecs_anim.trajectories.step_phase import PRIOR, SPEED, SWAY, prior_phase

Array = NDArray[np.float64]

SIGNS = {"sway": SWAY, "speed": SPEED, "prior": PRIOR}
TOLD_WITHIN = 3.0  # [s], time within which head sway must appear to set the phase of the first steps


@dataclass(frozen=True, eq=False)
class Recorded:
    """The bodies in a recording, in the order of arrival."""

    people: NDArray[np.int64]  # [n], ids of the file; a person with a long gap in the data appears more than once
    lines: list[Line]  # paths of the bodies, in scene time
    phases: Array  # [n], [strides] at the start; whole numbers are mid-stance of the left foot; NaN = unknown
    shown: dict[str, float]  # share of samples by the source of the steps: sway, speed or prior
    walls: tuple[Walls, ...]  # walls in the file
    notes: tuple[str, ...]  # notes about data that the file does not state
    floors: tuple[float, ...] = ()  # [m], heights of the floors, ascending; () = all people are on the scene's ground
    floor_names: tuple[str, ...] = ()  # names of the floors

    @property
    def has_heights(self) -> bool:
        """Return whether the recording sets the heights of the bodies."""
        return any(line.heights is not None for line in self.lines)

    @property
    def count(self) -> int:
        """Return the number of bodies in the recording."""
        return len(self.people)

    def first(self, count: int) -> "Recorded":
        """Return a recording with only the first `count` bodies."""
        return replace(self, people=self.people[:count], lines=self.lines[:count], phases=self.phases[:count])


def read_recorded(model: TrajectoryModel, folder: Path, key: SceneKey) -> Recorded:
    """Return the bodies in the trajectory file of a crowd. Raises InputError with the scene key and the file name."""
    with key.blamed((InputError,)):
        options = ReadOptions(
            model.unit, model.rate, model.columns, model.axes, model.origin, model.floor, model.level_heights
        )
        found = recording(folder / model.file, options)
        samples = _samples(found, model)
        if not len(samples.ids):
            raise InputError(
                f"{model.file}: no actor is present between from_seconds and to_seconds. Choose another time range."
            )
        bodies = roots(samples, RootOptions(cutoff=_cutoff(found, model)))
        require_near(bodies.xy, model.file)
        _require_low(bodies.cut.heights, model.file)
    begin = found.span[0] if model.from_seconds is None else model.from_seconds
    return _paths(bodies, model.start_seconds - begin, found, key)


def require_near(xy: Array, file: str) -> None:
    """Raise InputError if plan points `xy` [n, 2] [m] are so far from 0, 0 that float32 rounding distorts bodies."""
    x, y = xy[np.abs(xy).max(axis=-1).argmax()]
    if max(abs(x), abs(y)) > FARTHEST:
        east, north = nearby_origin(xy.min(axis=0))
        raise InputError(
            f"{file}: actors must be at most {FARTHEST:g} m from the origin (got an actor at x = {x:.0f}, y ="
            f" {y:.0f} m). Shift the positions and the walls by origin = [{east:.0f}, {north:.0f}] (--origin"
            f" {east:.0f},{north:.0f})."
        )


def _require_low(heights: Array | None, file: str) -> None:
    """Raise InputError if a height [m] of the ground is so far from 0 that float32 rounding distorts bodies."""
    if heights is not None and (far := float(np.abs(heights).max())) > FARTHEST:
        raise InputError(
            f"{file}: the floors must be at most {FARTHEST:g} m from the height 0 (got {far:.0f} m). Set the heights of"
            " the floors with level_heights, or correct z."
        )


def _samples(found: Recording, model: TrajectoryModel) -> Trajectories:
    if model.from_seconds is None and model.to_seconds is None:
        return found.whole()
    begin = -math.inf if model.from_seconds is None else model.from_seconds
    return found.between(begin, math.inf if model.to_seconds is None else model.to_seconds)


def _cutoff(found: Recording, model: TrajectoryModel) -> float | None:
    """Return the cutoff frequency [Hz] that separates the sway of heads from the paths of bodies.

    Return None if the file contains positions of bodies and not of heads.
    """
    if model.smooth_seconds is None:
        return None if found.is_simulated else RootOptions().cutoff
    return 1 / model.smooth_seconds if model.smooth_seconds > 0 else None


def _paths(bodies: Roots, later: float, found: Recording, key: SceneKey) -> Recorded:
    """Return the recording with the path segments of all people. Each path segment begins `later` [s] later than in the
    file.
    """
    first, counts = bodies.starts[:-1], np.diff(bodies.starts)
    rows = np.flatnonzero(counts >= 2)
    if not len(rows):
        raise InputError(
            f"{key}: {found.path}: at least one person must have two samples or more, because people with one"
            " sample do not move. Name another file."
        )
    if len(rows) < len(counts):
        alone = len(counts) - len(rows)
        text = (
            f"{found.path}: {alone} of {len(counts)} path segments have only one sample, so the program leaves them out"
        )
        warnings.warn(f"{key}: {text}", InputWarning, stacklevel=2)
    rows = rows[np.lexsort((bodies.ids[rows], bodies.times[first[rows]]))]
    spans = [slice(bodies.starts[row], bodies.starts[row + 1]) for row in rows]
    return Recorded(
        bodies.ids[rows],
        [_line(bodies, span, later) for span in spans],
        np.array([_first_phase(bodies, span) for span in spans]),
        {name: float((bodies.evidence == sign).mean()) for name, sign in SIGNS.items()},
        found.walls,
        found.notes,
        tuple(own.height for own in found.floors) if found.has_heights else (),
        tuple(own.name for own in found.floors) if found.has_heights else (),
    )


def _line(bodies: Roots, span: slice, later: float) -> Line:
    """Return the path for the samples `span`, delayed by `later` [s].

    If the samples have stride phases, the path includes these phases.
    """
    strides = bodies.phase[span] if (bodies.evidence[span] != PRIOR).any() else None
    heights = None if bodies.cut.heights is None else bodies.cut.heights[span]
    return Line(bodies.times[span] + later, bodies.xy[span], bodies.yaw[span], strides, heights=heights)


def _first_phase(bodies: Roots, span: slice) -> float:
    """Return the gait phase [strides] of a person at the start of the samples `span`.

    If no head sway appears within `TOLD_WITHIN`, return NaN.

    The returned phase is the gait phase at the first clear sway minus the number of strides before this sway.
    """
    times, known = bodies.times[span], np.flatnonzero(bodies.evidence[span] == SWAY)
    if not len(known) or times[known[0]] - times[0] > TOLD_WITHIN:
        return math.nan
    till = slice(span.start, span.start + int(known[0]) + 1)
    strides = prior_phase(bodies.times[till][:, None], length(bodies.velocity[till])[:, None])
    return float(bodies.phase[till][-1] - strides[-1, 0])

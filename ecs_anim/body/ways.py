"""Ways of actors on paths. A way contains the position, the speed and the yaw of an actor at evenly spaced times.

If a path has no yaws, the actor faces the direction of the path, smoothed over half a second. While the actor hardly
moves, its yaw does not change.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.paths import TICK_RATE
from ecs_anim.maths import elementary

Array = NDArray[np.float64]

SPEED_SECONDS = 0.25  # time window of speeds [s]
STRIDE_SECONDS = 0.5  # time window of the stride rate [s]
FACING_SECONDS = 0.5  # time window of the direction of a path [s]
TURN_SECONDS = 0.8  # smoothing time of the body's facing [s]
GOES, RESTS = 0.25, 0.15  # [m/s]; an actor starts to move above the first speed, and stops below the second speed
TURN_RATE = 1.0  # rate at which a standing actor turns to its next direction [rad/s]
GO_OVER, TURN_OVER = 1.4, 3.0  # [m/s] and [rad/s], highest speed and turning rate that joining a path adds
# [s], joining a path takes at least this time; number of points per second while an actor joins
LEAST_OVER, OVER_RATE = 0.4, 10
STOP_SECONDS = 0.3  # time in which the speeds of an actor fall to 0 after the end of its path [s]
STANDS_ON = 1.0  # [s], the way continues for this time after the end of the path, so that the last foot can land


class Line(NamedTuple):
    """Input data of a path."""

    times: Array  # [n], [s], ascending
    xy: Array  # [n, 2], [m], on the plan: x points east (+X) and y points north (-Z)
    faces: Array | None = None  # [n], yaw [rad] about +Y from +Z, not wrapped; None = direction of the path
    # [n], stride numbers; a whole number marks the middle of a stance of the left foot; None = unknown
    strides: Array | None = None
    looks: float | None = None  # [rad], yaw of the body at the start; None = first yaw of the path
    heights: Array | None = None  # [n], [m], heights of the ground; None = the ground of the world


class Way(NamedTuple):
    """State of an actor on a path, with TICK_RATE samples per second, until shortly after the end of the path."""

    x: Array  # [m]
    z: Array
    faces: Array  # yaw [rad] about +Y from +Z, not wrapped
    vx: Array  # [m/s]
    vz: Array
    turn: Array  # [rad/s]
    stride: Array  # number of strides so far; NaN = usual strides
    stride_rate: Array  # [1/s]; NaN = usual stride rate


def way_of(line: Line) -> Way:
    """Return the way of an actor on the path `line`."""
    times, xy = line.times, line.xy
    count = max(2, int(np.ceil((times[-1] - times[0]) * TICK_RATE)) + 1)
    at = np.minimum(times[0] + np.arange(count) / TICK_RATE, times[-1])
    x, z = (smooth_through(times, values, at) for values in (xy[:, 0], -xy[:, 1]))
    vx, vz = (_rate(values, SPEED_SECONDS) for values in (x, z))
    faces = _facing(x, z) if line.faces is None else np.interp(at, times, line.faces)
    faces = faces if line.looks is None else faces + _turning(faces[0], line.looks, at - times[0])
    stride = np.full(count, np.nan) if line.strides is None else np.interp(at, times, line.strides)
    pace = np.where(elementary.hypot(vx, vz) < RESTS, np.nan, _rate(stride, STRIDE_SECONDS))
    rest = round(STANDS_ON * TICK_RATE)
    held = [np.concatenate([values, np.full(rest, values[-1])]) for values in (x, z, faces)]
    # If an actor still walks at the end of the path, its speed falls over a short time.
    stops = np.clip(1 - np.arange(1, rest + 1) / (STOP_SECONDS * TICK_RATE), 0, 1)
    gone = [np.concatenate([values, values[-1] * stops]) for values in (vx, vz, _rate(faces, SPEED_SECONDS))]
    led = [np.concatenate([values, np.full(rest, np.nan)]) for values in (stride, pace)]
    return Way(*held, *gone, *led)


def come_from(line: Line, now: float, xy: Array, looks: float) -> Line:
    """Return the path, from `now` [s] onwards, of an actor that joins `line` from another point.

    `xy` [2] is the point, and `looks` [rad] is the yaw of the actor at the point. On this path, the distance of the
    actor from `line` decreases to 0.
    """
    off = xy - _points(line, np.array([now]))[0]
    seconds = _over_seconds(float(elementary.hypot(off[0], off[1])), GO_OVER)
    count = int(np.ceil(seconds * OVER_RATE))
    between = now + seconds * np.arange(count + 1) / count
    points = _points(line, between) + (1 - _eased((between - now) / seconds))[:, None] * off
    later = line.times > between[-1]
    return Line(np.concatenate([between, line.times[later]]), np.concatenate([points, line.xy[later]]), looks=looks)


def _points(line: Line, at: Array) -> Array:
    """Return the points [n, 2] of a line at times `at` [n].

    For times before the start of the line, return the first point. For times after its end, return the last point.
    """
    held = np.clip(at, line.times[0], line.times[-1])
    return np.stack([smooth_through(line.times, line.xy[:, axis], held) for axis in range(2)], axis=-1)


def _turning(faces: float, looks: float, since: Array) -> Array:
    """Return the remaining part [n] [rad] of the difference between two yaws after the times `since` [n] [s].

    The difference decreases from `looks` - `faces` to 0.
    """
    turn = float(np.unwrap([faces, looks])[1] - faces)
    return turn * (1 - _eased(since / _over_seconds(abs(turn), TURN_OVER)))


def _over_seconds(amount: float, most: float) -> float:
    """Return the duration [s] of a change by `amount` whose rate is at most `most` per second."""
    return max(LEAST_OVER, 1.5 * amount / most)


def _eased(share: Array) -> Array:
    """Return a smooth step from 0 to 1. The slope of the step is 0 at both ends, and at most 1.5 between the ends."""
    held = np.clip(share, 0, 1)
    return held * held * (3 - 2 * held)


def smooth_through(times: Array, values: Array, at: Array) -> Array:
    """Return the cubic curve through `values` [n] at times `at`.

    The slope at a value is the slope of the parabola through this value and its two neighbours.
    """
    if len(times) < 3:
        return np.interp(at, times, values)
    spans, slopes = np.diff(times), np.diff(values) / np.diff(times)
    inner = (slopes[:-1] * spans[1:] + slopes[1:] * spans[:-1]) / (spans[1:] + spans[:-1])
    tangents = np.concatenate([[slopes[0]], inner, [slopes[-1]]])
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    t = (at - times[low]) / spans[low]
    a, b, span = values[low], values[low + 1], spans[low]
    bend = t * (1 - t) * ((1 - t) * (tangents[low] * span - (b - a)) - t * (tangents[low + 1] * span - (b - a)))
    return a + t * (b - a) + bend


def _rate(values: Array, seconds: float) -> Array:
    """Return the rates of change of `values` [n] over a window of `seconds`. At both ends, the window is narrower."""
    half = max(1, round(seconds * TICK_RATE / 2))
    number = np.arange(len(values))
    first, last = np.maximum(number - half, 0), np.minimum(number + half, len(values) - 1)
    return (values[last] - values[first]) / ((last - first) / TICK_RATE)


def _facing(x: Array, z: Array) -> Array:
    """Return the yaws [rad] along the path. The yaws are not wrapped.

    A standing actor turns before its next movement, and finishes the turn when the movement starts.
    """
    vx, vz = (_rate(values, FACING_SECONDS) for values in (x, z))
    goes = _goes(elementary.hypot(vx, vz))
    if not goes.any():
        return np.zeros(len(x))
    known = np.flatnonzero(goes)
    angle = np.unwrap(elementary.arctan2(vx[known], vz[known]))
    gaps = np.flatnonzero(np.diff(known) > 1)
    turns = np.abs(angle[gaps + 1] - angle[gaps]) / TURN_RATE * TICK_RATE
    begins = np.maximum(known[gaps + 1] - np.ceil(turns).astype(int), known[gaps] + 1)
    knots = np.insert(known, gaps + 1, begins)
    angles = np.insert(angle, gaps + 1, angle[gaps])
    return _smoothed(np.interp(np.arange(len(x)), knots, angles))


def _goes(speed: Array) -> NDArray[np.bool_]:
    """Return a mask of the times at which the actor moves.

    The actor starts to move at a speed above `GOES`, and stops at a speed below `RESTS`.
    """
    said = np.where(speed > GOES, 1, np.where(speed < RESTS, 0, -1))
    known = np.maximum.accumulate(np.where(said >= 0, np.arange(len(said)), 0))
    found: NDArray[np.bool_] = said[known] == 1
    return found


def _smoothed(values: Array) -> Array:
    """Return `values` after two moving averages, which cover `TURN_SECONDS` in total.

    At the ends, where the averages need values beyond the array, the function repeats the first and the last value.
    """
    half = max(1, round(TURN_SECONDS * TICK_RATE / 4))
    for _ in range(2):
        held = np.concatenate([np.full(half + 1, values[0]), values, np.full(half, values[-1])])
        total = np.cumsum(held)
        values = (total[2 * half + 1 :] - total[: -2 * half - 1]) / (2 * half + 1)
    return values

"""Measures of crowds, computed from positions: flows, speeds, lanes and distances. The module uses only numpy.

Positions are [frames, people, 2] on the plan (x east, y north) [m]. After a person has left, the positions of this
person are NaN. Times are arrays [frames] [s].
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

FREE_SPEED, JAM_DENSITY, STEEPNESS = 1.34, 5.4, 1.913  # [m/s], [1/m²], [1/m²]: Weidmann 1993
# radius [m] of the disc for the density at a point, and side length [m] of the cells of the used area
AROUND, CELL = 1.0, 0.2
FASTEST = 15.0  # [m/s]; a faster movement is a jump to a new position and crosses no line
BESIDE = 0.3  # largest sideways distance [m] between two people in the same lane
STEADY = (0.2, 0.7)  # measured part of the crossing people, as shares: after the start, before the flow decreases


def weidmann(density: Reals) -> Reals:
    """Return the speed [m/s] at a density [1/m²] (Weidmann 1993)."""
    return FREE_SPEED * (1 - np.exp(-STEEPNESS * (1 / density - 1 / JAM_DENSITY)))


def last_seen(positions: Reals) -> Reals:
    """Return the last position of each person [people, 2] [m]. NaN = the person was never present."""
    frames = np.where(np.isnan(positions[..., 0]), -1, np.arange(len(positions))[:, None]).max(axis=0)
    return positions[frames, np.arange(positions.shape[1])]


class Feet(NamedTuple):
    """The feet of walking people at each sample."""

    contacts: Reals  # [frames, people, feet, 2, 3], heels and balls in space (x east, y up, z south) [m]
    stands: NDArray[np.bool_]  # [frames, people, feet], false = the foot swings


class Watched(NamedTuple):
    """Positions of people at each sample. After a person has left, the positions of this person are NaN."""

    times: Reals  # [frames], time of each sample [s]
    crowds: Mapping[str, Reals]  # by name, [frames, people, 2], x east and y north [m]
    reactions: Mapping[str, Reals] = MappingProxyType({})  # by name of the crowd, [people], premovement times [s]
    feet: Mapping[str, Feet] = MappingProxyType({})  # by name of the crowd; only if the run computes poses

    def within(self, first: float, last: float) -> "Watched":
        """Return the samples between the times `first` and `last` [s]."""
        chosen = (self.times >= first) & (self.times <= last)
        crowds = {name: positions[chosen] for name, positions in self.crowds.items()}
        feet = {name: Feet(own.contacts[chosen], own.stands[chosen]) for name, own in self.feet.items()}
        return self._replace(times=self.times[chosen], crowds=crowds, feet=feet)


def stair_times(seen: Watched, name: str) -> Reals:
    """Return the times [2, people] [s] at which a crowd passes two lines on stairs, 3.5 m from each other.

    The stairs lead north. A crowd whose name ends with "down" walks south.
    """
    y = seen.crowds[name][:, :, 1]
    if name.endswith("down"):
        return np.stack([crossing_times(seen.times, -y, line) for line in (-1.5, 2.0)])
    return np.stack([crossing_times(seen.times, y, line) for line in (-2.0, 1.5)])


def crossing_times(times: Reals, values: Reals, line: float) -> Reals:
    """For each person, return the first time [people] [s] at which the value of the person in `values` is above `line`,
    or inf.
    """
    beyond = values > line
    return np.where(beyond.any(axis=0), times[beyond.argmax(axis=0)], np.inf)


def empty_at(times: Reals, positions: Reals) -> float:
    """Return the time [s] at which the last person departs, or inf if a person never departs."""
    is_empty = np.isnan(positions).all(axis=(1, 2))
    return float(times[is_empty.argmax()]) if is_empty.any() else np.inf


def crossings(
    before: Reals, after: Reals, line: tuple[tuple[float, float], tuple[float, float]], most: float
) -> tuple[NDArray[np.intp], Reals, NDArray[np.bool_]]:
    """Find the people that cross the segment `line` on a straight path from `before` to `after` [n, 2] [m].

    Return three arrays: the rows of the crossing paths, the fraction (0 to 1) of each crossing path that lies before
    the line, and whether each crossing path leads to the right side of the line. The right side is the side on the
    right of a person that walks from the first point of the line to the second point. Paths longer than `most` [m] do
    not count as crossings.
    """
    first, second = np.array(line, np.float64)
    along = second - first
    across = np.array([along[1], -along[0]])  # normal vector that points to the right
    begin, end = (before - first) @ across, (after - first) @ across
    rows = np.flatnonzero(((begin > 0) != (end > 0)) & (np.hypot(*(after - before).T) <= most))
    share = begin[rows] / (begin[rows] - end[rows])
    at = ((before[rows] + share[:, None] * (after[rows] - before[rows]) - first) @ along) / (along @ along)
    is_on = (at >= 0) & (at <= 1)
    return rows[is_on], share[is_on], (end[rows] > 0)[is_on]


def flow(crossed: Reals, shares: tuple[float, float] = STEADY) -> float:
    """Return the flow [1/s] through a line. `crossed` [people] [s] contains the crossing times of all people.

    The flow is 0 if too few people cross the line. `shares` selects the measured people: the first and the last person
    in the order of crossing, as fractions of the number of people.
    """
    first, last = (int(share * len(crossed)) for share in shares)
    ordered = np.sort(crossed)
    last = min(last, int(np.isfinite(ordered).sum()) - 1)
    if last <= first:
        return 0.0
    return float((last - first) / (ordered[last] - ordered[first]))


def speed_and_density(times: Reals, along: Reals, width: float, first: float, last: float) -> tuple[float, float]:
    """Return the speed [m/s] and the density [1/m²] in the middle of a group of people in a corridor of `width` [m].

    `along` [frames, people] contains the distances of the people along the corridor [m]. `first` and `last` select the
    measured part of the group, as fractions of the people in the group, counted from the rear. The measured part moves
    with the people. Therefore, the first and the last people of the group have no influence on the measurement.
    """
    order = np.argsort(along[0])
    own = along[:, order[int(first * len(order)) : int(last * len(order))]]
    speed = float((own[-1] - own[0]).mean() / (times[-1] - times[0]))
    lengths = np.ptp(own, axis=1)
    return speed, float((own.shape[1] - 1) / (lengths.mean() * width))


def closest(positions: Reals) -> float:
    """Return the smallest distance between two people over all times [m]."""
    least = np.inf
    for points in positions:
        ordered = points[np.argsort(points[:, 0])]
        for step in range(1, len(ordered)):
            apart = ordered[step:] - ordered[:-step]
            near = np.abs(apart[:, 0]) < least
            if not near.any():
                break  # all further people are farther away
            least = min(least, float(np.hypot(*apart[near].T).min()))
    return least


def lane_order(aside: Reals, ways: Reals) -> float:
    """Return the lane order of two streams: 1 if people walk in lanes of one direction, 0 if the directions are mixed
    (Rex and Löwen 2007; Nowak and Schadschneider 2012).

    `aside` [people] contains the positions across the stream [m]. `ways` [people] contains the direction of each
    person's stream, 1 or -1.
    """
    beside = np.abs(aside[:, None] - aside) < BESIDE
    same = (beside * (ways[:, None] == ways)).sum(axis=1) - 1  # people of the same stream, without the person
    other = (beside * (ways[:, None] != ways)).sum(axis=1)
    counted = same + other > 0
    return float((((same - other)[counted] / (same + other)[counted]) ** 2).mean())


def densities(at: NDArray[np.intp], xy: Reals) -> Reals:
    """Return the number of people per square metre within `AROUND` [m] of each point [n].

    The function divides the plan into square cells. The density at a point is the number of people divided by an area:
    the area of all cells within `AROUND` of the point that contain at least one point of `xy`.

    `at` [n] contains the ascending index of the time of each point. `xy` [n, 2] [m] contains the points.
    """
    reach = int(AROUND / CELL) + 1
    cells = np.floor((xy - xy.min(axis=0)) / CELL).astype(np.intp) + reach
    visited = np.zeros(cells.max(axis=0) + reach + 1)
    visited[cells[:, 0], cells[:, 1]] = CELL * CELL
    area = np.zeros_like(visited)
    for offset in np.ndindex(2 * reach + 1, 2 * reach + 1):
        shift = np.array(offset) - reach
        if np.hypot(*(shift * CELL)) <= AROUND:
            area += np.roll(visited, shift, (0, 1))
    found = np.zeros(len(xy))
    for rows in np.split(np.arange(len(xy)), np.flatnonzero(np.diff(at)) + 1):
        apart = np.linalg.norm(xy[rows, None] - xy[rows], axis=-1)
        found[rows] = (apart <= AROUND).sum(axis=1)
    return found / area[cells[:, 0], cells[:, 1]]


def people_within(points: Reals, distance: float) -> NDArray[np.int64]:
    """Return the number of people [people] within `distance` [m] of each person.

    The person itself counts too.

    `points` [people, 2] [m] contains the positions of the people.
    """
    order = np.argsort(points[:, 0], kind="stable")
    ordered, counts = points[order], np.ones(len(points), np.int64)
    for step in range(1, len(ordered)):
        apart = ordered[step:] - ordered[:-step]
        if not (apart[:, 0] <= distance).any():
            break  # all further people are farther away
        near = apart[:, 0] ** 2 + apart[:, 1] ** 2 <= distance * distance
        counts[step:] += near
        counts[:-step] += near
    found = np.empty_like(counts)
    found[order] = counts
    return found


def are_in_boxes(positions: Reals, boxes: Reals) -> NDArray[np.bool_]:
    """Return whether each position [..., 2] is inside at least one box [n, 4] (west, south, east, north) [m]."""
    x, y = positions[..., 0, None], positions[..., 1, None]
    west, south, east, north = boxes.T
    return ((west <= x) & (x <= east) & (south <= y) & (y <= north)).any(axis=-1)

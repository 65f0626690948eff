"""Measures of crowds, from positions alone: flows, speeds, lanes, gaps. Plain numpy.

Positions are [frames, people, 2] on the plan, x east and y north [m], nan after the departure; times [frames], [s].
"""

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

FREE_SPEED, JAM_DENSITY, STEEPNESS = 1.34, 5.4, 1.913  # [m/s], [1/m²], [1/m²]: Weidmann 1993
AROUND, CELL = 1.0, 0.2  # [m] about a point where people count, and of the cells that they set foot on
BESIDE = 0.3  # [m] to each side that count as the same lane
STEADY = (0.2, 0.7)  # the share of people of a flow that is measured: it has begun, and not yet thinned out


def weidmann(density: Reals) -> Reals:
    """Speed [m/s] by density [1/m²] (Weidmann 1993)."""
    return FREE_SPEED * (1 - np.exp(-STEEPNESS * (1 / density - 1 / JAM_DENSITY)))


def last_seen(positions: Reals) -> Reals:
    """Return the last position of each person [people, 2] [m], from positions [frames, people, 2], or nan."""
    frames = np.where(np.isnan(positions[..., 0]), -1, np.arange(len(positions))[:, None]).max(axis=0)
    return positions[frames, np.arange(positions.shape[1])]


def crossing_times(times: Reals, values: Reals, line: float) -> Reals:
    """Return the first time [people] [s] at which each person's value [frames, people] is beyond a line, or inf."""
    beyond = values > line
    return np.where(beyond.any(axis=0), times[beyond.argmax(axis=0)], np.inf)


def empty_at(times: Reals, positions: Reals) -> float:
    """Return the departure of the last person [s], or inf if a person stays."""
    is_empty = np.isnan(positions).all(axis=(1, 2))
    return float(times[is_empty.argmax()]) if is_empty.any() else np.inf


def crossings(
    before: Reals, after: Reals, line: tuple[tuple[float, float], tuple[float, float]], most: float
) -> tuple[Reals, NDArray[np.bool_]]:
    """Find the people that cross a line on straight ways from one position to another [n, 2] [m].

    Return the share of each way before the line, 0 to 1, and whether it leads to the right of the line, as seen from
    its first point to its second. A way longer than `most` [m] crosses nothing.
    """
    first, second = np.array(line, np.float64)
    along = second - first
    across = np.array([along[1], -along[0]])  # to the right
    begin, end = (before - first) @ across, (after - first) @ across
    rows = np.flatnonzero(((begin > 0) != (end > 0)) & (np.hypot(*(after - before).T) <= most))
    share = begin[rows] / (begin[rows] - end[rows])
    at = ((before[rows] + share[:, None] * (after[rows] - before[rows]) - first) @ along) / (along @ along)
    is_on = (at >= 0) & (at <= 1)
    return share[is_on], (end[rows] > 0)[is_on]


def flow(crossed: Reals, shares: tuple[float, float] = STEADY) -> float:
    """People a second through a line, by when each crossed it [people], [s]; 0 where too few did.

    shares: from which of them on, and to which, as shares of all.
    """
    first, last = (int(share * len(crossed)) for share in shares)
    ordered = np.sort(crossed)
    last = min(last, int(np.isfinite(ordered).sum()) - 1)
    if last <= first:
        return 0.0
    return float((last - first) / (ordered[last] - ordered[first]))


def speed_and_density(times: Reals, along: Reals, width: float, first: float, last: float) -> tuple[float, float]:
    """Speed [m/s] and density [1/m²] in the middle of a column of people in a corridor of a width [m].

    along: [frames, people], how far along it they are [m]. first, last: which share of them, from the rear, counts;
    it is followed, so what happens at the column's ends comes too late to matter.
    """
    order = np.argsort(along[0])
    own = along[:, order[int(first * len(order)) : int(last * len(order))]]
    speed = float((own[-1] - own[0]).mean() / (times[-1] - times[0]))
    lengths = np.ptp(own, axis=1)
    return speed, float((own.shape[1] - 1) / (lengths.mean() * width))


def closest(positions: Reals) -> float:
    """The least distance of any two people at any time [m]."""
    least = np.inf
    for points in positions:
        ordered = points[np.argsort(points[:, 0])]
        for step in range(1, len(ordered)):
            apart = ordered[step:] - ordered[:-step]
            near = np.abs(apart[:, 0]) < least
            if not near.any():
                break  # those further along are further away
            least = min(least, float(np.hypot(*apart[near].T).min()))
    return least


def lane_order(aside: Reals, ways: Reals) -> float:
    """How far two streams are in lanes, 0 to 1 (Rex and Löwen 2007; Nowak and Schadschneider 2012).

    aside: [people], where they are across the stream [m]; ways: [people], 1 or -1, the one or the other stream.
    """
    beside = np.abs(aside[:, None] - aside) < BESIDE
    same = (beside * (ways[:, None] == ways)).sum(axis=1) - 1  # without themselves
    other = (beside * (ways[:, None] != ways)).sum(axis=1)
    counted = same + other > 0
    return float((((same - other)[counted] / (same + other)[counted]) ** 2).mean())


def densities(at: NDArray[np.intp], xy: Reals) -> Reals:
    """People a square metre within `AROUND` of each point, [n], of the floor that anybody ever sets foot on.

    at: [n], the moment of each point, rising; xy: [n, 2] [m].
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
    """How many are within a distance [m] of each, themselves counted, [people]; points: [people, 2] [m]."""
    order = np.argsort(points[:, 0], kind="stable")
    ordered, counts = points[order], np.ones(len(points), np.int64)
    for step in range(1, len(ordered)):
        apart = ordered[step:] - ordered[:-step]
        if not (apart[:, 0] <= distance).any():
            break  # those further along are further away
        near = apart[:, 0] ** 2 + apart[:, 1] ** 2 <= distance * distance
        counts[step:] += near
        counts[:-step] += near
    found = np.empty_like(counts)
    found[order] = counts
    return found


def are_in_boxes(positions: Reals, boxes: Reals) -> NDArray[np.bool_]:
    """Whether points [..., 2] are in any of the boxes [n, 4], west, south, east and north [m]."""
    x, y = positions[..., 0, None], positions[..., 1, None]
    west, south, east, north = boxes.T
    return ((west <= x) & (x <= east) & (south <= y) & (y <= north)).any(axis=-1)

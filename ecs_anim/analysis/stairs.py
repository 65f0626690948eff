"""People that arrive on a storey over stairs, ramps, escalators and lifts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ecs_anim.analysis.flows import Crossings, Line
from ecs_anim.analysis.samples import LONGEST_GAP, RATE, Reals, Samples

if TYPE_CHECKING:
    from ecs_anim.storeys.building import Building

# [m]; a change of storey belongs to a connection if its distance from the middle of the connection's upper end is less
# than this value plus half of the connection's width
NEAR = 1.0


def stair_crossings(floors: Sequence[Samples], building: "Building") -> tuple[Crossings, ...]:
    """Return the changes of storey over each connection (stairs, ramp, escalator or lift) of a building. In the result,
    `to_right` is true for the way up.

    `floors` are the people of each storey, from the lowest. A change belongs to the connection with the nearest upper
    end. The line of a connection is its upper end, or the door of a lift. A ride over several storeys counts as one
    change for each storey.
    """
    times, points, upper, is_up = _changes(floors)
    ends = list(_ends(building))
    near = np.full((len(ends) + 1, len(times)), np.inf)
    for number, (_, line, storey) in enumerate(ends):
        apart = points - np.mean(line, axis=0)
        reach = NEAR + _length(np.subtract(*line)) / 2
        distance = np.sqrt((apart * apart).sum(axis=1))
        near[number] = np.where((distance < reach) & ((upper == storey) | (storey < 0)), distance, np.inf)
    # the last row collects the changes that are not near any connection
    near[-1] = np.where(np.isinf(near[:-1]).all(axis=0), 0.0, np.inf)
    best = near.argmin(axis=0)
    return tuple(
        Crossings(name, line, times[best == number], is_up[best == number])
        for number, (name, line, _) in enumerate(ends)
    )


def _changes(floors: Sequence[Samples]) -> tuple[Reals, Reals, NDArray[np.intp], NDArray[np.bool_]]:
    """Return four arrays about the changes of storey: the times [n] [s], the points [n, 2] [m], the numbers of the
    upper storeys [n], and whether the person went up [n].
    """
    names = {name: number for number, name in enumerate(dict.fromkeys(name for own in floors for name in own.ids))}
    person = [np.array([names[name] for name in own.ids], np.intp)[own.people] for own in floors]
    storey = [np.full(len(own.frames), number) for number, own in enumerate(floors)]
    columns = (person, [own.frames for own in floors], storey)
    people, frames, storeys = (np.concatenate(column) for column in columns)
    points = np.concatenate([own.xy for own in floors])
    order = np.lexsort((frames, people))
    people, frames, storeys, points = people[order], frames[order], storeys[order], points[order]
    change = (np.diff(people) == 0) & (np.diff(storeys) != 0) & (np.diff(frames) <= LONGEST_GAP * RATE)
    later = np.flatnonzero(change) + 1
    is_up = storeys[later] > storeys[later - 1]
    upper = np.maximum(storeys[later], storeys[later - 1])
    order = np.argsort(frames[later], kind="stable")
    later = later[order]
    return frames[later] / RATE, points[later], upper[order], is_up[order]


def _ends(building: "Building") -> "Sequence[tuple[str, Line, int]]":
    """Return the name, the upper end and the upper storey of each connection. For a lift, the storey is -1, which means
    all storeys.
    """
    found = list[tuple[str, Line, int]]()
    for run in building.runs:
        last = run.flights[-1]
        found.append((run.name, _across(last.end, last.uphill, last.width), building.storey(last.top)))
    for lift in building.lifts:
        found.append((lift.name, _across(lift.at, lift.inward, lift.width), -1))
    return found


def _across(middle: tuple[float, float], way: tuple[float, float], width: float) -> Line:
    """Return the line with the length `width` across a direction. The direction points to the right of the line."""
    (x, y), (dx, dy), half = middle, way, width / 2
    return (x - dy * half, y + dx * half), (x + dy * half, y - dx * half)


def _length(vector: Reals) -> float:
    return float(np.sqrt((vector * vector).sum()))

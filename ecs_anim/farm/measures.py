"""Measures of a run. Each measure is a function that returns figures.

A figure is a number in the table of the farm. The functions return dictionaries from figure name to value.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.farm.job import FlowLine, Line
from ecs_anim.farm.plan import Task
from ecs_anim.profiling.measure import measure
from ecs_anim.profiling.report import as_json
from ecs_anim.profiling.validation.crowd_measures import AROUND, FASTEST, Reals, crossings, flow, people_within
from ecs_anim.profiling.validation.feet import measure_feet, watch_feet
from ecs_anim.scenes.starting import Start, skip_to
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.trajectory_saving import floors_of, people_of

LOOKS = 10  # [1/s], largest sampling rate of positions

Figures = dict[str, Any]
# Ids [n] of each crowd, and the plan point [m] and the storey of each person [n, 3].
Places = Mapping[int, tuple[NDArray[np.int64], Reals]]
# Times [s] at which people cross a line, and whether each person crosses to the right.
Crossings = tuple[Reals, NDArray[np.bool_]]


def feet_figures(world: World, frames: range) -> Figures:
    """Measure the feet of each crowd in all steps of `frames`."""
    watch_feet(world)
    return {
        f"{found['crowd']}.{name}": value
        for found in measure_feet(world, frames.stop - frames.start)
        for name, value in found.items()
        if name != "crowd"
    }


def density_figures(world: World, frames: range) -> Figures:
    """Measure the number of people and the density [1/m²] around each person, up to `LOOKS` times per second.

    The density is the number of people on the same storey in a circle with the radius `AROUND`, divided by the area of
    the circle. In a building, the result first contains the figures of all storeys together, and then the figures of
    each storey.
    """
    stage = stage_of(world)
    names, seen = stage.storey_names or ("",), list[Reals]()
    for frame in range(frames.start, frames.stop, max(1, stage.frame_rate // LOOKS)):
        skip_to(world, frame)
        seen.append(np.concatenate([np.zeros((0, 3)), *(points for _, points in _places(world).values())]))
    by_storey = [[points[points[:, 2] == number, :2] for points in seen] for number in range(len(names))]
    figures = _density_figures(len(seen), by_storey)
    if stage.storeys:
        for name, own in zip(names, by_storey, strict=True):
            figures |= {f"{name}.{figure}": value for figure, value in _density_figures(len(seen), [own]).items()}
    return figures


def _density_figures(times: int, by_storey: Sequence[Sequence[Reals]]) -> Figures:
    """Return the density figures of people. `by_storey` contains one list for each storey: the plan points of the
    people at each of the `times` sample times. People on different storeys are not neighbours.
    """
    around = [people_within(points, AROUND) for storey in by_storey for points in storey if len(points)]
    if not around:
        return {"mean": None, "p95": None, "most": None, "people": 0.0}
    found = np.concatenate(around) / (np.pi * AROUND * AROUND)
    people = len(found) / times
    figures = {"mean": found.mean(), "p95": np.percentile(found, 95), "most": found.max(), "people": people}
    return {name: round(float(value), 5) for name, value in figures.items()}


def flow_figures(world: World, frames: range, lines: Mapping[str, FlowLine]) -> Figures:
    """Count the people that cross lines to the right and to the left, and measure the flow.

    The flow [1/s] is the number of crossings in both directions after the first crossing, divided by the time from the
    first crossing to the last crossing. The specific flow [1/(m s)] is the flow divided by the length of the line. The
    specific flow allows a comparison of doors with different widths.
    """
    stage, before = stage_of(world), _places(world)
    rate = stage.frame_rate
    crossed: dict[str, list[Crossings]] = {name: [] for name in lines}
    for frame in range(frames.start + 1, frames.stop):
        skip_to(world, frame)
        now = _places(world)
        begin, end = _ways(before, now)
        for name, line in lines.items():
            own = begin[:, 2] == line.storey
            _, share, is_right = crossings(begin[own, :2], end[own, :2], line.points, most=FASTEST / rate)
            crossed[name].append(((frame - 1 + share) / rate, is_right))
        before = now
    return {
        f"{name}.{figure}": value
        for name, line in lines.items()
        for figure, value in _line_figures(crossed[name], line.points).items()
    }


def _line_figures(crossed: list[Crossings], line: Line) -> Figures:
    seconds = np.concatenate([[], *(times for times, _ in crossed)])
    to_right = sum(int(is_right.sum()) for _, is_right in crossed)
    per_second, length = flow(seconds, (0.0, 1.0)), float(np.sqrt(np.square(np.subtract(*line)).sum()))
    return {
        "people": to_right,
        "people_back": len(seconds) - to_right,
        "per_second": round(per_second, 5),
        "per_metre_and_second": round(per_second / length, 5),
    }


def _places(world: World) -> Places:
    """Return the ids of all crowds, and their plan points and storeys. Without levels, all storeys are 0."""
    found = {}
    for entity, (crowd,) in world.query(Crowd):
        ids, points, _ = people_of(world, entity, crowd)
        storeys = floors_of(world, entity)[:, 1] if stage_of(world).storeys else np.zeros(len(ids))
        found[entity] = ids, np.column_stack([points, storeys])
    return found


def _ways(before: Places, now: Places) -> tuple[Reals, Reals]:
    """Return the start and the end of the way of each person that is in `before` and in `now`, as two arrays [n, 3].
    The columns are x, y and the number of the storey.
    """
    begin, end = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for entity in before.keys() & now.keys():
        (ids, points), (new_ids, new_points) = before[entity], now[entity]
        _, rows, new_rows = np.intersect1d(ids, new_ids, assume_unique=True, return_indices=True)
        begin.append(points[rows])
        end.append(new_points[new_rows])
    return np.concatenate(begin), np.concatenate(end)


def profile_figures(task: Task, *, threads: int | None, allow_code: bool) -> tuple[Figures, Figures]:
    """Measure the duration of each step without drawing. Return the figures for the table, and the complete report."""
    report = measure(
        task.scene,
        task.scene.label,
        actors=None,
        seed=task.seed,
        threads=threads,
        frames=task.frames.stop - task.frames.start,
        warmup=0,
        size=None,
        allow_code=allow_code,
        start=Start(task.frames.start),
    )
    data = as_json(report)
    spread = {f"profile.frame_ms_{name}": value for name, value in data["frame_ms"].items()}
    return spread | {"profile.actors": report.actors, "profile.threads": report.threads}, data

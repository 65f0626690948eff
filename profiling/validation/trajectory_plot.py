"""Plot of the trajectories of people, for `ecs-anim inspect FILE --plot PATH`.

Plots need matplotlib (the `plot` extra). The module imports matplotlib only when a program requests a plot.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.plotting import COLORS, GREY, INK, check_plot_path, save_plot, set_heading, tidy
from ecs_anim.trajectories import Recording, Report, Trajectories, report
from ecs_anim.trajectories.even_samples import positions_and_speeds
from ecs_anim.walls.build import walls_from_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST_STEP, MOST_STEPS = 0.5, 1000  # smallest time between two samples [s], and largest number of samples
BLOCK = 256  # people per block; the distances from a block to all other people are in memory together
MOST_POINTS = 400_000  # approximate number of points of all drawn paths
SOLID = "#a9a399"
PATHS = 0.35  # opacity of paths; it is low, because many paths overlap
SHOWN = 98  # the axes show speeds and distances up to this percentile
CELLS, LEAST_TOLD = 32, 10  # number of cells along each axis; smallest number of samples in a cell with a drawn speed
Array = NDArray[np.float64]


class Moments(NamedTuple):
    """Positions and speeds of people at evenly spaced times. Each row is one person at one time."""

    times: Array  # [k], [s]
    at: NDArray[np.intp]  # [n], ascending indices into `times`
    speed: Array  # [n], [m/s], computed from the samples before and after
    nearest: Array  # [n], distance to the nearest other person [m]; inf if no other person is present
    xy: Array  # [n, 2], position on the plan [m]


def plot_trajectories(found: Recording, path: Path) -> None:
    """Plot the trajectories in a file into a .png or .svg file. The file is either complete or does not exist.

    Raises InputError if the plot cannot be drawn or written.
    """
    check_plot_path(path)
    save_plot(draw_trajectories(found), path)


def draw_trajectories(found: Recording) -> Figure:
    """Draw four panels: paths with walls, the number of people, their speeds, and speeds against distances."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    people = found.whole()
    figure = Figure(figsize=(13.0, 7.6), layout=ConstrainedLayoutEngine(rect=(0.005, 0.0, 0.99, 0.925)))
    seen = moments(people)
    panels = figure.subplot_mosaic([["map", "count"], ["map", "speed"], ["map", "distance"]], width_ratios=(1.5, 1))
    _draw_paths(panels["map"], people)
    _draw_count(panels["count"], found)
    _draw_speeds(panels["speed"], seen)
    _draw_distances(panels["distance"], seen)
    panels["speed"].sharex(panels["count"])
    set_heading(figure, found.path)
    figure.text(0.01, 0.95, _facts(report(found)), fontsize=9.5, color=GREY, va="top")
    return figure


def moments(people: Trajectories) -> Moments:
    """Return the positions of all people at evenly spaced times, with linear interpolation."""
    step = max(LEAST_STEP, float(np.ptp(people.times)) / MOST_STEPS)
    begin = float(people.times.min())
    at, xy, speed = [], [], []
    for first, end in zip(people.starts[:-1], people.starts[1:], strict=True):
        times, own = people.times[first:end] - begin, people.xy[first:end]
        number = np.arange(np.ceil(times[0] / step), np.floor(times[-1] / step) + 1)
        now, own_speed = positions_and_speeds(times, own, number * step, step)
        known = np.isfinite(own_speed)
        at.append(number[known])
        xy.append(now[known])
        speed.append(own_speed[known])
    number = np.concatenate(at).astype(np.intp)
    order = np.argsort(number, kind="stable")
    number, positions = number[order], np.concatenate(xy)[order]
    times = begin + step * np.arange(number.max(initial=0) + 1)
    return Moments(times, number, np.concatenate(speed)[order], _nearest(number, positions), positions)


def _nearest(at: NDArray[np.intp], xy: Array) -> Array:
    """Return the distance [n] from each point [n, 2] to the nearest other point with the same time."""
    found = np.full(len(at), np.inf)
    for rows in np.split(np.arange(len(at)), np.flatnonzero(np.diff(at)) + 1):
        for part in np.split(rows, range(BLOCK, len(rows), BLOCK)):
            squared = np.sum((xy[part, None] - xy[rows]) ** 2, axis=-1)
            squared[part[:, None] == rows] = np.inf
            found[part] = np.sqrt(squared.min(axis=1, initial=np.inf))
    return found


def _draw_paths(axes: Axes, people: Trajectories) -> None:
    from matplotlib.collections import LineCollection

    if people.walls:
        _draw_walls(axes, people.walls[0].wkt)
    every = max(1, people.sample_count // MOST_POINTS)
    ways = [people.xy[a:b][::every] for a, b in zip(people.starts[:-1], people.starts[1:], strict=True)]
    colors = [COLORS[row % len(COLORS)] for row in range(len(ways))]
    axes.add_collection(LineCollection(ways, colors=colors, linewidths=0.8, alpha=PATHS))
    begins = people.xy[people.starts[:-1]]
    axes.scatter(begins[:, 0], begins[:, 1], s=9, c=colors, zorder=3)
    axes.autoscale_view()
    axes.set_aspect("equal")
    tidy(axes, "both", "paths (dots: start points)", x="x, east [m]", y="y, north [m]")


def _draw_walls(axes: Axes, wkt: str) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    for solid in walls_from_text(wkt).solids:
        rings = [np.vstack([ring, ring[:1]]) for ring in (solid.exterior, *solid.holes)]
        whole = Outline.make_compound_path(*[Outline(ring, closed=True) for ring in rings])
        axes.add_patch(PathPatch(whole, facecolor=SOLID, edgecolor=INK, linewidth=0.5, zorder=0.5))


def _draw_count(axes: Axes, found: Recording) -> None:
    times = np.concatenate([found.first, found.last])
    order = np.argsort(times, kind="stable")
    change = np.repeat([1, -1], len(found.ids))[order]
    axes.step(times[order], np.cumsum(change), where="post", color=COLORS[0], linewidth=1.6)
    axes.set_ylim(bottom=0)
    tidy(axes, "both", "number of people")


def _draw_speeds(axes: Axes, seen: Moments) -> None:
    number, first = np.unique(seen.at, return_index=True)
    parts = np.split(seen.speed, first[1:]) if len(number) else []
    shares = np.full((len(seen.times), 3), np.nan)  # NaN interrupts the lines while no people are present
    shares[number] = np.array([np.percentile(own, (10, 50, 90)) for own in parts]).reshape(-1, 3)
    axes.fill_between(seen.times, shares[:, 0], shares[:, 2], color=COLORS[0], alpha=0.2, linewidth=0)
    axes.plot(seen.times, shares[:, 1], color=COLORS[0], linewidth=1.6)
    axes.set_ylim(bottom=0)
    tidy(axes, "both", "speed [m/s]: median and central 80 %", x="seconds")


def _draw_distances(axes: Axes, seen: Moments) -> None:
    near = np.isfinite(seen.nearest)
    far, fast = seen.nearest[near], seen.speed[near]
    most = [max(least, float(np.percentile(own, SHOWN))) if len(own) else least for own, least in ((far, 1), (fast, 1))]
    count, *edges = np.histogram2d(far, fast, bins=CELLS, range=[(0, end) for end in most])
    known = count.sum(axis=1, keepdims=True) >= LEAST_TOLD
    shares = np.where(known & (count > 0), count / np.maximum(count.max(axis=1, keepdims=True), 1), np.nan)
    axes.pcolormesh(*edges, shares.T, cmap="Blues", vmin=0, vmax=1.2, rasterized=True)
    tidy(axes, "both", "speed [m/s] by distance to the nearest neighbour", x="metres")


def _facts(found: Report) -> str:
    wide, deep = (high - low for low, high in zip(found.low, found.high, strict=True))
    parts = [
        found.format,
        f"{found.people:,} people",
        f"{found.start:.4g} s to {found.end:.5g} s",
        f"{found.samples_a_second:.3g} samples per second",
        f"unit {found.unit}",
        f"{wide:.1f} m by {deep:.1f} m",
        f"median speed {found.median_speed:.2f} m/s",
        f"{100 * found.slow_share:.0f} % of steps under 0.3 m/s",
        f"{found.gap_count:,} gaps, {found.jump_count:,} jumps",
    ]
    return ",  ".join(parts)

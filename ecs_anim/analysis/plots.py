"""The plots of a report, as SVG. Plots need matplotlib (the `plot` extra)."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from ecs_anim.analysis.densities import Map
from ecs_anim.analysis.egress import EgressRun
from ecs_anim.analysis.egress_plots import draw_all_exits, draw_each_exit
from ecs_anim.analysis.flows import Crossings
from ecs_anim.analysis.map_colors import LOWEST, RAMP, top_of
from ecs_anim.analysis.samples import RATE, Samples
from ecs_anim.analysis.service import COLORS as LEVEL_COLORS
from ecs_anim.analysis.service import levels_of
from ecs_anim.analysis.study import Run
from ecs_anim.profiling.validation.checks import RECORDED
from ecs_anim.profiling.validation.crowd_measures import FREE_SPEED, JAM_DENSITY, weidmann
from ecs_anim.support.plotting import COLORS, GREY, INK, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

# [inch], largest width and largest height of a map, and the space for axes and legend
WIDEST, TALLEST, BESIDE = 9.6, 5.4, 2.2
NARROW, PAIR = (9.6, 3.4), (9.6, 3.8)  # [inch], sizes of curves and of pairs of curves
MOST_PATHS, MOST_POINTS = 60_000, 4000  # largest number of points in a map of paths, and in a diagram
SALT = "ecs-anim"  # salt for the ids inside an SVG, so that equal plots give equal texts


def map_of_paths(run: Run) -> str:
    """Return a map with the walkable area, the paths of all people, and the measured lines."""
    return _svg(_map_size(run.people), lambda axes: _draw_paths(axes, run))


def map_of_densities(run: Run) -> str:
    """Return a map of the mean density over time."""
    return _svg(_map_size(run.people), lambda axes: _draw_map(axes, run, run.maps.density, "mean density [1/m²]"))


def map_of_speeds(run: Run) -> str:
    """Return a map of the mean speed."""
    return _svg(_map_size(run.people), lambda axes: _draw_map(axes, run, run.maps.speed, "mean speed [m/s]"))


def map_of_flows(run: Run) -> str:
    """Return a map of the mean flow: density times speed."""
    return _svg(_map_size(run.people), lambda axes: _draw_map(axes, run, run.maps.flow, "mean flow [1/(m s)]"))


def map_of_levels(run: Run) -> str:
    """Return a map of the levels of service of the mean density."""
    return _svg(_map_size(run.people), lambda axes: _draw_levels(axes, run))


def curve_of_counts(runs: Sequence[Run]) -> str:
    """Return a plot of the number of present people over time, with one curve for each run."""
    return _svg(NARROW, lambda axes: _draw_counts(axes, runs))


def curve_of_speeds(run: Run) -> str:
    """Return a plot of the median and the quartiles of the speeds over time."""
    return _svg(NARROW, lambda axes: _draw_speeds(axes, run.people))


def fundamental_diagram(run: Run) -> str:
    """Return a plot of people's speeds against their Voronoi densities, with the curve of Weidmann (1993)."""
    return _svg(NARROW, lambda axes: _draw_fundamental(axes, run))


def curve_of_crossings(people: Samples, found: Sequence[Crossings]) -> str:
    """Return a plot of the number of crossings of each line over time."""
    return _svg(NARROW, lambda axes: _draw_crossings(axes, people, found))


def egress_distribution(runs: Sequence[Run]) -> str:
    """Return a plot of the fraction of departed people over the egress time, with one curve for each run."""
    return _svg(NARROW, lambda axes: _draw_egress(axes, runs))


def egress_by_exit(runs: Sequence[EgressRun]) -> str:
    """Return a plot of the distributions of egress times over all runs, for all exits together and for each exit."""

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharex=True)
        draw_all_exits(left, runs)
        draw_each_exit(right, runs)

    return _figure_svg(PAIR, draw)


def _map_size(people: Samples) -> tuple[float, float]:
    """Return the size of a map [inch]. The shape of the map is the shape of the walkable area."""
    west, south, east, north = people.area.bounds
    shape = (east - west) / max(north - south, 1e-9)
    width = min(max(TALLEST * shape + BESIDE, WIDEST / 2), WIDEST)
    return width, min(max((width - BESIDE) / shape + BESIDE / 3, TALLEST / 2), TALLEST)


def _svg(size: tuple[float, float], draw: Callable[[Axes], None]) -> str:
    """Return the SVG text of a figure with one panel."""
    return _figure_svg(size, lambda figure: draw(figure.subplots()))


def _figure_svg(size: tuple[float, float], draw: Callable[[Figure], None]) -> str:
    """Return the SVG text of a figure. Equal data give equal texts."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": SALT, "svg.fonttype": "path"}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    return text[text.index("<svg") :]


def _draw_paths(axes: Axes, run: Run) -> None:
    from matplotlib.collections import LineCollection

    people = run.people
    every = max(1, len(people.frames) // MOST_PATHS)
    order = np.lexsort((people.frames, people.people))
    xy, starts = people.xy[order], np.flatnonzero(np.diff(people.people[order])) + 1
    ways = [way[::every] for way in np.split(xy, starts)]
    _draw_area(axes, people)
    axes.add_collection(LineCollection(ways, colors=COLORS[0], linewidths=0.7, alpha=0.35))
    for own, color in zip(run.crossings, COLORS[1:] * len(run.crossings), strict=False):
        (x0, y0), (x1, y1) = own.line
        axes.plot([x0, x1], [y0, y1], color=color, linewidth=2.5, label=own.name)
    if run.crossings:
        axes.legend(frameon=False, fontsize=8)
    _tidy_map(axes, people)


def _draw_map(axes: Axes, run: Run, found: Map, label: str) -> None:
    """Draw a map of squares. Squares with a very low density have no colour."""
    from matplotlib.colors import LinearSegmentedColormap

    shown = np.ma.masked_where(~(run.maps.density.values >= LOWEST) | np.isnan(found.values), found.values)
    _draw_area(axes, run.people)
    colors = LinearSegmentedColormap.from_list("density", RAMP)
    image = _draw_squares(axes, found, shown, cmap=colors, vmin=0, vmax=top_of(shown.filled(0.0)))
    assert axes.figure is not None
    axes.figure.colorbar(image, ax=axes, label=label, shrink=0.8)
    _tidy_map(axes, run.people)


def _draw_levels(axes: Axes, run: Run) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    values = run.maps.density.values
    levels = np.ma.masked_where(~(values >= LOWEST), levels_of(np.nan_to_num(values)))
    _draw_area(axes, run.people)
    _draw_squares(axes, run.maps.density, levels, cmap=ListedColormap([*LEVEL_COLORS.values()]), vmin=-0.5, vmax=5.5)
    patches = [Patch(color=color, label=level) for level, color in LEVEL_COLORS.items()]
    axes.legend(
        handles=patches, title="level", frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5)
    )
    _tidy_map(axes, run.people)


def _draw_squares(axes: Axes, found: Map, values: np.ma.MaskedArray[Any, Any], **style: Any) -> AxesImage:
    return axes.imshow(values, origin="lower", extent=found.extent, interpolation="nearest", **style)


def _draw_area(axes: Axes, people: Samples) -> None:
    """Draw the edges of the walkable area."""
    if people.has_walls:
        for line in shapely.get_parts(shapely.boundary(people.area)):
            axes.plot(*shapely.get_coordinates(line).T, color=INK, linewidth=1.0)


def _tidy_map(axes: Axes, people: Samples) -> None:
    west, south, east, north = people.area.bounds
    axes.set(xlim=(west, east), ylim=(south, north), aspect="equal")
    tidy(axes, "both", x="x, east [m]", y="y, north [m]")
    axes.grid(visible=False)


def _draw_counts(axes: Axes, runs: Sequence[Run]) -> None:
    for run, color in zip(runs, COLORS * len(runs), strict=False):
        begin = run.people.begin
        frames, counts = np.unique(run.people.frames, return_counts=True)
        axes.plot(frames / RATE - begin, counts, color=color, linewidth=1.2, alpha=0.8, label=run.name)
    axes.set_ylim(bottom=0)
    _label_runs(axes, runs)
    tidy(axes, "both", x="time [s]", y="people")


def _draw_speeds(axes: Axes, people: Samples) -> None:
    """Draw the median and the quartiles of the speeds in each second."""
    known = np.isfinite(people.speeds)
    seconds, speeds = people.frames[known] // RATE, people.speeds[known]
    parts = np.split(speeds, np.flatnonzero(np.diff(seconds)) + 1)
    times = np.unique(seconds) - people.begin
    low, middle, high = np.array([np.percentile(part, (25, 50, 75)) for part in parts]).T
    axes.fill_between(times, low, high, color=COLORS[0], alpha=0.25, linewidth=0, label="quartiles")
    axes.plot(times, middle, color=COLORS[0], linewidth=1.4, label="median")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=8)
    tidy(axes, "both", x="time [s]", y="speed [m/s]")


def _draw_fundamental(axes: Axes, run: Run) -> None:
    densities, speeds = run.cells.densities, run.people.speeds[run.cells.samples]
    every = max(1, len(densities) // MOST_POINTS)
    axes.scatter(densities[::every], speeds[::every], s=5, alpha=0.25, color=COLORS[0], linewidths=0, label="people")
    curve = np.linspace(0.1, JAM_DENSITY, 100)
    axes.plot(curve, weidmann(curve), color=INK, linestyle="--", label="Weidmann 1993")
    least, most = np.transpose(list(RECORDED.values()))
    axes.vlines(list(RECORDED), least, most, color=COLORS[1], linewidth=2, label="recorded people, 5 % to 95 %")
    axes.set(xlim=(0, JAM_DENSITY), ylim=(0, 2 * FREE_SPEED))
    axes.legend(frameon=False, fontsize=8)
    tidy(axes, "both", x="density [1/m²]", y="speed [m/s]")


def _draw_crossings(axes: Axes, people: Samples, found: Sequence[Crossings]) -> None:
    begin = people.begin
    for own, color in zip(found, COLORS[1:] * len(found), strict=False):
        counts = np.arange(1, len(own.times) + 1)
        axes.step(own.times - begin, counts, where="post", color=color, linewidth=1.4, label=own.name)
    axes.set(xlim=(0, people.end - begin), ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    tidy(axes, "both", x="time [s]", y="people that crossed")


def _draw_egress(axes: Axes, runs: Sequence[Run]) -> None:
    for run, color in zip(runs, COLORS * len(runs), strict=False):
        times = run.egress_times
        share = np.arange(1, len(times) + 1) / len(run.people.ids)
        axes.step(times, share, where="post", color=color, linewidth=1.2, alpha=0.8, label=run.name)
    axes.axhline(0.95, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(xlim=(0, None), ylim=(0, 1.02))
    _label_runs(axes, runs)
    tidy(axes, "both", x="egress time [s]", y="fraction of the people")


def _label_runs(axes: Axes, runs: Sequence[Run]) -> None:
    if 1 < len(runs) <= len(COLORS):
        axes.legend(frameon=False, fontsize=8)

"""Plots of measured runs: curves of the time of each system against the number of actors, or bars for a single number
of actors.

Plots need matplotlib (the `plot` extra). The module imports matplotlib only when a program requests a plot.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ecs_anim.profiling.report import DRAW, PassFigures, Report, SystemFigures
from ecs_anim.support.plotting import COLORS, INK, save_plot, set_heading, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OTHERS, OTHERS_COLOR, FRAME_COLOR = "all others", "#b8b8b8", INK
LEAST_SHARE = 0.01  # smallest share of the frame time for which a system has its own line
APART = 0.045  # smallest distance between two labels, as a share of the panel's height


class Line(NamedTuple):
    """A line of the plot: the median times of one system in each run, or the sums for all fast systems."""

    name: str
    color: str
    ms: list[float]


def plot_reports(reports: Sequence[Report], path: Path) -> None:
    """Plot the runs of a scene into a .png or .svg file. The file is either complete or does not exist.

    Raises InputError if the plot cannot be written.
    """
    figure = draw_sweep(reports) if len({report.actors for report in reports}) > 1 else draw_bars(reports[0])
    save_plot(figure, path)


def draw_sweep(reports: Sequence[Report]) -> Figure:
    """Draw two panels with the number of actors on the horizontal axis.

    The first panel shows the time per frame, with two logarithmic axes. The second panel shows the time per actor as
    stacked areas.
    """
    from matplotlib.figure import Figure

    ordered = sorted(reports, key=lambda report: report.actors)
    lines = sweep_lines(ordered)
    figure = Figure(figsize=(12.0, 5.2), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08)  # type: ignore[union-attr,call-arg]
    left, right = figure.subplots(1, 2, width_ratios=(1.55, 1))
    _draw_lines(left, ordered, lines)
    _draw_stacks(right, ordered, lines)
    threads = ordered[0].threads
    set_heading(figure, f"{ordered[0].scene}: time per system, {threads} thread{'s' if threads > 1 else ''}")
    return figure


def sweep_lines(reports: Sequence[Report]) -> list[Line]:
    """Return one line for each system or pass that takes a large share of the frame time.

    The last line has the sum of the times of all other systems and passes.
    """
    medians = [{row.name: _median(row) for row in _rows(report)} for report in reports]
    names = dict.fromkeys(name for run in medians for name in run)
    shares = {name: max(run.get(name, 0.0) / (sum(run.values()) or 1.0) for run in medians) for name in names}
    largest = sorted(names, key=lambda name: -shares[name])[: len(COLORS)]
    shown = {name for name in largest if shares[name] >= LEAST_SHARE}
    kept = [name for name in names if name in shown]
    lines = [Line(name, COLORS[k], [run.get(name, 0.0) for run in medians]) for k, name in enumerate(kept)]
    rest = [sum(ms for name, ms in run.items() if name not in shown) for run in medians]
    return [*lines, Line(OTHERS, OTHERS_COLOR, rest)] if len(names) > len(kept) else lines


def draw_bars(report: Report) -> Figure:
    """Draw one bar for each system and each drawing pass. A mark shows the 95th percentile."""
    from matplotlib.figure import Figure

    panels: list[tuple[str, Sequence[SystemFigures | PassFigures]]] = [("systems", _steps(report))]
    if report.passes:
        panels.append((f"passes of drawing ({report.pass_clock})", report.passes))
    heights = [len(rows) + 1.6 for _, rows in panels]
    figure = Figure(figsize=(9.0, 0.3 * sum(heights) + 1.3), layout="constrained")
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights).ravel()
    for own, (title, rows), color in zip(axes, panels, COLORS, strict=False):
        _draw_panel(own, title, rows, color)
    set_heading(figure, f"{report.scene}: {report.actors:,} actors, frame {np.median(report.frame_ms):.2f} ms")
    return figure


def _draw_lines(axes: Axes, reports: Sequence[Report], lines: Sequence[Line]) -> None:
    actors = [report.actors for report in reports]
    frame = Line("frame", FRAME_COLOR, [float(np.median(report.frame_ms)) for report in reports])
    drawn = [frame, *(line for line in lines if any(line.ms))]
    for line in drawn:
        width = 2.6 if line is frame else 1.7
        axes.plot(actors, np.maximum(line.ms, 1e-4), color=line.color, linewidth=width, marker="o", markersize=4)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(actors, [f"{count:,}" for count in actors])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    tidy(axes, "both", "milliseconds a frame", x="actors")
    _label_ends(axes, actors[-1], drawn)


def _label_ends(axes: Axes, x: float, lines: Sequence[Line]) -> None:
    """Write the name of each line in `lines` to the right of the last point of the line.

    The function moves names apart that would overlap.
    """
    bottom, top = np.log10(axes.get_ylim())
    ends = sorted(((np.log10(max(line.ms[-1], 1e-4)) - bottom) / (top - bottom), line) for line in lines)
    heights = spread_out([end for end, _ in ends], APART)
    for (end, line), height in zip(ends, heights, strict=True):
        axes.annotate(
            line.name,
            (x, max(line.ms[-1], 1e-4)),
            xytext=(1.025, height),
            textcoords="axes fraction",
            color=line.color,
            fontsize=9,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": line.color, "linewidth": 0.6, "alpha": 0.5}
            if abs(height - end) > APART / 2
            else None,
        )


def spread_out(heights: Sequence[float], apart: float) -> list[float]:
    """Return the ascending `heights`, moved so that the distance between neighbours is at least `apart`.

    The function moves each height as little as possible.
    """
    groups: list[list[float]] = []  # mean height and number of heights of each group
    for height in heights:
        groups.append([height, 1.0])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < apart * (groups[-1][1] + groups[-2][1]) / 2:
            (mean, count), (before, others) = groups.pop(), groups.pop()
            groups.append([(mean * count + before * others) / (count + others), count + others])
    return [mean + apart * (k - (count - 1) / 2) for mean, count in groups for k in range(int(count))]


def _draw_stacks(axes: Axes, reports: Sequence[Report], lines: Sequence[Line]) -> None:
    actors = np.array([report.actors for report in reports])
    base = np.zeros(len(actors))
    for line in lines:
        heights = 1e3 * np.array(line.ms) / actors
        axes.bar(range(len(actors)), heights, 0.62, bottom=base, color=line.color, edgecolor="white", linewidth=0.5)
        base += heights
    for index, height in enumerate(base):
        axes.annotate(f"{height:.3g}", (index, height), (0, 3), textcoords="offset points", ha="center", fontsize=9)
    axes.set_xticks(range(len(actors)), [f"{count:,}" for count in actors])
    axes.margins(y=0.1)
    tidy(axes, "y", "microseconds an actor", x="actors")


def _draw_panel(axes: Axes, title: str, rows: Sequence[SystemFigures | PassFigures], color: str) -> None:
    medians = [_median(row) for row in rows]
    axes.barh(range(len(rows)), medians, 0.62, color=color)
    high = [float(np.percentile(row.wall_ms, 95)) for row in rows]
    axes.plot(high, range(len(rows)), "|", color=FRAME_COLOR, markersize=9)
    for index, (median, mark) in enumerate(zip(medians, high, strict=True)):
        axes.annotate(
            f"{median:.3g}", (max(median, mark), index), (6, 0), textcoords="offset points", va="center", fontsize=8.5
        )
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.invert_yaxis()
    axes.margins(x=0.12, y=0.02)
    axes.set_xlim(left=0)
    tidy(axes, "x", f"{title}: median [ms], and | the 95th percentile")


def _rows(report: Report) -> list[SystemFigures | PassFigures]:
    return [*_steps(report), *report.passes]


def _steps(report: Report) -> list[SystemFigures]:
    """Return the figures of all systems. The drawing passes replace the drawing system."""
    return [system for system in report.systems if system.name != DRAW]


def _median(row: SystemFigures | PassFigures) -> float:
    return float(np.median(row.wall_ms))

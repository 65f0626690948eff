"""Plot of the walking errors of recorded people, for `ecs-anim walk FILE --report --plot PATH`.

Plots need matplotlib (the `plot` extra). The module imports matplotlib only when a program requests a plot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ecs_anim.support.plotting import COLORS, GREY, INK, set_heading, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WALK_RATIO = 0.39  # speed divided by the squared cadence [m s] (Sekiya and others 1996)
UNSEEN = 21.0  # slide per footstep [mm] that viewers usually do not notice (Prazak, Hoyet and O'Sullivan 2011)
LEAST = 0.1  # lower end of the bars of slides [mm]
WIDTH = 0.8  # width of the bars, as a share of the width of a class

Ways = Mapping[str, Mapping[str, Any]]  # the results of `walking_report`, by method of walking


def draw_walking(ways: Ways, title: str) -> Figure:
    """Draw four panels: slides of feet, distances from recorded points, cadences and step lengths."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 7.6), layout="constrained")
    panels = figure.subplots(2, 2)
    _draw_slides(panels[0, 0], ways)
    _draw_bars(panels[0, 1], ways, "root_error_m_p95", "roots from the low-passed paths [m], 95 %")
    _draw_steps(
        panels[1, 0], ways, "cadence_hz", "steps per second, medians", lambda speed: (speed / WALK_RATIO) ** 0.5
    )
    _draw_steps(
        panels[1, 1], ways, "step_length_m", "length of a step [m], medians", lambda speed: (speed * WALK_RATIO) ** 0.5
    )
    set_heading(figure, title)
    return figure


def _draw_slides(axes: Axes, ways: Ways) -> None:
    for number, (name, own) in enumerate(ways.items()):
        values = [row["slide_mm_p95"] for row in own["classes"]]
        at = np.arange(len(values)) + WIDTH * ((number + 0.5) / len(ways) - 0.5)
        known = [(x, max(value, LEAST)) for x, value in zip(at, values, strict=True) if value is not None]
        axes.bar(
            [x for x, _ in known], [value for _, value in known], WIDTH / len(ways), color=COLORS[number], label=name
        )
        for x, value in known:
            text = f"{value:.0f}" if value >= 10 else f"{value:.2g}"
            axes.annotate(text, (x, value), (0, 2), textcoords="offset points", ha="center", fontsize=7.5)
    axes.axhline(UNSEEN, color=INK, linewidth=0.8, linestyle=":")
    axes.annotate(
        "most viewers notice no sliding below this line",
        (0.99, UNSEEN),
        (0, 2),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        fontsize=7.5,
        color=GREY,
    )
    axes.set_yscale("log")
    axes.set_ylim(bottom=LEAST)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    classes = next(iter(ways.values()))["classes"]
    axes.set_xticks(range(len(classes)), [_class_name(row) for row in classes])
    axes.legend(frameon=False, fontsize=9)
    tidy(axes, "y", "slide of a standing foot [mm], 95 %", x="speed [m/s]")


def _class_name(row: Mapping[str, Any]) -> str:
    return f"{row['from']:g} to {row['to']:g}" if row["to"] is not None else f"over {row['from']:g}"


def _draw_bars(axes: Axes, ways: Ways, key: str, title: str) -> None:
    values = [own[key] or 0.0 for own in ways.values()]
    axes.bar(list(ways), values, 0.6, color=COLORS[: len(ways)])
    for number, value in enumerate(values):
        axes.annotate(f"{value:.3g}", (number, value), (0, 2), textcoords="offset points", ha="center", fontsize=9)
    axes.margins(y=0.12)
    tidy(axes, "y", title)


def _draw_steps(axes: Axes, ways: Ways, key: str, title: str, by_ratio: Any) -> None:
    """Draw a line that connects the values of the speed classes, and the curve of the walk ratio."""
    fastest = max((speed for own in ways.values() for speed, _ in own[key]), default=1.6)
    speeds = np.linspace(0.0, 1.1 * fastest, 100)
    axes.plot(speeds, by_ratio(speeds), color=GREY, linewidth=1.0, linestyle="--", label="walk ratio")
    for number, (name, own) in enumerate(ways.items()):
        points = np.array(own[key]).reshape(-1, 2)
        width = 1.2 * (len(ways) - number)  # later lines are thinner, so that equal lines stay visible
        axes.plot(*points.T, color=COLORS[number], marker="o", markersize=3 + width, linewidth=width, label=name)
    axes.set_xlim(0, 1.1 * fastest)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=9)
    tidy(axes, "both", title, x="speed [m/s]")

"""A plot of the measures of a farm over the scene keys of its runs. The plot needs matplotlib (the `plot` extra)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ecs_anim.farm.folder import PLOT, FarmFolder
from ecs_anim.farm.plan import FarmPlan
from ecs_anim.farm.table import Row, parameters_of, rows_of
from ecs_anim.support.errors import InputError
from ecs_anim.support.plotting import COLORS, GREY, save_plot, set_heading, tidy
from ecs_anim.support.terminal import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The figures in the plot, and their titles. The table contains all figures.
SHOWN = {
    r"feet\.(.*)\.skate_p95": "{}: skate, 95 % [m/s]",
    r"feet\.(.*)\.planted_near_share": "{}: planted within 1 cm",
    r"feet\.(.*)\.penetration_p95": "{}: penetration, 95 % [m]",
    r"density\.mean": "density, mean [1/m²]",
    r"density\.p95": "density, 95 % [1/m²]",
    r"flow\.(.*)\.per_second": "{}: people per second [1/s]",
    r"flow\.(.*)\.people": "{}: people",
    r"profile\.frame_ms_median": "step, median [ms]",
}
MOST = 16  # largest number of measures in one plot
WIDTH, HEIGHT = 3.6, 2.3  # [inch], size of a panel


def require_plot(plan: FarmPlan) -> None:
    """Raise InputError if the job has no measures that a plot can show."""
    if not plan.job.model.make.measured:
        raise InputError(
            f"{plan.job.label}: make.measures: --report needs at least one measure, but the job has none. Name"
            " a measure in make.measures."
        )
    if not parameters_of(plan):
        raise InputError(
            f"{plan.job.label}: ranges: --report compares runs with different values of a scene key, but each scene key"
            " has only one value. In `ranges`, list two or more numbers for at least one scene key."
        )


def plot_farm(plan: FarmPlan, folder: FarmFolder) -> None:
    """Plot the measures of a farm. Raises InputError if there are no measures."""
    rows = rows_of(plan, folder)
    if not _figures(rows):
        raise InputError(
            f"{folder.path}: the measures of this farm contain no numbers to plot. Read the table in this folder."
        )
    save_plot(draw_farm(plan, rows), folder.path / PLOT)


def draw_farm(plan: FarmPlan, rows: list[Row]) -> Figure:
    """Return a figure with a row for each measure and a column for each scene key.

    Each run is a dot. A line connects the means of the runs with equal values of the scene key.
    """
    from matplotlib.figure import Figure

    keys, figures = [*parameters_of(plan)], _figures(rows)
    figure = Figure(figsize=(WIDTH * len(keys) + 0.6, HEIGHT * len(figures) + 0.6), layout="constrained")
    panels = figure.subplots(len(figures), len(keys), squeeze=False, sharex="col", sharey="row")
    for line, (name, title) in zip(panels, figures.items(), strict=True):
        for axes, key in zip(line, keys, strict=True):
            _draw(axes, rows, key, name)
        line[0].set_title(printable(title), loc="left", fontsize=10, parse_math=False)
    for axes, key in zip(panels[-1], keys, strict=True):
        axes.set_xlabel(printable(key), parse_math=False)
    set_heading(figure, f"{plan.job.label}: {len(plan.runs)} runs")
    return figure


def _figures(rows: list[Row]) -> dict[str, str]:
    found = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        for pattern, title in SHOWN.items():
            if match := re.fullmatch(pattern, name):
                found[name] = title.format(*match.groups())
    return dict([*found.items()][:MOST])


def _draw(axes: Axes, rows: list[Row], key: str, name: str) -> None:
    points = np.array([(row[key], row[name]) for row in rows if row.get(name) is not None], np.float64)
    axes.plot(*points.T, "o", color=COLORS[0], markersize=4, alpha=0.6)
    values = np.unique(points[:, 0])
    means = [points[points[:, 0] == value, 1].mean() for value in values]
    axes.plot(values, means, color=GREY, linewidth=1.2, zorder=1)
    axes.set_ylim(bottom=min(0.0, *points[:, 1]))
    tidy(axes, "both")

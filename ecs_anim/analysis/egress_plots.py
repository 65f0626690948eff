"""Plots of egress times over seeds: empirical distribution functions. Plots need matplotlib (the `plot` extra)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ecs_anim.analysis.egress import SHARES, EgressRun, band, exits_of, pooled
from ecs_anim.analysis.samples import Reals
from ecs_anim.support.plotting import COLORS, GREY, INK, tidy
from ecs_anim.support.terminal import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_EXITS = len(COLORS)  # largest number of exits that have their own curve


def draw_all_exits(axes: Axes, runs: Sequence[EgressRun]) -> None:
    """Draw the fraction of departed actors over time: a thin curve for each run, and a thick curve for all runs."""
    for number, run in enumerate(runs if len(runs) > 1 else ()):
        label = "each seed" if number == 0 else None
        _draw_steps(axes, run.times(), color=COLORS[5], linewidth=0.8, alpha=0.7, label=label)
    _draw_steps(axes, pooled(runs), color=COLORS[0], linewidth=2.0, label=_told(runs))
    _finish(axes, "All exits", "fraction of the actors")


def draw_each_exit(axes: Axes, runs: Sequence[EgressRun]) -> None:
    """Draw one curve for each exit, and the band between the 5th and the 95th percentile over the runs."""
    for name, color in zip(exits_of(runs)[:MOST_EXITS], COLORS, strict=False):
        if len(runs) > 1:
            low, high = band(runs, name)
            axes.fill_betweenx(SHARES, low, high, color=color, alpha=0.2, linewidth=0)
        people = sum(len(run.times(name)) for run in runs) / len(runs)
        label = f"{printable(name)}: {people:.3g} actors"
        _draw_steps(axes, pooled(runs, name), color=color, linewidth=1.6, label=label)
    _finish(axes, "Each exit", "fraction of the exit's actors")


def _told(runs: Sequence[EgressRun]) -> str:
    return f"all {len(runs)} seeds" if len(runs) > 1 else f"seed {runs[0].seed}"


def _draw_steps(axes: Axes, times: Reals, *, label: str | None, **style: object) -> None:
    """Draw the empirical distribution function of times [n] [s], from 0 on."""
    shares = np.arange(len(times) + 1) / len(times)
    axes.step(np.concatenate([[0.0], times]), shares, where="post", label=label, **style)  # type: ignore[arg-type]


def _finish(axes: Axes, title: str, y: str) -> None:
    axes.axhline(0.95, color=GREY, linewidth=0.8, linestyle=":")
    axes.text(0.005, 0.955, "95 %", transform=axes.get_yaxis_transform(), fontsize=8, color=INK, va="bottom")
    axes.set(xlim=(0, None), ylim=(0, 1.03))
    for text in axes.legend(frameon=False, fontsize=8, loc="lower right").get_texts():
        text.set_parse_math(False)
    tidy(axes, "both", title, x="egress time [s]", y=y)

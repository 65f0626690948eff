"""Plots that show simulated crowds together with recorded crowds, for `ecs-anim validate --plot DIR --recorded DIR`.

Plots need matplotlib (the `plot` extra). The module imports matplotlib only when a program requests a plot.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ecs_anim.profiling.validation.crowd_measures import Reals, densities, weidmann
from ecs_anim.profiling.validation.finding import Finding
from ecs_anim.profiling.validation.trajectory_plot import moments
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.files import WrongType, file_type
from ecs_anim.support.plotting import COLORS, GREY, INK, set_heading, tidy
from ecs_anim.trajectories import recording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_NAME = "validation.png"
DENSITIES = np.linspace(0.1, 5.4, 100)  # densities at which the curves are computed [1/m²]
FASTEST = 2.2  # largest speed in the plot [m/s]
USUAL_FLOW = 1.9  # usual flow through bottlenecks [1/(m s)]


def draw_findings(found: Sequence[Finding], clouds: Mapping[str, tuple[Reals, Reals]]) -> Figure:
    """Draw two panels: speeds against densities, and flows against door widths.

    The first panel also shows Weidmann's curve and recorded people.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 5.0), layout="constrained")
    speeds, flows = figure.subplots(1, 2)
    _draw_speeds(speeds, found, clouds)
    _draw_flows(flows, found)
    set_heading(figure, "steered crowds and recorded people")
    return figure


def recorded_clouds(folder: Path) -> dict[str, tuple[Reals, Reals]]:
    """Return the densities [1/m²] and the speeds [m/s] in all trajectory files of a folder, by file name.

    The function skips files that a simulator wrote. If a file has no length unit or no frame rate, the function skips
    the file and prints a warning. Raises InputError if no file is usable.
    """
    if folder.is_file():
        raise WrongType(folder, file_type(folder), "folder")
    if not folder.is_dir():
        raise InputError(f"{folder}: the folder does not exist. Name a folder of trajectory files with --recorded")
    clouds = {}
    for path in sorted(entry for entry in folder.iterdir() if entry.is_file()):
        try:
            if file_type(path).family != "trajectories":
                continue
            found = recording(path)
            if found.is_simulated:
                continue
            seen = moments(found.whole())
        except InputError as error:
            warnings.warn(f"left out: {error}", InputWarning, stacklevel=2)
            continue
        clouds[path.name] = densities(seen.at, seen.xy), seen.speed
    if not clouds:
        raise InputError(
            f"{folder}: the folder must contain at least one readable file of trajectories. Name another folder."
        )
    return clouds


def _draw_speeds(axes: Axes, found: Sequence[Finding], clouds: Mapping[str, tuple[Reals, Reals]]) -> None:
    for number, (name, (density, speed)) in enumerate(clouds.items()):
        color = COLORS[2 + number % (len(COLORS) - 2)]
        axes.scatter(density, speed, s=4, alpha=0.15, color=color, linewidths=0, label=name)
    axes.plot(DENSITIES, weidmann(DENSITIES), color=GREY, linestyle="--", label="Weidmann 1993")
    for scene, color, label in (("density", COLORS[0], "one way"), ("counterflow", COLORS[1], "both ways")):
        points = [(own.at, own.value) for own in found if own.scene.endswith(f"/{scene}") and own.at is not None]
        if points:
            axes.plot(*zip(*points, strict=True), color=color, marker="o", label=f"simulated, {label}")
    axes.set_xlim(0, DENSITIES[-1])
    axes.set_ylim(0, FASTEST)
    for handle in axes.legend(frameon=False, fontsize=8).legend_handles:
        if handle is not None:
            handle.set_alpha(1.0)
    tidy(axes, "both", "speed [m/s]", x="people a square metre")


def _draw_flows(axes: Axes, found: Sequence[Finding]) -> None:
    points = [(own.at, own.value) for own in found if own.scene.endswith("/bottleneck") and own.at is not None]
    widths = np.linspace(0.6, 2.6, 2)
    axes.plot(widths, USUAL_FLOW * widths, color=GREY, linestyle="--", label=f"{USUAL_FLOW} a metre and second")
    axes.plot([1.2, 1.2], [2.0, 2.6], color=INK, linewidth=3.0, label="recorded")
    if points:
        axes.plot(*zip(*points, strict=True), color=COLORS[0], marker="o", label="simulated")
    axes.legend(frameon=False, fontsize=8)
    tidy(axes, "both", "people per second", x="width of the door [m]")

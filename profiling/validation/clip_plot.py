"""Plot of the curves and keys of a clip, for `ecs-anim inspect MODEL --clip NAME --plot PATH`.

Plots need matplotlib (the `plot` extra). The module imports matplotlib only when a program requests a plot.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ecs_anim.assets.clip import Clip
from ecs_anim.profiling.validation.clip_curves import Choice, Curve, choose
from ecs_anim.support.errors import InputError
from ecs_anim.support.plotting import GREY, LINES, check_plot_path, save_plot
from ecs_anim.support.terminal import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 12  # largest number of panels in a plot
COLUMNS = 3
PANEL = (4.4, 2.3)  # size of a panel [inch]
# x, y, z: colours that colour-blind people can distinguish (Okabe and Ito 2008)
COLORS = ("#d55e00", "#009e73", "#0072b2")
WIDTHS = (2.0, 1.3, 0.8)  # line widths of x, y, z; later lines are thinner, so that equal lines stay visible
UNITS = {"translation": "m", "rotation": "degrees", "scale": "factor"}
LEAST = {"translation": 0.01, "rotation": 1.0, "scale": 0.01}  # smallest height of a panel, in the unit of the curve


def plot_clip(clip: Clip, model: str, path: Path) -> None:
    """Plot the curves of a clip into a .png or .svg file. The file is either complete or does not exist.

    Raises InputError if the plot cannot be drawn or written.
    """
    check_plot_path(path)
    save_plot(draw_clip(clip, model), path)


def draw_clip(clip: Clip, model: str) -> Figure:
    """Return a figure with one panel per track. Raises InputError for a clip without tracks."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    choice = choose(clip, MOST)
    if not choice.shown:
        morph_note = " Weights of morph targets cannot be plotted." if clip.morph_tracks else ""
        raise InputError(f"{model}: clip {clip.name!r} must have tracks to plot.{morph_note} Leave out --plot.")
    columns = min(COLUMNS, len(choice.shown))
    rows = -(-len(choice.shown) // columns)
    width, height = max(columns * PANEL[0], 6.6), rows * PANEL[1] + 1.3
    inside = (0.01, 0.35 / height, 0.98, 1 - 1.2 / height)  # left, bottom, width, height; the title is above
    layout = ConstrainedLayoutEngine(rect=inside, hspace=0.06, wspace=0.04)
    figure = Figure(figsize=(width, height), layout=layout)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for number, (axes, curve) in enumerate(zip(panels, choice.shown, strict=False)):
        _draw_panel(axes, curve, clip, lowest=number + columns >= len(choice.shown))
    for axes in panels[len(choice.shown) :]:
        axes.remove()
    _draw_heading(figure, clip, model, choice)
    return figure


def _draw_panel(axes: Axes, curve: Curve, clip: Clip, lowest: bool) -> None:
    path = curve.track.path
    dots = 1.3 if len(curve.keys) <= 40 else 0.5
    for color, width, values in zip(COLORS, WIDTHS, curve.values.T, strict=True):
        axes.plot(curve.times, values, color=color, linewidth=width)
        size = width + dots * (1 + width / 2)
        axes.plot(curve.times[curve.keys], values[curve.keys], "o", color=color, markersize=size, clip_on=False)
    axes.set_title(printable(f"{curve.joint}  {path}"), fontsize=9.5, loc="left", parse_math=False)
    axes.set_title(curve.track.interpolation, fontsize=7.5, loc="right", color=GREY)
    axes.set_ylabel(UNITS[path], fontsize=8.5)
    if lowest:
        axes.set_xlabel("seconds", fontsize=8.5)
    _set_limits(axes, curve, clip)
    axes.tick_params(labelsize=8)
    axes.grid(color=LINES, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _set_limits(axes: Axes, curve: Curve, clip: Clip) -> None:
    """Set the limits of the axes to the whole clip.

    The axes have a minimum range, so that noise does not look like motion.
    """
    if clip.duration > 0:
        axes.set_xlim(clip.start, clip.end)
    low, high = float(curve.values.min()), float(curve.values.max())
    margin = max(0.06 * (high - low), (LEAST[curve.track.path] - (high - low)) / 2)
    axes.set_ylim(low - margin, high + margin)


def _draw_heading(figure: Figure, clip: Clip, model: str, choice: Choice) -> None:
    from matplotlib.lines import Line2D

    height = figure.get_figheight()
    name = printable(f"{model}: {clip.name}")
    figure.text(0.012, 1 - 0.15 / height, name, fontsize=14, fontweight="bold", va="top", parse_math=False)
    figure.text(0.012, 1 - 0.46 / height, _summary(clip, choice), fontsize=9, color=GREY, va="top")
    figure.text(0.012, 0.12 / height, _note(choice), fontsize=8, color=GREY, va="bottom")
    handles = [
        Line2D([], [], color=color, linewidth=width, label=name)
        for name, color, width in zip("xyz", COLORS, WIDTHS, strict=True)
    ]
    handles.append(Line2D([], [], color=GREY, marker="o", linestyle="none", markersize=3.6, label="key"))
    figure.legend(
        handles=handles,
        loc="upper right",
        bbox_to_anchor=(0.995, 1 - 0.36 / height),
        ncols=4,
        frameon=False,
        fontsize=9,
    )


def _summary(clip: Clip, choice: Choice) -> str:
    tracks = len(clip.tracks)
    parts = [f"{clip.duration:.3g} s", f"{len(choice.shown)} of {tracks} track{'s' if tracks != 1 else ''}"]
    if choice.lesser:
        parts.append(f"{choice.lesser} with less motion are not shown")
    if choice.still:
        parts.append(f"{choice.still} do not move")
    return ", ".join(parts)


def _note(choice: Choice) -> str:
    notes = {
        "translation": "Translation from the clip's first pose, along the parent's axes.",
        "rotation": "Rotation from the clip's first pose: axis times angle, in the parent's axes.",
        "scale": "Scale along the axes of the joint.",
    }
    return "  ".join(notes[path] for path in notes if any(curve.track.path == path for curve in choice.shown))

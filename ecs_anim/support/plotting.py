"""Colours and functions that all plots use. The first use of a function imports matplotlib (the `plot` extra)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import complete_file
from ecs_anim.support.terminal import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 110
GREY, INK, LINES = "#666666", "#222222", "#e4e4e4"
# Colours that colour-blind people can distinguish (Okabe and Ito 2008).
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31")


def check_plot_path(path: Path) -> None:
    """Raise InputError if plots do not support the file type of `path`, or if matplotlib is missing."""
    if path.suffix.lower() not in (".png", ".svg"):
        raise InputError(f"{path}: a plot cannot be a {path.suffix!r} file. Name a .png or a .svg file.")
    check_plot_library(path)


def check_plot_library(path: Path) -> None:
    """Raise InputError if matplotlib is missing. The error names the file `path`, for which the program needs
    matplotlib.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError(f"{path}: a plot needs the plot extra. Install it: pip install 'ecs-anim[plot]'") from None


def save_plot(figure: Figure, path: Path) -> None:
    """Write a figure to a .png or .svg file. Raises InputError if the file cannot be written.

    The file has a temporary name until the file is complete.
    """
    with complete_file(path) as partial:
        figure.savefig(partial, format=path.suffix.lower().removeprefix("."), dpi=DPI)


def set_heading(figure: Figure, text: str) -> None:
    """Set the title of the whole figure."""
    figure.suptitle(printable(text), parse_math=False, x=0.01, ha="left", fontsize=14, fontweight="bold")


def tidy(axes: Axes, grid: str, title: str = "", *, x: str = "", y: str = "") -> None:
    """Set the title and the axis labels of a plot panel, and draw grid lines behind the curves.

    `grid` is "x", "y" or "both".
    """
    axes.set(**{key: text for key, text in (("xlabel", x), ("ylabel", y)) if text})
    if title:
        axes.set_title(title, loc="left", fontsize=10)
    axes.grid(axis=grid, color=LINES, linewidth=0.7)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=9, colors=GREY, labelcolor="black", length=3)

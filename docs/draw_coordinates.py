"""Draw the picture of the coordinate system: `python docs/draw_coordinates.py docs/coordinates.png`.

The left panel shows the plan. The right panel shows the same actor, the same wall and the same camera in three
dimensions. The script needs the `plot` extra.
"""

import math
import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, Ellipse, Polygon

from ecs_anim.support.plotting import COLORS, GREY, INK, LINES, save_plot

Point = tuple[float, float]

BLUE, ORANGE, GREEN = COLORS[:3]
WIDE, DEEP = 6, 5  # size of the plan to the east and to the north [m]
ACTOR, HEADING, TALL = (4.0, 1.5), 40.0, 1.8  # [m], [degree], [m]
WALL, WALL_HEIGHT = ((1.0, 4.0), (5.0, 4.0)), 1.2  # [m]
TARGET, BEARING, DISTANCE = (1.4, 2.3), 120.0, 1.7  # target [m], azimuth [degree] and distance [m] of the camera
CAMERA_HEIGHT = 1.4  # [m]
SLANT = 0.45  # In the right panel, a metre to the north has this length to the right and upwards [m].


def draw() -> Figure:
    """Return the matplotlib figure with both panels."""
    figure = Figure(figsize=(13.0, 5.6), layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15)
    plan, space = figure.subplots(1, 2, width_ratios=(7.6, 9.4))
    for axes, title in ((plan, "Plan: points (x, y)"), (space, "Space: points (x, y, z)")):
        axes.set_title(title, loc="left", fontsize=14, fontweight="bold")
        axes.set_aspect("equal")
        axes.axis("off")
    plan.set(xlim=(-0.4, WIDE + 0.9), ylim=(-0.6, DEEP + 0.9))
    space.set(xlim=(-1.1, WIDE + 2.5), ylim=(-1.6, 3.9))
    _draw_plan(plan)
    _draw_space(space)
    return figure


def in_direction(point: Point, degrees: float, distance: float) -> Point:
    """Return the plan point at a distance [m] from `point`. `degrees` is the direction, counter-clockwise from east."""
    angle = math.radians(degrees)
    return point[0] + distance * math.cos(angle), point[1] + distance * math.sin(angle)


def on_paper(x: float, height: float, z: float) -> Point:
    """Return the position of a point in space in the right panel, which has an oblique projection."""
    return x - SLANT * z, height - SLANT * z


def _draw_plan(axes: Axes) -> None:
    for x in range(WIDE + 1):
        axes.plot([x, x], [0, DEEP], color=LINES, zorder=0)
    for y in range(DEEP + 1):
        axes.plot([0, WIDE], [y, y], color=LINES, zorder=0)
    _arrow(axes, (0, 0), (WIDE + 0.5, 0), INK, "x: east", (0, -0.35), "right")
    _arrow(axes, (0, 0), (0, DEEP + 0.5), INK, "y: north", (0.2, -0.1), "left")
    axes.plot(*zip(*WALL, strict=True), color=GREY, linewidth=6, solid_capstyle="butt")
    _text(axes, (3.0, 4.25), "wall from (1, 4) to (5, 4)", GREY, "center")

    axes.plot([ACTOR[0], ACTOR[0] + 1.6], [ACTOR[1], ACTOR[1]], color=BLUE, linewidth=1, linestyle="--")
    axes.add_patch(Circle(ACTOR, 0.22, color=BLUE))
    _arrow(axes, ACTOR, in_direction(ACTOR, HEADING, 1.7), BLUE)
    axes.add_patch(Arc(ACTOR, 2.2, 2.2, theta1=0.0, theta2=HEADING, color=BLUE, linewidth=1.5))
    _arrow(axes, in_direction(ACTOR, HEADING - 6, 1.1), in_direction(ACTOR, HEADING - 1, 1.1), BLUE)
    _text(axes, (4.35, 1.08), "actor at (4, 1.5)", BLUE, "center")
    _text(axes, (4.35, 0.72), f"heading {HEADING:.0f}°,", BLUE, "center")
    _text(axes, (4.35, 0.36), "counter-clockwise from east", BLUE, "center")

    camera = in_direction(TARGET, 90.0 - BEARING, DISTANCE)
    axes.plot([TARGET[0], TARGET[0]], [TARGET[1], TARGET[1] + 1.2], color=ORANGE, linewidth=1, linestyle="--")
    axes.plot(*zip(TARGET, camera, strict=True), color=ORANGE, linewidth=1.5)
    axes.plot(*TARGET, color=ORANGE, marker="x", markersize=9, markeredgewidth=2.5)
    axes.plot(*camera, color=ORANGE, marker="s", markersize=11)
    axes.add_patch(Arc(TARGET, 1.5, 1.5, theta1=90.0 - BEARING, theta2=90.0, color=ORANGE, linewidth=1.5))
    _arrow(axes, in_direction(TARGET, 98 - BEARING, 0.75), in_direction(TARGET, 91 - BEARING, 0.75), ORANGE)
    _text(axes, (TARGET[0] - 0.15, TARGET[1]), "target", ORANGE, "right")
    _text(axes, (camera[0] + 0.2, camera[1] + 0.4), "camera", ORANGE, "center")
    _text(axes, (TARGET[0] + 0.7, TARGET[1] + 0.85), f"azimuth {BEARING:.0f}°,", ORANGE, "left")
    _text(axes, (TARGET[0] + 0.7, TARGET[1] + 0.5), "clockwise from north", ORANGE, "left")


def _draw_space(axes: Axes) -> None:
    for x in range(WIDE + 1):
        axes.plot(*zip(on_paper(x, 0, 0), on_paper(x, 0, -DEEP), strict=True), color=LINES, zorder=0)
    for y in range(DEEP + 1):
        axes.plot(*zip(on_paper(0, 0, -y), on_paper(WIDE, 0, -y), strict=True), color=LINES, zorder=0)
    _arrow(axes, (0, 0), on_paper(WIDE + 0.5, 0, 0), INK, "x: east", (0, -0.35), "right")
    _arrow(axes, (0, 0), on_paper(0, 3.2, 0), INK, "y: up", (0.2, -0.1), "left")
    _arrow(axes, (0, 0), on_paper(0, 0, 1.9), INK, "z: south", (0.25, 0.05), "left")

    foot = [(x, -y) for x, y in WALL]
    corners = [on_paper(x, height, z) for height, ends in ((0, foot), (WALL_HEIGHT, foot[::-1])) for x, z in ends]
    axes.add_patch(Polygon(corners, facecolor="#cccccc", edgecolor=GREY, linewidth=2))
    _text(axes, (on_paper(3.0, 0, -4.0)[0], corners[2][1] + 0.25), "wall from (1, 0, -4) to (5, 0, -4)", GREY, "center")

    at = on_paper(ACTOR[0], 0, -ACTOR[1])
    axes.add_patch(Ellipse(at, 0.8, 0.3, color=BLUE, alpha=0.25))
    axes.plot([at[0], at[0]], [at[1], at[1] + TALL - 0.3], color=BLUE, linewidth=7, solid_capstyle="round")
    axes.add_patch(Circle((at[0], at[1] + TALL), 0.2, color=BLUE))
    ahead = in_direction(ACTOR, HEADING, 1.7)
    _arrow(axes, at, on_paper(ahead[0], 0, -ahead[1]), BLUE)
    _text(axes, (at[0], at[1] - 0.4), "actor at (4, 0, -1.5)", BLUE, "center")

    camera = in_direction(TARGET, 90.0 - BEARING, DISTANCE)
    ends = [on_paper(TARGET[0], 0.9, -TARGET[1]), on_paper(camera[0], CAMERA_HEIGHT, -camera[1])]
    axes.plot(*zip(*ends, strict=True), color=ORANGE, linewidth=1.5)
    axes.plot(*ends[0], color=ORANGE, marker="x", markersize=9, markeredgewidth=2.5)
    axes.plot(*ends[1], color=ORANGE, marker="s", markersize=11)
    for end, (x, y) in zip(ends, (TARGET, camera), strict=True):
        axes.plot(*zip(end, on_paper(x, 0, -y), strict=True), color=ORANGE, linewidth=1, linestyle=":")
    _text(axes, (ends[0][0] - 0.2, ends[0][1]), "target", ORANGE, "right")
    _text(axes, (ends[1][0], ends[1][1] + 0.3), "camera", ORANGE, "center")
    _text(axes, (0.4, -1.3), "plan point (x, y) at a height = point (x, height, -y) in space", GREEN, "left")


def _arrow(
    axes: Axes, start: Point, end: Point, color: str, text: str = "", shift: Point = (0, 0), align: str = "left"
) -> None:
    style = {"arrowstyle": "-|>", "color": color, "linewidth": 2, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 16}
    axes.annotate("", end, start, arrowprops=style)
    if text:
        _text(axes, (end[0] + shift[0], end[1] + shift[1]), text, color, align)


def _text(axes: Axes, at: Point, text: str, color: str, align: str) -> None:
    axes.text(*at, text, color=color, fontsize=12, ha=align, va="center")


if __name__ == "__main__":
    save_plot(draw(), Path(sys.argv[1]))

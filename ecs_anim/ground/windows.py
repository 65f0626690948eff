"""Windows and doors in the sides of boxes. Windows have recessed panes, frames and sills."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.boxes import Box
from ecs_anim.ground.surface import Color, Surface, quad_surface
from ecs_anim.maths import quaternion

RECESS = 0.16  # [m], depth of panes behind the wall
PROUD = 0.04  # [m], distance between a frame and its pane
BAR = 0.07  # [m], width of the bars of a frame
SILL = 0.08  # [m], height of a sill, and its length beyond the window
LEDGE = 0.07  # [m], distance by which a sill juts out from the wall
DOOR = 2.05  # [m], height of a door; a pane fills the opening above the door
MARGIN = 0.5  # [m], least distance between a window and the edges of its side

Reals = NDArray[np.float64]
Rectangle = tuple[float, float, float, float]  # left, right, low, high [m] on a side


@dataclass(frozen=True)
class Windows:
    """The windows of a box, in equal rows on all sides. Lengths in metres."""

    size: tuple[float, float] = (1.1, 1.5)  # width, height
    spacing: float = 3.0  # distance between the middles of neighbouring windows
    storey: float = 3.0  # distance between the sills of neighbouring rows
    sill: float = 1.0  # height of the lowest sills above the lower end of the box
    doors: bool = True  # whether a door replaces the middle window of the lowest row

    def columns(self, length: float) -> list[float]:
        """Return the left edges of the windows [m] on a side of `length` metres.

        The row of windows is in the middle of the side.
        """
        count = int((length - 2 * MARGIN - self.size[0]) / self.spacing + 1 + 1e-9) if self.fits(length) else 0
        first = (length - (count - 1) * self.spacing - self.size[0]) / 2
        return [first + number * self.spacing for number in range(count)]

    def fits(self, length: float) -> bool:
        """Return whether one window fits on a side of `length` metres."""
        return length >= self.size[0] + 2 * MARGIN

    def rows(self, height: float) -> list[float]:
        """Return the heights of the sills [m] above the lower end of a box with the height `height`."""
        count = int((height - MARGIN - self.sill - self.size[1]) / self.storey + 1 + 1e-9)
        return [self.sill + number * self.storey for number in range(max(count, 0))]


@dataclass
class _Side:
    """The quads [4, 3] of one side. The three coordinates of a corner are along the side, up, and outwards [m]."""

    walls: list[Reals] = field(default_factory=list)
    frames: list[Reals] = field(default_factory=list)
    doors: list[Reals] = field(default_factory=list)
    panes: list[Reals] = field(default_factory=list)


@dataclass(frozen=True)
class WindowColors:
    """The linear RGB colours of the parts of windows."""

    frame: Color
    door: Color
    glass: Color


def windowed_surfaces(
    boxes: Sequence[Box], windows: Windows, color: Color | None, parts: WindowColors
) -> tuple[Surface, ...]:
    """Return four kinds of surfaces of boxes with windows: walls and tops in `color`, frames and sills, doors, and
    panes.
    """
    walls: list[Reals] = []
    frames: list[Reals] = []
    doors: list[Reals] = []
    panes: list[Reals] = []
    for box in boxes:
        width, height, depth = box.size
        walls.append(_placed(box, [_flat(-width / 2, width / 2, depth / 2, -depth / 2)]))
        for number in range(4):
            length, off = (width, depth) if number % 2 == 0 else (depth, width)
            side = _side(windows, length, height)
            for own, quads in ((walls, side.walls), (frames, side.frames), (doors, side.doors), (panes, side.panes)):
                if quads:
                    own.append(_placed(box, [_turned(quad, number, length, height, off) for quad in quads]))
    named = ((walls, color), (frames, parts.frame), (doors, parts.door))
    surfaces = [quad_surface(quads, painted) for quads, painted in named if quads]
    if panes:
        surfaces.append(_glass(quad_surface(panes, parts.glass)))
    return tuple(surfaces)


def _glass(panes: Surface) -> Surface:
    """Return the panes with the texture coordinates of glass. Pane numbers start at 1."""
    count = len(panes.positions) // 4
    uvs = np.tile(np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32), (count, 1))
    uvs[:, 0] += np.repeat(2 * (1 + np.arange(count)), 4)
    return replace(panes, uvs=uvs, material="glass")


def _side(windows: Windows, length: float, height: float) -> _Side:
    """Return one side. The origin is the lower left corner of the side, seen from outside."""
    lefts, sills = windows.columns(length), windows.rows(height)
    across = [0.0, *(edge for left in lefts for edge in (left, left + windows.size[0])), length]
    up = [0.0, *(edge for sill in sills for edge in (sill, sill + windows.size[1])), height]
    door = 2 * (len(lefts) // 2) + 1 if windows.doors and lefts and sills else -1
    side = _Side()
    for (column, (left, right)), (row, (low, high)) in product(enumerate(pairwise(across)), enumerate(pairwise(up))):
        if column == door and row == 0:
            continue
        if column == door and row == 1:
            _add_opening(side, (left, right, 0.0, high), is_door=True)
        elif column % 2 and row % 2:
            _add_opening(side, (left, right, low, high), is_door=False)
        else:
            side.walls.append(_upright(left, right, low, high, 0.0))
    return side


def _add_opening(side: _Side, hole: Rectangle, *, is_door: bool) -> None:
    left, right, low, high = hole
    side.walls += _reveals(hole)
    if is_door:
        side.doors.append(_upright(left + BAR, right - BAR, low, DOOR, PROUD / 2 - RECESS))
    else:
        side.frames += _sill(left, right, low)
    pane = (left, right, DOOR, high) if is_door else hole
    side.panes.append(_upright(*pane, -RECESS))
    side.frames += [_upright(*bar, PROUD - RECESS) for bar in _bars(hole, is_door=is_door)]


def _bars(hole: Rectangle, *, is_door: bool) -> Iterator[Rectangle]:
    """Yield the bars of a frame. The bars do not overlap."""
    left, right, low, high = hole
    yield left, left + BAR, low, high
    yield right - BAR, right, low, high
    yield left + BAR, right - BAR, high - BAR, high
    if is_door:
        yield left + BAR, right - BAR, DOOR, DOOR + BAR
        return
    middle, transom = (left + right) / 2, low + 0.68 * (high - low)
    yield left + BAR, right - BAR, low, low + BAR
    yield left + BAR, right - BAR, transom, transom + BAR
    for start, end in ((low + BAR, transom), (transom + BAR, high - BAR)):
        yield middle - BAR / 2, middle + BAR / 2, start, end


def _reveals(hole: Rectangle) -> list[Reals]:
    left, right, low, high = hole
    corners = [(left, low), (right, low), (right, high), (left, high)]
    return [
        np.array([(*a, 0.0), (*b, 0.0), (*b, -RECESS), (*a, -RECESS)])
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]


def _sill(left: float, right: float, top: float) -> list[Reals]:
    a, b, low = left - SILL, right + SILL, top - SILL
    front = _upright(a, b, low, top, LEDGE)
    upper = np.array([(a, top, LEDGE), (b, top, LEDGE), (b, top, 0.0), (a, top, 0.0)])
    inner = np.array([(left, top + 1e-3, 0.0), (right, top + 1e-3, 0.0), (right, top, -RECESS), (left, top, -RECESS)])
    under = np.array([(a, low, 0.0), (b, low, 0.0), (b, low, LEDGE), (a, low, LEDGE)])
    ends = [
        np.array([(a, low, 0.0), (a, low, LEDGE), (a, top, LEDGE), (a, top, 0.0)]),
        np.array([(b, low, LEDGE), (b, low, 0.0), (b, top, 0.0), (b, top, LEDGE)]),
    ]
    return [front, upper, inner, under, *ends]


def _upright(left: float, right: float, low: float, high: float, out: float) -> Reals:
    return np.array([(left, low, out), (right, low, out), (right, high, out), (left, high, out)])


def _flat(left: float, right: float, near: float, far: float) -> Reals:
    """Return a level quad that faces up at the height 0, in the coordinates of a box: x, y up, z."""
    return np.array([(left, 0.0, near), (right, 0.0, near), (right, 0.0, far), (left, 0.0, far)])


def _turned(quad: Reals, number: int, length: float, height: float, off: float) -> Reals:
    """Convert a quad on side `number` of a box from the coordinates of this side to the coordinates of the box. Side 0
    faces +Z, and side 1 faces +X.
    """
    along, up, out = quad[:, 0] - length / 2, quad[:, 1] - height, quad[:, 2] + off / 2
    x, z = ((along, out), (out, -along), (-along, -out), (-out, along))[number]
    return np.stack([x, up, z], axis=-1)


def _placed(box: Box, quads: Sequence[Reals]) -> Reals:
    """Return the quads [quad, 4, 3] of a box in the world."""
    found: Reals = quaternion.rotate(box.rotation(), np.stack(quads)) + np.array(box.top)
    return found

"""The menu of the window: a list of names. The user selects and opens a name with keys or with the mouse."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ecs_anim.gl.window.overlay import INK, MARGIN, PANEL
from ecs_anim.support.terminal import printable

ROW = 20  # [window unit], height of a row
RAISE = 0.25  # height of the texts above the lower edge of their rows, as a share of a row
WIDTH = 220  # [window unit], width of the menu
LONGEST = 24  # largest number of characters of a label
SELECTED = (90, 130, 190, 200)
PAGE = 10  # number of names that the keys for pages skip
# number of names by which each key moves the selection; the keys have their pyglet names
STEPS = {"UP": -1, "DOWN": 1, "PAGEUP": -PAGE, "PAGEDOWN": PAGE}
OPENING, CLOSING = ("RETURN", "ENTER"), ("ESCAPE",)  # key names of pyglet


@dataclass(frozen=True)
class Choices:
    """The names in a menu, and the function that receives a chosen name."""

    names: Sequence[str] = ()
    choose: Callable[[str], object] = bool
    first: str = ""  # name that is selected first


class Menu:
    """A list of names at the right edge of the window. The library pyglet draws the list. Lengths are in window units.

    If the window is too low for all names, the list shows the names around the selected name.
    """

    def __init__(self, scale: float = 1.0) -> None:
        self.is_shown = False
        self._row, self._width, self._margin = ROW * scale, WIDTH * scale, MARGIN * scale
        self._names: list[str] = []
        self._selected = 0  # index of the selected name
        self._left = self._top = 0.0  # upper left corner of the rows
        self._visible = range(0)  # indices of the visible names
        self._chosen: str | None = None  # name to open
        self._create_parts(11 * scale)

    def _create_parts(self, font_size: float) -> None:
        from pyglet.graphics import Batch, Group
        from pyglet.shapes import Rectangle
        from pyglet.text import Label

        self._batch = batch = Batch()
        self._back = Rectangle(0, 0, self._width, 1, PANEL, batch=batch, group=Group(0))
        self._mark = Rectangle(0, 0, self._width, self._row, SELECTED, batch=batch, group=Group(1))
        self._label = Label(
            width=self._width - 2 * self._margin,
            font_size=font_size,
            color=INK,
            anchor_y="top",
            multiline=True,
            batch=batch,
            group=Group(2),
        )
        self._label.set_style("line_spacing", self._row)
        self._label.set_style("wrap", False)

    def fill(self, choices: Choices) -> None:
        """Replace the names, and hide the menu."""
        self._names, self.is_shown, self._chosen = list(choices.names), False, None
        self._selected = self._names.index(choices.first) if choices.first in self._names else 0

    def toggle(self) -> None:
        """Show the menu, or hide the menu if it is shown."""
        self.is_shown = bool(self._names) and not self.is_shown

    def take(self) -> str | None:
        """Return the name that the user has opened since the last call, or None."""
        chosen, self._chosen = self._chosen, None
        return chosen

    def key(self, name: str) -> bool:
        """Handle a key. `name` is pyglet's name of the key. Return whether the menu is visible and uses the key."""
        if not self.is_shown:
            return False
        if name in STEPS:
            self.move(STEPS[name])
        elif name in OPENING:
            self._choose()
        elif name in CLOSING:
            self.is_shown = False
        else:
            return False
        return True

    def move(self, count: int) -> None:
        """Move the selection by `count` names. The selection stops at the first and at the last name."""
        self._selected = min(max(self._selected + count, 0), len(self._names) - 1)

    def point(self, x: float, y: float) -> bool:
        """Select the name at a point. Return whether a visible name is at the point."""
        row = int((self._top - y) // self._row)
        is_inside = self.is_shown and self._left <= x <= self._left + self._width and 0 <= row < len(self._visible)
        if is_inside:
            self._selected = self._visible[row]
        return is_inside

    def press(self, x: float, y: float) -> bool:
        """Open the name at a point. Return whether a visible name is at the point."""
        is_inside = self.point(x, y)
        if is_inside:
            self._choose()
        return is_inside

    def draw(self, width: float, height: float, bottom: float) -> None:
        """Draw the menu into a window if the menu is visible. The menu ends above the height `bottom`."""
        if not self.is_shown:
            return
        count = max(int((height - bottom - 3 * self._margin) // self._row), 1)
        self._visible = visible_rows(len(self._names), self._selected, count)
        self._left, self._top = width - self._width - self._margin, height - 1.5 * self._margin
        high = len(self._visible) * self._row
        self._back.position = self._left, self._top - high - self._margin / 2
        self._back.height = high + self._margin
        self._mark.position = self._left, self._top - (self._visible.index(self._selected) + 1) * self._row
        text = "\n".join(label_of(self._names[index]) for index in self._visible)
        if self._label.text != text:
            self._label.text = text
        self._label.position = self._left + self._margin, self._top + RAISE * self._row, 0
        self._batch.draw()

    def free(self) -> None:
        """Free the GPU memory of the menu."""
        for part in (self._back, self._mark, self._label):
            part.delete()

    def _choose(self) -> None:
        self.is_shown, self._chosen = False, self._names[self._selected]


def label_of(name: str) -> str:
    """Return the text that the menu shows for a name. For a path, the text is the name of the file without its folder.
    A long text is cut.
    """
    label = printable(Path(name).name)
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def visible_rows(count: int, selected: int, most: int) -> range:
    """Return the indices of the visible names, at most `most` of `count`. The selected name is near the middle."""
    first = min(max(selected - most // 2, 0), max(count - most, 0))
    return range(first, min(first + most, count))

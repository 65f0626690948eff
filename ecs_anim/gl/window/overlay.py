"""The text overlay of the window."""

from enum import Enum
from typing import Any, assert_never

from ecs_anim.gl.window.keys import HELP, HINTS

MARGIN = 10  # [window unit], margin outside and inside the text panels
# [window unit], distance from the left edge of the help panel to the column that describes the effects of keys
TAB_STOP = 190
INK = (245, 246, 248, 255)
UNLIMITED = 10_000  # [window unit], width of a text without line breaks
SMALLEST = 0.3  # smallest factor by which a text is scaled down
ROUNDING = 0.96  # the font is this much smaller than the computed size, because pyglet rounds the sizes of letters
PANEL = (22, 26, 32, 185)


class Shown(Enum):
    """The kinds of text that the window can show, in the order in which a key selects them."""

    STATUS = "status"
    HELP = "help"
    NOTHING = "nothing"


class Overlay:
    """The texts in the window: the status with key hints, or the help panel, and also messages. pyglet draws
    the texts.
    """

    def __init__(self, scale: float = 1.0) -> None:
        self.shown = Shown.STATUS
        self._margin = MARGIN * scale
        self._status = _Panel(self._margin, 11 * scale)
        self._hints = _Panel(self._margin, 9 * scale)
        self._help = _Panel(self._margin, 11 * scale, tab_stop=TAB_STOP * scale)
        self._message = _Panel(self._margin, 11 * scale)

    def show_next(self) -> None:
        """Show the next text. The order is: the status, the help panel, no text, and then the status again."""
        shown = list(Shown)
        self.shown = shown[(shown.index(self.shown) + 1) % len(shown)]

    def draw(self, window: Any, status: str, message: str, bottom: float = 0.0) -> float:
        """Draw the selected text, and draw the message (if it is not empty) above the key hints.

        `bottom` is the height [window unit] of the region below the key hints and the message. Return the height of the
        upper edge of the key hints.
        """
        window.viewport = (0, 0, *window.get_framebuffer_size())
        width = max(window.width - 4 * self._margin, 1)
        self._hints.write(HINTS, width)
        foot = bottom + self._margin + self._hints.height
        match self.shown:
            case Shown.STATUS:
                self._status.write(status, width)
                self._status.draw(window.height - self._margin)
                self._hints.draw(foot)
            case Shown.HELP:
                self._help.fit(HELP, width, window.height - bottom - 2 * self._margin)
                self._help.draw(window.height - self._margin)
            case Shown.NOTHING:
                pass
            case _:
                assert_never(self.shown)
        if message:
            self._message.write(message, width)
            self._message.draw(foot + self._margin + self._message.height)
        return foot

    def free(self) -> None:
        """Free the GPU memory of the text overlay."""
        for panel in (self._status, self._hints, self._help, self._message):
            panel.free()


class _Panel:
    """A text panel: lines of text on a dark, transparent rectangle. The rectangle has the size of the text."""

    def __init__(self, margin: float, font_size: float, tab_stop: float | None = None) -> None:
        from pyglet.graphics import Batch, Group
        from pyglet.shapes import Rectangle
        from pyglet.text import Label

        self._margin, self._font_size, self._tab_stop = margin, font_size, tab_stop
        self._room = 0.0, 0.0  # width and height of the region to which the font is fitted
        self._batch = batch = Batch()
        self._back = Rectangle(margin, 0, 1, 1, PANEL, batch=batch, group=Group(0))
        self._label = Label(
            x=2 * margin,
            width=1,  # a placeholder; `write` sets the width of the window
            font_size=font_size,
            color=INK,
            anchor_y="top",
            multiline=True,
            batch=batch,
            group=Group(1),
        )
        self._set_font(1.0)

    @property
    def height(self) -> float:
        return self._label.content_height + self._margin

    def write(self, text: str, width: float) -> None:
        """Set the text of the panel. The lines are at most `width` window units wide."""
        # set the width only if it has changed, because a new layout of the text takes a millisecond
        if self._label.width != width:
            self._label.width = width
        if self._label.text != text:
            self._label.text = text

    def fit(self, text: str, width: float, height: float) -> None:
        """Set the text in a font that lets all lines fit into a region. The font is at most the font of the panel."""
        if (self._room, self._label.text) == ((width, height), text):
            return
        self._room = width, height
        self._set_font(1.0)
        self.write(text, UNLIMITED)
        factor = min(width / self._label.content_width, (height - self._margin) / self._label.content_height)
        if factor < 1:
            self._set_font(max(ROUNDING * factor, SMALLEST))

    def _set_font(self, factor: float) -> None:
        self._label.font_size = factor * self._font_size
        if self._tab_stop is not None:
            self._label.set_style("tab_stops", [round(factor * self._tab_stop)])

    def draw(self, top: float) -> None:
        """Draw the panel. The upper edge of the panel has the height `top` [window unit]."""
        self._label.y = top - self._margin / 2
        self._back.width = self._label.content_width + 2 * self._margin
        self._back.height = self.height
        self._back.y = top - self.height
        self._batch.draw()

    def free(self) -> None:
        self._back.delete()
        self._label.delete()

"""The text overlay of the window."""

from enum import Enum
from typing import Any, assert_never

from ecs_anim.gl.window.keys import HELP, HINTS

MARGIN = 10  # [window unit], margin outside and inside the text panels
TAB_STOP = 190  # [window unit], distance of the effects from the left edge of the help panel
INK = (245, 246, 248, 255)
PANEL = (22, 26, 32, 150)


class Shown(Enum):
    """The text that the window shows, in the order in which a key selects the texts."""

    STATUS = "status"
    HELP = "help"
    NOTHING = "nothing"


class Overlay:
    """The texts in the window: a status and key hints, or a help panel, and messages. pyglet draws the texts."""

    def __init__(self, scale: float = 1.0) -> None:
        self.shown = Shown.STATUS
        self._margin = MARGIN * scale
        self._status = _Panel(self._margin, 11 * scale)
        self._hints = _Panel(self._margin, 9 * scale)
        self._help = _Panel(self._margin, 11 * scale, tab_stop=TAB_STOP * scale)
        self._message = _Panel(self._margin, 11 * scale)

    def show_next(self) -> None:
        """Show the next text: after the status the help panel, then nothing, then the status again."""
        shown = list(Shown)
        self.shown = shown[(shown.index(self.shown) + 1) % len(shown)]

    def draw(self, window: Any, status: str, message: str, bottom: float = 0.0) -> None:
        """Draw the selected text, and a message above the key hints. An empty message is not drawn.

        `bottom` is the height [window unit] of the region below the key hints and the message.
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
                self._help.write(HELP, width)
                self._help.draw(window.height - self._margin)
            case Shown.NOTHING:
                pass
            case _:
                assert_never(self.shown)
        if message:
            self._message.write(message, width)
            self._message.draw(foot + self._margin + self._message.height)

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

        self._margin = margin
        self._batch = batch = Batch()
        self._back = Rectangle(margin, 0, 1, 1, PANEL, batch=batch, group=Group(0))
        self._label = Label(
            x=2 * margin,
            width=1,  # `write` replaces this width with the window's width
            font_size=font_size,
            color=INK,
            anchor_y="top",
            multiline=True,
            batch=batch,
            group=Group(1),
        )
        if tab_stop is not None:
            self._label.set_style("tab_stops", [tab_stop])

    @property
    def height(self) -> float:
        return self._label.content_height + self._margin

    def write(self, text: str, width: float) -> None:
        """Set the text of the panel. The lines are at most `width` window units wide."""
        if self._label.width != width:  # a new layout takes a millisecond
            self._label.width = width
        if self._label.text != text:
            self._label.text = text

    def draw(self, top: float) -> None:
        """Draw the panel. The height of its upper edge is `top` [window unit]."""
        self._label.y = top - self._margin / 2
        self._back.width = self._label.content_width + 2 * self._margin
        self._back.height = self.height
        self._back.y = top - self.height
        self._batch.draw()

    def free(self) -> None:
        self._back.delete()
        self._label.delete()

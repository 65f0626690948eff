"""The text overlay of the window."""

from typing import Any

from ecs_anim.gl.window.controls import HINTS

MARGIN = 10  # [window unit], margin outside and inside the text panels
INK = (245, 246, 248, 255)
PANEL = (22, 26, 32, 150)


class Overlay:
    """A status text at the top left and key hints at the bottom left of the window. pyglet draws both texts."""

    def __init__(self, scale: float = 1.0) -> None:
        from pyglet.graphics import Batch

        self.visible = True
        self._margin = MARGIN * scale
        self._batch = Batch()
        self._status = _Panel(self._batch, self._margin, 11 * scale)
        self._hints = _Panel(self._batch, self._margin, 9 * scale)

    def draw(self, window: Any, text: str) -> None:
        """Draw the status text `text` and the key hints over the picture in the window."""
        if not self.visible:
            return
        window.viewport = (0, 0, *window.get_framebuffer_size())
        width = max(window.width - 4 * self._margin, 1)
        self._status.write(text, width)
        self._status.place(window.height - self._margin)
        self._hints.write(HINTS, width)
        self._hints.place(self._margin + self._hints.height)
        self._batch.draw()

    def free(self) -> None:
        """Free the GPU memory of the text overlay."""
        self._status.free()
        self._hints.free()


class _Panel:
    """A text panel: lines of text on a dark, transparent rectangle. The rectangle has the size of the text."""

    def __init__(self, batch: Any, margin: float, font_size: float) -> None:
        from pyglet.graphics import Group
        from pyglet.shapes import Rectangle
        from pyglet.text import Label

        self._margin = margin
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

    @property
    def height(self) -> float:
        return self._label.content_height + self._margin

    def write(self, text: str, width: float) -> None:
        """Set the text of the panel. The lines are at most `width` window units wide."""
        if self._label.width != width:  # a new layout takes a millisecond
            self._label.width = width
        if self._label.text != text:
            self._label.text = text

    def place(self, top: float) -> None:
        """Move the upper edge of the panel to the height `top` [window unit]."""
        self._label.y = top - self._margin / 2
        self._back.width = self._label.content_width + 2 * self._margin
        self._back.height = self.height
        self._back.y = top - self.height

    def free(self) -> None:
        self._back.delete()
        self._label.delete()

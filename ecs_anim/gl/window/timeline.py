"""The timeline of the window: a bar that shows the stored time span and the present moment. A drag on the bar selects
another moment.
"""

from typing import Any, Protocol

from ecs_anim.gl.window.overlay import INK, MARGIN, PANEL

HEIGHT = 24  # [window unit], height of the panel
# [window unit], widths of the texts to the left and to the right of the bar
NOW_WIDTH, SPAN_WIDTH = 80, 150
THICKNESS, KNOB = 4, 12  # [window unit], height of the bar, and size of the knob
TRACK = (245, 246, 248, 90)


class Moments(Protocol):
    """Interface of the stored moments that a timeline shows."""

    @property
    def time(self) -> float:
        """The present moment [s]."""

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last stored moment [s]."""

    def seek(self, time: float) -> None:
        """Show the moment `time` [s]."""


class Timeline:
    """The bar at the bottom of the window. pyglet draws the bar. Lengths are in window units."""

    def __init__(self, scale: float = 1.0) -> None:
        from pyglet.graphics import Batch, Group
        from pyglet.shapes import Rectangle
        from pyglet.text import Label

        self.height = (MARGIN + HEIGHT) * scale  # height of the timeline above the lower edge of the window
        self._scale, self._margin = scale, MARGIN * scale
        self._left = self._margin + NOW_WIDTH * scale  # left end of the bar
        self._length = 1.0  # length of the bar
        self._span = 0.0, 0.0  # [s], times of the ends of the bar
        self._is_held = False  # true = the user drags the bar
        # [s], moment that the user has selected and that the window has not shown yet; None = no such moment
        self._selected: float | None = None
        self._batch = batch = Batch()
        back, front, middle = Group(0), Group(1), self._margin + HEIGHT * scale / 2
        thickness, knob = THICKNESS * scale, KNOB * scale
        self._panel = Rectangle(self._margin, self._margin, 1, HEIGHT * scale, PANEL, batch=batch, group=back)
        self._track = Rectangle(self._left, middle - thickness / 2, 1, thickness, TRACK, batch=batch, group=front)
        self._past = Rectangle(self._left, middle - thickness / 2, 1, thickness, INK, batch=batch, group=front)
        self._knob = Rectangle(0, middle - knob / 2, knob / 2, knob, INK, batch=batch, group=Group(2))

        def label(anchor_x: str) -> Any:
            places = {"y": middle, "anchor_x": anchor_x, "anchor_y": "center"}
            return Label(font_size=9 * scale, color=INK, batch=batch, group=front, **places)

        self._now, self._range = label("left"), label("right")

    def draw(self, width: float, moments: Moments) -> None:
        """Draw the timeline in a window with the width `width`."""
        self._length = max(width - self._left - self._margin - SPAN_WIDTH * self._scale, 1.0)
        self._span = first, last = moments.span
        share = (moments.time - first) / (last - first) if last > first else 1.0
        self._panel.width = max(width - 2 * self._margin, 1.0)
        self._track.width = self._length
        self._past.width = share * self._length
        self._knob.x = self._left + share * self._length - self._knob.width / 2
        self._now.x, self._range.x = 2 * self._margin, width - 2 * self._margin
        self._now.text = f"{moments.time:.2f} s"
        self._range.text = f"{first:.2f} to {last:.2f} s"
        self._batch.draw()

    def press(self, x: float, y: float) -> bool:
        """If the point is on the bar, begin a drag, and select the moment at the point. Return whether a drag began."""
        slack = KNOB * self._scale
        is_beside = self._left - slack <= x <= self._left + self._length + slack
        self._is_held = is_beside and self._margin <= y <= self.height
        return self.drag(x)

    def drag(self, x: float) -> bool:
        """If the user drags the bar, select the moment at `x`. Return whether the user drags the bar."""
        if self._is_held:
            first, last = self._span
            share = min(max((x - self._left) / self._length, 0.0), 1.0)
            self._selected = first + share * (last - first)
        return self._is_held

    def release(self) -> bool:
        """End a drag of the bar. Return whether the user dragged the bar."""
        was_held, self._is_held = self._is_held, False
        return was_held

    def take(self) -> float | None:
        """Return the moment [s] that the user has selected since the last call, or None."""
        selected, self._selected = self._selected, None
        return selected

    def free(self) -> None:
        """Free the GPU memory of the timeline."""
        for part in (self._panel, self._track, self._past, self._knob, self._now, self._range):
            part.delete()

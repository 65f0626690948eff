"""The notebook widget of `show`: a picture, the playback controls, a line of hints, and further rows of controls."""

import html
from collections.abc import Sequence
from functools import cache
from typing import Any
from weakref import WeakSet

from ecs_anim.ecs.world import World
from ecs_anim.gl.window.keys import NOTEBOOK_HINTS
from ecs_anim.scenes.notebook_cell import present_cell

HINTS = f"{NOTEBOOK_HINTS}   (click the picture before you use the wheel or a key)"

_open: WeakSet[Any] = WeakSet()  # all boxes that are not closed


def live_box(picture: Any, rows: Sequence[Any], world: World | None = None) -> Any:
    """Return a box with the widget `picture` of a view, and rows of controls below. The first row is the playback.

    `world` is the user's world that the picture shows. The box belongs to the present notebook cell.
    """
    box = _box_class()(picture, rows, world)
    _open.add(box)
    return box


def close_replaced(world: World | None = None) -> None:
    """Close the boxes that a new box replaces.

    Replaced boxes are boxes of an earlier run of the present cell, boxes of the same `world`, and boxes of closed
    worlds. A notebook therefore has no hidden running worlds, and a world has one box at most.
    """
    here = present_cell()
    for box in list(_open):
        is_rerun = here is not None and box.cell is not None and box.cell.cell == here.cell and box.cell.run != here.run
        if is_rerun or box.picture.view.is_over or (world is not None and box.world is world):
            box.close()


@cache
def _box_class() -> type[Any]:
    """Return the class of the boxes. The function defines the class at its first call, because the library ipywidgets
    is optional.
    """
    import ipywidgets  # part of the 'notebook' extra

    class LiveBox(ipywidgets.VBox):  # type: ignore[misc]
        """A picture and its controls. `close` ends the view, frees its OpenGL objects, and closes all widgets."""

        def __init__(self, picture: Any, rows: Sequence[Any], world: World | None) -> None:
            self.picture, self.world, self.cell = picture, world, present_cell()
            hints = ipywidgets.HTML(f'<span style="white-space: pre-wrap">{html.escape(HINTS)}</span>')
            super().__init__([picture, rows[0], hints, *rows[1:]], layout={"max_width": "100%"})

        def close(self) -> None:
            _open.discard(self)
            super().close()
            for part in (*self.children, self.layout):
                _close(part)
            self.world = None

    return LiveBox


def _close(widget: Any) -> None:
    widget.close()
    parts = (*getattr(widget, "children", ()), getattr(widget, "layout", None), getattr(widget, "style", None))
    for part in parts:
        if hasattr(part, "close"):
            _close(part)

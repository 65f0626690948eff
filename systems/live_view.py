"""A running world in a notebook, with a camera that the user moves."""

from collections.abc import Mapping
from functools import cache
from time import perf_counter
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import shared_context
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.window.controls import CameraHand, Playback
from ecs_anim.gl.window.keys import KEYS, Action
from ecs_anim.support.errors import InputError
from ecs_anim.systems.overlays import TOGGLES, Overlays
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.rendering import Renderer
from ecs_anim.systems.skinning import swap_skinning

SIZE = (640, 360)  # [browser pixel]
NOTCH = 100.0  # [browser pixel], scroll distance for one notch of the mouse wheel
RIGHT, MIDDLE = 2, 3  # button numbers of jupyter_rfb
KEY_NAMES = {  # names of keys in `KEYS`, by their names in browsers
    " ": "SPACE",
    ".": "PERIOD",
    "ArrowRight": "RIGHT",
    "+": "PLUS",
    "=": "EQUAL",
    "-": "MINUS",
}


class LiveView(Resource):
    """A running world, the user's camera, and a renderer.

    A `LiveView` handles the events of a notebook widget, but also works without a widget.
    """

    def __init__(
        self, world: World, size: tuple[int, int] = SIZE, samples: int | None = None, *, paused: bool = False
    ) -> None:
        capabilities = shared_context().capabilities
        self.playback = Playback(paused)
        self._world = world
        self._hand = CameraHand(stage_of(world).camera)
        self._renderer = Renderer(size, samples or capabilities.live_samples)
        self.overlays = Overlays(world, live=True)
        self._renderer.show_overlays(self.overlays)
        self._is_software = capabilities.is_software
        self._size = self._pixels = self._renderer.size  # [browser pixel] and [drawn pixel]
        self._mouse = (0.0, 0.0)  # [browser pixel], last position

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the picture [browser pixel]."""
        return self._size

    def frame(self, elapsed: float) -> NDArray[np.uint8] | None:
        """Advance the world by `elapsed` seconds, and return a picture.

        While the view is paused, the world does not advance.

        If the view or the world is closed, return None.
        """
        if self._world.closed:
            self.free()
        if self.freed:
            return None
        dt = self.playback.advance(elapsed)
        if dt is not None:
            self._advance(dt)
        self._renderer.resize(self._pixels)
        return self._renderer.render(self._world)

    def _advance(self, dt: float) -> None:
        """Advance the content of the view by `dt` seconds."""
        self._world.step(dt)

    def handle(self, event: Mapping[str, Any]) -> None:
        """Handle one event from jupyter_rfb."""
        match event["type"]:
            case "resize":
                self._resize(event["width"], event["height"], event["ratio"])
            case "pointer_down":
                self._mouse = event["x"], event["y"]
            case "pointer_move" if event["buttons"]:
                self._drag(event["x"], event["y"], event["buttons"], event["modifiers"])
            case "wheel":
                self._hand.scroll(-event["dy"] / NOTCH)
            case "key_down":
                self._act(KEYS.get(KEY_NAMES.get(event["key"], event["key"].upper())))
            case "close":
                self.free()

    def _resize(self, width: float, height: float, ratio: float) -> None:
        """Draw in the resolution of the display. If the CPU draws, draw in the lower resolution of browser pixels."""
        ratio = 1.0 if self._is_software else ratio
        self._size = max(1, round(width)), max(1, round(height))
        self._pixels = max(1, round(ratio * width)), max(1, round(ratio * height))

    def _drag(self, x: float, y: float, buttons: tuple[int, ...], modifiers: tuple[str, ...]) -> None:
        right, down = x - self._mouse[0], y - self._mouse[1]
        self._mouse = x, y
        pan = RIGHT in buttons or MIDDLE in buttons or "Shift" in modifiers
        self._hand.drag(right, -down, self._size[1], pan=pan)

    def _act(self, action: Action | None) -> None:
        match action:
            case Action.PAUSE:
                self.playback.toggle_pause()
            case Action.SINGLE_STEP:
                self.playback.request_step()
            case Action.FASTER:
                self.playback.faster()
            case Action.SLOWER:
                self.playback.slower()
            case Action.RESET_CAMERA:
                self._hand.reset()
            case Action.SWAP_SKINNING:
                swap_skinning(self._world)
            case Action.SKELETONS | Action.TRAILS | Action.GOALS | Action.DENSITY:
                self.overlays.toggle(TOGGLES[action])
            case (
                Action.STEP_BACK
                | Action.NEXT_OVERLAY
                | Action.MENU
                | Action.SCREENSHOT
                | Action.FOLLOW
                | Action.NEXT_CAMERA
                | Action.BACK
                | Action.CLOSE
                | None
            ):
                pass  # an action that only windows have, or an unused key
            case _:
                assert_never(action)

    def _release(self) -> None:
        self.overlays.close()
        self._renderer.free()


@cache
def widget_class() -> type[Any]:
    """Return the class of the widget.

    The class is defined at the first call, because its base class requires the 'notebook' extra.
    """
    try:
        from jupyter_rfb import RemoteFrameBuffer
    except ImportError:
        raise InputError("a live view needs the notebook extra. Install it: pip install 'ecs-anim[notebook]'") from None

    class LiveWidget(RemoteFrameBuffer):  # type: ignore[misc]
        """A notebook widget that shows a `LiveView`."""

        def __init__(self, view: LiveView) -> None:
            self.view = view
            self._last: float | None = None  # [s], time of the last request for a picture
            width, height = view.size
            super().__init__(css_width=f"{width}px", css_height=f"{height}px")

        def get_frame(self) -> NDArray[np.uint8] | None:
            now = perf_counter()
            picture = self.view.frame(0.0 if self._last is None else now - self._last)
            self._last = now
            if picture is not None and not self.view.playback.paused:
                self.request_draw()  # request the next picture when the browser has received this picture
            return picture

        def handle_event(self, event: Mapping[str, Any]) -> None:
            self.view.handle(event)
            self.request_draw()

    return LiveWidget

"""A running world in a notebook, with a camera that the user controls."""

from collections.abc import Mapping
from functools import cache
from time import perf_counter
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import shared_context
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.window.controls import KEYS, Action, CameraHand, Playback
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.rendering import Renderer
from ecs_anim.systems.skinning import swap_skinning

SIZE = (640, 360)  # [browser pixel]
NOTCH = 100.0  # [browser pixel] that browsers scroll per notch of the wheel
RIGHT, MIDDLE = 2, 3  # buttons, as jupyter_rfb counts them
KEY_NAMES = {" ": "SPACE", ".": "PERIOD", "ArrowRight": "RIGHT"}  # from the browsers' names to those of `KEYS`


@checked
def show(world: World, size: tuple[int, int] = SIZE, *, samples: int | None = None, paused: bool = False) -> Any:
    """Return a notebook widget that runs the world: the last line of a cell. Needs the 'notebook' extra.

    Drag to orbit, right-drag or shift-drag to pan, wheel to zoom; space to pause, `.` for one step, R for the first
    view, K to swap linear skinning and dual quaternions. The widget moves the world's own camera. `samples` per pixel
    are 4 by default, or 1 if the CPU draws. Closing the widget does not change the world. Raises as `render` does, and
    InputError if the extra is missing.
    """
    world.require_open()
    return _widget_class()(LiveView(world, size, samples, paused=paused))


class LiveView(Resource):
    """A world, the user's camera control, and a renderer. It depends on no widget, only on the widget's events."""

    def __init__(
        self, world: World, size: tuple[int, int] = SIZE, samples: int | None = None, *, paused: bool = False
    ) -> None:
        capabilities = shared_context().capabilities
        self.playback = Playback(paused)
        self._world = world
        self._hand = CameraHand(stage_of(world).camera)
        self._renderer = Renderer(size, samples or capabilities.live_samples)
        self._is_software = capabilities.is_software
        self._size = self._pixels = self._renderer.size  # in the browser's units, and in drawn pixels
        self._mouse = (0.0, 0.0)  # last position, in the browser's units

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in the browser's units."""
        return self._size

    def frame(self, elapsed: float) -> NDArray[np.uint8] | None:
        """Return a picture, `elapsed` seconds later unless paused; None if the view or the world is closed."""
        if self._world.closed:
            self.free()
        if self.freed:
            return None
        dt = self.playback.advance(elapsed)
        if dt is not None:
            self._world.step(dt)
        self._renderer.resize(self._pixels)
        return self._renderer.render(self._world)

    def handle(self, event: Mapping[str, Any]) -> None:
        """Handle an event of jupyter_rfb."""
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
        """Draw at the resolution of the display, or at the browser's lower one if the CPU draws."""
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
            case Action.RESET_CAMERA:
                self._hand.reset()
            case Action.SWAP_SKINNING:
                swap_skinning(self._world)
            case (
                Action.TOGGLE_OVERLAY
                | Action.SCREENSHOT
                | Action.FOLLOW
                | Action.NEXT_CAMERA
                | Action.BACK
                | Action.CLOSE
                | None
            ):
                pass  # only for windows, or an unused key
            case _:
                assert_never(action)

    def _release(self) -> None:
        self._renderer.free()


@cache
def _widget_class() -> type[Any]:
    """Return the widget class, made at first use: without the extra there is no base class."""
    try:
        from jupyter_rfb import RemoteFrameBuffer
    except ImportError:
        raise InputError("a live view needs the notebook extra: pip install 'ecs-anim[notebook]'") from None

    class LiveWidget(RemoteFrameBuffer):  # type: ignore[misc]
        """A browser's window onto a `LiveView`."""

        def __init__(self, view: LiveView) -> None:
            self.view = view
            self._last: float | None = None  # [s], time of the last picture's request
            width, height = view.size
            super().__init__(css_width=f"{width}px", css_height=f"{height}px")

        def get_frame(self) -> NDArray[np.uint8] | None:
            now = perf_counter()
            picture = self.view.frame(0.0 if self._last is None else now - self._last)
            self._last = now
            if picture is not None and not self.view.playback.paused:
                self.request_draw()  # the next one, as soon as the browser has this one
            return picture

        def handle_event(self, event: Mapping[str, Any]) -> None:
            self.view.handle(event)
            self.request_draw()

    return LiveWidget

"""A view of a running world in a notebook. The user moves the camera."""

from collections.abc import Callable, Mapping
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
from ecs_anim.systems.live_timeline import LiveHistory, LiveTimeline
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
    ",": "COMMA",
    "ArrowLeft": "LEFT",
    "+": "PLUS",
    "=": "EQUAL",
    "-": "MINUS",
}
NAMES = """
// Screen readers read the title of the widget as the text of its picture, and the labels of sliders.
if (typeof RendercanvasAnywidgetModel !== 'undefined') {
  const updateVisibility = RendercanvasAnywidgetModel.prototype.updateVisibility
  RendercanvasAnywidgetModel.prototype.updateVisibility = function () {
    updateVisibility.call(this)
    for (const { viewElement } of this.views) {
      viewElement.alt = this.anymodel.get('title')
      for (const slider of viewElement.closest('.widget-vbox')?.querySelectorAll('.widget-slider') ?? []) {
        const label = slider.querySelector('.widget-label')?.textContent ?? ''
        slider.querySelector('[role=slider]')?.setAttribute('aria-label', label)
      }
    }
  }
}
"""


class LiveView(Resource):
    """A running world, the user's camera, and a renderer.

    A `LiveView` handles the events of a notebook widget, but also works without a widget.
    """

    def __init__(
        self,
        world: World,
        size: tuple[int, int] = SIZE,
        samples: int | None = None,
        *,
        paused: bool = False,
        timeline: LiveTimeline | None = None,
    ) -> None:
        """Show a world. Without `timeline`, the timeline is a `LiveHistory` of the world."""
        capabilities = shared_context().capabilities
        self.playback = Playback(paused)
        self.timeline = timeline or LiveHistory(world)
        self.is_selected = False  # whether the user selected the present moment on the slider
        self.drawn: Callable[[], None] = lambda: None  # called after each picture
        self._world = world
        self._selected: float | None = None  # selected moment of the timeline that the view has not shown yet
        self._hand = CameraHand(stage_of(world).camera)
        self._renderer = Renderer(size, samples or capabilities.live_samples)
        self.overlays = Overlays(world, live=True)
        self._renderer.show_overlays(self.overlays)
        self._is_software = capabilities.is_software
        self._size = self._pixels = self._renderer.size  # [browser pixel] and [drawn pixel]
        self._mouse = (0.0, 0.0)  # [browser pixel], last position

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the picture on the page [browser pixel]."""
        return self._size

    @property
    def is_over(self) -> bool:
        """Whether the view or its world is closed."""
        return self.freed or self._world.closed

    def select(self, moment: float) -> None:
        """Pause, and show a moment of the timeline in the next picture."""
        self.playback.pause()
        self._selected = moment

    def step_back(self) -> None:
        """Pause, and show the previous moment. Without a previous moment, keep the present moment."""
        self.playback.pause()
        self.is_selected, self._selected = False, None
        self.timeline.refresh()
        self.timeline.step_back()

    def frame(self, elapsed: float) -> NDArray[np.uint8] | None:
        """Advance the world by `elapsed` seconds, and return a picture.

        While the view is paused, the world does not advance.

        If the view or the world is closed, return None.
        """
        if self.is_over:
            self.free()
            return None
        self._move(elapsed)
        self._renderer.resize(self._pixels)
        picture = self._renderer.render(self._world)
        self.drawn()
        return picture

    def _move(self, elapsed: float) -> None:
        """Show the selected moment, or advance by `elapsed` seconds."""
        self.timeline.refresh()
        selected, self._selected = self._selected, None
        if selected is not None:
            self.is_selected = True
            self.timeline.seek(selected)
            return
        advance = self.timeline.step if self.playback.paused else self.timeline.play
        dt = self.playback.advance(elapsed)
        if dt is not None:
            self.is_selected = False
            advance(dt)

    def reset_camera(self) -> None:
        """Move the camera back to its first position."""
        self._hand.reset()

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
            case Action.STEP_BACK:
                self.step_back()
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
                Action.NEXT_OVERLAY
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
        """A notebook widget that shows a `LiveView`. `name` describes the picture for screen readers."""

        _esm = RemoteFrameBuffer._esm + NAMES

        def __init__(self, view: LiveView, name: str) -> None:
            self.view = view
            self._last: float | None = None  # [s], time of the last request for a picture
            width, height = view.size
            super().__init__(css_width=f"min({width}px, 100%)", css_height=f"{height}px", title=name)

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

        def close(self) -> None:
            super().close()
            self._output_context.close()  # jupyter_rfb leaves the output open, and its layout
            self._output_context.layout.close()

    return LiveWidget

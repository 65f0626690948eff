"""An interactive window. A callback draws the contents. Mouse and keys control the camera and the time."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, assert_never

from ecs_anim.gl.device.context import Context, open_window
from ecs_anim.gl.device.present import Presenter
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.window.controls import KEYS, Action, CameraHand, Click, FrameMeter, Playback
from ecs_anim.gl.window.live_target import LiveTarget
from ecs_anim.gl.window.overlay import Overlay
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import save_png
from ecs_anim.support.terminal import print_line, print_note
from ecs_anim.view.camera import OrbitCamera

FRAME_INTERVAL = 1 / 60  # [s]; the display's refresh can lower the frame rate further
STILL = 12  # unchanged pictures of world and camera before a fine picture replaces them

_MOUSE = ("on_mouse_press", "on_mouse_drag", "on_mouse_release", "on_mouse_scroll")
_HANDLED = ("on_close", "on_key_press", *_MOUSE)

Clicked = Callable[[float, float, tuple[int, int]], None]


class Viewer(Resource):
    """A window and its context. Create a renderer with `context`, then call `run`.

        with Viewer("crowd", (1280, 720), camera) as viewer, Renderer(viewer.context) as renderer:
            viewer.run(step, draw, overlay)

    When the CPU draws, the window lowers the picture quality to keep the frame rate. A still picture has the highest
    quality. `draw` must apply `Viewer.quality`. `samples` is the number of samples per pixel. Default: 4, or 1 for
    moving pictures if the CPU draws. Raises InputError if no window can be opened. Leaving the block closes the
    window.
    """

    def __init__(
        self,
        title: str,
        size: tuple[int, int],
        camera: OrbitCamera,
        samples: int | None = None,
        picture_folder: Path = Path(),
    ) -> None:
        self.context: Context = open_window(title, *size)
        self.camera = camera
        self.playback = Playback()
        self.locks_camera = False  # set while another camera than `camera` is shown
        self._hand = CameraHand(camera)
        self._click = Click()
        self._meter = FrameMeter()
        self._live = LiveTarget(self.context, samples)
        self.quality = self._live.quality  # quality of the current picture, except size and samples
        self._picture_folder = picture_folder
        self._window: Any = self.context.window
        self._presenter = Presenter()
        self._overlay = Overlay(_scale(self._window))
        self._saves_next = False
        self._unmoved = 0  # pictures since the last change
        self._still: RenderTarget | None = None  # fine picture that is shown until the next change
        self._actions: Mapping[Action, Callable[[], object]] = {}
        self._clicked: Clicked | None = None

    def run(
        self,
        step: Callable[[float], None],
        draw: Callable[[RenderTarget], None],
        overlay: Callable[[], str] = lambda: "",
        actions: Mapping[Action, Callable[[], object]] = MappingProxyType({}),
        clicked: Clicked | None = None,
    ) -> None:
        """Show the window until a user or `Viewer.close` closes the window.

        `step` advances the world by the given number of seconds. A paused window does not call `step`. `draw` fills
        and resolves a target of the window's size. `overlay` returns the text lines below the frame time. `actions`
        contains functions for key actions that the window does not handle. If the function for BACK returns true, the
        window stays open. `clicked` receives the clicked pixel, counted from the upper left corner, and the size of
        the picture.
        """
        import pyglet

        self._actions, self._clicked = actions, clicked

        def refresh(elapsed: float) -> None:
            self._meter.add(elapsed)
            if not self._still:
                self._live.took(elapsed)
            dt = self.playback.advance(elapsed)
            self._unmoved += 1
            if dt is not None:
                self._moved()
                step(dt)
            self._show(draw, overlay)

        handlers = {name: getattr(self, f"_{name}") for name in _HANDLED} | {"on_refresh": refresh}
        self._window.push_handlers(**handlers)
        pyglet.clock.schedule_interval(self._window.draw, FRAME_INTERVAL)
        try:
            pyglet.app.run(None)  # with an interval, pyglet schedules drawing and never stops
        finally:
            pyglet.clock.unschedule(self._window.draw)
            self._window.remove_handlers(**handlers)
            # The pyglet loop leaves this flag off, which prevents the next context.
            type(self._window)._enable_event_queue = True

    def close(self) -> None:
        """End `run` after the current frame. The context lives until the viewer is freed."""
        import pyglet

        pyglet.app.exit()

    def _show(self, draw: Callable[[RenderTarget], None], overlay: Callable[[], str]) -> None:
        width, height = (max(1, length) for length in self._window.get_framebuffer_size())
        if self._saves_next:
            self._saves_next = False
            self._save(draw, width, height)
        target = self._still
        if target is None or target.size != (width, height):
            is_still = self._live.is_governed and self._unmoved >= STILL
            self.quality = self._live.finest if is_still else self._live.quality
            target = self._live.of(self.quality, width, height)
            draw(target)
            self._still = target if is_still else None
        self._presenter.draw(target, width, height)
        paused = "   paused" if self.playback.paused else ""
        status = "   ".join(filter(None, (self._meter.text + paused, self._live.text)))
        self._overlay.draw(self._window, f"{status}\n{overlay()}")

    def _moved(self) -> None:
        """Mark the shown picture as outdated."""
        self._unmoved, self._still = 0, None

    def _save(self, draw: Callable[[RenderTarget], None], width: int, height: int) -> None:
        """Save a picture of the finest quality without the overlay, and print its path.

        Disk errors do not end `run`.
        """
        path = next_free(self._picture_folder, "ecs-anim")
        self._moved()
        self.quality = self._live.finest
        target = self._live.of(self.quality, width, height)
        draw(target)
        try:
            save_png(path, target.read_pixels())
            print_line(f"saved {path}")
        except InputError as error:
            print_note(str(error))

    def _on_close(self) -> bool:
        self.close()
        return True  # pyglet's default handler would end the context before its owners free their resources

    def _on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        from pyglet.window import key, mouse

        self._moved()
        pan = bool(buttons & (mouse.RIGHT | mouse.MIDDLE) or modifiers & key.MOD_SHIFT)
        if not self.locks_camera:
            self._hand.drag(dx, dy, self._window.height, pan=pan)
        self._click.drag(dx, dy)

    def _on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        self._click.press()

    def _on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        from pyglet.window import mouse

        self._moved()
        if self._click.release() and button == mouse.LEFT and self._clicked:
            window, size = self._window, self._window.get_framebuffer_size()
            self._clicked(x * size[0] / window.width, (window.height - 1 - y) * size[1] / window.height, size)

    def _on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        self._moved()
        if not self.locks_camera:
            self._hand.scroll(scroll_y)

    def _on_key_press(self, symbol: int, modifiers: int) -> bool:
        from pyglet.window import key

        action = KEYS.get(key.symbol_string(symbol))
        if action is not None:
            self._act(action)
        return True  # pyglet's default handler closes the window at Escape

    def _act(self, action: Action) -> None:
        self._moved()
        match action:
            case Action.PAUSE:
                self.playback.toggle_pause()
            case Action.SINGLE_STEP:
                self.playback.request_step()
            case Action.RESET_CAMERA:
                self._hand.reset()
            case Action.TOGGLE_OVERLAY:
                self._overlay.visible = not self._overlay.visible
            case Action.SCREENSHOT:
                self._saves_next = True
            case Action.CLOSE:
                self.close()
            case Action.BACK:
                if not self._actions.get(action, bool)():
                    self.close()
            case Action.SWAP_SKINNING | Action.FOLLOW | Action.NEXT_CAMERA:
                self._actions.get(action, bool)()
            case _:
                assert_never(action)

    def _release(self) -> None:
        self._overlay.free()
        self._presenter.free()
        self._live.free()
        self.context.free()


def next_free(folder: Path, stem: str) -> Path:
    """Return the first path in `folder` among `stem`-001.png, `stem`-002.png and so on that does not exist."""
    number = 1
    while (path := folder / f"{stem}-{number:03d}.png").exists():
        number += 1
    return path


def _scale(window: Any) -> float:
    """Return the number of window units per point of text: 1, or more on a dense display with pixel units."""
    return float(window.scale) if window.get_framebuffer_size() == window.get_size() else 1.0

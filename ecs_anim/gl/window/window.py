"""An interactive window. A callback function draws the picture. Mouse and keys control the camera and the time."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, assert_never

from ecs_anim.gl.device.context import Context, open_window
from ecs_anim.gl.device.present import Presenter
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.window.controls import CameraHand, Click, FrameMeter, Message, Playback
from ecs_anim.gl.window.keys import KEYS, Action
from ecs_anim.gl.window.live_target import LiveTarget
from ecs_anim.gl.window.menu import Choices, Menu
from ecs_anim.gl.window.overlay import Overlay, Shown
from ecs_anim.gl.window.timeline import Moments, Timeline
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import save_png
from ecs_anim.support.terminal import print_line, print_note, printable
from ecs_anim.view.camera import OrbitCamera

# [s], shortest time between two pictures; a display with a lower refresh rate makes this time longer
FRAME_INTERVAL = 1 / 60
STILL = 12  # after this number of unchanged pictures, the window draws the picture with the highest quality

_MOUSE = ("on_mouse_motion", "on_mouse_press", "on_mouse_drag", "on_mouse_release", "on_mouse_scroll")
_HANDLED = ("on_close", "on_key_press", *_MOUSE)

NO_CHOICES = Choices()

Clicked = Callable[[float, float, tuple[int, int]], None]


class Viewer(Resource):
    """A window and its OpenGL context. To show a world, create a renderer with the context of the viewer, and call
    `run`.

        with Viewer("crowd", (1280, 720), camera) as viewer, Renderer(viewer.context) as renderer:
            viewer.run(step, draw, overlay)

    With a software renderer, the window lowers the picture quality to keep the frame rate. If the picture does not
    change, the window shows the picture with the highest quality. The function `draw` must use the settings in
    `Viewer.quality`. `samples` is the number of samples per pixel. The default is 4. For moving pictures with a
    software renderer, the default is 1. The end of the `with` block closes the window. Raises InputError if no window
    can be opened.
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
        self.message = Message()
        # True while the window shows a camera that the user cannot move, such as a camera of the scene
        self.locks_camera = False
        self.is_dismissed = False  # True after the user has closed the window
        self._hand = CameraHand(camera)
        self._click = Click()
        self._meter = FrameMeter()
        self._live = LiveTarget(self.context, samples)
        self.quality = self._live.quality  # quality of the current picture, except size and samples
        self._picture_folder = picture_folder
        self._window: Any = self.context.window
        self._presenter = Presenter()
        self._overlay = Overlay(_scale(self._window))
        self._timeline = Timeline(_scale(self._window))
        self._menu = Menu(_scale(self._window))
        self._choices = Choices()
        self._opening: str | None = None  # name from the menu that the window opens after the next picture
        self._saves_next = False
        self._unmoved = 0  # number of pictures since the last change
        # picture with the highest quality; the window shows this picture until the next change
        self._still: RenderTarget | None = None
        self._actions: Mapping[Action, Callable[[], object]] = {}
        self._clicked: Clicked | None = None
        self._moments: Moments | None = None

    def run(
        self,
        step: Callable[[float], None],
        draw: Callable[[RenderTarget], None],
        overlay: Callable[[], str] = lambda: "",
        actions: Mapping[Action, Callable[[], object]] = MappingProxyType({}),
        clicked: Clicked | None = None,
        moments: Moments | None = None,
        choices: Choices = NO_CHOICES,
    ) -> None:
        """Show the window until the user closes the window or until the program calls `Viewer.close`.

        The function `step` advances the world by a number of seconds. A paused window does not call `step`. The
        function `draw` draws and resolves a picture into a render target with the size of the window. The function
        `overlay` returns the text lines below the frame time. `actions` contains functions for key actions that the
        window itself does not handle. If the function for the action BACK returns True, the window stays open. The
        function `clicked` receives the pixel of a mouse click and the size of the picture. The upper left pixel has the
        coordinates 0, 0. The timeline at the bottom shows `moments`. Without `moments`, the window has no timeline. The
        menu shows the names in `choices`.
        """
        import pyglet

        self._actions, self._clicked, self._moments, self._choices = actions, clicked, moments, choices
        self._menu.fill(choices)
        self._moved()

        def refresh(elapsed: float) -> None:
            self._open_chosen()
            self._meter.add(elapsed)
            if not self._still:
                self._live.took(elapsed)
            dt = self.playback.advance(elapsed)
            self._unmoved += 1
            if dt is not None:
                self._moved()
                step(dt)
            self._seek()
            self._show(draw, overlay)

        handlers = {name: getattr(self, f"_{name}") for name in _HANDLED} | {"on_refresh": refresh}
        self._window.push_handlers(**handlers)
        pyglet.clock.schedule_interval(self._window.draw, FRAME_INTERVAL)
        try:
            # None, because pyglet would otherwise also schedule the drawing itself, and would never stop
            pyglet.app.run(None)
        finally:
            pyglet.clock.unschedule(self._window.draw)
            self._window.remove_handlers(**handlers)
            # After its loop, pyglet does not set this flag again. Without the flag, no new context can be opened.
            type(self._window)._enable_event_queue = True

    def turn_to(self, title: str, camera: OrbitCamera) -> None:
        """Set the title of the window and the camera that the user controls. Forget the drawing times of the previous
        content.
        """
        self._window.set_caption(title)
        self._live.restart()
        self.camera, self._hand = camera, CameraHand(camera)

    def close(self) -> None:
        """End the method `run` after the current picture. The context stays open until the viewer is freed."""
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
        status = "   ".join(filter(None, (self._meter.text, self.playback.text, self._live.text)))
        moments = self._shown_moments
        bottom = self._timeline.height if moments else 0.0
        foot = self._overlay.draw(self._window, f"{status}\n{overlay()}", self.message.text, bottom)
        if moments:
            self._timeline.draw(self._window.width, moments)
        self._menu.draw(self._window.width, self._window.height, foot)

    @property
    def _shown_moments(self) -> Moments | None:
        """The moments of the timeline, or None if the window does not show the timeline."""
        return None if self._overlay.shown is Shown.NOTHING else self._moments

    def _seek(self) -> None:
        """Show the moment that the user has selected on the timeline since the last picture."""
        time = self._timeline.take()
        if self._moments and time is not None:
            self._moved()
            self.playback.pause()
            self._moments.seek(time)

    def _open_chosen(self) -> None:
        """Open the item that the user has chosen in the menu. Opening takes time, so the window first shows a message
        in one picture.
        """
        opened, self._opening = self._opening, self._menu.take()
        if opened is not None:
            self._choices.choose(opened)
        if self._opening is not None:
            self.message.say(printable(f"opening {self._opening}"))

    def _moved(self) -> None:
        """Mark the picture in the window as outdated, because the world or the camera has changed."""
        self._unmoved, self._still = 0, None

    def _save(self, draw: Callable[[RenderTarget], None], width: int, height: int) -> None:
        """Save a picture with the highest quality and without the overlay. Print and show the path of the file.

        If the program cannot write the file, `run` continues.
        """
        path = next_free(self._picture_folder, "ecs-anim")
        self._moved()
        self.quality = self._live.finest
        target = self._live.of(self.quality, width, height)
        draw(target)
        try:
            save_png(path, target.read_pixels())
            self.message.say(printable(f"saved {path}"))
            print_line(f"saved {path}")
        except InputError as error:
            self.message.say(printable(str(error)))
            print_note(str(error))

    def _dismiss(self) -> None:
        self.is_dismissed = True
        self.close()

    def _on_close(self) -> bool:
        self._dismiss()
        # stops pyglet's default handler, which would close the context before the owners free their GPU objects
        return True

    def _on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        from pyglet.window import key, mouse

        self._moved()
        if self._timeline.drag(x):
            return
        pan = bool(buttons & (mouse.RIGHT | mouse.MIDDLE) or modifiers & key.MOD_SHIFT)
        if not self.locks_camera:
            self._hand.drag(dx, dy, self._window.height, pan=pan)
        self._click.drag(dx, dy)

    def _on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        self._menu.point(x, y)

    def _on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        from pyglet.window import mouse

        if button == mouse.LEFT and self._menu.press(x, y):
            return
        if not (button == mouse.LEFT and self._shown_moments and self._timeline.press(x, y)):
            self._click.press()

    def _on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        from pyglet.window import mouse

        self._moved()
        if self._timeline.release():
            return
        if self._click.release() and button == mouse.LEFT and self._clicked:
            window, size = self._window, self._window.get_framebuffer_size()
            self._clicked(x * size[0] / window.width, (window.height - 1 - y) * size[1] / window.height, size)

    def _on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        self._moved()
        if self._menu.point(x, y):
            self._menu.move(-round(scroll_y))
        elif not self.locks_camera:
            self._hand.scroll(scroll_y)

    def _on_key_press(self, symbol: int, modifiers: int) -> bool:
        from pyglet.window import key

        name = key.symbol_string(symbol)
        if not self._menu.key(name) and name in KEYS:
            self._act(KEYS[name])
        return True  # stops pyglet's default handler, which closes the window at Escape

    def _act(self, action: Action) -> None:
        self._moved()
        match action:
            case Action.PAUSE:
                self.playback.toggle_pause()
                self.message.say("paused" if self.playback.paused else "continued")
            case Action.FASTER:
                self._change_speed(self.playback.faster)
            case Action.SLOWER:
                self._change_speed(self.playback.slower)
            case Action.SINGLE_STEP:
                self.playback.request_step()
            case Action.STEP_BACK:
                self.playback.pause()
                self._actions.get(action, bool)()
            case Action.RESET_CAMERA:
                self._hand.reset()
            case Action.NEXT_OVERLAY:
                self._overlay.show_next()
            case Action.MENU:
                self._menu.toggle()
            case Action.SCREENSHOT:
                self._saves_next = True
            case Action.CLOSE:
                self._dismiss()
            case Action.BACK:
                if not self._actions.get(action, bool)():
                    self._dismiss()
            case (
                Action.SWAP_SKINNING
                | Action.FOLLOW
                | Action.NEXT_CAMERA
                | Action.SKELETONS
                | Action.TRAILS
                | Action.GOALS
                | Action.DENSITY
            ):
                self._actions.get(action, bool)()
            case _:
                assert_never(action)

    def _change_speed(self, change: Callable[[], None]) -> None:
        change()
        self.message.say(f"speed {self.playback.speed:g}")

    def _release(self) -> None:
        self._overlay.free()
        self._timeline.free()
        self._menu.free()
        self._presenter.free()
        self._live.free()
        self.context.free()


def next_free(folder: Path, stem: str) -> Path:
    """Return the first unused path in `folder`. The paths are `stem`-001.png, `stem`-002.png and so on."""
    number = 1
    while (path := folder / f"{stem}-{number:03d}.png").exists():
        number += 1
    return path


def _scale(window: Any) -> float:
    """Return the factor by which texts and panels are enlarged.

    The factor is above 1 only if the display has a high resolution and a window unit is one pixel. On all other
    displays, the factor is 1.
    """
    return float(window.scale) if window.get_framebuffer_size() == window.get_size() else 1.0

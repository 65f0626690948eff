"""The window of the render mode "human"."""

from time import perf_counter

from ecs_anim.ecs.world import World
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.window.window import Viewer
from ecs_anim.systems.overlays import Overlays
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.window_view import WindowView, window_title


class Screen:
    """A window that shows each step of an environment for its real time. Keys and mouse work as in other windows.

    `seconds` [s] is the duration of a step. A paused window waits until the user continues or requests a step. Raises
    InputError if no window can be opened.
    """

    def __init__(self, world: World, size: tuple[int, int], seconds: float) -> None:
        self._viewer = Viewer(window_title(world), size, stage_of(world).camera)
        self._renderer, self._overlays = Renderer(self._viewer.context), Overlays(world, live=True)
        self._view = WindowView(world, self._viewer, self._renderer, self._overlays)
        self._seconds, self._left, self._ended = seconds, 0.0, perf_counter()

    def show(self) -> None:
        """Show the present state until a step has passed since the last call. A closed window shows nothing."""
        if self._viewer.freed:
            return
        spent, view = perf_counter() - self._ended, self._view
        view.spent_ms["step"] = 1000 * spent
        self._left = self._seconds - spent
        with self._viewer.context.current():
            self._viewer.run(self._wait, view.draw, view.overlay, view.actions(), view.clicked)
        self._ended = perf_counter()
        if self._viewer.is_dismissed:
            self.close()

    def close(self) -> None:
        """Close the window."""
        if not self._viewer.freed:
            with self._viewer.context.current():
                self._overlays.close()
                self._renderer.free()
                self._viewer.free()

    def _wait(self, dt: float) -> None:
        """Count down the time of the present state, and end its display. A requested single step ends the display."""
        self._left -= self._left if self._viewer.playback.paused else dt
        if self._left <= 0:
            self._viewer.close()

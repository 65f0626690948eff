"""Display of a world in a window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from ecs_anim.ecs.world import World
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.window.controls import ERROR_SECONDS
from ecs_anim.gl.window.keys import Action
from ecs_anim.gl.window.menu import Choices
from ecs_anim.gl.window.window import Viewer
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_note, printable
from ecs_anim.systems.history import History
from ecs_anim.systems.overlays import Overlays
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.window_view import WindowView, window_title
from ecs_anim.view.overlay_names import OverlayName


@dataclass(frozen=True)
class SceneMenu:
    """The scenes in the menu of the window, and the function that loads a scene."""

    names: Sequence[str] = field(default_factory=shipped_scenes)
    load: Callable[[str], World] = load_scene  # raises InputError
    first: str = ""  # name of the scene that the window shows first


def show_in_window(
    world: World,
    size: tuple[int, int],
    frames: int | None,
    speed: float = 1.0,
    camera: str | None = None,
    shown: Sequence[OverlayName] = (),
    text: Callable[[], str] = lambda: "",
    menu: SceneMenu | None = None,
) -> None:
    """Step and draw a world until the user closes the window, or for `frames` time steps.

    `speed` is the first playback speed: world time divided by real time. Keys change the speed. `camera` is the name of
    the camera that the window shows first. `shown` are the names of the overlays that the window shows first. The
    window shows pictures without lens distortion. `text` returns a line that the window adds to its text. The user can
    choose a scene of `menu` to replace the world in the window. By default, the menu contains the shipped scenes.
    Raises InputError for an unknown camera.
    """
    stage = stage_of(world)
    menu = menu or SceneMenu()
    with Viewer(window_title(world), size, stage.camera) as viewer:
        viewer.playback.speed = speed
        viewer.locks_camera = camera is not None
        with Renderer(viewer.context) as renderer, Overlays(world, shown, live=True) as overlays:
            show = _Show(world, viewer, renderer, overlays, menu, camera)
            show.last_frame, show.text = None if frames is None else world.frame + frames, text
            show.run(menu.first)
        _show_chosen(viewer, menu, show)


def _show_chosen(viewer: Viewer, menu: SceneMenu, show: "_Show") -> None:
    """Show the scenes that the user chooses from the menu, one after the other, until the user closes the window.

    Overlays that the user has turned on stay on in the next scene.
    """
    while show.chosen is not None:
        (name, world), shown = show.chosen, show.shown
        with world:
            viewer.turn_to(window_title(world), stage_of(world).camera)
            viewer.locks_camera = False
            with Renderer(viewer.context) as renderer, Overlays(world, shown, live=True) as overlays:
                show = _Show(world, viewer, renderer, overlays, menu)
                show.run(name)


class _Show(WindowView):
    """A world in an open window that also steps the world, goes back in time, and opens other scenes."""

    def __init__(
        self,
        world: World,
        viewer: Viewer,
        renderer: Renderer,
        overlays: Overlays,
        menu: SceneMenu,
        camera: str | None = None,
    ) -> None:
        super().__init__(world, viewer, renderer, overlays, camera)
        self.history = History(world)
        self.last_frame: int | None = None  # the window closes after this frame; None = the user closes the window
        self.chosen: tuple[str, World] | None = None  # scene that the user has chosen from the menu
        self._menu = menu

    def run(self, name: str) -> None:
        """Show the world until the user closes the window or chooses another scene. `name` is the present scene."""
        choices = Choices(self._menu.names, self._choose, name)
        self._viewer.run(self.step, self.draw, self.overlay, self.actions(), self.clicked, self.history, choices)

    def actions(self) -> dict[Action, Callable[[], object]]:
        return {**super().actions(), Action.STEP_BACK: self._step_back}

    def step(self, dt: float) -> None:
        begin = perf_counter()
        advance = self.history.step if self._viewer.playback.paused else self.history.play
        advance(dt)
        self.spent_ms["step"] = 1000 * (perf_counter() - begin)
        if self.last_frame is not None and self._world.frame >= self.last_frame:
            self._viewer.close()

    def _choose(self, name: str) -> None:
        """Load the scene `name`, and end the display of the present scene. If the scene `name` has an error, show the
        error in the window.
        """
        try:
            self.chosen = name, self._menu.load(name)
        except InputError as error:
            print_note(str(error))
            self._viewer.message.say(printable(str(error).partition("\n")[0]), ERROR_SECONDS)
        else:
            self._viewer.close()

    def _step_back(self) -> None:
        if not self.history.step_back():
            self._viewer.message.say(f"the window stores no moment before {self.history.span[0]:.2f} s")

"""Display of a world in a window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

from ecs_anim.components.baked import Baked
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.window.controls import ERROR_SECONDS
from ecs_anim.gl.window.keys import Action
from ecs_anim.gl.window.menu import Choices
from ecs_anim.gl.window.window import Viewer
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_note, printable
from ecs_anim.systems.camera_cycle import CameraCycle
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.history import History
from ecs_anim.systems.overlays import TOGGLES, Overlays
from ecs_anim.systems.picking import Picking
from ecs_anim.systems.queries import actor_count, posing_text, stage_of, who_poses
from ecs_anim.systems.skinning import swap_skinning
from ecs_anim.view.overlay_names import OVERLAYS, OverlayName


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
    with Viewer(_title(world), size, stage.camera) as viewer:
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
            viewer.turn_to(_title(world), stage_of(world).camera)
            viewer.locks_camera = False
            with Renderer(viewer.context) as renderer, Overlays(world, shown, live=True) as overlays:
                show = _Show(world, viewer, renderer, overlays, menu)
                show.run(name)


def _title(world: World) -> str:
    return printable(f"{stage_of(world).title} - ecs-anim")


class _Show:
    """A world in an open window. The window calls the methods of this class."""

    def __init__(
        self,
        world: World,
        viewer: Viewer,
        renderer: Renderer,
        overlays: Overlays,
        menu: SceneMenu,
        camera: str | None = None,
    ) -> None:
        self.history = History(world)
        self.last_frame: int | None = None  # the window closes after this frame; None = the user closes the window
        self.text: Callable[[], str] = lambda: ""  # returns an additional line of text
        self.chosen: tuple[str, World] | None = None  # scene that the user has chosen from the menu
        self._world, self._viewer, self._overlays, self._menu = world, viewer, overlays, menu
        self._camera, self._cycle = stage_of(world).camera, CameraCycle(world, camera)
        self._picking, self._drawing = Picking(world), DrawWorld(renderer)
        self._drawing.overlays = overlays
        self._spent_ms = {"step": 0.0, "draw": 0.0}

    @property
    def shown(self) -> tuple[OverlayName, ...]:
        return tuple(name for name in OVERLAYS if name in self._overlays.shown)

    def run(self, name: str) -> None:
        """Show the world until the user closes the window or chooses another scene. `name` is the present scene."""
        choices = Choices(self._menu.names, self._choose, name)
        self._viewer.run(self.step, self.draw, self.overlay, self.actions(), self.clicked, self.history, choices)

    def actions(self) -> dict[Action, Callable[[], object]]:
        """Return the functions for the key actions that the window does not handle."""
        return {
            Action.SWAP_SKINNING: self._next_skinning,
            Action.FOLLOW: lambda: self._picking.toggle_follow(self._camera),
            Action.BACK: self._picking.release,
            Action.NEXT_CAMERA: self._next_camera,
            Action.STEP_BACK: self._step_back,
            **{action: partial(self._toggle, name) for action, name in TOGGLES.items()},
        }

    def step(self, dt: float) -> None:
        begin = perf_counter()
        advance = self.history.step if self._viewer.playback.paused else self.history.play
        advance(dt)
        self._spent_ms["step"] = 1000 * (perf_counter() - begin)
        if self.last_frame is not None and self._world.frame >= self.last_frame:
            self._viewer.close()

    def draw(self, target: RenderTarget) -> None:
        begin = perf_counter()
        self._picking.move_camera(self._camera)
        mark, seen_from = self._picking.mark(), self._cycle.seen_from()
        self._drawing.draw(self._world, target, mark, seen_from, quality=self._viewer.quality)
        self._spent_ms["draw"] = 1000 * (perf_counter() - begin)

    def overlay(self) -> str:
        parts = "   ".join(f"{name} {spent:.1f} ms" for name, spent in self._spent_ms.items())
        count = actor_count(self._world)
        lines = (
            f"{count:,} actor{'s' * (count != 1)}   {parts}",
            f"{self._world.time:.1f} s   {_skinning(self._world)}",
            posing_text(who_poses(self._world)),
            self._cycle.text(),
            self._picking.text(),
            self._overlays.text(),
            self.text(),
        )
        return "\n".join(filter(None, lines))

    def clicked(self, x: float, y: float, size: tuple[int, int]) -> None:
        self._picking.pick(self._drawing.pick(self._world, x, y, size, self._cycle.seen_from()))

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

    def _next_camera(self) -> None:
        self._cycle.advance()
        self._viewer.locks_camera = self._cycle.name is not None
        self._viewer.message.say(self._cycle.text() or "camera: free")

    def _next_skinning(self) -> None:
        swap_skinning(self._world)
        self._viewer.message.say(_skinning(self._world))

    def _step_back(self) -> None:
        if not self.history.step_back():
            self._viewer.message.say(f"the window stores no moment before {self.history.span[0]:.2f} s")

    def _toggle(self, name: OverlayName) -> None:
        self._viewer.message.say(f"{name} {'on' if self._overlays.toggle(name) else 'off'}")


def _skinning(world: World) -> str:
    """Return a text such as "linear skinning".

    If crowds have different skinning methods, the text lists all methods.
    """
    methods = [palette.method.replace("_", " ") for _, (palette,) in world.query(Palette)]
    methods += ["linear" for _ in world.query(Baked)]
    return " + ".join(dict.fromkeys(methods)) + " skinning"

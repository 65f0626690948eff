"""The view of a world in an open window: its drawing, its texts, and the actions of keys and clicks."""

from collections.abc import Callable
from functools import partial
from time import perf_counter

from ecs_anim.components.baked import Baked
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.window.keys import Action
from ecs_anim.gl.window.window import Viewer
from ecs_anim.support.terminal import printable
from ecs_anim.systems.camera_cycle import CameraCycle
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.overlays import TOGGLES, Overlays
from ecs_anim.systems.picking import Picking
from ecs_anim.systems.queries import actor_count, posing_text, stage_of, who_poses
from ecs_anim.systems.skinning import swap_skinning
from ecs_anim.view.overlay_names import OVERLAYS, OverlayName


class WindowView:
    """A world in an open window. The window calls the methods of this class.

    `camera` is the name of the camera that the window shows first. Raises InputError for an unknown camera.
    """

    def __init__(
        self, world: World, viewer: Viewer, renderer: Renderer, overlays: Overlays, camera: str | None = None
    ) -> None:
        self.text: Callable[[], str] = lambda: ""  # returns an additional line of text
        self.spent_ms = {"step": 0.0, "draw": 0.0}
        self._world, self._viewer, self._overlays = world, viewer, overlays
        self._camera, self._cycle = stage_of(world).camera, CameraCycle(world, camera)
        self._picking, self._drawing = Picking(world), DrawWorld(renderer)
        self._drawing.overlays = overlays

    @property
    def shown(self) -> tuple[OverlayName, ...]:
        """Return the names of the visible overlays."""
        return tuple(name for name in OVERLAYS if name in self._overlays.shown)

    def actions(self) -> dict[Action, Callable[[], object]]:
        """Return the functions for the key actions that the window does not handle."""
        return {
            Action.SWAP_SKINNING: self._next_skinning,
            Action.FOLLOW: lambda: self._picking.toggle_follow(self._camera),
            Action.BACK: self._picking.release,
            Action.NEXT_CAMERA: self._next_camera,
            **{action: partial(self._toggle, name) for action, name in TOGGLES.items()},
        }

    def draw(self, target: RenderTarget) -> None:
        """Draw the world after its last step."""
        begin = perf_counter()
        self._picking.move_camera(self._camera)
        mark, seen_from = self._picking.mark(), self._cycle.seen_from()
        self._drawing.draw(self._world, target, mark, seen_from, quality=self._viewer.quality)
        self.spent_ms["draw"] = 1000 * (perf_counter() - begin)

    def overlay(self) -> str:
        """Return the lines of text about the world."""
        parts = "   ".join(f"{name} {spent:.1f} ms" for name, spent in self.spent_ms.items())
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
        """Pick the actor at a pixel of a picture."""
        self._picking.pick(self._drawing.pick(self._world, x, y, size, self._cycle.seen_from()))

    def _next_camera(self) -> None:
        self._cycle.advance()
        self._viewer.locks_camera = self._cycle.name is not None
        self._viewer.message.say(self._cycle.text() or "camera: free")

    def _next_skinning(self) -> None:
        swap_skinning(self._world)
        self._viewer.message.say(_skinning(self._world))

    def _toggle(self, name: OverlayName) -> None:
        self._viewer.message.say(f"{name} {'on' if self._overlays.toggle(name) else 'off'}")


def window_title(world: World) -> str:
    """Return the title of a window that shows a world."""
    return printable(f"{stage_of(world).title} - ecs-anim")


def _skinning(world: World) -> str:
    """Return a text such as "linear skinning".

    If crowds have different skinning methods, the text lists all methods.
    """
    methods = [palette.method.replace("_", " ") for _, (palette,) in world.query(Palette)]
    methods += ["linear" for _ in world.query(Baked)]
    return " + ".join(dict.fromkeys(methods)) + " skinning"

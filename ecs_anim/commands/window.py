"""Display of a world in a window."""

from collections.abc import Callable, Sequence
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
from ecs_anim.systems.history import History
from ecs_anim.systems.overlays import TOGGLES, Overlays
from ecs_anim.systems.picking import Picking
from ecs_anim.systems.queries import actor_count, posing_text, stage_of, who_poses
from ecs_anim.systems.skinning import swap_skinning
from ecs_anim.view.overlay_names import OverlayName


def show_in_window(
    world: World,
    size: tuple[int, int],
    frames: int | None,
    speed: float = 1.0,
    camera: str | None = None,
    shown: Sequence[OverlayName] = (),
    text: Callable[[], str] = lambda: "",
) -> None:
    """Step and draw a world until the user closes the window, or for `frames` time steps.

    `speed` is the first playback speed: world time divided by real time. Keys change the speed. `camera` is the name of
    the camera that the window shows first. `shown` are the names of the overlays that the window shows first. The
    window shows pictures without lens distortion. `text` returns a line that the window adds to its text. Raises
    InputError.
    """
    stage, first, cycle = stage_of(world), world.frame, CameraCycle(world, camera)
    spent_ms = {"step": 0.0, "draw": 0.0}
    with (
        Viewer(printable(f"{stage.title} - ecs-anim"), size, stage.camera) as viewer,
        Renderer(viewer.context) as renderer,
        Overlays(world, shown, live=True) as overlays,
    ):
        drawing, picking, history = DrawWorld(renderer), Picking(world), History(world)
        drawing.overlays = overlays
        viewer.playback.speed = speed
        viewer.locks_camera = camera is not None

        def next_camera() -> None:
            cycle.advance()
            viewer.locks_camera = cycle.name is not None
            viewer.message.say(cycle.text() or "camera: free")

        def next_skinning() -> None:
            swap_skinning(world)
            viewer.message.say(_skinning(world))

        def step_back() -> None:
            if not history.step_back():
                viewer.message.say(f"the first stored moment is {history.span[0]:.2f} s")

        def toggle(name: OverlayName) -> None:
            viewer.message.say(f"{name} {'on' if overlays.toggle(name) else 'off'}")

        actions: dict[Action, Callable[[], object]] = {
            Action.SWAP_SKINNING: next_skinning,
            Action.FOLLOW: lambda: picking.toggle_follow(stage.camera),
            Action.BACK: picking.release,
            Action.NEXT_CAMERA: next_camera,
            Action.STEP_BACK: step_back,
            **{action: partial(toggle, name) for action, name in TOGGLES.items()},
        }

        def step(dt: float) -> None:
            begin = perf_counter()
            advance = history.step if viewer.playback.paused else history.play
            advance(dt)
            spent_ms["step"] = 1000 * (perf_counter() - begin)
            if frames is not None and world.frame - first >= frames:
                viewer.close()

        def draw(target: RenderTarget) -> None:
            begin = perf_counter()
            picking.move_camera(stage.camera)
            drawing.draw(world, target, picking.mark(), cycle.seen_from(), quality=viewer.quality)
            spent_ms["draw"] = 1000 * (perf_counter() - begin)

        def overlay() -> str:
            parts = "   ".join(f"{name} {spent:.1f} ms" for name, spent in spent_ms.items())
            lines = (
                f"{actor_count(world):,} actors   {parts}",
                f"{world.time:.1f} s   {_skinning(world)}",
                posing_text(who_poses(world)),
                cycle.text(),
                picking.text(),
                overlays.text(),
                text(),
            )
            return "\n".join(filter(None, lines))

        def clicked(x: float, y: float, size: tuple[int, int]) -> None:
            picking.pick(drawing.pick(world, x, y, size, cycle.seen_from()))

        viewer.run(step, draw, overlay, actions, clicked, history)


def _skinning(world: World) -> str:
    """Return a text such as "linear skinning".

    If crowds have different skinning methods, the text lists all methods.
    """
    methods = [palette.method.replace("_", " ") for _, (palette,) in world.query(Palette)]
    methods += ["linear" for _ in world.query(Baked)]
    return " + ".join(dict.fromkeys(methods)) + " skinning"

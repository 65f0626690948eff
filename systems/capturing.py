"""Captures: pictures of all kinds, and what is known of those who are in them, in one call."""

from collections.abc import Sequence
from dataclasses import replace

from ecs_anim.ecs.world import World
from ecs_anim.support.arguments import width_and_height
from ecs_anim.support.checked import checked
from ecs_anim.systems.camera_drawing import CameraDrawer
from ecs_anim.systems.cameras import Camera, camera_of, cameras, own_size
from ecs_anim.systems.rendering import SAMPLES, SIZE, kept_renderer
from ecs_anim.systems.seen_joints import seen_joints
from ecs_anim.view.capture import Capture, CapturePass, SeenActors
from ecs_anim.view.pinhole import pinhole_of


@checked
def capture(
    world: World,
    cameras: Sequence[Camera] | None = None,
    passes: Sequence[CapturePass] = ("rgb", "ids"),
    *,
    joints: bool = False,
    size: tuple[int, int] | None = None,
    samples: int = SAMPLES,
) -> list[Capture]:
    """What each camera sees of the world as the last step left it, as arrays, all of the same moment.

    `cameras` are such as `render` takes; None: all of the scene's, or its own where it has no others. `passes` are
    "rgb", "ids", "classes", "depth" and "normals"; with ids come the boxes and areas of whoever is seen. `joints` adds
    all joints of those who have any in the picture: where in the world, where in the picture, and whether something is
    before them. `size` is each camera's own, or 1280 x 720, by default. Pixels count from the upper left corner of the
    upper left one, whose middle is at 0.5, 0.5.

    Raises as `render` does.
    """
    world.require_open()
    given = _all_cameras(world) if cameras is None else cameras
    sizes = [width_and_height("size", size or own_size(world, camera) or SIZE) for camera in given]
    if not given:
        return []
    with kept_renderer(world, sizes[0], samples) as renderer, renderer.drawer() as drawer:
        return [
            _captured(world, drawer, camera, own, frozenset(passes), joints=joints)
            for camera, own in zip(given, sizes, strict=True)
        ]


def _all_cameras(world: World) -> Sequence[Camera | None]:
    return cameras(world) or [None]


def _captured(
    world: World,
    drawer: CameraDrawer,
    camera: Camera | None,
    size: tuple[int, int],
    wanted: frozenset[CapturePass],
    *,
    joints: bool,
) -> Capture:
    seen = camera_of(world, camera)
    pinhole = pinhole_of(seen, size)
    numbers = drawer.passes(world, seen, size) if joints or wanted - {"rgb"} else None
    rgb = drawer.colors(world, seen, size) if "rgb" in wanted else None
    name = camera if isinstance(camera, str) else ""
    made = Capture(pinhole, name, world.time, world.frame, rgb)
    if numbers is None:
        return made
    arrays = {own: getattr(numbers, own) for own in ("ids", "classes", "depth", "normals") if own in wanted}
    actors = SeenActors.of(numbers.ids) if "ids" in wanted else None
    found = tuple(seen_joints(world, pinhole, numbers)) if joints else None
    return replace(made, **arrays, actors=actors, joints=found)

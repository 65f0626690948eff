"""Captures: one call returns pictures, label passes and labels of the visible actors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.support.checked import checked
from ecs_anim.systems.camera_drawing import CameraDrawer
from ecs_anim.systems.cameras import Camera, camera_of, cameras
from ecs_anim.systems.flow_memory import flow_since, memory_of
from ecs_anim.systems.rendering import SAMPLES, kept_renderer, size_of
from ecs_anim.systems.seen_joints import seen_joints, seen_keypoints
from ecs_anim.view.capture import Capture, SeenActors
from ecs_anim.view.label_passes import PassName
from ecs_anim.view.pinhole import pinhole_of


@checked
def capture(
    world: World,
    cameras: Sequence[Camera] | None = None,
    passes: Sequence[PassName] = ("rgb", "ids"),
    *,
    joints: bool = False,
    keypoints: bool = False,
    amodal: bool = False,
    size: tuple[int, int] | None = None,
    samples: int = SAMPLES,
) -> list[Capture]:
    """Return the pictures and labels of each camera after the last step. All cameras show the same moment.

    * `cameras`: camera arguments of `render`. Default: all named cameras of the scene, or the world's own camera if the
      scene has no named cameras.
    * `passes`: names of label passes, such as "rgb", "ids", "classes", "depth", "normals" and "flow". "ids" adds boxes
      and areas of the visible actors. "flow" is the movement since the last capture of flow with this camera. The
      camera's name, or its number in the list, identifies the camera. In the first capture, flow is unknown.
    * `joints`: add all joints of the actors that have at least one joint in the picture. Each joint has its position in
      the world, its position in the picture, and its visibility.
    * `keypoints`: add COCO's seventeen keypoints in the form of the joints, for crowds with rigs that have keypoints.
    * `amodal`: add boxes, areas and masks of whole bodies without occlusion, also for hidden actors.
    * `size`: width and height [pixel]. Default: each camera's own size, or 1280 x 720.

    Pixel coordinates start at the upper left corner of the picture. The middle of the first pixel is at 0.5, 0.5.

    Raises the errors of `render`.
    """
    world.require_open()
    given = _all_cameras(world) if cameras is None else cameras
    sizes = [size_of(world, camera, size) for camera in given]
    if not given:
        return []
    wanted = _Wanted(frozenset(passes), joints, keypoints, amodal)
    with kept_renderer(world, sizes[0], samples) as renderer, renderer.drawer() as drawer:
        return [
            _captured(world, drawer, camera, own, wanted, number)
            for number, (camera, own) in enumerate(zip(given, sizes, strict=True))
        ]


@dataclass(frozen=True)
class _Wanted:
    passes: frozenset[PassName]
    joints: bool
    keypoints: bool
    amodal: bool

    @property
    def numbers(self) -> bool:
        """Return whether the capture has more than colours."""
        return self.joints or self.keypoints or self.amodal or bool(self.passes - {"rgb"})


def _all_cameras(world: World) -> Sequence[Camera | None]:
    return cameras(world) or [None]


def _captured(
    world: World, drawer: CameraDrawer, camera: Camera | None, size: tuple[int, int], wanted: _Wanted, number: int
) -> Capture:
    """Return the capture of one camera. `number` is the position of the camera in the list."""
    seen_from, name = camera_of(world, camera), camera if isinstance(camera, str) else ""
    pinhole = pinhole_of(seen_from, size)
    images: dict[str, NDArray[Any]] = {"rgb": drawer.colors(world, seen_from, size)} if "rgb" in wanted.passes else {}
    made = Capture(pinhole, name, world.time, world.frame, images)
    if not wanted.numbers:
        return made
    earlier = memory_of(world).seen(world, name or number, pinhole) if "flow" in wanted.passes else None
    moment = earlier.moment if earlier else None
    actors: SeenActors | None
    if wanted.amodal:
        passes, actors = drawer.passes_and_actors(world, seen_from, size, moment)
    else:
        passes = drawer.passes(world, seen_from, size, moment)
        actors = SeenActors.of(passes.ids) if "ids" in wanted.passes else None
    images |= {own: image for own, image in passes.images.items() if own in wanted.passes}
    if "flow" in wanted.passes:
        images["flow"] = flow_since(passes, pinhole, earlier)
    return replace(
        made,
        flow_since=earlier.time if earlier else None,
        actors=actors,
        joints=tuple(seen_joints(world, pinhole, passes)) if wanted.joints else None,
        keypoints=tuple(seen_keypoints(world, pinhole, passes)) if wanted.keypoints else None,
    )

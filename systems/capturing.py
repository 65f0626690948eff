"""Captures: pictures, label passes and labels of visible actors from one call."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.support.checked import checked
from ecs_anim.systems.camera_drawing import CameraDrawer
from ecs_anim.systems.cameras import Camera, camera_of, cameras
from ecs_anim.systems.flow_memory import flow_since, memory_of
from ecs_anim.systems.lidar import scan
from ecs_anim.systems.rendering import SAMPLES, kept_renderer, size_of
from ecs_anim.systems.seen_joints import seen_joints, seen_keypoints
from ecs_anim.systems.sensing import developed
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
    """Return pictures and labels of the world after the last step, for each camera. All captures show the same moment.

    * `cameras` is a list of values for the argument `camera` of `render`. By default, the list contains all cameras of
      the scene that have a name. If the scene has no camera with a name, the default is the world's own camera.
    * `passes` are the names of label passes, such as "rgb", "ids", "classes", "depth", "normals", "flow" and "lidar".
      The pass "ids" adds the boxes and areas of visible actors. The pass "flow" contains the movement since the last
      capture of this camera with the pass "flow". Cameras are identified by their names, or by their indices in the
      list. In the first capture, the flow is unknown. The pass "lidar" contains the scan of a lidar at the camera.
    * If `joints` is true, the capture contains all joints of the actors that have at least one joint in the picture.
      Each joint has a position in the world, a position in the picture, and a visibility.
    * If `keypoints` is true, the capture contains the seventeen COCO keypoints, in the same form as joints. The capture
      omits actors whose rigs have no keypoints.
    * If `amodal` is true, the capture contains the boxes, areas and masks of whole bodies without occlusion, including
      hidden actors.
    * `size` is the width and height of the pictures [pixel]. By default, each picture has the size of its camera. If
      a camera has no size, its picture has 1280 x 720 pixels.

    The origin of pixel coordinates is the upper left corner of the picture. The centre of the first pixel is at 0.5,
    0.5.

    Raises the same errors as `render`.
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
        """Return whether the capture contains data that need the label passes of the camera."""
        return self.joints or self.keypoints or self.amodal or bool(self.passes - {"rgb", "lidar"})


def _all_cameras(world: World) -> Sequence[Camera | None]:
    return cameras(world) or [None]


def _captured(
    world: World, drawer: CameraDrawer, camera: Camera | None, size: tuple[int, int], wanted: _Wanted, number: int
) -> Capture:
    """Return the capture of one camera. `number` is the index of the camera in the list."""
    seen_from, name = camera_of(world, camera), camera if isinstance(camera, str) else ""
    pinhole = pinhole_of(seen_from, size)
    images: dict[str, NDArray[Any]] = {}
    if "rgb" in wanted.passes:
        images["rgb"] = developed(world, drawer, camera, pinhole, drawer.colors(world, seen_from, size))
    if "lidar" in wanted.passes:
        images["lidar"] = scan(world, drawer, pinhole)
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

"""Pictures of worlds and of rigs in one call."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.ecs.world import World
from ecs_anim.rigs.exposed import Part, exposed
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.studio import points_of, studio_of
from ecs_anim.support.captions import cells_of, joined, with_caption
from ecs_anim.support.checked import checked
from ecs_anim.systems import rendering
from ecs_anim.systems.cameras import Camera

MOST = 400  # largest number of rigs in one picture


@checked
def render(
    subject: World | Rig | Sequence[Rig],
    size: tuple[int, int] | None = None,
    camera: Camera | None = None,
    samples: int = rendering.SAMPLES,
    *,
    captions: Sequence[str] = (),
    part: Part = "surface",
) -> NDArray[np.uint8]:
    """Return a picture of a world, a rig, or several rigs side by side, [height, width, 3] u8, sRGB, top row first.

        ea.render(world)
        ea.render(rig.posed(rig.clips["walk"].sample(0.4)))
        ea.render([rig.posed(clip.sample(0.4)) for clip in rig.clips.values()], captions=list(rig.clips))

    The picture of a world shows the state after the last time step. The picture of a rig shows the rest pose of the
    rig, on a floor. `size` is width and height in pixels. Default: the size of the world's camera, or 1280 x 720.
    `samples` is the number of samples per pixel. More samples make smoother edges. If OpenGL does not support so many
    samples, the picture has fewer samples. `camera` is one of these:

    * None: the world's own camera, or a camera that frames the rig
    * a dictionary of keys that replace keys in the table [camera] of the scene, such as dict(azimuth_degrees=90.0)
    * the name of a camera in the list [[cameras]] of the scene
    * an `OrbitCamera` or a `PinholeCamera`

    For rigs, `captions` has one text for each rig. For rigs, `part` selects the content of the picture: the surface,
    the skeleton, the skin weights (one colour for each joint), or the normals in the bind pose.

    Raises InputError if OpenGL is missing or cannot draw `size`, for unknown cameras and keys, and for rigs without
    meshes and bones. Raises ValueError or TypeError for other invalid arguments, and RuntimeError for a closed world.
    """
    if isinstance(subject, World):
        if captions or part != "surface":
            raise ValueError(
                "a picture of a world cannot have captions or part. Pass rigs in place of the world, or leave out"
                " captions and part."
            )
        return rendering.render(subject, size, camera, samples)
    rigs = [subject] if isinstance(subject, Rig) else list(subject)
    if not 1 <= len(rigs) <= MOST:
        raise ValueError(f"the number of rigs must be 1 to {MOST} (got {len(rigs)})")
    if captions and len(captions) != len(rigs):
        raise ValueError(f"captions must have one text for each of the {len(rigs)} rigs (got {len(captions)})")
    size = size or rendering.SIZE
    rigs = [exposed(rig, part) for rig in rigs]
    boxes = [points_of(rig) for rig in rigs]
    middles = [_plan_middle(box) for box in boxes]
    # one box around all rigs at one place, so that the rigs have one scale and each rig is in the middle of its picture
    points = np.concatenate([box - middle for box, middle in zip(boxes, middles, strict=True)])
    frames = [
        _picture(rig, points + middle, (columns.stop - columns.start, rows.stop - rows.start), camera, samples)
        for rig, middle, (rows, columns) in zip(rigs, middles, cells_of(size, len(rigs)), strict=True)
    ]
    texts = captions or [""] * len(frames)
    return joined(size, [with_caption(frame, text) for frame, text in zip(frames, texts, strict=True)])


def _plan_middle(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the point [3] [m] on the floor below the middle of points [n, 3] [m]."""
    middle: NDArray[np.float64] = (points.min(axis=0) + points.max(axis=0)) / 2 * (1.0, 0.0, 1.0)
    return middle


def _picture(
    rig: Rig, points: NDArray[np.float64], size: tuple[int, int], camera: Camera | None, samples: int
) -> NDArray[np.uint8]:
    """Return a picture of a rig in its rest pose. The default camera frames `points` [n, 3] [m]."""
    with load_scene(studio_of(rig, aspect=size[0] / size[1], points=points).scene, threads=1) as world:
        return rendering.render(world, size, camera, samples)

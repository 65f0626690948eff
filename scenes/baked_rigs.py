"""Conversion of bakes to rigs. A bake has a skeleton and clips, but no meshes."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import pose_with
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Path, Track
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.row_span import RowSpan
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose


def rig_of(bake: Bake) -> Rig:
    """Return a rig without meshes that plays the clips of a bake. Each row of the bake becomes a key of a clip."""
    clips = {clip.name: _clip(bake, clip.name, _times(clip.span)) for clip in bake.clips}
    return Rig(bake.name, bake.skeleton, (), clips)


def _times(span: RowSpan) -> NDArray[np.float64]:
    """Return the time [s] of each row of a clip."""
    return span.start + np.linspace(0.0, span.duration, span.interval_count + 1)


def _clip(bake: Bake, name: str, times: NDArray[np.float64]) -> Clip:
    sampled = bake.sample(name, times, loop=False)
    pose = sampled if isinstance(sampled, Pose) else _pose_of(bake.skeleton, sampled)
    keys = (times - times[0]).astype(np.float32)
    parts: dict[Path, NDArray[np.floating]] = {
        "translation": pose.translation,
        "rotation": pose.rotation,
        "scale": pose.scale,
    }
    tracks = [
        Track(joint, path, "LINEAR", keys, np.ascontiguousarray(values[:, joint], np.float32))
        for path, values in parts.items()
        for joint in range(bake.skeleton.joint_count)
    ]
    return Clip(name, bake.skeleton, tuple(tracks), 0.0, float(keys[-1]))


def _pose_of(skeleton: Skeleton, palettes: NDArray[np.float32]) -> Pose:
    """Return poses [n, joint] from skin matrices [n, entry, 3, 4].

    A joint without a palette entry keeps its rest pose.
    """
    bind = affine.inverse(skeleton.inverse_bind.astype(np.float64))
    model = np.moveaxis(affine.multiply(palettes, bind), 1, 0)
    return pose_with(skeleton, dict(zip(skeleton.skin_joints.tolist(), model, strict=True)))

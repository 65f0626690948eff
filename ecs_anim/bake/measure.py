"""Measurement of a bake's error: the differences between baked poses and exactly sampled poses."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.bake.options import BODY
from ecs_anim.bake.spaces import Matrices, Space
from ecs_anim.maths import elementary
from ecs_anim.runtime.even_times import Times, probe_times


@dataclass(frozen=True)
class BakeError:
    """Error of a baked clip: the largest position error and the largest direction error.

    The reference is `Clip.sample`.
    """

    position: float  # [rig units], position error of a joint
    angle: float  # [rad], direction error of a joint's axes; contains the effect of scale errors

    @property
    def degrees(self) -> float:
        return math.degrees(self.angle)

    def millimetres(self, size: float) -> float:
        """Return the position error in millimetres, after the character is scaled to a size of 1.8 m.

        `size` is the character's largest extent in rig units.
        """
        return self.position / size * BODY

    def within(self, target: "BakeError") -> bool:
        """Return whether the position error and the direction error are both at most the errors of `target`."""
        return self.position <= target.position and self.angle <= target.angle


def character_size(rig: Rig) -> float:
    """Return the largest extent [rig units] of the character in its rest pose.

    The function measures the extent of the meshes. If the rig has no meshes, the function measures the extent of the
    joints. If the measured extent is 0, the result is 1.
    """
    positions = model_matrices(rig.skeleton, rig.skeleton.rest_pose)[..., 3]
    low, high = rest_bounds(rig) if rig.meshes else (positions.min(axis=0), positions.max(axis=0))
    return float(np.max(high - low)) or 1.0


def worst_error(clip: Clip, space: Space, interval_count: int, frames_at: Callable[[Times], Matrices]) -> BakeError:
    """Return the largest error of the joint matrices from `frames_at` over a clip.

    The function measures the errors at eight times between every two consecutive rows (baked poses) of the bake, and
    at times near the keys of the clip.
    """
    pairs = (
        (space.exact_frames(clip.sample(times, loop=False)), frames_at(times))
        for times in probe_times(clip, interval_count)
    )
    return worst_difference(pairs)


def worst_difference(pairs: Iterable[tuple[Matrices, Matrices]]) -> BakeError:
    """Return the largest difference between two arrays of matrices [time, n, 3, 4], over all `pairs` of arrays.

    The first array of a pair contains the exact matrices. The direction error is the angle between the two directions
    of a joint axis. The function computes the angle from the distance between the end points of both axes. For this
    angle, all three axes of a joint have one length: their root mean square, at the time at which it is largest.
    """
    apart, moved, length = 0.0, np.zeros(1), np.zeros(1)
    for exact, other in pairs:
        exact = exact.astype(np.float64)
        wrong = other - exact
        apart = max(apart, float(np.linalg.norm(wrong[..., 3], axis=-1).max(initial=0)))
        moved = np.maximum(moved, np.linalg.norm(wrong[..., :3], axis=-2).max(axis=(0, -1)))
        length = np.maximum(length, np.linalg.norm(exact[..., :3], axis=(-2, -1)).max(axis=0) / math.sqrt(3))
    chord = float((moved / np.where(length > 0, length, 1)).max())
    return BakeError(apart, float(2 * elementary.arcsin(min(chord / 2, 1.0))))

"""The forward direction of a character, computed from its joints.

In glTF files, a character must face +Z. Some characters in glTF files face another direction.
"""

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.maths.small_matrices import length
from ecs_anim.maths.transform import Pose
from ecs_anim.roles.axes import measured_axes
from ecs_anim.roles.roles import Corrections, find_roles

QUARTER = math.pi / 2
# If the cosine of the angle between the spine and +Y is smaller, the body counts as lying.
STANDING = 0.7
# The toes define the forward direction only if they are at least this share of a thigh's length in front of the ankles.
CLEARLY = 0.05


def measured_facing(rig: Rig, corrections: Corrections | None = None) -> float | None:
    """Return the forward direction of a humanoid in quarter turns [rad] from +Z towards +X.

    If the body is not a humanoid, return None.

    The left and right limbs define the left axis. The feet show which of the two perpendicular directions is forward.
    The function uses the first frame of each clip, because the program draws clips, not the rest pose. If no clip
    begins with a standing body, the function uses the rest pose.
    """
    roles = find_roles(rig, corrections=corrections)
    if not roles.is_humanoid:
        return None
    quarters = _quarters(rig, (clip.sample(clip.start) for clip in rig.clips.values()), roles.joints)
    quarters = quarters or _quarters(rig, [rig.skeleton.rest_pose], roles.joints)
    return max(sorted(quarters, key=abs), key=quarters.count) * QUARTER if quarters else None


def _quarters(rig: Rig, poses: Iterable[Pose], joints: Mapping[str, int]) -> list[int]:
    """Return the forward direction of a body in each standing pose, in quarter turns from +Z towards +X, -1 to 2."""
    found = []
    for pose in poses:
        points = model_matrices(rig.skeleton, pose)[..., 3].astype(np.float64)
        axes = measured_axes(points, joints)
        if axes is not None and axes.up[1] > STANDING:
            angle = float(axes.facing) + (math.pi if _feet_ahead(points, joints, axes.ahead) < 0 else 0.0)
            found.append((round(angle / QUARTER) + 1) % 4 - 1)
    return found


def _feet_ahead(points: NDArray[np.float64], joints: Mapping[str, int], ahead: NDArray[np.floating]) -> float:
    """Return the sum of the forward distances from the ankles to the toes.

    The result is 0 if there are no toes, or if the direction is unclear.
    """
    sides = [side for side in ("left", "right") if f"{side}_toes" in joints]
    far = [float(np.sum((points[joints[f"{s}_toes"]] - points[joints[f"{s}_foot"]]) * ahead)) for s in sides]
    thighs = [float(length(points[joints[f"{s}_shank"]] - points[joints[f"{s}_thigh"]])) for s in sides]
    clear = [abs(own) > CLEARLY * thigh and own * far[0] > 0 for own, thigh in zip(far, thighs, strict=True)]
    return sum(far) if sides and all(clear) else 0.0

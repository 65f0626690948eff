"""Descriptions for `ecs-anim inspect`: the roles of joints, and the size of the skeleton in a motion file."""

import math
from typing import Any

from ecs_anim.assets.avatar import Avatar
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.roles.roles import CHAINS, Roles, find_roles
from ecs_anim.trajectories.options import UNITS

HIPS = 0.95  # [m], hip height of an adult


def describe_roles(rig: Rig) -> dict[str, Any]:
    """Return a dictionary with the roles of joints, the source of each role, and the reasons for missing roles."""
    roles, names = find_roles(rig), rig.skeleton.joint_names
    rows = [
        {"role": role, "joints": ", ".join(names[joint] for joint in joints), "by": _source(rig, roles, role)}
        for role, joints in roles.table().items()
    ]
    summary = {
        "name": rig.name,
        "humanoid": roles.is_humanoid,
        "facing_degrees": round(math.degrees(roles.facing), 1) + 0.0,  # the sum turns -0.0 into 0.0
        "reference_pose": "rest"
        if roles.pose is rig.skeleton.rest_pose
        else "from the frames, because the rest pose is not standing",
        "missing": ", ".join(roles.missing) or "none",
        **({} if roles.is_humanoid else {"reason": roles.shortcoming}),
    }
    return {"body": summary, "roles": rows}


def describe_avatar(avatar: Avatar) -> dict[str, Any]:
    """Return a dictionary with data about the character in a VRM file, such as the title and the number of bones."""
    return {
        "format": avatar.format,
        "title": avatar.title,
        "version": avatar.version,
        "facing_degrees": round(math.degrees(avatar.facing), 1),
        "bones": sum(1 if isinstance(own, str) else len(own) for own in avatar.roles.values()),
        "expressions": ", ".join(avatar.expressions) or "none",
    }


def _source(rig: Rig, roles: Roles, role: str) -> str:
    """Return a text that states how the program found the joint of a role: from the file, joint names, the skeleton's
    shape, or neighbouring joints.
    """
    if rig.avatar is not None and role in rig.avatar.roles:
        return f"the file ({rig.avatar.format})"
    if role in CHAINS or role.endswith("shoulder"):
        return "the joints between"
    return "shape" if role in roles.by_shape else "names"


def describe_motion(rig: Rig, unit: str | None) -> dict[str, Any]:
    """Return a dictionary with the number of frames and the skeleton size of a motion file.

    `unit` is a text about the unit of length. A BVH file does not state its unit. If `unit` is None, the function
    estimates the unit from the height of the hips.
    """
    (clip,) = rig.clips.values()
    frames = max((len(track.times) for track in clip.tracks), default=1)
    height = _hips_height(rig)
    facts = {
        "frames": frames,
        "frames_a_second": round((frames - 1) / clip.duration, 3) if clip.duration > 0 else 0.0,
        "unit": unit or _suggested(height),
        "hips_height": round(height, 3),
    }
    return {"motion": facts}


def _hips_height(rig: Rig) -> float:
    """Return the height [rig units] of the hips above the lowest joint in the first frame.

    If the rig has no hips, the function uses the root.
    """
    (clip,) = rig.clips.values()
    heights = model_matrices(rig.skeleton, clip.sample(clip.start))[:, 1, 3]
    return float(heights[find_roles(rig).joints.get("hips", 0)] - heights.min())


def _suggested(height: float) -> str:
    if not height > 0:
        return "not said"
    unit = min(UNITS, key=lambda own: abs(math.log(height * UNITS[own] / HIPS)))
    return f"unknown. The unit is probably {unit}: with --unit {unit}, the hips are {height * UNITS[unit]:.2f} m high"

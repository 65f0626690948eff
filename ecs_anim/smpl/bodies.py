"""The joints of SMPL, SMPL-H and SMPL-X: names, parents, order, and the T-pose in which all rotations are zero.

Source: Loper et al. 2015 (SMPL), Romero et al. 2017 (SMPL-H), Pavlakos et al. 2019 (SMPL-X). The body models compute
the lengths of bones from shape parameters (betas) and from data with a separate licence. Without these data, the
lengths are unknown. This module therefore uses the proportions of a person of 1.7 m.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths.transform import Pose
from ecs_anim.support.frozen import freeze

Reals = NDArray[np.floating]

PELVIS = (0.0, 0.97, 0.0)  # [m], position of the pelvis in the T-pose, with the soles at height 0
# The parent of each body joint, and the vector from the parent to the joint [m] in the T-pose: x left, y up, z ahead.
# A joint with the prefix "left_" also stands for its mirror image.
BODY = {
    "left_hip": ("pelvis", (0.08, -0.08, 0.0)),
    "spine1": ("pelvis", (0.0, 0.11, 0.0)),
    "left_knee": ("left_hip", (0.0, -0.4, 0.0)),
    "spine2": ("spine1", (0.0, 0.13, 0.0)),
    "left_ankle": ("left_knee", (0.0, -0.41, 0.0)),
    "spine3": ("spine2", (0.0, 0.06, 0.0)),
    "left_foot": ("left_ankle", (0.0, -0.06, 0.13)),
    "neck": ("spine3", (0.0, 0.21, 0.0)),
    "left_collar": ("spine3", (0.07, 0.12, 0.0)),
    "head": ("neck", (0.0, 0.09, 0.02)),
    "left_shoulder": ("left_collar", (0.1, 0.03, 0.0)),
    "left_elbow": ("left_shoulder", (0.26, 0.0, 0.0)),
    "left_wrist": ("left_elbow", (0.25, 0.0, 0.0)),
}
HAND = {"left_hand": ("left_wrist", (0.08, 0.0, 0.0))}
FACE = {"jaw": ("head", (0.0, 0.0, 0.02)), "left_eye_smplhf": ("head", (0.03, 0.06, 0.08))}
FINGERS = {  # vector from the wrist to the first joint of each finger, and from joint to joint [m]
    "index": ((0.1, 0.0, 0.025), (0.03, 0.0, 0.0)),
    "middle": ((0.1, 0.0, 0.0), (0.03, 0.0, 0.0)),
    "pinky": ((0.08, 0.0, -0.04), (0.02, 0.0, 0.0)),
    "ring": ((0.09, 0.0, -0.02), (0.03, 0.0, 0.0)),
    "thumb": ((0.03, -0.01, 0.03), (0.025, 0.0, 0.025)),
}
Table = dict[str, tuple[str, tuple[float, float, float]]]


def _mirrored(name: str) -> str:
    return name.replace("left_", "right_")


def _both(table: Table) -> Table:
    """Return the table with the mirror image of each left joint directly behind the left joint."""
    found: Table = {}
    for name, (parent, (x, y, z)) in table.items():
        found[name] = parent, (x, y, z)
        found[_mirrored(name)] = _mirrored(parent), (-x if "left_" in name else x, y, z)
    return found


def _fingers() -> Table:
    """Return the finger joints: first all joints of the left hand, then all joints of the right hand."""
    left: Table = {}
    for finger, (base, bone) in FINGERS.items():
        parent = "left_wrist"
        for number, way in enumerate((base, bone, bone), 1):
            left[f"left_{finger}{number}"] = parent, way
            parent = f"left_{finger}{number}"
    return left | {name: own for name, own in _both(left).items() if name not in left}


# The tables of joints by the number of pose parameters of one frame: three numbers for each joint.
TABLES: dict[int, Table] = {
    66: _both(BODY),
    72: _both(BODY | HAND),
    156: _both(BODY) | _fingers(),
    165: _both(BODY) | _both(FACE) | _fingers(),
}
NAMES = {66: "SMPL body", 72: "SMPL", 156: "SMPL-H", 165: "SMPL-X"}
SMPL_X = 165


def joint_names(width: int) -> tuple[str, ...]:
    """Return the joint names of the body with `width` pose parameters, in the order of the parameters."""
    return ("pelvis", *TABLES[width])


def skeleton_of(width: int, rest: Reals | None = None) -> Skeleton:
    """Return the skeleton of the body with `width` pose parameters in its T-pose.

    `rest` [joint, 3] [m] contains the positions of all joints in the T-pose. Default: the positions for a person of
    1.7 m. In the T-pose, the body faces +Z, and all joint rotations are zero.
    """
    names, table = joint_names(width), TABLES[width]
    parents = np.array([-1, *(names.index(parent) for parent, _ in table.values())], np.int32)
    offsets = np.array([PELVIS, *(way for _, way in table.values())])
    if rest is not None:
        offsets = rest.astype(np.float64)
        offsets[1:] = offsets[1:] - offsets[parents[1:]]
    still = Pose.identity(len(names))
    return Skeleton(
        joint_names=names,
        parents=freeze(parents),
        rest_pose=Pose(freeze(offsets.astype(np.float32)), freeze(still.rotation), freeze(still.scale)),
        skin_joints=freeze(np.zeros(0, np.int32)),
        inverse_bind=freeze(np.zeros((0, 3, 4), np.float32)),
    )

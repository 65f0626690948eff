"""Keypoints: named points of a body that are fixed to joints.

A set of keypoints contains COCO's seventeen keypoints, or one keypoint for each joint.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.bound_skin import bind_matrices, skin_of
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.maths import affine
from ecs_anim.maths.small_matrices import length
from ecs_anim.roles.names import Limb
from ecs_anim.roles.roles import Roles, find_roles
from ecs_anim.roles.shape import Axes, back_from, seen_from

Reals = NDArray[np.float64]
FACE = ("nose", "left_eye", "right_eye", "left_ear", "right_ear")
BODY = tuple(
    f"{side}_{part}" for part in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle") for side in ("left", "right")
)
COCO = (*FACE, *BODY)  # in the order of Lin and others 2014
COCO_LINES = (
    *((15, 13), (13, 11), (16, 14), (14, 12), (11, 12), (5, 11), (6, 12), (5, 6), (5, 7), (6, 8), (7, 9), (8, 10)),
    *((1, 2), (0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6)),
)
# Proportions of a head (Farkas 1994, adults), as shares of its height and its breadth: the height of the eyes above the
# tip of the nose, the distance between the eyes, and the vertical range in which the ears are searched.
EYES_ABOVE, EYES_APART, EARS_WITHIN = 0.1, 0.36, 0.2
NEAR_EYES = 0.03  # vertices within this distance of an eye (a share of the head's height) belong to the eye
# The distance from a keypoint to the skin is the mean over the `NEAREST` nearest vertices. The thickness is `SLANTED`
# times this distance.
NEAREST, SLANTED = 12, 2.0
# the tip of the nose is searched in this range: shares of the head's breadth and height
NOSE_BESIDE, NOSE_LOW, NOSE_HIGH = 0.12, 0.25, 0.7


class Keypoints(NamedTuple):
    """Keypoints of a rig. Each keypoint is fixed to a joint."""

    names: tuple[str, ...]
    joints: Annotated[NDArray[np.int32], Shape("point")]  # joint of each keypoint; -1 = the rig lacks the keypoint
    offsets: Annotated[NDArray[np.float32], Shape("point", 3)]  # in the coordinate frame of the joint
    # Largest thickness of the body in front of each keypoint [rig units]. Keypoints lie inside the body.
    thickness: Annotated[NDArray[np.float32], Shape("point")]
    lines: tuple[tuple[int, int], ...]  # pairs of keypoints that the drawn skeleton connects

    def positions(self, matrices: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the keypoint positions [..., point, 3] for joint matrices [..., joint, 3, 4].

        Missing keypoints are NaN.
        """
        found = affine.transform_points(matrices[..., self.joints, :, :], self.offsets)
        return np.where((self.joints < 0)[:, None], found.dtype.type(np.nan), found)


def joint_keypoints(rig: Rig) -> Keypoints:
    """Return one keypoint for each joint of a rig."""
    skeleton = rig.skeleton
    lines = [(int(parent), joint) for joint, parent in enumerate(skeleton.parents) if parent >= 0]
    joints = np.arange(skeleton.joint_count, dtype=np.int32)
    return _made(rig, skeleton.joint_names, joints, np.zeros((len(joints), 3), np.float32), lines)


def coco_keypoints(rig: Rig, facing: float = 0.0) -> Keypoints:
    """Return COCO's seventeen keypoints: twelve joints, and five points on the skin of the head.

    The function finds the points of the head from the shape of the head in the bind pose. `facing` [rad] is the angle
    from +Z to the front of the character. If the rig lacks a keypoint, the joint number of this keypoint is -1. For
    example, a fox has no human nose.
    """
    marks = find_roles(rig, facing)
    joints = np.full(len(COCO), -1, np.int32)
    offsets = np.zeros((len(COCO), 3), np.float32)
    joints[len(FACE) :] = _limb_joints(marks)
    face = _face(rig, marks, facing)
    if marks.head is not None and face is not None:
        joints[: len(FACE)], offsets[: len(FACE)] = marks.head, face
    return _made(rig, COCO, joints, offsets, COCO_LINES)


def _made(
    rig: Rig,
    names: tuple[str, ...],
    joints: NDArray[np.int32],
    offsets: NDArray[np.float32],
    lines: Sequence[tuple[int, int]],
) -> Keypoints:
    return sealed(Keypoints(names, joints, offsets, _thickness(rig, joints, offsets), (*lines,)))


def _thickness(rig: Rig, joints: NDArray[np.int32], offsets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return an upper limit for the thickness of the body in front of each keypoint.

    The function computes the thickness from the distance to the nearest skin in the bind pose. If a joint has no bind
    matrix, the thickness of its keypoints is 0.
    """
    bind, skin = bind_matrices(rig.skeleton), skin_of(rig, set(range(rig.skeleton.joint_count)))
    rest = model_matrices(rig.skeleton, rig.skeleton.rest_pose)
    found = np.zeros(len(joints), np.float32)
    for number, (joint, offset) in enumerate(zip(joints.tolist(), offsets, strict=True)):
        if joint in bind and len(skin) >= NEAREST:
            away = length(skin - affine.transform_points(bind[joint], offset.astype(np.float64)))
            # The bind pose can use another unit of length than the rest pose.
            unit = float(length(rest[joint, :, 0])) / float(length(bind[joint][:, 0]))
            found[number] = SLANTED * unit * np.partition(away, NEAREST - 1)[:NEAREST].mean()
    return found


def _limb_joints(marks: Roles) -> list[int]:
    """Return the joints of shoulders, elbows, wrists, hips, knees and ankles.

    Each left joint is before its right joint.
    """
    found = []
    for pair in (marks.arms, marks.legs):
        sides = [limb or Limb(-1, -1, -1) for limb in pair]
        found += [joint for both in zip(*sides, strict=True) for joint in both]
    return found


def _face(rig: Rig, marks: Roles, facing: float) -> NDArray[np.float32] | None:
    """Return nose, eyes and ears [5, 3] relative to the head joint.

    If the rig has no recognisable face, return None.
    """
    bind = bind_matrices(rig.skeleton)
    if marks.head is None or marks.head not in bind:
        return None
    skin = skin_of(rig, {marks.head, *rig.skeleton.below(marks.head)})
    if len(skin) < len(FACE):
        return None
    own = affine.transform_points(affine.inverse(bind[marks.head]), skin)
    rest = model_matrices(rig.skeleton, rig.skeleton.rest_pose)[marks.head].astype(np.float64)
    face = _face_points(seen_from(affine.transform_points(rest, own).astype(np.float64), facing))
    if face is None:
        return None
    return affine.transform_points(affine.inverse(rest), back_from(face, facing)).astype(np.float32)


def _face_points(head: Axes) -> Axes | None:
    """Return the tip of the nose, the eyes, and the outermost vertices of the ears.

    The forward coordinate of an eye is a mean over the vertices near the eye.
    """
    low, high, breadth = head.up.min(), head.up.max(), float(np.ptp(head.left))
    middle, height = (head.left.max() + head.left.min()) / 2, high - low
    is_between = np.abs(head.left - middle) < NOSE_BESIDE * breadth
    is_between &= (head.up > low + NOSE_LOW * height) & (head.up < low + NOSE_HIGH * height)
    if not is_between.any():
        return None
    nose = _first(head.ahead, is_between)
    eye = head.up[nose] + EYES_ABOVE * height
    beside = np.abs(head.up - (head.up[nose] + eye) / 2) < EARS_WITHIN * height
    found = [nose, nose, nose, _first(head.left, beside), _first(-head.left, beside)]
    left, up, ahead = (along[found] for along in head)
    front = head.ahead > (head.ahead.max() + head.ahead.min()) / 2
    for row, side in enumerate((1, -1), start=1):
        left[row], up[row] = middle + side * EYES_APART / 2 * breadth, eye
        squared = (head.left - left[row]) ** 2 + (head.up - eye) ** 2
        near = front / (squared + (NEAR_EYES * height) ** 2) ** 4
        ahead[row] = (near * head.ahead).sum() / near.sum()
    return Axes(left, up, ahead)


def _first(values: Reals, among: NDArray[np.bool_]) -> int:
    """Return the index of the largest value in `values`. The mask `among` selects the values to compare."""
    return int(np.argmax(np.where(among, values, -np.inf)))

"""Conversion of a bake to texels. The texels contain the rows of the bake, and tables of clips, joints and palette
entries.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bake.bake import Bake
from ecs_anim.bake.spaces import LocalSpace


@dataclass(frozen=True, eq=False)
class BakeTables:
    """The data of a bake in the format of shaders/bake.glsl."""

    rows: NDArray[Any]  # [row_count, texels per row, 4], f32, f16 or u8 codes; a texel is a quaternion or a vector
    # [clip_count, texels per row, 2, 4] f32, offset and scale of the codes of each clip; without clips for f32 rows.
    ranges: NDArray[np.float32]
    tables: NDArray[np.int32]  # [clip_count + joint_count + palette_count, 4] i32, see `_tables`
    rig: NDArray[np.float32]  # [3 joint_count + 4 palette_count, 4] f32, rest pose and inverse bind matrices

    @classmethod
    def of(cls, bake: Bake) -> "BakeTables":
        ranges = np.stack([_texels(bake, bake.offset), _texels(bake, bake.scale)], axis=2)
        return cls(_texels(bake, bake.rows), ranges, _tables(bake), _rig(bake))


def _texels(bake: Bake, rows: NDArray[Any]) -> NDArray[Any]:
    """Convert bake rows [n, row_width] to texels [n, texels per row, 4]. The dtype does not change.

    A texel is a quaternion or a vector.
    """
    if not isinstance(bake.space, LocalSpace):
        return np.ascontiguousarray(rows.reshape(len(rows), rows.shape[1] // 4, 4))
    layout = bake.space.layout
    ends = np.cumsum([4 * layout.rotation_width, 3 * len(layout.translation_joints), 3 * len(layout.scale_joints)])
    rotation, translation, scale, _ = np.split(rows, ends, axis=1)
    turned = _columns(rotation, 4)[:, : len(layout.rotation_joints)]
    return np.ascontiguousarray(np.concatenate([turned, _columns(translation, 3), _columns(scale, 3)], axis=1))


def _columns(planes: NDArray[Any], count: int) -> NDArray[Any]:
    """Convert `count` planes [n, count x columns] to texels [n, columns, 4].

    A plane contains one component (x, y, z or w) of all texels. If `count` is 3, the fourth component is 0.
    """
    columns = np.swapaxes(planes.reshape(len(planes), count, planes.shape[1] // count), 1, 2)
    return np.pad(columns, ((0, 0), (0, 0), (0, 4 - count)))


def _tables(bake: Bake) -> NDArray[np.int32]:
    """Return a table with rows for all clips, then rows for all joints, then rows for all palette entries.

    The row of a clip contains the clip's first bake row and its interval count. The row of a joint contains the parent
    joint, and the numbers of the texels with the joint's rotation, translation and scale. If a joint has no texel for
    one of these three values, the number is -1. The row of a palette entry contains its joint.
    """
    skeleton = bake.skeleton
    clips = np.zeros((len(bake.clips), 4), np.int32)
    clips[:, :2] = [(clip.first_row, clip.span.interval_count) for clip in bake.clips]
    joints = np.full((skeleton.joint_count, 4), -1, np.int32)
    joints[:, 0] = skeleton.parents
    if isinstance(bake.space, LocalSpace):
        layout, first = bake.space.layout, 0
        animated = (layout.rotation_joints, layout.translation_joints, layout.scale_joints)
        for path, columns in enumerate(animated, start=1):
            joints[columns, path] = first + np.arange(len(columns))
            first += len(columns)
    entries = np.zeros((skeleton.palette_count, 4), np.int32)
    entries[:, 0] = skeleton.skin_joints
    return np.concatenate([clips, joints, entries])


def _rig(bake: Bake) -> NDArray[np.float32]:
    """Return a table with the rest pose and the inverse bind matrices.

    Each joint has three table rows: rotation, translation and scale. Each palette entry has four table rows. The first
    three table rows of a palette entry contain its inverse bind matrix. The fourth table row contains the position of
    the entry's joint in the bind pose.
    """
    skeleton, rest = bake.skeleton, bake.skeleton.rest_pose
    joints = np.zeros((skeleton.joint_count, 3, 4), np.float32)
    joints[:, 0] = rest.rotation
    joints[:, 1, :3] = rest.translation
    joints[:, 2, :3] = rest.scale
    entries = np.zeros((skeleton.palette_count, 4, 4), np.float32)
    entries[:, :3] = skeleton.inverse_bind
    entries[:, 3, :3] = skeleton.bind_places
    return np.concatenate([joints.reshape(-1, 4), entries.reshape(-1, 4)])

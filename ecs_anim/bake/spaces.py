"""The two spaces of bakes: local space and model space. The space defines the content of a row.

This module also computes poses and palettes from rows. A local row contains the animated channels relative to the
parent joints. Local rows can be cross-faded. A model row contains skin matrices, so the reader does not need the joint
hierarchy. A skin matrix has a linear part L and a translation t. A model row stores the translation t + L b in place of
t, where b is the joint position in the bind pose. Therefore, the last column of the stored matrix is the position of
the joint. With this translation, the effect of a rounding error in L grows with the distance of the skin from the
joint. With the translation t, the effect would grow with the distance of the skin from the origin. The conversion back
to skin matrices is exact.
"""

from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.bake.options import SpaceName
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.clip_table import PoseLayout, continuous

Rows = NDArray[np.floating]  # [..., row_width]
Matrices = NDArray[np.floating]  # [..., n, 3, 4]


@dataclass(frozen=True, eq=False)
class LocalSpace:
    """Local space: rows with the animated channels of a `PoseLayout`, relative to the parent joints."""

    layout: PoseLayout

    @property
    def skeleton(self) -> Skeleton:
        return self.layout.skeleton

    @property
    def row_width(self) -> int:
        return self.layout.row_width

    @property
    def rotation_width(self) -> int:
        """Return the number of quaternions in a row. A row begins with all x values, then all y, z and w values."""
        return self.layout.rotation_width

    def pack(self, pose: Pose) -> NDArray[np.float32]:
        """Convert poses [..., joint] to rows [..., row_width]."""
        return self.layout.pack(pose)

    def continuous(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Negate quaternions in `rows` [row_count, row_width] in place, so that interpolation uses the short arc.

        After the call, the dot product of each quaternion with the quaternion in the previous row is 0 or more.
        """
        return continuous(rows, self.layout)

    def pose(self, rows: Rows) -> Pose:
        """Convert rows to poses [..., joint]. Rotations are normalised."""
        pose = self.layout.unpack(rows)
        return Pose(pose.translation, quaternion.normalize(pose.rotation), pose.scale)

    def palette(self, rows: Rows) -> Matrices:
        """Convert rows to skin matrices [..., palette entry, 3, 4]."""
        return skin_palette(self.skeleton, self.pose(rows))

    def frames(self, rows: Rows) -> Matrices:
        """Return the model matrices [..., n, 3, 4] of all joints.

        The measurement of a bake's error uses the model matrices.
        """
        return self.exact_frames(self.pose(rows))

    def exact_frames(self, pose: Pose) -> Matrices:
        """Return the model matrices [..., n, 3, 4] of all joints in exact poses [..., joint].

        The measurement of a bake's error uses the model matrices.
        """
        return model_matrices(self.skeleton, pose)


@dataclass(frozen=True, eq=False)
class ModelSpace:
    """Model space: rows with skin matrices relative to the joint positions in the bind pose.

    A skin matrix has twelve floats. `LocalSpace` describes the methods. The methods `frames` and `exact_frames` return
    matrices in the stored format.
    """

    skeleton: Skeleton

    @property
    def row_width(self) -> int:
        return 12 * self.skeleton.palette_count

    @property
    def rotation_width(self) -> int:
        return 0

    def pack(self, pose: Pose) -> NDArray[np.float32]:
        frames = self.exact_frames(pose)
        return np.ascontiguousarray(frames.reshape(*frames.shape[:-3], -1), np.float32)

    def continuous(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        return rows

    def palette(self, rows: Rows) -> Matrices:
        frames = self.frames(rows)
        return _moved(frames, -self.skeleton.bind_places)

    def frames(self, rows: Rows) -> Matrices:
        return rows.reshape(*rows.shape[:-1], self.skeleton.palette_count, 3, 4)

    def exact_frames(self, pose: Pose) -> Matrices:
        return _moved(skin_palette(self.skeleton, pose), self.skeleton.bind_places)


Space = LocalSpace | ModelSpace


def space_of(name: SpaceName, skeleton: Skeleton, clips: tuple[Clip, ...]) -> Space:
    """Return the space with the name `name` for a skeleton.

    Rows in local space contain the channels that `clips` animate.
    """
    match name:
        case "local":
            return LocalSpace(PoseLayout.of_clips(skeleton, clips))
        case "model":
            return ModelSpace(skeleton)
        case _:
            assert_never(name)


def _moved(matrices: Matrices, places: NDArray[np.float32]) -> Matrices:
    """Return matrices that map v as `matrices` [..., n, 3, 4] map v + `places` [n, 3]."""
    return affine.join(matrices[..., :3], affine.transform_points(matrices, places)).astype(np.float32)

"""The two spaces of a bake, local and model. The space defines the contents of rows.

This module also computes poses or palettes from rows. Local rows contain the animated channels relative to the parent
joints, and can be cross-faded like poses. Model rows contain skin matrices, so reading model rows needs no traversal
of the joint hierarchy. Each palette entry is stored relative to the bound position b of its joint: a skin matrix [L |
t] is stored as [L | t + L b]. The last column of the stored matrix is then the position of the joint. A rounding error
of L is then multiplied by the skin's distance from the joint, not by its distance from the origin. The conversion back
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
    """Rows of a `PoseLayout`: only animated channels, in the parents' spaces."""

    layout: PoseLayout

    @property
    def skeleton(self) -> Skeleton:
        return self.layout.skeleton

    @property
    def row_width(self) -> int:
        return self.layout.row_width

    @property
    def rotation_width(self) -> int:
        """Return the length of each of the planes x, y, z, w at the start of a row, or 0 without quaternions."""
        return self.layout.rotation_width

    def pack(self, pose: Pose) -> NDArray[np.float32]:
        """Return rows [..., row_width] that store poses [..., joint]."""
        return self.layout.pack(pose)

    def continuous(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Negate quaternions in rows [row_count, row_width] in place, so that rows interpolate the short way.

        Each quaternion is then in the half-space of the quaternion in the previous row.
        """
        return continuous(rows, self.layout)

    def pose(self, rows: Rows) -> Pose:
        """Return the poses [..., joint] that rows store, with normalised rotations."""
        pose = self.layout.unpack(rows)
        return Pose(pose.translation, quaternion.normalize(pose.rotation), pose.scale)

    def palette(self, rows: Rows) -> Matrices:
        """Return the skin matrices [..., palette entry, 3, 4] that follow from rows."""
        return skin_palette(self.skeleton, self.pose(rows))

    def frames(self, rows: Rows) -> Matrices:
        """Return frames [..., n, 3, 4] for error measurements: the model matrix of each joint."""
        return self.exact_frames(self.pose(rows))

    def exact_frames(self, pose: Pose) -> Matrices:
        """Return frames [..., n, 3, 4] for error measurements from exact poses [..., joint]."""
        return model_matrices(self.skeleton, pose)


@dataclass(frozen=True, eq=False)
class ModelSpace:
    """Rows with twelve floats (three rows of four) per palette entry: skin matrices relative to the bound joints.

    `LocalSpace` describes the methods. The frames of a model space are the stored matrices.
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
    """Return the space called `name` for a skeleton. A local space stores the channels that `clips` animate."""
    match name:
        case "local":
            return LocalSpace(PoseLayout.of_clips(skeleton, clips))
        case "model":
            return ModelSpace(skeleton)
        case _:
            assert_never(name)


def _moved(matrices: Matrices, places: NDArray[np.float32]) -> Matrices:
    """Return `matrices` [..., n, 3, 4] with an input space whose origin lies at `places` [n, 3]."""
    return affine.join(matrices[..., :3], affine.transform_points(matrices, places)).astype(np.float32)

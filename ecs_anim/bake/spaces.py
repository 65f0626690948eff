"""The two spaces of a bake: what a row holds, and what poses or palettes come of it.

Local rows hold what clips animate, before the traversal, and can be cross-faded as poses are. Model rows hold
the skin's matrices and need no traversal. Each palette entry is moved so that it acts about the point where its joint
was bound: a skin matrix [L | t] with that point b is stored as [L | t + L b]. The last column is then where the
joint is, and rounding L moves the skin by its distance from the joint, not from the origin. It is undone exactly.
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
    """Rows of a `PoseLayout`: animated channels only, in the parents' spaces."""

    layout: PoseLayout

    @property
    def skeleton(self) -> Skeleton:
        return self.layout.skeleton

    @property
    def row_width(self) -> int:
        return self.layout.row_width

    @property
    def rotation_width(self) -> int:
        """Width of each of the planes x, y, z, w that a row begins with; 0 for rows without quaternions."""
        return self.layout.rotation_width

    def pack(self, pose: Pose) -> NDArray[np.float32]:
        """Return rows of poses [..., joint]."""
        return self.layout.pack(pose)

    def continuous(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Bring each rotation of rows [row_count, row_width] into the half-space of the row before, in place."""
        return continuous(rows, self.layout)

    def pose(self, rows: Rows) -> Pose:
        """Poses [..., joint] of rows, rotations normalised."""
        pose = self.layout.unpack(rows)
        return Pose(pose.translation, quaternion.normalize(pose.rotation), pose.scale)

    def palette(self, rows: Rows) -> Matrices:
        """Return skin matrices [..., palette entry, 3, 4] of rows."""
        return skin_palette(self.skeleton, self.pose(rows))

    def frames(self, rows: Rows) -> Matrices:
        """Return what errors are measured of: position and rotation of each joint or entry, [..., n, 3, 4]."""
        return self.exact_frames(self.pose(rows))

    def exact_frames(self, pose: Pose) -> Matrices:
        """Return the frames of poses [..., joint]."""
        return model_matrices(self.skeleton, pose)


@dataclass(frozen=True, eq=False)
class ModelSpace:
    """Rows of twelve floats a palette entry, three rows of four: skin matrices about the bound joints.

    The methods are those of `LocalSpace`.
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
    """The space of this name for these clips."""
    match name:
        case "local":
            return LocalSpace(PoseLayout.of_clips(skeleton, clips))
        case "model":
            return ModelSpace(skeleton)
        case _:
            assert_never(name)


def _moved(matrices: Matrices, places: NDArray[np.float32]) -> Matrices:
    """Matrices [..., n, 3, 4] that act about other places [n, 3]."""
    return affine.join(matrices[..., :3], affine.transform_points(matrices, places)).astype(np.float32)

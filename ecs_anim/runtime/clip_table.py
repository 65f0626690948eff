"""Uniform tables: clips resampled at a fixed rate, so that sampling is two row reads.

One `PoseLayout` serves all clips of a rig: a row holds only the channels that some clip animates, as
planes with the joint as the inner axis, so that any two rows can be interpolated or blended lane by lane.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.maths import elementary, quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.body_points import BodyPoints
from ecs_anim.runtime.even_times import QUARTERS, even_times, probe_times
from ecs_anim.runtime.quiet_channels import Channel, quiet_channels
from ecs_anim.runtime.row_counts import check_rows, is_above_max_rate, key_interval_count
from ecs_anim.runtime.traversal import LANES, SkinTraversal, TraversalArrays, build_skin_traversal, build_traversal
from ecs_anim.support.checked import checked, checked_fields

POSITION_TOLERANCE = 1 / 8000  # share of the skeleton's size: a fifth of a millimetre for a person
ROTATION_TOLERANCE = np.deg2rad(0.05)  # [rad]
QUIET = POSITION_TOLERANCE / 2  # what is left out moves nothing by more, all together


@dataclass(frozen=True, eq=False)
class PoseLayout:
    """Which joints' channels a pose row holds, and where.

    A row is 4 rotation planes (x, y, z, w) of `rotation_width` floats, whole vectors of eight, then 3 translation
    planes, then 3 scale planes, one float a joint. Padding lanes hold the identity rotation.
    """

    skeleton: Skeleton
    rotation_joints: NDArray[np.int32]  # [rotation_count] i32, joint of each rotation lane
    translation_joints: NDArray[np.int32]  # [translation_count] i32
    scale_joints: NDArray[np.int32]  # [scale_count] i32

    @classmethod
    def of_clips(cls, skeleton: Skeleton, clips: Sequence[Clip], left_out: Set[Channel] = frozenset()) -> "PoseLayout":
        """The channels that differ from the rest pose in any of the clips, but for those `left_out`."""
        animated: dict[str, set[int]] = {"rotation": set(), "translation": set(), "scale": set()}
        for track in (track for clip in clips for track in clip.tracks):
            rest = getattr(skeleton.rest_pose, track.path)[track.joint_index]
            if (track.path, track.joint_index) not in left_out and not track.is_constant(rest):
                animated[track.path].add(track.joint_index)
        animated["rotation"] |= animated["scale"]  # a lane's linear part is rebuilt from both
        lanes = {path: np.array(sorted(joints), np.int32) for path, joints in animated.items()}
        return cls(skeleton, lanes["rotation"], lanes["translation"], lanes["scale"])

    @property
    def rotation_width(self) -> int:
        """Rotation lanes with padding."""
        return -(-len(self.rotation_joints) // LANES) * LANES

    @property
    def row_width(self) -> int:
        """Floats in a row."""
        return 4 * self.rotation_width + 3 * len(self.translation_joints) + 3 * len(self.scale_joints)

    @cached_property
    def traversal(self) -> TraversalArrays:
        """From a row to the model matrices of all joints."""
        return build_traversal(self.skeleton, *self._lanes, self.rotation_width)

    @cached_property
    def skin_traversal(self) -> SkinTraversal:
        """From a row to a skin palette."""
        return build_skin_traversal(self.skeleton, *self._lanes, self.rotation_width)

    @cached_property
    def is_fixed(self) -> NDArray[np.bool_]:
        """Whether no clip moves a joint, nor one above it [joint_count]."""
        fixed = np.zeros(self.skeleton.joint_count, np.bool_)
        fixed[self.traversal.fixed[:, 0]] = True
        fixed.flags.writeable = False
        return fixed

    def includes_fixed(self, joints: NDArray[np.int32]) -> bool:
        """Return whether `is_fixed` is true for some of these joints."""
        key = joints.tobytes()  # systems ask in each step
        if key not in self._including:
            self._including[key] = bool(self.is_fixed[joints].any())
        return self._including[key]

    @cached_property
    def _including(self) -> dict[bytes, bool]:
        return {}

    @property
    def _lanes(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        return self.rotation_joints, self.translation_joints, self.scale_joints

    def lanes(self, per_joint: NDArray[np.float32]) -> NDArray[np.float32]:
        """Row [row_width] f32 of one number a joint [joint_count]; padding lanes hold 0."""
        padding = np.zeros(self.rotation_width - len(self.rotation_joints), np.float32)
        rotation = np.concatenate([per_joint[self.rotation_joints], padding])
        planes = [rotation] * 4 + [per_joint[self.translation_joints]] * 3 + [per_joint[self.scale_joints]] * 3
        return np.concatenate(planes).astype(np.float32)

    def differences(self, rows: NDArray[np.float32], reference: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rows of what turns `reference` [row_width] into `rows` [..., row_width].

        Rotations as row x reference^-1, translations and scales as row - reference.
        """
        width = self.rotation_width
        at = 4 * width
        planes, reference_planes = (
            np.moveaxis(r[..., :at].reshape(*r.shape[:-1], 4, width), -2, -1) for r in (rows, reference)
        )
        turn = quaternion.multiply(planes, quaternion.conjugate(reference_planes))
        turn = np.moveaxis(turn, -1, -2).reshape(*rows.shape[:-1], at)
        return np.ascontiguousarray(np.concatenate([turn, rows[..., at:] - reference[at:]], axis=-1), np.float32)

    def pack(self, pose: Pose) -> NDArray[np.float32]:
        """Rows [..., row_width] f32 of poses [..., joint]."""
        leading = pose.translation.shape[:-2]
        padding = np.zeros((*leading, 4, self.rotation_width - len(self.rotation_joints)), np.float32)
        padding[..., 3, :] = 1
        planes = [
            np.concatenate([np.swapaxes(pose.rotation[..., self.rotation_joints, :], -1, -2), padding], axis=-1),
            np.swapaxes(pose.translation[..., self.translation_joints, :], -1, -2),
            np.swapaxes(pose.scale[..., self.scale_joints, :], -1, -2),
        ]
        return np.concatenate([plane.reshape(*leading, -1) for plane in planes], axis=-1).astype(np.float32)

    def unpack(self, rows: NDArray[np.float32]) -> Pose:
        """Poses [..., joint] of rows [..., row_width]; joints without a lane take the rest pose."""
        leading = rows.shape[:-1]
        rest = self.skeleton.rest_pose
        rotation, translation, scale = (
            np.broadcast_to(array, (*leading, *array.shape)).copy()
            for array in (rest.rotation, rest.translation, rest.scale)
        )
        at = 4 * self.rotation_width
        lanes = rows[..., :at].reshape(*leading, 4, self.rotation_width)[..., : len(self.rotation_joints)]
        rotation[..., self.rotation_joints, :] = np.swapaxes(lanes, -1, -2)
        for joints, array in ((self.translation_joints, translation), (self.scale_joints, scale)):
            planes = rows[..., at : at + 3 * len(joints)].reshape(*leading, 3, len(joints))
            array[..., joints, :] = np.swapaxes(planes, -1, -2)
            at += 3 * len(joints)
        return Pose(translation, rotation, scale)


@dataclass(frozen=True, eq=False)
class TableError:
    """Worst difference between a table and exact sampling over a clip, alone and mixed with others.

    Between two rows a rotation's quaternion is shorter than 1, so that in a mix it counts for less than its weight.
    That turns a joint of the mix by up to `mixing` x tan(a / 2) more, where a is the angle between the mix and the
    farthest of the rotations mixed. For as the lengths of unit quaternions u in the mix m = sum(w u) shrink at rates
    between 0 and `mixing`, m moves across itself at no more than mixing / 2 x sum(w |u across m|) / sum(w u along m),
    and that share is at most tan(a / 2); a quaternion turns twice as far as it moves.
    """

    position: float  # [model units], a joint's position, and at most a linearly skinned vertex's, in model space
    rotation: float  # [rad], joint rotation in its parent's space
    mixing: float  # [rad], -ln of the shortest rotation between two rows


class ClipArrays(NamedTuple):
    """The part of the tables that kernels read; all arrays read-only."""

    rows: Annotated[NDArray[np.float32], Shape("row", "lane")]
    first_row: Annotated[NDArray[np.int32], Shape("clip")]
    interval_count: Annotated[NDArray[np.int32], Shape("clip")]
    rotation_width: int  # lanes of a rotation plane, with padding


@checked_fields
@dataclass(frozen=True, eq=False)
class ClipTables:
    """All clips of a crowd in one contiguous table; clips are numbered in order."""

    layout: PoseLayout
    clips: tuple[Clip, ...]
    # a clip has interval_count + 1 rows, start to end
    rows: Annotated[NDArray[np.float32], Shape("row", "lane")]
    first_row: Annotated[NDArray[np.int32], Shape("clip")]
    interval_count: Annotated[NDArray[np.int32], Shape("clip")]
    duration: Annotated[NDArray[np.float32], Shape("clip")]  # [s]
    meshes: tuple[Mesh, ...] = ()  # their vertices count in errors, as joints do

    def __repr__(self) -> str:
        return f"<ClipTables: {len(self.clips)} clips, {len(self.rows)} rows>"

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Clip number by name."""
        return {clip.name: number for number, clip in enumerate(self.clips)}

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """The columns of `ClipArrays`, as kernels read them."""
        return tuple(sealed(ClipArrays(self.rows, self.first_row, self.interval_count, self.layout.rotation_width)))

    @cached_property
    def body(self) -> BodyPoints:
        """The points at which errors are measured."""
        return BodyPoints.of(self.layout.skeleton, self.meshes)

    def rate(self, clip_index: int) -> float:
        """Rows a second of a clip."""
        duration = self.clips[clip_index].duration
        return float(self.interval_count[clip_index] / duration) if duration > 0 else 0.0

    def clip_rows(self, clip_index: int) -> NDArray[np.float32]:
        """The rows of one clip [interval_count + 1, row_width], start to end."""
        first = int(self.first_row[clip_index])
        return self.rows[first : first + int(self.interval_count[clip_index]) + 1]

    def sample(self, clip_index: int, time: NDArray[np.float64]) -> Pose:
        """Poses [..., joint] at times [...] since the clip's start, 0 to its duration: the plain form of the kernel."""
        clip, count = self.clips[clip_index], int(self.interval_count[clip_index])
        at = np.asarray(time, np.float64) / clip.duration * count if clip.duration > 0 else np.zeros_like(time)
        row = np.clip(at.astype(np.int64), 0, max(count - 1, 0))
        fraction = np.clip(at - row, 0, 1)[..., None]
        a = self.rows[self.first_row[clip_index] + row]
        b = self.rows[self.first_row[clip_index] + np.minimum(row + 1, count)]
        pose = self.layout.unpack((a + (b - a) * fraction).astype(np.float32))
        return Pose(pose.translation, quaternion.normalize(pose.rotation), pose.scale)

    def error(self, clip_index: int) -> TableError:
        """Worst error of one clip against exact sampling: at eighths between rows, and around every key."""
        clip = self.clips[clip_index]
        differences = [
            _difference(clip.sample(times, loop=False), self.sample(clip_index, times - clip.start), self.body)
            for times in probe_times(clip, int(self.interval_count[clip_index]))
        ]
        position, rotation = np.max(differences, axis=0).tolist()
        return TableError(position, rotation, _mixing(self.clip_rows(clip_index), self.layout))


@checked
def build_tables(skeleton: Skeleton, clips: Sequence[Clip], meshes: Sequence[Mesh] = ()) -> ClipTables:
    """Resample clips into one table, each at a rate that keeps joints, and the skin of `meshes`, within the tolerance.

    Raises ValueError if a clip was made for a skeleton with other joints, and InputError, before they are allocated,
    if rows take too much memory.
    """
    for clip in clips:
        if clip.skeleton.joint_names != skeleton.joint_names:
            raise ValueError(
                f"clip {clip.name!r} has another skeleton ({clip.skeleton.joint_count} joints, but this one has"
                f" {skeleton.joint_count}). Retarget the clip first"
            )
    body = BodyPoints.of(skeleton, meshes)
    layout = PoseLayout.of_clips(skeleton, clips, quiet_channels(body, clips, QUIET))
    tables: list[NDArray[np.float32]] = []
    for clip in clips:
        tables.append(_resample(clip, layout, body, sum(map(len, tables))))
    counts = np.array([len(table) for table in tables], np.int32)
    return ClipTables(
        layout=layout,
        clips=tuple(clips),
        rows=np.ascontiguousarray(np.concatenate(tables)) if tables else np.zeros((0, layout.row_width), np.float32),
        first_row=(np.cumsum(counts) - counts).astype(np.int32),
        interval_count=np.maximum(counts - 1, 0).astype(np.int32),
        duration=np.array([clip.duration for clip in clips], np.float32),
        meshes=tuple(meshes),
    )


def _resample(clip: Clip, layout: PoseLayout, body: BodyPoints, other_rows: int) -> NDArray[np.float32]:
    """Rows of one clip: a multiple of the keys' own rate, doubled until the table is good enough.

    Steps never are, between two rows: the rate stops at MAX_RATE. `other_rows` are those of other clips.
    """
    if clip.duration <= 0:
        return layout.pack(clip.sample(np.array([clip.start]), loop=False))
    count = key_interval_count(clip, [track.times for track in clip.tracks])
    while True:
        check_rows(clip, count, layout.row_width, other_rows, "shorten the clip")
        if _is_good(clip, count, body) or is_above_max_rate(clip, 2 * count):
            blocks = even_times(clip, count)
            return continuous(np.concatenate([layout.pack(clip.sample(t, loop=False)) for t in blocks]), layout)
        count *= 2


def _is_good(clip: Clip, count: int, body: BodyPoints) -> bool:
    """Whether interpolating so many intervals is within the tolerance, at the quarters of each."""
    tolerance = POSITION_TOLERANCE * body.size
    for times in even_times(clip, QUARTERS * count, overlap=1):
        exact = clip.sample(times, loop=False)
        for k in range(1, QUARTERS):
            between = Pose.mix(exact[:-1:QUARTERS], exact[QUARTERS::QUARTERS], k / QUARTERS)
            position, rotation = _difference(exact[k::QUARTERS], between, body)
            if position > tolerance or rotation > ROTATION_TOLERANCE:
                return False
    return True


def continuous(rows: NDArray[np.float32], layout: PoseLayout) -> NDArray[np.float32]:
    """Flip rotations so that each row lies in the half-space of the row before: no sign test when sampling."""
    rotation = rows[:, : 4 * layout.rotation_width].reshape(len(rows), 4, layout.rotation_width)
    turned = np.sum(rotation[1:] * rotation[:-1], axis=1) < 0
    sign = np.cumprod(np.where(turned, -1, 1), axis=0, dtype=np.float32)
    rotation[1:] *= sign[:, None, :]
    return rows


def _difference(exact: Pose, table: Pose, body: BodyPoints) -> tuple[float, float]:
    """The worst of points [model units], and of rotations [rad]."""
    angle = quaternion.angle_between(exact.rotation.astype(np.float64), table.rotation.astype(np.float64))
    return body.apart(exact, table), float(np.max(angle))


def _mixing(rows: NDArray[np.float32], layout: PoseLayout) -> float:
    """-ln of the shortest rotation half-way between two rows."""
    rotation = rows[:, : 4 * layout.rotation_width].reshape(len(rows), 4, layout.rotation_width)
    cosine = np.sum(rotation[1:] * rotation[:-1], axis=1).min(initial=1.0)
    return float(elementary.log(2 / (1 + cosine)) / 2)

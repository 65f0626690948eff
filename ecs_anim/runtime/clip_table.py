"""Uniform tables: the poses of clips, in rows at a fixed rate. A sample needs only two rows.

All clips of a rig share one `PoseLayout`. A row has only the channels that at least one clip animates. Each channel is
a plane with one number per joint. So any two rows can be interpolated or blended number by number.
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

POSITION_TOLERANCE = 1 / 8000  # fraction of the skeleton's size: a fifth of a millimetre for a person
ROTATION_TOLERANCE = np.deg2rad(0.05)  # [rad]
QUIET = POSITION_TOLERANCE / 2  # largest total movement from all omitted channels


@dataclass(frozen=True, eq=False)
class PoseLayout:
    """The layout of a row: its channels, and their positions in the row.

    A row has 4 rotation planes (x, y, z, w), 3 translation planes and 3 scale planes. A rotation plane has
    `rotation_width` floats, whole vectors of eight. The other planes have one float per joint. Padding lanes have the
    identity rotation.
    """

    skeleton: Skeleton
    rotation_joints: NDArray[np.int32]  # [rotation_count] i32, joint of each rotation lane
    translation_joints: NDArray[np.int32]  # [translation_count] i32, joint of each translation lane
    scale_joints: NDArray[np.int32]  # [scale_count] i32, joint of each scale lane

    @classmethod
    def of_clips(cls, skeleton: Skeleton, clips: Sequence[Clip], left_out: Set[Channel] = frozenset()) -> "PoseLayout":
        """Return the layout of all channels that differ from the rest pose in a clip, except channels in `left_out`."""
        animated: dict[str, set[int]] = {"rotation": set(), "translation": set(), "scale": set()}
        for track in (track for clip in clips for track in clip.tracks):
            rest = getattr(skeleton.rest_pose, track.path)[track.joint_index]
            if (track.path, track.joint_index) not in left_out and not track.is_constant(rest):
                animated[track.path].add(track.joint_index)
        animated["rotation"] |= animated["scale"]  # the linear part of a matrix needs both
        lanes = {path: np.array(sorted(joints), np.int32) for path, joints in animated.items()}
        return cls(skeleton, lanes["rotation"], lanes["translation"], lanes["scale"])

    @property
    def rotation_width(self) -> int:
        """The number of rotation lanes with padding."""
        return -(-len(self.rotation_joints) // LANES) * LANES

    @property
    def row_width(self) -> int:
        """The number of floats in a row."""
        return 4 * self.rotation_width + 3 * len(self.translation_joints) + 3 * len(self.scale_joints)

    @cached_property
    def traversal(self) -> TraversalArrays:
        """The traversal that computes the model matrices of all joints from a row."""
        return build_traversal(self.skeleton, *self._lanes, self.rotation_width)

    @cached_property
    def skin_traversal(self) -> SkinTraversal:
        """The traversal that computes a skin palette from a row."""
        return build_skin_traversal(self.skeleton, *self._lanes, self.rotation_width)

    @cached_property
    def is_fixed(self) -> NDArray[np.bool_]:
        """True for each joint [joint_count] that no clip moves, neither directly nor by a parent joint."""
        fixed = np.zeros(self.skeleton.joint_count, np.bool_)
        fixed[self.traversal.fixed[:, 0]] = True
        fixed.flags.writeable = False
        return fixed

    def includes_fixed(self, joints: NDArray[np.int32]) -> bool:
        """Return whether `is_fixed` is true for at least one of these joints."""
        key = joints.tobytes()  # systems call the method in each step
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
        """Copy one number per joint [joint_count] to each lane of the joint in a row [row_width] f32.

        Padding lanes get 0.
        """
        padding = np.zeros(self.rotation_width - len(self.rotation_joints), np.float32)
        rotation = np.concatenate([per_joint[self.rotation_joints], padding])
        planes = [rotation] * 4 + [per_joint[self.translation_joints]] * 3 + [per_joint[self.scale_joints]] * 3
        return np.concatenate(planes).astype(np.float32)

    def differences(self, rows: NDArray[np.float32], reference: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the differences of `rows` [..., row_width] from `reference` [row_width].

        The difference of rotations is row x reference^-1. The difference of translations and scales is row - reference.
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
        """Convert poses [..., joint] to rows [..., row_width] f32."""
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
        """Convert rows [..., row_width] to poses [..., joint]. Joints without a lane have the rest pose."""
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
    """The largest errors of a table compared with exact sampling of a clip, alone and in a mix with other clips.

    Between two rows, an interpolated quaternion is shorter than 1. So its effective weight in a mix is smaller than its
    weight. The smaller weight turns a joint of the mix by up to `mixing` x tan(a / 2). Here, a is the angle between the
    mix and the most different rotation in the mix.

    Proof: let m = sum(w u) be the mix of unit quaternions u with weights w. Let the lengths of the quaternions shrink
    at rates between 0 and `mixing`. Then m moves across its direction at a rate of at most mixing / 2 x sum(w |u across
    m|) / sum(w u along m). The ratio of the sums is at most tan(a / 2). A rotation turns by twice the angle of its
    quaternion.
    """

    position: float  # [model units], error of joint positions in model space; upper bound for linear skinning
    rotation: float  # [rad], error of joint rotations in the parent's space
    mixing: float  # [rad], -ln of the length of the shortest quaternion between two rows


class ClipArrays(NamedTuple):
    """The arrays of the clip tables that kernels read. All arrays are read-only."""

    rows: Annotated[NDArray[np.float32], Shape("row", "lane")]
    first_row: Annotated[NDArray[np.int32], Shape("clip")]
    interval_count: Annotated[NDArray[np.int32], Shape("clip")]
    rotation_width: int  # number of lanes of a rotation plane, with padding


@checked_fields
@dataclass(frozen=True, eq=False)
class ClipTables:
    """All clips of a crowd in one contiguous table. The number of a clip is its position in `clips`."""

    layout: PoseLayout
    clips: tuple[Clip, ...]
    # a clip has interval_count + 1 rows, from start to end
    rows: Annotated[NDArray[np.float32], Shape("row", "lane")]
    first_row: Annotated[NDArray[np.int32], Shape("clip")]
    interval_count: Annotated[NDArray[np.int32], Shape("clip")]
    duration: Annotated[NDArray[np.float32], Shape("clip")]  # [s]
    meshes: tuple[Mesh, ...] = ()  # errors are measured at their vertices and at joints

    def __repr__(self) -> str:
        return f"<ClipTables: {len(self.clips)} clips, {len(self.rows)} rows>"

    @cached_property
    def index(self) -> Mapping[str, int]:
        """A dictionary from clip name to clip number."""
        return {clip.name: number for number, clip in enumerate(self.clips)}

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """The fields of `ClipArrays` for kernels."""
        return tuple(sealed(ClipArrays(self.rows, self.first_row, self.interval_count, self.layout.rotation_width)))

    @cached_property
    def body(self) -> BodyPoints:
        """The points of the body at which errors are measured."""
        return BodyPoints.of(self.layout.skeleton, self.meshes)

    def rate(self, clip_index: int) -> float:
        """Return the rate of a clip [rows/s]."""
        duration = self.clips[clip_index].duration
        return float(self.interval_count[clip_index] / duration) if duration > 0 else 0.0

    def clip_rows(self, clip_index: int) -> NDArray[np.float32]:
        """Return the rows of one clip [interval_count + 1, row_width], from start to end."""
        first = int(self.first_row[clip_index])
        return self.rows[first : first + int(self.interval_count[clip_index]) + 1]

    def sample(self, clip_index: int, time: NDArray[np.float64]) -> Pose:
        """Return poses [..., joint] at times [...] [s] after the clip's start.

        The method is a reference for the kernel.
        """
        clip, count = self.clips[clip_index], int(self.interval_count[clip_index])
        at = np.asarray(time, np.float64) / clip.duration * count if clip.duration > 0 else np.zeros_like(time)
        row = np.clip(at.astype(np.int64), 0, max(count - 1, 0))
        fraction = np.clip(at - row, 0, 1)[..., None]
        a = self.rows[self.first_row[clip_index] + row]
        b = self.rows[self.first_row[clip_index] + np.minimum(row + 1, count)]
        pose = self.layout.unpack((a + (b - a) * fraction).astype(np.float32))
        return Pose(pose.translation, quaternion.normalize(pose.rotation), pose.scale)

    def error(self, clip_index: int) -> TableError:
        """Return the largest errors of one clip compared with exact sampling, at eighths between rows and at keys."""
        clip = self.clips[clip_index]
        differences = [
            _difference(clip.sample(times, loop=False), self.sample(clip_index, times - clip.start), self.body)
            for times in probe_times(clip, int(self.interval_count[clip_index]))
        ]
        position, rotation = np.max(differences, axis=0).tolist()
        return TableError(position, rotation, _mixing(self.clip_rows(clip_index), self.layout))


@checked
def build_tables(skeleton: Skeleton, clips: Sequence[Clip], meshes: Sequence[Mesh] = ()) -> ClipTables:
    """Resample clips into one table. The rate of each clip is high enough that position errors are in the tolerance.

    Errors are measured at joints and at the skin of `meshes`. Raises ValueError if a clip was made for a skeleton with
    other joints. Raises InputError before the allocation if rows take too much memory.
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
    """Return the rows of one clip. The first rate is a multiple of the keys' rate.

    The rate doubles until errors are in tolerance.

    The rate stops at MAX_RATE, because clips with stepped keys never reach the tolerance between two rows. `other_rows`
    is the number of rows of other clips.
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
    """Return whether interpolation in `count` equal intervals is in tolerance.

    Errors are measured at quarters of intervals.
    """
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
    """Flip the sign of each quaternion that points away from the quaternion in the row before.

    Sampling needs no sign test.
    """
    rotation = rows[:, : 4 * layout.rotation_width].reshape(len(rows), 4, layout.rotation_width)
    turned = np.sum(rotation[1:] * rotation[:-1], axis=1) < 0
    sign = np.cumprod(np.where(turned, -1, 1), axis=0, dtype=np.float32)
    rotation[1:] *= sign[:, None, :]
    return rows


def _difference(exact: Pose, table: Pose, body: BodyPoints) -> tuple[float, float]:
    """Return the largest error of point positions [model units], and the largest error of joint rotations [rad]."""
    angle = quaternion.angle_between(exact.rotation.astype(np.float64), table.rotation.astype(np.float64))
    return body.apart(exact, table), float(np.max(angle))


def _mixing(rows: NDArray[np.float32], layout: PoseLayout) -> float:
    """Return -ln(length), for the shortest quaternion half-way between two rows."""
    rotation = rows[:, : 4 * layout.rotation_width].reshape(len(rows), 4, layout.rotation_width)
    cosine = np.sum(rotation[1:] * rotation[:-1], axis=1).min(initial=1.0)
    return float(elementary.log(2 / (1 + cosine)) / 2)

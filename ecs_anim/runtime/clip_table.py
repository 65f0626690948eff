"""Clip tables. A clip table contains the poses of clips as rows at a constant rate. To sample a clip, a kernel reads
only two rows.

All clips of a rig share one `PoseLayout`. A row contains only channels that at least one clip animates. For each
channel, the row has one number for each animated joint. All rows have their numbers in the same order. Therefore,
kernels interpolate and blend two rows number by number.
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
# fraction of the skeleton's size: largest movement that all omitted channels together cause
QUIET = POSITION_TOLERANCE / 2


@dataclass(frozen=True, eq=False)
class PoseLayout:
    """The layout of a pose row: its channels and their positions in the row.

    A row consists of 4 planes for rotations (x, y, z, w), 3 planes for translations and 3 planes for scales. A rotation
    plane has `rotation_width` numbers, a multiple of the eight numbers in a SIMD vector. Each other plane has one
    number for each animated joint. The padding of rotation planes contains the identity rotation.
    """

    skeleton: Skeleton
    rotation_joints: NDArray[np.int32]  # [rotation_count] i32, joint of each number in a rotation plane
    translation_joints: NDArray[np.int32]  # [translation_count] i32, joint of each number in a translation plane
    scale_joints: NDArray[np.int32]  # [scale_count] i32, joint of each number in a scale plane

    @classmethod
    def of_clips(cls, skeleton: Skeleton, clips: Sequence[Clip], left_out: Set[Channel] = frozenset()) -> "PoseLayout":
        """Return the layout of the channels that at least one clip animates, except the channels in `left_out`.

        A clip animates a channel if the values of the channel differ from the rest pose.
        """
        animated: dict[str, set[int]] = {"rotation": set(), "translation": set(), "scale": set()}
        for track in (track for clip in clips for track in clip.tracks):
            rest = getattr(skeleton.rest_pose, track.path)[track.joint_index]
            if (track.path, track.joint_index) not in left_out and not track.is_constant(rest):
                animated[track.path].add(track.joint_index)
        animated["rotation"] |= animated["scale"]  # the 3 x 3 part of a model matrix needs both
        columns = {path: np.array(sorted(joints), np.int32) for path, joints in animated.items()}
        return cls(skeleton, columns["rotation"], columns["translation"], columns["scale"])

    @property
    def rotation_width(self) -> int:
        """The number of values in a rotation plane, including the padding."""
        return -(-len(self.rotation_joints) // LANES) * LANES

    @property
    def row_width(self) -> int:
        """The number of values in a row."""
        return 4 * self.rotation_width + 3 * len(self.translation_joints) + 3 * len(self.scale_joints)

    @cached_property
    def traversal(self) -> TraversalArrays:
        """The traversal that computes the model matrices of all joints from a pose row."""
        return build_traversal(self.skeleton, *self._columns, self.rotation_width)

    @cached_property
    def skin_traversal(self) -> SkinTraversal:
        """The traversal that computes a palette from a pose row."""
        return build_skin_traversal(self.skeleton, *self._columns, self.rotation_width)

    @cached_property
    def is_fixed(self) -> NDArray[np.bool_]:
        """True for each joint [joint_count] that no clip moves. A joint that no clip moves has no animated ancestor."""
        fixed = np.zeros(self.skeleton.joint_count, np.bool_)
        fixed[self.traversal.fixed[:, 0]] = True
        fixed.flags.writeable = False
        return fixed

    def includes_fixed(self, joints: NDArray[np.int32]) -> bool:
        """Return whether at least one joint in `joints` never moves."""
        key = joints.tobytes()  # systems call this method in every step
        if key not in self._including:
            self._including[key] = bool(self.is_fixed[joints].any())
        return self._including[key]

    @cached_property
    def _including(self) -> dict[bytes, bool]:
        return {}

    @property
    def _columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        return self.rotation_joints, self.translation_joints, self.scale_joints

    def columns(self, per_joint: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return a row [row_width] f32 in which each number is the value of its joint in `per_joint` [joint_count].

        The padding contains 0.
        """
        padding = np.zeros(self.rotation_width - len(self.rotation_joints), np.float32)
        rotation = np.concatenate([per_joint[self.rotation_joints], padding])
        planes = [rotation] * 4 + [per_joint[self.translation_joints]] * 3 + [per_joint[self.scale_joints]] * 3
        return np.concatenate(planes).astype(np.float32)

    def differences(self, rows: NDArray[np.float32], reference: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the differences between `rows` [..., row_width] and `reference` [row_width].

        For rotations, the difference is row x reference^-1. For translations and scales, the difference is row -
        reference.
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
        """Convert rows [..., row_width] to poses [..., joint].

        Joints without numbers in the row keep their rest pose.
        """
        leading = rows.shape[:-1]
        rest = self.skeleton.rest_pose
        rotation, translation, scale = (
            np.broadcast_to(array, (*leading, *array.shape)).copy()
            for array in (rest.rotation, rest.translation, rest.scale)
        )
        at = 4 * self.rotation_width
        columns = rows[..., :at].reshape(*leading, 4, self.rotation_width)[..., : len(self.rotation_joints)]
        rotation[..., self.rotation_joints, :] = np.swapaxes(columns, -1, -2)
        for joints, array in ((self.translation_joints, translation), (self.scale_joints, scale)):
            planes = rows[..., at : at + 3 * len(joints)].reshape(*leading, 3, len(joints))
            array[..., joints, :] = np.swapaxes(planes, -1, -2)
            at += 3 * len(joints)
        return Pose(translation, rotation, scale)


@dataclass(frozen=True, eq=False)
class TableError:
    """The largest errors of a table, compared with exact samples of a clip.

    `position` and `rotation` are errors of a clip that an actor plays alone. `mixing` describes an additional error of
    a mixture with other clips.

    An interpolated quaternion between two rows is shorter than 1. Therefore, its influence on a mixture of clips is
    smaller than its weight. The resulting error of a joint's rotation in the mixed pose is at most `mixing` x tan(a/2)
    [rad]. The angle a is the largest of the angles between the joint's rotation in the mixed pose and its rotation in
    each of the clips.

    Idea of the proof: let the quaternions shrink gradually from length 1 to their interpolated lengths. While the
    quaternions shrink, the mixed rotation of the joint changes by a total angle of at most `mixing` x tan(a/2).
    """

    position: float  # [model units], error of joint positions in model space; upper bound for linear skinning
    rotation: float  # [rad], error of joint rotations in the parent's space
    mixing: float  # [rad], -ln of the length of the shortest interpolated quaternion


class ClipArrays(NamedTuple):
    """The arrays of the clip tables, as an argument of kernels. All arrays are read-only."""

    rows: Annotated[NDArray[np.float32], Shape("row", "column")]
    first_row: Annotated[NDArray[np.int32], Shape("clip")]
    interval_count: Annotated[NDArray[np.int32], Shape("clip")]
    rotation_width: int  # number of values in a rotation plane, including the padding


@checked_fields
@dataclass(frozen=True, eq=False)
class ClipTables:
    """The poses of all clips of a crowd in one table. The number of a clip is its index in `clips`."""

    layout: PoseLayout
    clips: tuple[Clip, ...]
    # each clip has interval_count + 1 rows, from its start to its end
    rows: Annotated[NDArray[np.float32], Shape("row", "column")]
    first_row: Annotated[NDArray[np.int32], Shape("clip")]
    interval_count: Annotated[NDArray[np.int32], Shape("clip")]
    duration: Annotated[NDArray[np.float32], Shape("clip")]  # [s]
    meshes: tuple[Mesh, ...] = ()  # errors are measured at the vertices of these meshes and at joints

    def __repr__(self) -> str:
        return f"<ClipTables: {len(self.clips)} clips, {len(self.rows)} rows>"

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The numbers of the clips, by clip name."""
        return {clip.name: number for number, clip in enumerate(self.clips)}

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """The fields of `ClipArrays` for kernels."""
        return tuple(sealed(ClipArrays(self.rows, self.first_row, self.interval_count, self.layout.rotation_width)))

    @cached_property
    def body(self) -> BodyPoints:
        """The points of the body at which `error` measures errors."""
        return BodyPoints.of(self.layout.skeleton, self.meshes)

    def rate(self, clip_index: int) -> float:
        """Return the number of rows per second of a clip."""
        duration = self.clips[clip_index].duration
        return float(self.interval_count[clip_index] / duration) if duration > 0 else 0.0

    def clip_rows(self, clip_index: int) -> NDArray[np.float32]:
        """Return the rows of one clip, [interval_count + 1, row_width], from its start to its end."""
        first = int(self.first_row[clip_index])
        return self.rows[first : first + int(self.interval_count[clip_index]) + 1]

    def sample(self, clip_index: int, time: NDArray[np.float64]) -> Pose:
        """Return the poses [..., joint] of a clip at the times `time` [...] in seconds after the clip's start.

        The method is a reference for tests of the kernel.
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
        """Return the largest errors of a clip's rows, compared with exact samples of the clip.

        The method compares poses at the keys, and at eight evenly spaced times in each interval between two rows.
        """
        clip = self.clips[clip_index]
        differences = [
            _difference(clip.sample(times, loop=False), self.sample(clip_index, times - clip.start), self.body)
            for times in probe_times(clip, int(self.interval_count[clip_index]))
        ]
        position, rotation = np.max(differences, axis=0).tolist()
        return TableError(position, rotation, _mixing(self.clip_rows(clip_index), self.layout))


@checked
def build_tables(skeleton: Skeleton, clips: Sequence[Clip], meshes: Sequence[Mesh] = ()) -> ClipTables:
    """Resample all clips into one table.

    Each clip gets so many rows per second that the errors of its poses are within the tolerances. The errors of a clip
    with stepped keys can be larger.

    Errors are measured at joints and at the vertices of `meshes`. Raises ValueError if a clip belongs to a skeleton
    with other joints. Raises InputError before the allocation if the rows would need too much memory.
    """
    for clip in clips:
        if clip.skeleton.joint_names != skeleton.joint_names:
            raise ValueError(
                f"the joint names of clip {clip.name!r} must be the joint names of the skeleton. Retarget the clip."
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
    """Return the rows of one clip.

    At first, the distance between two rows is at most the usual distance between two keys. The function then doubles
    the number of rows until the errors of the rows are within the tolerances.

    `MAX_RATE` limits the number of rows per second, because the errors of a clip with stepped keys never reach the
    tolerances. `other_rows` is the number of rows of all other clips.
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
    """Return whether interpolation between `count` + 1 evenly spaced poses has errors within the tolerance.

    The function measures errors at the quarter points of each interval.
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
    """Change the signs of quaternions, so that the dot product of each quaternion and the quaternion in the row before
    is not negative.

    Therefore, kernels can interpolate without a test of the signs.
    """
    rotation = rows[:, : 4 * layout.rotation_width].reshape(len(rows), 4, layout.rotation_width)
    turned = np.sum(rotation[1:] * rotation[:-1], axis=1) < 0
    sign = np.cumprod(np.where(turned, -1, 1), axis=0, dtype=np.float32)
    rotation[1:] *= sign[:, None, :]
    return rows


def _difference(exact: Pose, table: Pose, body: BodyPoints) -> tuple[float, float]:
    """Compare the poses of a table with exact poses. Return the largest position error of a point [model units], and
    the largest rotation error of a joint [rad].
    """
    angle = quaternion.angle_between(exact.rotation.astype(np.float64), table.rotation.astype(np.float64))
    return body.apart(exact, table), float(np.max(angle))


def _mixing(rows: NDArray[np.float32], layout: PoseLayout) -> float:
    """Return -ln(length) of the shortest interpolated quaternion. The interpolation is half-way between two rows."""
    rotation = rows[:, : 4 * layout.rotation_width].reshape(len(rows), 4, layout.rotation_width)
    cosine = np.sum(rotation[1:] * rotation[:-1], axis=1).min(initial=1.0)
    return float(elementary.log(2 / (1 + cosine)) / 2)

"""Motions that an actor can play. A motion is either one clip, or a blend space of several synchronised clips.

The time in a motion is a phase from 0 to 1. Therefore, clips of different lengths stay synchronised in a mix.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.runtime.clip_table import ClipTables
from ecs_anim.runtime.gait import ground_travel, sole_points
from ecs_anim.runtime.root_path import RootPath

MAX_MEMBERS = 8  # largest number of clips in a blend space
PACE_STEPS = 8  # number of rows in the pace tables between two neighbouring clips of a 1D blend space
PACE_ROWS = (MAX_MEMBERS - 1) * PACE_STEPS + 1
PACE_POINTS = 49  # number of phases with a known distance in a cycle
PACE_SAMPLES = 144  # number of poses in a cycle for the measurement of pace


MOTION = np.dtype(
    [
        ("first_member", np.int32),
        ("member_count", np.int32),
        ("parameter_x", np.int32),  # column of the crowd's parameters; -1 = the motion is one clip
        ("parameter_y", np.int32),  # -1 = the motion is not a 2D blend space
        ("loops", np.bool_),  # true = phase 1 continues at 0; false = the phase stays at 1
        # true = the playback speed follows the speed in the parameter, so that the feet do not slide
        ("keeps_pace", np.bool_),
    ],
    align=True,
)
MEMBER = np.dtype(
    [
        ("clip", np.int32),  # number in the clip tables
        ("x", np.float32),  # position in the blend space
        ("y", np.float32),
        ("duration", np.float32),  # [s]
        ("side", np.float32),  # [rig units/s] to the actor's left (+X)
        ("ahead", np.float32),  # [rig units/s] ahead (+Z)
        ("turn", np.float32),  # [rad/s] to the left (about +Y)
    ],
    align=True,
)


class MotionArrays(NamedTuple):
    """The arrays of a crowd's motions, as an argument of kernels. All arrays are read-only.

    A kernel must read the arrays from the tuple before its loop, because each access to the tuple changes reference
    counts.
    """

    motion: Annotated[NDArray[np.void], Shape("motion", dtype=MOTION)]
    member: Annotated[NDArray[np.void], Shape("member", dtype=MEMBER)]
    # [rig units], distance in one cycle of a 1D blend space
    stride: Annotated[NDArray[np.float32], Shape("motion", PACE_ROWS)]
    # fraction of the stride that is covered at each phase
    travel: Annotated[NDArray[np.float32], Shape("motion", PACE_ROWS, PACE_POINTS)]


@dataclass(frozen=True, eq=False)
class Member:
    """A clip, and its position in a blend space. A motion that is one clip has exactly one member."""

    clip: Clip
    velocity: tuple[float, float]  # [rig units/s], ground velocity of the clip, to the actor's left and ahead
    at: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0  # [rad/s], turning speed of the clip, to the left
    path: RootPath | None = None  # path along which `clip`, a clip in place, moves the actor; None = no such path


@dataclass(frozen=True, eq=False)
class Motion:
    """One clip (without parameters), or a blend space with one or two parameters."""

    name: str
    members: tuple[Member, ...]
    loops: bool = True
    parameters: tuple[str, ...] = ()
    keeps_pace: bool = False


@dataclass(frozen=True, eq=False)
class MotionSet:
    """All motions of a crowd. The number of a motion is its index in `motions`."""

    motions: tuple[Motion, ...]
    tables: ClipTables  # clips of all members, followed by clips that only layers use
    arrays: MotionArrays

    @property
    def clips(self) -> tuple[Clip, ...]:
        """The clips of all motions. Clips that only layers use are not included."""
        return self.tables.clips[: 1 + int(self.arrays.member["clip"].max())]

    @cached_property
    def index(self) -> Mapping[str, int]:
        """A dictionary from the name of each motion to its number."""
        return {motion.name: number for number, motion in enumerate(self.motions)}


def build_motion_set(
    motions: Sequence[Motion],
    tables: ClipTables,
    parameter_names: Sequence[str],
    rig: Rig | None = None,
    facing: float = 0.0,
) -> MotionSet:
    """Return the motion set for `motions`, with the arrays for kernels.

    `tables` must contain the clips of all members. The function measures the speed of blended clips at the soles of
    `rig`. `facing` is the forward direction of the rig [rad] from +Z. Raises ValueError if a blend space is invalid, or
    if a parameter is missing in `parameter_names`.
    """
    for motion in motions:
        _check(motion)
    members = [member for motion in motions for member in motion.members]
    counts = np.array([len(motion.members) for motion in motions])
    pace = [_pace_tables(motion, rig, facing) for motion in motions]
    names, clips = list(parameter_names), list(tables.clips)
    columns = [[names.index(name) for name in motion.parameters] + [-1, -1] for motion in motions]
    firsts = np.cumsum(counts) - counts
    motion_rows = [
        (first, count, column[0], column[1], motion.loops, motion.keeps_pace)
        for first, count, column, motion in zip(firsts, counts, columns, motions, strict=True)
    ]
    member_rows = [(clips.index(m.clip), *m.at, m.clip.duration, *m.velocity, m.turn) for m in members]
    arrays = MotionArrays(
        motion=np.array(motion_rows, MOTION),
        member=np.array(member_rows, MEMBER),
        stride=np.array([stride for stride, _ in pace], np.float32, order="C"),
        travel=np.array([travel for _, travel in pace], np.float32, order="C"),
    )
    return MotionSet(tuple(motions), tables, sealed(arrays))


def _check(motion: Motion) -> None:
    positions = [member.at[: len(motion.parameters)] for member in motion.members]
    if not 1 <= len(positions) <= MAX_MEMBERS:
        raise ValueError(
            f"motion {motion.name!r}: a blend space must have 1 to {MAX_MEMBERS} members (got {len(positions)})."
            " Add or remove members."
        )
    if motion.parameters and len(set(positions)) < len(positions):
        raise ValueError(
            f"motion {motion.name!r}: two members of the blend space must not have the same position. Move one member."
        )
    if len(motion.parameters) == 1 and positions != sorted(positions):
        raise ValueError(
            f"motion {motion.name!r}: the members of the blend space must be sorted by position. Sort the members."
        )


def _pace_tables(motion: Motion, rig: Rig | None, facing: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the two pace tables of a motion.

    The first table contains the forward distance in a cycle [rig units]. The second table contains, for each phase, the
    fraction of the cycle's distance that the character has covered.

    The tables have PACE_STEPS rows between two neighbouring clips of a 1D blend space. The function measures the values
    between two clips at the soles of blended poses. A measurement is necessary for two reasons: the distance of a blend
    is not the mean of the clips' distances, and the speed of a blend is not constant. The row that belongs to a clip
    contains the distance of the clip. The speed of a single clip is constant.
    """
    stride = np.zeros(PACE_ROWS)
    travel = np.tile(np.linspace(0, 1, PACE_POINTS), (PACE_ROWS, 1))
    if len(motion.parameters) != 1 or not motion.keeps_pace:
        return stride, travel
    own = [member.velocity[1] * member.clip.duration for member in motion.members]
    poses = [member.clip.sample(_cycle(member.clip), loop=False) for member in motion.members]
    soles = [sole_points(rig, pose) for pose in poses] if rig else []
    for low in range(max(len(poses) - 1, 1)):
        high = min(low + 1, len(poses) - 1)
        rows = slice(low * PACE_STEPS, high * PACE_STEPS + 1)
        weights = np.linspace(0, 1, PACE_STEPS + 1)[: rows.stop - rows.start]
        stride[rows] = own[low] + (own[high] - own[low]) * weights
        if rig and min(own[low], own[high]) > 0:
            under = soles[low] + soles[high]
            walked = [
                ground_travel(rig.skeleton, under, poses[low].mix(poses[high], np.float32(w)), facing) for w in weights
            ]
            _measured(stride[rows], travel[rows], walked)
    return stride, travel


def _measured(stride: NDArray[Any], travel: NDArray[Any], walked: Sequence[NDArray[Any] | None]) -> None:
    """Replace the table rows between two clips with the measured distances and fractions.

    A row stays unchanged if its measured distance differs by a third or more from the expected distance.
    """
    for row in range(1, len(walked) - 1):
        path = walked[row]
        if path is not None and abs(path[-1] / stride[row] - 1) < 1 / 3:
            stride[row] = path[-1]
            shares = np.linspace(0, 1, len(path))
            travel[row] = np.interp(np.linspace(0, 1, PACE_POINTS), shares, path / path[-1])


def _cycle(clip: Clip) -> NDArray[np.float64]:
    """Return the times [s] at the ends of PACE_SAMPLES equal steps, from the start to the end of a clip."""
    return clip.start + np.arange(PACE_SAMPLES + 1) / PACE_SAMPLES * clip.duration

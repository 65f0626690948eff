"""Motions: what an actor can play. A motion is a clip, or a blend space of several clips in step.

Time in a motion is its phase, 0 to 1, so that clips of different lengths can be mixed and stay in step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.blend_space import weights_1d
from ecs_anim.clip import Clip
from ecs_anim.clip_table import ClipTables
from ecs_anim.gait import stance_speed

MAX_MEMBERS = 8  # of one blend space
STRIDE_POINTS = 17  # of the curve that says how far a cycle carries, over a 1D space's range
STRIDE_SAMPLES = 96  # poses a cycle that a stride is measured from


class MotionArrays(NamedTuple):
    """What kernels read of a motion set; all arrays read-only."""

    first_member: NDArray[np.int32]  # [motion_count] i32
    member_count: NDArray[np.int32]  # [motion_count] i32
    parameter_x: NDArray[np.int32]  # [motion_count] i32, column of the crowd's parameters; -1 = a clip
    parameter_y: NDArray[np.int32]  # [motion_count] i32, -1 = not 2D
    loops: NDArray[np.bool_]  # [motion_count], wraps at phase 1, or stays there
    keeps_pace: NDArray[np.bool_]  # [motion_count], phase advances so that feet keep to the parameters' speed
    stride: NDArray[np.float32]  # [motion_count, STRIDE_POINTS] f32, [rig units] a cycle, 1D spaces
    member_clip: NDArray[np.int32]  # [member_count] i32, into the clip tables
    member_x: NDArray[np.float32]  # [member_count] f32, place in the space
    member_y: NDArray[np.float32]  # [member_count] f32
    member_duration: NDArray[np.float32]  # [member_count] f32, [s]
    member_side: NDArray[np.float32]  # [member_count] f32, [rig units/s] to the actor's left (+X)
    member_ahead: NDArray[np.float32]  # [member_count] f32, [rig units/s] ahead (+Z)


@dataclass(frozen=True, eq=False)
class Member:
    """A clip at a place in a blend space; a plain clip is the one member of its motion."""

    clip: Clip
    velocity: tuple[float, float]  # [rig units/s], to the actor's left and ahead, that the clip was made for
    at: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Motion:
    """A clip (no parameters) or a blend space (one or two parameters)."""

    name: str
    members: tuple[Member, ...]
    loops: bool = True
    parameters: tuple[str, ...] = ()
    keeps_pace: bool = False


@dataclass(frozen=True, eq=False)
class MotionSet:
    """The motions of a crowd, numbered in order."""

    motions: tuple[Motion, ...]
    tables: ClipTables  # every member's clip, and others that layers use
    arrays: MotionArrays

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Motion number by name."""
        return {motion.name: number for number, motion in enumerate(self.motions)}


def build_motion_set(
    motions: Sequence[Motion], tables: ClipTables, parameter_names: Sequence[str], facing: float = 0.0
) -> MotionSet:
    """Pack motions for the kernels.

    `tables` hold every member's clip; `facing` [rad] is where the rig looks, from +Z.
    Raises ValueError for a blend space that cannot be, or for a parameter that is not in `parameter_names`.
    """
    for motion in motions:
        _check(motion)
    members = [member for motion in motions for member in motion.members]
    counts = np.array([len(motion.members) for motion in motions])
    names, clips = list(parameter_names), list(tables.clips)
    columns = [[names.index(name) for name in motion.parameters] + [-1, -1] for motion in motions]
    arrays = MotionArrays(
        first_member=_frozen(np.cumsum(counts) - counts, np.int32),
        member_count=_frozen(counts, np.int32),
        parameter_x=_frozen([column[0] for column in columns], np.int32),
        parameter_y=_frozen([column[1] for column in columns], np.int32),
        loops=_frozen([motion.loops for motion in motions], np.bool_),
        keeps_pace=_frozen([motion.keeps_pace for motion in motions], np.bool_),
        stride=_frozen([_stride_curve(motion, facing) for motion in motions], np.float32),
        member_clip=_frozen([clips.index(member.clip) for member in members], np.int32),
        member_x=_frozen([member.at[0] for member in members], np.float32),
        member_y=_frozen([member.at[1] for member in members], np.float32),
        member_duration=_frozen([member.clip.duration for member in members], np.float32),
        member_side=_frozen([member.velocity[0] for member in members], np.float32),
        member_ahead=_frozen([member.velocity[1] for member in members], np.float32),
    )
    return MotionSet(tuple(motions), tables, arrays)


def _check(motion: Motion) -> None:
    places = [member.at[: len(motion.parameters)] for member in motion.members]
    if not 1 <= len(places) <= MAX_MEMBERS:
        raise ValueError(f"motion {motion.name!r}: a blend space has 1 to {MAX_MEMBERS} members (got {len(places)})")
    if motion.parameters and len(set(places)) < len(places):
        raise ValueError(f"motion {motion.name!r}: two members stand at the same place")
    if len(motion.parameters) == 1 and places != sorted(places):
        raise ValueError(f"motion {motion.name!r}: members must be in the order of their places")


def _stride_curve(motion: Motion, facing: float) -> NDArray[np.float64]:
    """How far ahead a cycle carries [rig units], at STRIDE_POINTS places over a 1D space's range.

    Between two gaits it is measured from the feet of the blended poses, because a blend of joint angles does
    not carry exactly as far as the mean of its clips; between a gait and standing it is that mean.
    """
    if len(motion.parameters) != 1:
        return np.zeros(STRIDE_POINTS)
    points = np.array([member.at[0] for member in motion.members])
    own = np.array([member.velocity[1] * member.clip.duration for member in motion.members])
    weights = weights_1d(points, np.linspace(points[0], points[-1], STRIDE_POINTS))
    return np.array([_stride(motion, row, float(row @ own), facing) for row in weights])


def _stride(motion: Motion, weights: NDArray[np.float64], mean: float, facing: float) -> float:
    used = [(member, weight) for member, weight in zip(motion.members, weights, strict=True) if weight > 0]
    if len(used) == 1 or not motion.keeps_pace or any(member.velocity[1] == 0 for member, _ in used):
        return mean
    phase = np.arange(STRIDE_SAMPLES + 1) / STRIDE_SAMPLES
    a, b = (m.clip.sample(m.clip.start + phase * m.clip.duration, loop=False) for m, _ in used)
    measured = stance_speed(used[0][0].clip.skeleton, a.mix(b, np.float32(used[1][1])), 1.0, facing)
    return measured if abs(measured - mean) < 0.3 * abs(mean) else mean


def _frozen(values: ArrayLike, dtype: type) -> NDArray:
    array: NDArray = np.array(values, dtype, order="C")
    array.flags.writeable = False
    return array

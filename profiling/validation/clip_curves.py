"""Data for the plot of a clip: curves of the tracks over time.

If a clip has too many curves, the module selects the curves with the largest motion.
"""

from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths import quaternion
from ecs_anim.runtime.clip_table import POSITION_TOLERANCE

Array = NDArray[np.floating]

SAMPLES = 600  # number of sample times in a clip, in addition to its keys


@dataclass(frozen=True, eq=False)
class Curve:
    """One track as a curve in metres, degrees or scale factors."""

    joint: str
    track: Track
    times: NDArray[np.float64]  # [time_count] f64 [s], ascending; contains the times of all keys
    values: Array  # [time_count, 3] f64, [m], degrees or factors; see `readable`
    keys: NDArray[np.intp]  # [key_count], indices of the keys in `times` and `values`
    reach: float  # approximate distance [m] by which the track moves the farthest joint below its own joint


@dataclass(frozen=True, eq=False)
class Choice:
    """The curves of the plot, in the order of the skeleton, and the numbers of curves that the plot does not show."""

    shown: tuple[Curve, ...]
    lesser: int  # number of hidden curves with motion
    still: int  # number of hidden curves with a constant value


def choose(clip: Clip, most: int) -> Choice:
    """Return up to `most` curves: the curves with the largest `reach`, without constant curves.

    For each kind of track (translation, rotation, scale), the result includes at least the curve with the largest
    reach. A curve is constant if its reach is below `clip_table.POSITION_TOLERANCE` times the size of the skeleton. If
    all curves of the clip are constant, the result contains constant curves.
    """
    curves = [curve_of(clip, track) for track in clip.tracks]
    tolerance = POSITION_TOLERANCE * _size(clip.skeleton)
    moving = [curve for curve in curves if curve.reach > tolerance] or curves
    farthest = sorted(moving, key=lambda curve: -curve.reach)
    leaders = [next(c for c in farthest if c.track.path == path) for path in {c.track.path for c in moving}]
    followers = [curve for curve in farthest if curve not in leaders]
    shown = sorted((leaders + followers)[:most], key=_order)
    return Choice(tuple(shown), len(moving) - len(shown), len(curves) - len(moving))


def curve_of(clip: Clip, track: Track) -> Curve:
    """Sample a track at evenly spaced times and at each key. For a STEP track, sample before and after each step."""
    keys = track.times.astype(np.float64)
    before = np.nextafter(keys, -np.inf) if track.interpolation == "STEP" else keys
    spread = np.linspace(clip.start, clip.end, SAMPLES)
    times = np.unique(np.concatenate([spread, keys, np.maximum(before, clip.start)]))
    values = readable(clip.skeleton, track, track.sample(times))
    reach = float(np.max(np.linalg.norm(values - values[0], axis=-1))) * _arm(clip.skeleton, track)
    name = clip.skeleton.joint_names[track.joint_index]
    return Curve(name, track, times, values, np.searchsorted(times, keys), reach)


def readable(skeleton: Skeleton, track: Track, values: NDArray[np.float32]) -> Array:
    """Convert values [time, width] to [time, 3]: translations in metres, rotations in degrees, scales unchanged.

    Translations and rotations are relative to the first value of the track, in the axes of the parent joint.
    Translations have the scale that the parent joint has in the rest pose. Rotations are rotation vectors (axis times
    angle).
    """
    exact: Array = values.astype(np.float64)
    match track.path:
        case "scale":
            return exact
        case "translation":
            return (exact - exact[0]) * _parent_scale(skeleton, track.joint_index)
        case "rotation":
            return np.rad2deg(continuous_rotation_vectors(quaternion.multiply(exact, quaternion.conjugate(exact[0]))))
        case _:
            assert_never(track.path)


def continuous_rotation_vectors(rotations: Array) -> Array:
    """Return rotation vectors [time, 3] [rad] of unit quaternions [time, 4].

    Each vector is as close as possible to the previous vector.

    Angles that differ by full turns represent equal rotations. Among these angles, the function chooses the angle
    nearest to the previous angle. For example, the angle of a joint that rotates by two full turns reaches 4 pi.
    """
    length = np.linalg.norm(rotations[:, :3], axis=-1)
    angle = 2 * np.arctan2(length, rotations[:, 3])
    vectors = np.empty((len(rotations), 3))
    last = np.zeros(3)
    for index, q in enumerate(rotations):
        axis = q[:3] / length[index] if length[index] > 1e-9 else last / max(float(np.linalg.norm(last)), 1e-9)
        turns = np.round((last @ axis - angle[index]) / (2 * np.pi))
        last = vectors[index] = axis * (angle[index] + 2 * np.pi * turns)
    return vectors


def _arm(skeleton: Skeleton, track: Track) -> float:
    """Return the factor that converts a change of the values from `readable` to a movement in metres.

    For rotations and scales, the factor depends on the lever arm. The lever arm is the distance to the farthest joint
    below the joint of the track.

    For a joint without children, the lever arm is the length of its own bone. The lever arm is at least a twentieth of
    the skeleton's size.
    """
    match track.path:
        case "translation":
            return 1.0
        case "scale":
            return _reach_below(skeleton, track.joint_index)
        case "rotation":
            return _reach_below(skeleton, track.joint_index) * (np.pi / 180)
        case _:
            assert_never(track.path)


def _reach_below(skeleton: Skeleton, joint: int) -> float:
    """Return the distance from `joint` to its farthest descendant.

    If `joint` has no descendant, the function returns the distance to the parent joint. The distance is at least a
    twentieth of the skeleton's size.
    """
    positions = model_matrices(skeleton, skeleton.rest_pose)[..., 3]
    below = _subtree(skeleton.parents, joint)
    if len(below) == 1 and skeleton.parents[below[0]] >= 0:
        below = [*below, int(skeleton.parents[below[0]])]
    arm = float(np.max(np.linalg.norm(positions[below] - positions[joint], axis=-1)))
    return max(arm, _size(skeleton) / 20)


def _parent_scale(skeleton: Skeleton, joint: int) -> Array:
    """Return the length in metres [3] of one unit along each axis of the parent joint, in the rest pose."""
    parent = int(skeleton.parents[joint])
    if parent < 0:
        return np.ones(3)
    return np.linalg.norm(model_matrices(skeleton, skeleton.rest_pose)[parent, :, :3], axis=0)


def _size(skeleton: Skeleton) -> float:
    """Return the size of the skeleton in the rest pose [m], or 1 if all joints are at the same point."""
    return float(np.max(np.ptp(model_matrices(skeleton, skeleton.rest_pose)[..., 3], axis=0))) or 1.0


def _subtree(parents: NDArray[np.int32], joint: int) -> list[int]:
    found = [joint]
    for other in range(joint + 1, len(parents)):
        if parents[other] in found:
            found.append(other)
    return found


def _order(curve: Curve) -> tuple[int, int]:
    """Return a sort key for curves. Translations come before rotations and scales, and parents come before children."""
    return ("translation", "rotation", "scale").index(curve.track.path), curve.track.joint_index

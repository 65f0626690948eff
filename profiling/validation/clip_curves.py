"""The content of a plot of a clip: its moving tracks as lines over time, and which of them move the most."""

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

SAMPLES = 600  # times over a clip, besides its keys


@dataclass(frozen=True, eq=False)
class Curve:
    """One track in numbers that people read."""

    joint: str
    track: Track
    times: NDArray[np.float64]  # [time_count] f64, [s], never falling; all keys are among them
    values: Array  # [time_count, 3] f64, [m], degrees or factors; see `readable`
    keys: NDArray[np.intp]  # [key_count], where the keys are in times and values
    reach: float  # [m], how far the track moves the farthest joint below its own, about


@dataclass(frozen=True, eq=False)
class Choice:
    """The curves to show, in the skeleton's order, and how many are not."""

    shown: tuple[Curve, ...]
    lesser: int  # curves that move less than those shown
    still: int  # curves that hold one value


def choose(clip: Clip, most: int) -> Choice:
    """At most `most` curves that move, those with the farthest reach, but of each path at least its own farthest.

    A curve with a reach below the tolerance of tables (`clip_table.POSITION_TOLERANCE`) holds still. A clip in which
    no curve moves shows all of them.
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
    """A track at evenly spread times and at every key; where it steps, on both sides of the step."""
    keys = track.times.astype(np.float64)
    before = np.nextafter(keys, -np.inf) if track.interpolation == "STEP" else keys
    spread = np.linspace(clip.start, clip.end, SAMPLES)
    times = np.unique(np.concatenate([spread, keys, np.maximum(before, clip.start)]))
    values = readable(clip.skeleton, track, track.sample(times))
    reach = float(np.max(np.linalg.norm(values - values[0], axis=-1))) * _arm(clip.skeleton, track)
    name = clip.skeleton.joint_names[track.joint_index]
    return Curve(name, track, times, values, np.searchsorted(times, keys), reach)


def readable(skeleton: Skeleton, track: Track, values: NDArray[np.float32]) -> Array:
    """Values [time, width] over time as [time, 3]: movement in metres, rotation in degrees, scale as it is.

    Movement is from the first time's place, along the parent's axes, with the scale that the rest pose puts on
    them; a rotation is its vector (axis times angle, in the parent's axes) from the first time's rotation.
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
    """Rotation vectors [time, 3] in radians of unit quaternions [time, 4], each as near as can be to the one before.

    A turn about an axis by an angle is also one by whole turns more or less. The vector takes the form that
    goes on where the last one was: a joint that turns twice around reaches 4 pi.
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
    """Return the factor from a track's unit to metres: for degrees and factors, the way to the farthest joint below.

    A joint with nothing below it counts by the bone that leads to it, or a twentieth of the skeleton.
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
    """The way to the farthest joint below one, or its bone's, or a twentieth of the skeleton."""
    positions = model_matrices(skeleton, skeleton.rest_pose)[..., 3]
    below = _subtree(skeleton.parents, joint)
    if len(below) == 1 and skeleton.parents[below[0]] >= 0:
        below = [*below, int(skeleton.parents[below[0]])]
    arm = float(np.max(np.linalg.norm(positions[below] - positions[joint], axis=-1)))
    return max(arm, _size(skeleton) / 20)


def _parent_scale(skeleton: Skeleton, joint: int) -> Array:
    """Metres [3] that one unit along each of the parent's axes is in the rest pose."""
    parent = int(skeleton.parents[joint])
    if parent < 0:
        return np.ones(3)
    return np.linalg.norm(model_matrices(skeleton, skeleton.rest_pose)[parent, :, :3], axis=0)


def _size(skeleton: Skeleton) -> float:
    """Extent of the joints in the rest pose [m]; 1 where they are all in one place."""
    return float(np.max(np.ptp(model_matrices(skeleton, skeleton.rest_pose)[..., 3], axis=0))) or 1.0


def _subtree(parents: NDArray[np.int32], joint: int) -> list[int]:
    found = [joint]
    for other in range(joint + 1, len(parents)):
        if parents[other] in found:
            found.append(other)
    return found


def _order(curve: Curve) -> tuple[int, int]:
    """Translations first, then rotations, then scales, each parents first."""
    return ("translation", "rotation", "scale").index(curve.track.path), curve.track.joint_index

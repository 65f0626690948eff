"""Root paths: the movement of a clip's body over the ground.

An actor can move along the path, while its body stays in place.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths import elementary, quaternion
from ecs_anim.maths.arc import UP
from ecs_anim.maths.small_matrices import length
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.row_counts import key_interval_count

LEAST_INTERVALS = 128  # smallest number of intervals in a root path
STILL = 1e-3  # share of the size of the skeleton; a joint that moves less over the ground does not carry the body

Reals = NDArray[np.floating]
RootPath = NDArray[np.float32]  # [point, 3] f32, x and z [rig units] and turn about +Y [rad], at evenly spaced phases


def still_path(clip: Clip) -> RootPath:
    """Return a root path without movement. The path has a point at each evenly spaced key of a clip."""
    intervals = key_interval_count(clip, [track.times for track in clip.tracks])
    return np.zeros((intervals * -(-LEAST_INTERVALS // intervals) + 1, 3), np.float32)


def path_of(clip: Clip, *, turns: bool) -> RootPath:
    """Return the root path of a clip. With `turns`, the path contains the turn of the body about the up axis.

    The path is the movement of the joint that carries the body. If tracks move several joints over the ground, the
    joint with the most descendants carries the body.
    """
    path = still_path(clip)
    matrices = model_matrices(clip.skeleton, clip.sample(_times(clip, path), loop=False)).astype(np.float64)
    carrier = _carrier(clip, matrices[..., 3], turns)
    if carrier < 0:
        return path
    axes, place = matrices[:, carrier, :, :3], matrices[:, carrier, ::2, 3]
    turn = np.unwrap(_turns(axes, axes[0])) if turns else np.zeros(len(path))
    path[:, 2] = turn
    path[:, :2] = place - _turned(place[0], turn)
    return path


def without_path(clip: Clip, path: RootPath) -> Clip:
    """Return a clip without the movement of its root path."""
    undone = np.concatenate([_turned(-path[:, :2], -path[:, 2]), -path[:, 2:]], axis=1)
    return _moved(clip, undone)


def with_path(clip: Clip, path: RootPath) -> Clip:
    """Return a clip with the movement of a root path added."""
    return _moved(clip, path)


def _moved(clip: Clip, path: Reals) -> Clip:
    if not path.any():
        return clip
    time = _times(clip, path)
    poses, roots = clip.sample(time, loop=False), np.flatnonzero(clip.skeleton.parents < 0)
    moved = _moved_roots(poses, roots, path.astype(np.float64))
    kept = [t for t in clip.tracks if t.path == "scale" or t.joint_index not in roots]
    keys = time.astype(np.float32)
    for at, root in enumerate(roots.tolist()):
        kept.append(Track(root, "translation", "LINEAR", keys, moved.translation[:, at]))
        kept.append(Track(root, "rotation", "LINEAR", keys, moved.rotation[:, at]))
    return replace(clip, tracks=tuple(kept))


def _moved_roots(poses: Pose, roots: NDArray[np.intp], path: Reals) -> Pose:
    """Return the poses [time, root] of the root joints after the movement of a path."""
    place, turn = poses.translation[:, roots].astype(np.float64), path[:, 2:]
    place[..., ::2] = _turned(place[..., ::2], turn) + path[:, None, :2]
    rotation = quaternion.multiply(quaternion.from_axis_angle(UP, turn), poses.rotation[:, roots])
    parts = place, rotation, poses.scale[:, roots]
    return Pose(*(np.ascontiguousarray(part, np.float32) for part in parts))


def _times(clip: Clip, path: Reals) -> NDArray[np.float64]:
    """Return the time [s] of each point of a path."""
    return clip.start + np.linspace(0, 1, len(path)) * clip.duration


def _turned(plane: Reals, turn: Reals) -> Reals:
    """Return points [..., 2], x and z, after a rotation by the angles `turn` [...] about +Y [rad]."""
    x, z, sine, cosine = plane[..., 0], plane[..., 1], elementary.sin(turn), elementary.cos(turn)
    return np.stack([x * cosine + z * sine, z * cosine - x * sine], axis=-1)


def _turns(axes: Reals, reference: Reals) -> Reals:
    """Return the turns [time] about +Y [rad] that rotate the axes `reference` [3, 3] as near as possible to the axes
    `axes` [time, 3, 3].

    The columns of the matrices are the axes of a joint.
    """
    x, z, from_x, from_z = axes[:, 0], axes[:, 2], reference[0], reference[2]
    turn: Reals = elementary.arctan2(np.sum(x * from_z - z * from_x, axis=-1), np.sum(x * from_x + z * from_z, axis=-1))
    return turn


def _carrier(clip: Clip, places: Reals, turns: bool) -> int:
    """Return the joint that carries the body, or -1 if no track moves a joint over the ground.

    With `turns`, a joint that only turns can also carry the body.
    """
    paths = {"translation", "rotation"} if turns else {"translation"}
    moving = {track.joint_index for track in clip.tracks if track.path in paths and not _is_still(track, clip)}
    far, size = length((places - places[0])[..., ::2]).max(axis=0), np.ptp(places[0], axis=0).max()
    counts = _counts_below(clip.skeleton)
    able = [joint for joint in sorted(moving) if turns or far[joint] > STILL * size]
    return max(able, key=lambda joint: counts[joint], default=-1)


def _is_still(track: Track, clip: Clip) -> bool:
    return track.is_constant(track.sample([clip.start])[0])


def _counts_below(skeleton: Skeleton) -> list[int]:
    counts = [0] * skeleton.joint_count
    for joint in range(skeleton.joint_count - 1, -1, -1):  # parents come before children
        parent = int(skeleton.parents[joint])
        if parent >= 0:
            counts[parent] += 1 + counts[joint]
    return counts

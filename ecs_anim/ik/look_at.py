"""Looking at a point: a chain such as spine, neck and head turns until the last joint faces the point.

The readable form, vectorised over leading axes; `ecs_anim.kernels.look_at` computes the same numbers.

A turn is a yaw about the model's up axis and a pitch, both on top of the animated pose: the last joint's forward axis
is raised by the pitch in its own upright plane, then turned by the yaw. Upright planes stay upright, so a head that is
held level stays level. Each joint before the last takes its share of the turn, the last one what is left; all joints
turn about the same axes, so that their parts add up. Limits hold these parts, and the whole, each angle for itself.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.bounds import NumberColumn
from ecs_anim.maths import affine, elementary, quaternion, small_matrices

UP = np.array([0.0, 1.0, 0.0])
BEHIND = np.radians(20.0)  # a target that crosses behind the back is followed past it so far on the old side
NEAR = 1e-4  # of its distance from the origin; a target so close is at the head's own place
STRAIGHT = 1e-6  # a head that hangs so that nothing is ahead of it
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of a joint's name: 'mixamorig:Spine1', 'b_Neck_04'
SPINE, HEAD, LEAF = {"spine", "chest", "torso", "neck"}, {"head"}, {"top", "end", "nub", "eye", "tail"}

Array = NDArray[np.floating]


class LookChain(NamedTuple):
    """The joints that turn, first to last, as kernels read them."""

    joints: NDArray[np.int32]  # [n] i32, each hangs from the one before
    share: NDArray[np.float32]  # [n] f32, of the turn; the last joint takes what is left, whatever its share
    limit: NDArray[np.float32]  # [n, 2] f32, [rad], the most yaw and pitch that each joint adds
    forward: NDArray[np.float32]  # [3] f32, where the last joint looks, in its own frame
    up: NDArray[np.float32]  # [3] f32, what is up for it
    owned: NDArray[np.int32]  # i32, the joints that move with each joint of the chain, one after another
    owned_start: NDArray[np.int32]  # [n + 1] i32, where those of each begin and end


class LookSettings(NamedTuple):
    """How far and how fast."""

    max_yaw: float  # [rad] of the last joint from the animated pose
    max_pitch: float  # [rad]
    release: float  # [rad] past the limits, in which a target is let go; inf = held at the limit
    seconds: float  # [s], time constant with which the gaze comes to rest on its target
    speed: float  # [rad/s], the most that yaw and pitch change


class LookState(NamedTuple):
    """What a gaze remembers: of the chain before its last joint, and of the last one, yaw and pitch [rad]."""

    turn: NumberColumn  # [..., 4] yaw, pitch; yaw, pitch
    goal: NumberColumn  # [..., 4], what the turn followed last


class _Gaze(NamedTuple):
    """The animated pose, as looking sees it."""

    origins: Array  # [..., n, 3], of the chain's joints
    level: Array  # [..., 3], ahead of the last joint, at right angles to up
    side: Array  # [..., 3], to its left
    forward: Array  # [..., 3], where it looks


def find_joints(skeleton: Skeleton) -> list[str]:
    """Spine, neck and head by their usual names, such as Spine, Spine1, Neck, Head; [] where there is no head."""
    names = skeleton.joint_names
    head = next((joint for joint, name in enumerate(names) if _is_called(name, HEAD)), None)
    if head is None:
        return []
    spine = (joint for joint, name in enumerate(names) if _is_called(name, SPINE) and head in skeleton.below(joint))
    return [*(names[joint] for joint in spine if joint != head), names[head]]


def make_chain(
    skeleton: Skeleton,
    joints: Sequence[str],
    shares: Sequence[float],
    limits: Sequence[tuple[float, float]],
    facing: float = 0.0,
) -> LookChain:
    """A chain of joints by name, first to last; shares count against each other, limits are yaw and pitch [rad].

    Where the last joint looks is where the rig faces in its rest pose: `facing` [rad] about +Y from +Z. Raises
    InputError for an unknown name, ValueError for joints that do not hang from one another or shares without a sum.
    """
    numbers = [skeleton.joint_index(name) for name in joints]
    for above, below in pairwise(numbers):
        skeleton.path(above, below)
    share = np.array(shares, np.float64)
    if not (len(share) and (share >= 0).all() and 0 < share.sum() < np.inf):
        raise ValueError(f"shares must be >= 0 and not all 0 (got {[*shares]})")
    rest = model_matrices(skeleton, skeleton.rest_pose)[numbers[-1], :, :3].astype(np.float64)
    ahead = np.array([elementary.sin(facing), 0.0, elementary.cos(facing)])
    forward, up = small_matrices.unit(
        small_matrices.applied(small_matrices.pseudo_inverse(rest), np.stack([ahead, UP]))
    )
    owned = skeleton.segments(numbers)
    chain = LookChain(
        np.array(numbers, np.int32),
        (share / share.sum()).astype(np.float32),
        np.array(limits, np.float32).reshape(-1, 2),
        forward.astype(np.float32),
        up.astype(np.float32),
        np.array([joint for part in owned for joint in part], np.int32),
        np.cumsum([0, *(len(part) for part in owned)]).astype(np.int32),
    )
    for array in chain:
        array.flags.writeable = False
    return chain


def look_at(
    chain: LookChain, settings: LookSettings, model: ArrayLike, target: ArrayLike, weight: ArrayLike = 1.0
) -> Array:
    """Model matrices [..., joint, 3, 4] of a character that has its eyes on target [..., 3], in model space.

    Where target and limits allow it, the last joint's forward axis points at the target. weight [...], 0 to 1, is how
    much of each angle is turned.
    """
    model, target, weight = np.asarray(model, np.float64), np.asarray(target, np.float64), np.asarray(weight)
    gaze, still = _gaze(chain, model), np.zeros((*model.shape[:-3], 2))
    body = _goal(settings, gaze, gaze.origins[..., -1, :], target, still)
    places = _places(chain, gaze, _parts(chain, body, weight))
    head = _goal(settings, gaze, places[..., -1, :], target, still)
    return _turned(chain, model, gaze, body, head, weight)


def follow(
    chain: LookChain,
    settings: LookSettings,
    model: ArrayLike,
    target: ArrayLike,
    state: LookState,
    dt: float,
    weight: ArrayLike = 1.0,
) -> tuple[Array, LookState]:
    """As `look_at`, dt seconds after `state`: the model matrices, and the state to come back with."""
    model, target, weight = np.asarray(model, np.float64), np.asarray(target, np.float64), np.asarray(weight)
    gaze = _gaze(chain, model)
    body_goal = _goal(settings, gaze, gaze.origins[..., -1, :], target, state.goal[..., :2])
    body = _approach(settings, state.turn[..., :2], state.goal[..., :2], body_goal, dt)
    places = _places(chain, gaze, _parts(chain, body, weight))
    head_goal = _goal(settings, gaze, places[..., -1, :], target, state.goal[..., 2:])
    head = _approach(settings, state.turn[..., 2:], state.goal[..., 2:], head_goal, dt)
    turned = _turned(chain, model, gaze, body, head, weight)
    return turned, LookState(np.concatenate([body, head], axis=-1), np.concatenate([body_goal, head_goal], axis=-1))


def _approach(settings: LookSettings, turn: Array, last_goal: Array, goal: Array, dt: float) -> Array:
    """Angles that follow their goal's movement, while what lies between them and the goal fades exponentially.

    A target that moves steadily is followed without lag; one that jumps is approached, never faster than the limit.
    """
    most = settings.speed * dt
    along = turn + np.clip(goal - last_goal, -most, most)
    return turn + np.clip(goal + (along - goal) * elementary.exp(-dt / settings.seconds) - turn, -most, most)


def _goal(settings: LookSettings, gaze: _Gaze, place: Array, target: Array, last: Array) -> Array:
    """Yaw and pitch [..., 2] that point the last joint from `place` at the target, within the limits.

    A target at the place itself, or one that is no number, leaves the goal as it was.
    """
    away = target - place
    distance = np.linalg.norm(away, axis=-1)
    seen = (np.isfinite(distance) & (distance > NEAR * np.linalg.norm(place, axis=-1)))[..., None]
    return np.where(seen, _limited(settings, _angles(gaze, np.where(seen, away, UP)), last), last)


def _angles(gaze: _Gaze, away: Array) -> Array:
    """Yaw and pitch [..., 2] that take the forward axis to the direction of `away` [..., 3].

    Both are differences of two directions in a plane, which one arctan2 gives, between -pi and pi.
    """
    ahead, left, high = (np.sum(away * axis, axis=-1) for axis in (gaze.level, gaze.side, UP))
    forward, aside, rise = (np.sum(gaze.forward * axis, axis=-1) for axis in (gaze.level, gaze.side, UP))
    rise_wanted = high / np.maximum(np.sqrt(ahead**2 + left**2 + high**2), 1e-30)
    reach = elementary.hypot(forward, rise)  # pitching moves the axis round a circle of this radius
    flat = np.sqrt(np.maximum(reach**2 - rise_wanted**2, 0))
    pitch = elementary.arctan2(rise_wanted * forward - flat * rise, flat * forward + rise_wanted * rise)
    yaw = elementary.arctan2(left * flat - ahead * aside, ahead * flat + left * aside)
    return np.stack([yaw, pitch], axis=-1)


def _limited(settings: LookSettings, angles: Array, last: Array) -> Array:
    """The angles as far as the limits go; past them held, or given up."""
    yaw, pitch = angles[..., 0], angles[..., 1]
    crossed = (yaw * last[..., 0] < 0) & (np.abs(yaw) > np.pi - BEHIND)
    yaw = np.where(crossed, yaw + np.copysign(2 * np.pi, last[..., 0]), yaw)
    past = np.maximum(np.abs(yaw) - settings.max_yaw, np.abs(pitch) - settings.max_pitch)
    t = np.clip(1 - past / settings.release, 0, 1)
    limits = np.array([settings.max_yaw, settings.max_pitch])
    return (t * t * (3 - 2 * t))[..., None] * np.clip(np.stack([yaw, pitch], axis=-1), -limits, limits)


def _parts(chain: LookChain, body: Array, weight: Array) -> Array:
    """Yaw and pitch of each joint but the last, with all above it, [..., n - 1, 2]."""
    whole = (weight[..., None] * body)[..., None, :]
    return np.cumsum(np.clip(chain.share[:-1, None] * whole, -chain.limit[:-1], chain.limit[:-1]), axis=-2)


def _turned(chain: LookChain, model: Array, gaze: _Gaze, body: Array, head: Array, weight: Array) -> Array:
    """The model matrices after the whole turn."""
    parts = _parts(chain, body, weight)
    before = parts[..., -1, :] if parts.shape[-2] else np.zeros_like(head)
    last = before + np.clip(weight[..., None] * head - before, -chain.limit[-1], chain.limit[-1])
    turns = _rotations(gaze, np.concatenate([parts, last[..., None, :]], axis=-2))
    places = _places(chain, gaze, parts)
    out = model.copy()
    for i, begin in enumerate(chain.owned_start[:-1]):
        shift = places[..., i, :] - small_matrices.applied(turns[..., i, :, :], gaze.origins[..., i, :])
        owned = chain.owned[begin : chain.owned_start[i + 1]]
        out[..., owned, :, :] = affine.multiply(
            affine.join(turns[..., i, :, :], shift)[..., None, :, :], out[..., owned, :, :]
        )
    return np.where((np.asarray(weight) == 0)[..., None, None, None], model, out)


def _places(chain: LookChain, gaze: _Gaze, parts: Array) -> Array:
    """Where the chain's joints come to be, [..., n, 3], when those before the last have turned."""
    links = np.diff(gaze.origins, axis=-2)
    turned = small_matrices.applied(_rotations(gaze, parts), links)
    return np.concatenate([gaze.origins[..., :1, :], gaze.origins[..., :1, :] + np.cumsum(turned, axis=-2)], axis=-2)


def _rotations(gaze: _Gaze, angles: Array) -> Array:
    """Matrices [..., m, 3, 3] of a pitch, then a yaw, from angles [..., m, 2]."""
    yaw = quaternion.from_axis_angle(UP, angles[..., 0])
    pitch = quaternion.from_axis_angle(-gaze.side[..., None, :], angles[..., 1])
    return quaternion.to_matrix(quaternion.multiply(yaw, pitch))


def _gaze(chain: LookChain, model: Array) -> _Gaze:
    """Where the last joint looks before it is turned.

    What is ahead is at right angles to the line between its ears, which stays level however far the head nods; the
    more the head lies on its side or hangs upside down, the more counts the level part of where it looks.
    """
    last = model[..., chain.joints[-1], :, :]
    forward = small_matrices.unit(affine.transform_vectors(last, chain.forward))
    up = small_matrices.unit(affine.transform_vectors(last, chain.up))
    by_ears = np.cross(UP, np.cross(forward, up))
    by_nose = forward - forward[..., 1:2] * UP
    level = (1 + up[..., 1:2]) * by_ears + by_nose
    straight = np.linalg.norm(level, axis=-1, keepdims=True) < STRAIGHT
    level = small_matrices.unit(np.where(straight, np.array([0.0, 0.0, 1.0]), level))
    return _Gaze(model[..., 3][..., chain.joints, :], level, np.cross(UP, level), forward)


def _is_called(name: str, wanted: set[str]) -> bool:
    """Whether one of these is among the words of a joint's name, and none that says it is an end."""
    words = {word.lower() for word in WORD.findall(name)}
    return bool(words & wanted) and not words & LEAF

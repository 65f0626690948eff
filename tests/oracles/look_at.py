"""Looking at a point in plain numpy, vectorised over leading axes: the reference for `ecs_anim.kernels.look_at`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.ik.look_at import BEHIND, NEAR, STRAIGHT, UP, LookChain, LookSettings, LookState
from ecs_anim.maths import affine, elementary, quaternion, small_matrices

Array = NDArray[np.floating]


class _Gaze(NamedTuple):
    """The animated pose, as looking sees it."""

    origins: Array  # [..., n, 3], of the chain's joints
    level: Array  # [..., 3], ahead of the last joint, at right angles to up
    side: Array  # [..., 3], to its left
    forward: Array  # [..., 3], where it looks


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
    """Return the gaze of the last joint before it is turned.

    The level forward direction is at right angles to the line between the ears, which stays level in a nod. The more
    the head lies on its side or hangs upside down, the more weight the level part of the gaze gets.
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

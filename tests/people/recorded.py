"""People whose steps are known: characters walk by their own clips, and what a camera above would record of them.

Plain numpy on exact samples of clips; nothing here knows of bodies, gaits or paths. Clips are made to look well from
the side: heads of these characters are furthest left a seventh of a stride after (the mannequin), a fifth (Woman) or a
quarter of one before (manny) the middle of the left foot's stance, where those of people are. Which foot's a step is
can be told from people only; so `swaying` moves heads as people's were measured, over the feet that the clips have.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ecs_anim.assets.blending import blend
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.ik.legs import find_legs
from ecs_anim.maths import affine
from ecs_anim.runtime.gait import ground_velocity

RATE, TALL, SECONDS = 60, 1.75, 26.0  # [Hz], [m], [s]
SWAY = 0.034  # [m], of recorded people in free walking
STILL = 0.35  # [m/s], slower than which the slower end of a sole stands on the ground
BRIEFEST = 0.1  # [s] of a stance or a swing

Array = np.ndarray


@dataclass
class Walked:
    """A walking person, RATE times a second; plan points."""

    times: Array  # [n], [s]
    root: Array  # [n, 2]
    head: Array  # [n, 2]
    soles: Array  # [n, leg, 2, 2], heel and ball

    @property
    def stands(self) -> Array:
        """Which feet stand [n, leg], the left one first."""
        return standing(self.soles)

    @property
    def swaying(self) -> Array:
        """Heads [n, 2] over the root that sway as people's do, to the foot that stands; less the slower they are."""
        velocity = np.gradient(self.root, axis=0) * RATE
        speed = np.sqrt(np.sum(velocity**2, axis=-1))
        left = np.stack([-velocity[:, 1], velocity[:, 0]], axis=-1) / np.maximum(speed, 1e-6)[:, None]
        size = SWAY * np.sqrt(speed / speed.max()) * np.cos(2 * np.pi * _strides(self.stands))
        return self.root + size[:, None] * left

    def recorded(self, points: Array, rate: float, noise: float, seed: int) -> tuple[Array, Array]:
        """Times and points as a camera above has them that takes so many pictures a second."""
        times = np.arange(self.times[0], self.times[-1], 1 / rate)
        seen = np.stack([np.interp(times, self.times, points[:, axis]) for axis in range(2)], axis=-1)
        return times, seen + np.random.default_rng(seed).normal(0, noise, seen.shape)


def on_their_way(speed: float) -> tuple[Array, Array, Array]:
    """Times [s], speeds [m/s] and headings [rad, counter-clockwise from east]: curves, stops and starts."""
    at, share = np.array([(0, 0), (1.2, 1), (10, 1), (11.2, 0), (12.7, 0), (13.9, 1), (SECONDS, 1)]).T
    times = np.arange(round(SECONDS * RATE)) / RATE
    turn = 0.5 * ((times > 3) & (times < 6)) - 0.6 * ((times > 16) & (times < 20))  # [rad/s]
    return times, speed * np.interp(times, at, share), 0.4 + np.cumsum(turn) / RATE


def walk_speed(rig: Rig, walk: str) -> float:
    """How fast a character of TALL goes by its clip [m/s]."""
    return ground_velocity(rig.clips[walk], 0.0)[1] * _scale(rig)


def walked(rig: Rig, idle: str, walk: str, phase: float = 0.0) -> Walked:
    """A character on its way by its own clips; mix and pace are as the root of the speed: feet stand still."""
    scale, speed = _scale(rig), walk_speed(rig, walk)
    times, speeds, headings = on_their_way(speed)
    ahead = np.stack([np.cos(headings), np.sin(headings)], axis=-1)
    root = np.cumsum(speeds[:, None] * ahead, axis=0) / RATE
    share = np.sqrt(speeds / speed)
    stands, walks = rig.clips[idle], rig.clips[walk]
    strides = phase + np.cumsum(share) / RATE / walks.duration
    pose = blend(
        stands.sample(stands.start + times % max(stands.duration, 1e-3)),
        walks.sample(walks.start + strides % 1.0 * walks.duration),
        share,
    )
    model = model_matrices(rig.skeleton, pose).astype(np.float64)
    legs = find_legs(rig)
    soles = np.stack(
        [affine.transform_points(model[:, leg.ankle][:, None], leg.contacts.astype(float)) for leg in legs], axis=1
    )

    def on_map(points: Array) -> Array:
        side, onward = scale * points[..., 0], scale * points[..., 2]
        own = (slice(None), *(None,) * (side.ndim - 1))
        left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
        return root[own] + side[..., None] * left[own] + onward[..., None] * ahead[own]

    return Walked(times, root, on_map(_head(rig, model)), on_map(soles))


def standing(soles: Array) -> Array:
    """Which feet stand [n, leg], of soles [n, leg, 2, 2] RATE times a second: an end of each keeps where it is."""
    moved = np.sqrt(np.sum(np.diff(soles, axis=0, prepend=soles[:1]) ** 2, axis=-1)).min(axis=-1) * RATE
    return np.stack([_lasting(own < STILL) for own in moved.T], axis=-1)


def landings(stands: Array, soles: Array) -> Array:
    """Where feet land one after the other: tick, leg, x, y [landing, 4]."""
    found = [
        (tick, leg, *soles[tick, leg].mean(axis=0))
        for leg in range(stands.shape[1])
        for tick in np.flatnonzero(stands[1:, leg] & ~stands[:-1, leg]) + 1
    ]
    return np.array(sorted(found)).reshape(-1, 4)


def _strides(stands: Array) -> Array:
    """Strides [n]: whole in the middle of the left foot's stances, halves in the middle of the right one's."""
    middles = []
    for leg, own in enumerate(stands.T):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], own, [False]]).astype(int)))
        middles += [(begin + end, leg) for begin, end in zip(edges[::2], edges[1::2], strict=True)]
    at, legs = np.array(sorted(middles)).T
    strides = legs[0] / 2 + np.concatenate([[0], np.cumsum(np.where(np.diff(legs) == 0, 1.0, 0.5))])
    return np.interp(np.arange(len(stands)), at / 2, strides)


def _lasting(stands: Array) -> Array:
    """Return the stands without any that is shorter than `BRIEFEST`."""
    edges = np.flatnonzero(np.diff(stands)) + 1
    result = stands.copy()
    for begin, end in pairwise(edges):
        if (end - begin) / RATE < BRIEFEST:
            result[begin:end] = ~result[begin]
    return result


def _scale(rig: Rig) -> float:
    low, high = rest_bounds(rig)
    return TALL / float(high[1] - low[1])


def _head(rig: Rig, model: Array) -> Array:
    """The top of the head [n, 3], [rig units], over its joint in the rest pose."""
    joint = next(k for k, name in enumerate(rig.skeleton.joint_names) if name.lower() == "head")
    rest = model_matrices(rig.skeleton, rig.skeleton.rest_pose)[joint].astype(np.float64)
    top = np.array([rest[0, 3], rest_bounds(rig)[1][1], rest[2, 3]])
    own = np.linalg.solve(rest[:, :3], top - rest[:, 3])
    return model[:, joint, :, :3] @ own + model[:, joint, :, 3]

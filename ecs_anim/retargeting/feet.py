"""Feet of the target body. Heels and balls follow the heels and balls of the source body, scaled by the leg length.

A planted heel or ball does not move.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames
from ecs_anim.maths import quaternion
from ecs_anim.maths.elementary import arctan2
from ecs_anim.maths.small_matrices import inner, length, unit
from ecs_anim.retargeting.body import Body, contacts_of
from ecs_anim.retargeting.held import held, stretches

Reals = NDArray[np.floating]
HEEL, BALL = 0, 1
# A foot counts as flat if the height difference of heel and ball is at most this share of the foot's length.
FLAT = 0.05
# If the difference is larger than FLAT by this share of the foot's length, only the lower of heel and ball defines the
# position of the ankle.
ROLL = 0.2
# Largest height and speed of a planted heel or ball: in leg lengths, and in leg lengths per second.
LOW, SLOW = 0.03, 0.25
# Short interruptions of a stance are ignored: their largest duration [s], and their largest speed as a multiple of
# SLOW.
BRIEF, HASTY = 0.15, 2.0
# [leg lengths]. If a sole is below the floor by up to this depth, the clip has an error. From twice this depth, the
# person steps down.
SUNK = 0.08
HIGH = 0.15  # [leg lengths], height above which the ground does not influence a foot
CLOSED = 0.02  # [leg lengths], largest distance of an ankle between both ends of a looping clip
# The height of the floor is this percentile, over all times, of the height of the lowest heel or ball.
LOWEST = 2.0


class Mapping(NamedTuple):
    """A mapping from the source body's model space to the target body's model space."""

    turn: Reals  # [4], rotation about +Y from the facing of the source to the facing of the target
    scale: float  # leg length of the target divided by leg length of the source; the leg length is from hip to ankle
    stride: float  # ratio of the leg lengths from hip to sole; it scales travelled distances
    floor: float  # [rig units of the source], height that becomes 0

    def points(self, points: Reals) -> Reals:
        """Map points [..., 3] from the source's to the target's model space.

        The floor of the source becomes height 0.
        """
        return self.ways(points - [0.0, self.floor, 0.0])

    def ways(self, ways: Reals) -> Reals:
        """Map vectors [..., 3] from the source's to the target's model space."""
        return quaternion.rotate(self.turn, ways) * [self.stride, self.scale, self.stride]


class Source(NamedTuple):
    """The source body and its joints at all sampled times of a clip."""

    body: Body
    moving: Frames  # [time, joint]
    time: Reals  # [time], [s]
    ground: Reals  # [3], velocity over the ground that the clip does not contain [rig units of the source/s]

    def contacts(self, side: int) -> Reals:
        """Return the positions of a foot's heel and ball [time, 2, 3], including the movement over the ground."""
        return contacts_of(self.body, self.moving, side) + self.drift[:, None]

    @property
    def drift(self) -> Reals:
        """Return the movement of the body over the ground [time, 3]."""
        return self.time[:, None] * self.ground

    def moments(self, seconds: float) -> int:
        """Return the number of samples in a duration [s]. The result is at most half of the number of samples in the
        clip.
        """
        if len(self.time) < 2:
            return 0
        return min(round(seconds / float(np.median(np.diff(self.time)))), len(self.time) // 2)

    def lap(self) -> float | None:
        """Return the total rotation of a looping clip to the left [rad]. If the clip does not loop, return None.

        A clip loops if both legs have equal poses at its start and at its end. The method compares the poses relative
        to the hips and to the hips' rotation about +Y.
        """
        began, ended = self.moving.rotations[[0, -1], self.body.roles.joints["hips"]]
        _, y, _, w = quaternion.multiply(ended, quaternion.conjugate(began))
        angle = float(2 * arctan2(y, w))
        turned = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(angle))
        first, last = self.moving.positions[[0, -1]]
        for leg in self.body.legs:
            before, after = (own[leg.lower] - own[leg.upper] for own in (first, last))
            if float(length(quaternion.rotate(turned, before) - after)) >= CLOSED * self.body.leg_length:
                return None
        return angle

    def floor(self) -> float:
        """Return the height of the floor on which the feet of the source stand.

        Usually, the result is 0, the floor of the character. If the planted soles are slightly below 0, the result is
        their median height. If the floor of the body is unknown, a low percentile of the soles' heights is the result.
        """
        contacts = np.stack([self.contacts(side) for side in (0, 1)])
        if not self.body.stands:
            return float(np.percentile(contacts[..., 1].min(axis=(0, -1)), LOWEST))
        planted = np.stack([_planted(self, own) for own in contacts])
        sunk = float(np.median(contacts[planted, 1])) if planted.any() else 0.0
        return min(sunk, 0.0) if sunk > -SUNK * self.body.leg_length else 0.0


def hips_path(source: Source, target: Body, mapping: Mapping, hips: Reals) -> Reals:
    """Return the positions of the target's hips [time, 3] for hip rotations `hips` [time, 4].

    The function places the hip joints of the target at the scaled positions of the source's hip joints.
    """
    left, right = (source.moving.positions[:, leg.upper] for leg in source.body.legs)
    middle = mapping.points((left + right) / 2)
    middle[:, 1] += target.ankle_height - mapping.scale * source.body.ankle_height
    joint, points = target.roles.joints["hips"], target.reference.positions
    own = (points[target.legs[0].upper] + points[target.legs[1].upper]) / 2 - points[joint]
    still = quaternion.rotate(quaternion.conjugate(target.reference.rotations[joint]), own)
    return middle - quaternion.rotate(hips, still)


def ankle_path(source: Source, target: Body, mapping: Mapping, side: int, foot: Reals, hip: Reals) -> Reals:
    """Return the positions [time, 3] of the target's ankle on one side, over the ground.

    `foot` [time, 4] contains the rotations of the foot. Near the ground, the heel of a foot that lands follows the
    source's heel. The ball of a foot that takes off follows the source's ball. Above the ground, the ankle follows the
    source's ankle relative to the hip joint `hip` [time, 3]. A sole is below the floor only if the source steps down.
    """
    contacts = source.contacts(side) - [0.0, mapping.floor, 0.0]
    planted, near = _planted(source, contacts), _nearness(contacts, source.body.leg_length)
    soles = quaternion.rotate(foot[:, None], target.soles[side])
    still = _Still(planted, source.lap())
    ours, theirs = _foot(target, side), mapping.stride * _foot(source.body, side)
    ahead = unit(still.feet(_heading(source, mapping, side)))
    aside = (target.hip_width - mapping.stride * source.body.hip_width) / 2 * (1 - 2 * side)
    shift = unit(still.feet(_across(source, mapping))) * aside
    standing = _standing(source, mapping, side, still, contacts) + shift[:, None] - soles
    standing += ahead[:, None] * (ours - theirs)[:, None]
    by_contact = _rolled(standing, contacts, theirs / mapping.stride, still.on_heel())
    leg = source.body.legs[side]
    reach = source.moving.positions[:, leg.lower] - source.moving.positions[:, leg.upper]
    by_ankle = hip + mapping.ways(source.drift) + quaternion.rotate(mapping.turn, reach) * mapping.scale
    path: Reals = by_ankle + near[:, None] * (by_contact - by_ankle)
    lowest = _pit(contacts, source.body.leg_length) * mapping.scale
    path[:, 1] += np.maximum(lowest - (path[:, None] + soles)[..., 1].min(axis=1), 0)
    return path


class _Still(NamedTuple):
    """The times at which heel and ball of a foot are planted, and, for a looping clip, the total rotation of the body
    in the clip.
    """

    planted: NDArray[np.bool_]  # [time, 2]
    lap: float | None  # [rad]

    def feet(self, path: Reals) -> Reals:
        """Return a path [time, 3] that stays at one point while heel or ball is planted."""
        return held(path, self.planted[:, HEEL] | self.planted[:, BALL], self.lap)

    def on_heel(self) -> Reals:
        """Return the weight of the heel [time], 0 to 1, for a flat foot.

        During a footstep, the weight is 1 if the heel is planted for a longer time than the ball, else 0. Between
        footsteps, the function interpolates the weight.
        """
        time = np.arange(len(self.planted))
        steps = stretches(self.planted[:, HEEL] | self.planted[:, BALL])
        if not steps:
            return np.zeros(len(time))
        longer = [np.diff(self.planted[first : last + 1].sum(axis=0))[0] < 0 for first, last in steps]
        ends, known = np.ravel(steps), np.repeat(longer, 2).astype(np.float64)
        return np.interp(time, ends, known, period=None if self.lap is None else max(len(time) - 1, 1))


def _standing(source: Source, mapping: Mapping, side: int, still: _Still, contacts: Reals) -> Reals:
    """Return the positions of the source's heel and ball, mapped to the target's model space [time, 2, 3].

    A planted heel or ball does not move.
    """
    placed = mapping.points(contacts + np.array([0.0, mapping.floor, 0.0]))
    for part in (HEEL, BALL):
        placed[:, part, ::2] = held(placed[:, part], still.planted[:, part], still.lap)[:, ::2]
    return placed


def _rolled(standing: Reals, contacts: Reals, foot: Reals, on_heel: Reals) -> Reals:
    """Return the ankle's positions [time, 3] from heel and ball [time, 2, 3]. The lower of the two defines the ankle's
    position.

    For a flat foot, `on_heel` [time] is the weight of the heel.
    """
    lifted = (contacts[:, HEEL, 1] - contacts[:, BALL, 1]) / max(float(foot[BALL] - foot[HEEL]), 1e-12)
    share = _smooth((lifted + FLAT) / ROLL + 1 - on_heel * (1 + 2 * FLAT / ROLL))[:, None]
    return standing[:, HEEL] + share * (standing[:, BALL] - standing[:, HEEL])


def _nearness(contacts: Reals, size: float) -> Reals:
    """Return the influence of the ground [time], 0 to 1, from the height of the lower contact.

    `size` is the leg length.
    """
    return _smooth((HIGH - contacts[..., 1].min(axis=1) / size) / (HIGH - LOW))


def _pit(contacts: Reals, size: float) -> Reals:
    """Return the lowest allowed height of feet [time]. The height is negative only while the source steps down. At all
    other times, it is 0.
    """
    lowest = np.minimum(contacts[..., 1].min(axis=1), 0)
    return lowest * _smooth(-lowest / (SUNK * size) - 1)


def _smooth(share: Reals) -> Reals:
    share = np.clip(share, 0, 1)
    return share * share * (3 - 2 * share)


def _planted(source: Source, contacts: Reals) -> NDArray[np.bool_]:
    """Return whether heel and ball [time, 2] are planted on the floor, which is at height 0."""
    size = source.body.leg_length
    low = contacts[..., 1] < LOW * size
    if len(contacts) < 2:
        return low
    speed: Reals = length(np.gradient(contacts, source.time, axis=0))
    if source.lap() is not None:  # the first and the last sample have the same phase
        speed[[0, -1]] = speed[[0, -1]].mean(axis=0)
    still = low & (speed < SLOW * size)
    for part in (HEEL, BALL):
        for (_, last), (first, _) in pairwise(stretches(still[:, part])):
            between = slice(last, first)
            if first - last <= source.moments(BRIEF) and (low & (speed < HASTY * SLOW * size))[between, part].all():
                still[between, part] = True
    return still


def _across(source: Source, mapping: Mapping) -> Reals:
    """Return the horizontal vector from the right hip to the left hip in the target's model space [time, 3]."""
    left, right = (source.moving.positions[:, leg.upper] for leg in source.body.legs)
    return quaternion.rotate(mapping.turn, (left - right) * [1, 0, 1])


def _heading(source: Source, mapping: Mapping, side: int) -> Reals:
    """Return the horizontal direction of a foot in the target's model space [time, 3].

    The function uses the direction of the foot's left side, because this direction does not change when the foot rolls.
    """
    foot = source.body.legs[side].lower
    reference = source.body.reference.rotations[foot]
    heel, ball = quaternion.rotate(reference, source.body.soles[side])
    x, _, z = unit((ball - heel) * [1, 0, 1])
    since = quaternion.multiply(source.moving.rotations[:, foot], quaternion.conjugate(reference))
    left = quaternion.rotate(mapping.turn, quaternion.rotate(since, np.array([z, 0.0, -x])))
    return np.stack([-left[:, 2], np.zeros(len(left)), left[:, 0]], axis=-1)


def _foot(body: Body, side: int) -> Reals:
    """Return the distances [2] from the ankle to heel and ball along the foot in the reference pose.

    If heel or ball is ahead of the ankle, its distance is positive.
    """
    soles = quaternion.rotate(body.reference.rotations[body.legs[side].lower], body.soles[side])
    ahead = unit((soles[BALL] - soles[HEEL]) * [1, 0, 1])
    return inner(soles, ahead)

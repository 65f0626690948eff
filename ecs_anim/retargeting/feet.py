"""Feet of another body: heels and balls are where the source's are, scaled as its legs are; what stands stays put."""

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
FLAT = 0.05  # share of a foot's length by which the heights of heel and ball differ while both stand
ROLL = 0.2  # share of it by which they differ more when only one does
LOW, SLOW = 0.03, 0.25  # of a contact that is planted: shares of the leg's length, and of it a second
BRIEF, HASTY = 0.15, 2.0  # what goes on standing: [s] in which it is faster, at most so many times
SUNK = 0.08  # share of the leg's length that a sole is below the floor by mistake; twice as deep it is a step down
HIGH = 0.15  # share of the leg's length above which the ground counts for nothing
CLOSED = 0.02  # share of the leg's length by which the ankles of a clip that goes round end beside where they began
LOWEST = 2.0  # percent of the time that the lowest contact may be below the floor


class Mapping(NamedTuple):
    """From the source's model space to the target's."""

    turn: Reals  # [4], about +Y, from where the source looks to where the target does
    scale: float  # the target's legs are so much longer, from hip to ankle
    stride: float  # and so much from hip to sole, which is how far they go
    floor: float  # [source's units], the height that becomes 0

    def points(self, points: Reals) -> Reals:
        """Points [..., 3] of the source, over the target's floor."""
        return self.ways(points - [0.0, self.floor, 0.0])

    def ways(self, ways: Reals) -> Reals:
        """From point to point [..., 3]."""
        return quaternion.rotate(self.turn, ways) * [self.stride, self.scale, self.stride]


class Source(NamedTuple):
    """The body that a clip was made for, while it moves."""

    body: Body
    moving: Frames  # [time, joint]
    time: Reals  # [time], [s]
    ground: Reals  # [3], how fast it goes over the ground without its clip moving it [its units/s]

    def contacts(self, side: int) -> Reals:
        """Heel and ball of one foot [time, 2, 3], where it goes over the ground."""
        return contacts_of(self.body, self.moving, side) + self.drift[:, None]

    @property
    def drift(self) -> Reals:
        """How far it has gone over the ground [time, 3]."""
        return self.time[:, None] * self.ground

    def moments(self, seconds: float) -> int:
        """How many moments there are in so many seconds, of half the clip at most."""
        if len(self.time) < 2:
            return 0
        return min(round(seconds / float(np.median(np.diff(self.time)))), len(self.time) // 2)

    def lap(self) -> float | None:
        """How far a clip that goes round turns to the left [rad]; None where legs end otherwise than they began.

        Legs are seen from hips that have turned about +Y.
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
        """The height that feet stand on: the character's own floor, or just below it where they stand in it."""
        contacts = np.stack([self.contacts(side) for side in (0, 1)])
        if not self.body.stands:
            return float(np.percentile(contacts[..., 1].min(axis=(0, -1)), LOWEST))
        planted = np.stack([_planted(self, own) for own in contacts])
        sunk = float(np.median(contacts[planted, 1])) if planted.any() else 0.0
        return min(sunk, 0.0) if sunk > -SUNK * self.body.leg_length else 0.0


def hips_path(source: Source, target: Body, mapping: Mapping, hips: Reals) -> Reals:
    """Where the target's hips are [time, 3], turned by `hips` [time, 4]: legs hang from where the source's do."""
    left, right = (source.moving.positions[:, leg.upper] for leg in source.body.legs)
    middle = mapping.points((left + right) / 2)
    middle[:, 1] += target.ankle_height - mapping.scale * source.body.ankle_height
    joint, points = target.roles.joints["hips"], target.reference.positions
    own = (points[target.legs[0].upper] + points[target.legs[1].upper]) / 2 - points[joint]
    still = quaternion.rotate(quaternion.conjugate(target.reference.rotations[joint]), own)
    return middle - quaternion.rotate(hips, still)


def ankle_path(source: Source, target: Body, mapping: Mapping, side: int, foot: Reals, hip: Reals) -> Reals:
    """Where the target's ankle of one side is [time, 3], over the ground, whose foot is turned by `foot` [time, 4].

    Near the ground what counts is the contact, the heel while a foot lands and the ball while it leaves, which stands
    where the source's does; above it is the ankle, as seen from the `hip` [time, 3] of its side. No sole is below the
    floor, but for one that steps down.
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
    """When heel and ball of a foot stand still, and how far a clip that goes round turns."""

    planted: NDArray[np.bool_]  # [time, 2]
    lap: float | None  # [rad]

    def feet(self, path: Reals) -> Reals:
        """A path [time, 3] of the whole foot, which is still while any of the two is."""
        return held(path, self.planted[:, HEEL] | self.planted[:, BALL], self.lap)

    def on_heel(self) -> Reals:
        """Whether a flat foot goes by its heel [time], 0 to 1: in each step by that of the two which stands longer."""
        time = np.arange(len(self.planted))
        steps = stretches(self.planted[:, HEEL] | self.planted[:, BALL])
        if not steps:
            return np.zeros(len(time))
        longer = [np.diff(self.planted[first : last + 1].sum(axis=0))[0] < 0 for first, last in steps]
        ends, known = np.ravel(steps), np.repeat(longer, 2).astype(np.float64)
        return np.interp(time, ends, known, period=None if self.lap is None else max(len(time) - 1, 1))


def _standing(source: Source, mapping: Mapping, side: int, still: _Still, contacts: Reals) -> Reals:
    """Heel and ball of the source in the target's space [time, 2, 3], which stay in one place while they stand."""
    placed = mapping.points(contacts + np.array([0.0, mapping.floor, 0.0]))
    for part in (HEEL, BALL):
        placed[:, part, ::2] = held(placed[:, part], still.planted[:, part], still.lap)[:, ::2]
    return placed


def _rolled(standing: Reals, contacts: Reals, foot: Reals, on_heel: Reals) -> Reals:
    """The ankle [time, 3] by heel and by ball [time, 2, 3]: by what is not lifted; of a flat foot as `on_heel` says."""
    lifted = (contacts[:, HEEL, 1] - contacts[:, BALL, 1]) / max(float(foot[BALL] - foot[HEEL]), 1e-12)
    share = _smooth((lifted + FLAT) / ROLL + 1 - on_heel * (1 + 2 * FLAT / ROLL))[:, None]
    return standing[:, HEEL] + share * (standing[:, BALL] - standing[:, HEEL])


def _nearness(contacts: Reals, size: float) -> Reals:
    """How much the ground counts [time], 0 to 1: by the height of the lower contact; `size` is the leg's length."""
    return _smooth((HIGH - contacts[..., 1].min(axis=1) / size) / (HIGH - LOW))


def _pit(contacts: Reals, size: float) -> Reals:
    """How low feet may be [time], at most 0: a step down is one, a sole that sinks in a little is not."""
    lowest = np.minimum(contacts[..., 1].min(axis=1), 0)
    return lowest * _smooth(-lowest / (SUNK * size) - 1)


def _smooth(share: Reals) -> Reals:
    share = np.clip(share, 0, 1)
    return share * share * (3 - 2 * share)


def _planted(source: Source, contacts: Reals) -> NDArray[np.bool_]:
    """When heel and ball stand on the floor, which is at height 0 [time, 2]."""
    size = source.body.leg_length
    low = contacts[..., 1] < LOW * size
    if len(contacts) < 2:
        return low
    speed: Reals = length(np.gradient(contacts, source.time, axis=0))
    if source.lap() is not None:  # the two ends are one moment
        speed[[0, -1]] = speed[[0, -1]].mean(axis=0)
    still = low & (speed < SLOW * size)
    for part in (HEEL, BALL):
        for (_, last), (first, _) in pairwise(stretches(still[:, part])):
            between = slice(last, first)
            if first - last <= source.moments(BRIEF) and (low & (speed < HASTY * SLOW * size))[between, part].all():
                still[between, part] = True
    return still


def _across(source: Source, mapping: Mapping) -> Reals:
    """From the right hip to the left, level, as the target sees it [time, 3]."""
    left, right = (source.moving.positions[:, leg.upper] for leg in source.body.legs)
    return quaternion.rotate(mapping.turn, (left - right) * [1, 0, 1])


def _heading(source: Source, mapping: Mapping, side: int) -> Reals:
    """Where a foot points, level, as the target sees it [time, 3]: by its left side, which its roll does not turn."""
    foot = source.body.legs[side].lower
    reference = source.body.reference.rotations[foot]
    heel, ball = quaternion.rotate(reference, source.body.soles[side])
    x, _, z = unit((ball - heel) * [1, 0, 1])
    since = quaternion.multiply(source.moving.rotations[:, foot], quaternion.conjugate(reference))
    left = quaternion.rotate(mapping.turn, quaternion.rotate(since, np.array([z, 0.0, -x])))
    return np.stack([-left[:, 2], np.zeros(len(left)), left[:, 0]], axis=-1)


def _foot(body: Body, side: int) -> Reals:
    """How far heel and ball are ahead of the ankle in the reference pose, along the foot [2]."""
    soles = quaternion.rotate(body.reference.rotations[body.legs[side].lower], body.soles[side])
    ahead = unit((soles[BALL] - soles[HEEL]) * [1, 0, 1])
    return inner(soles, ahead)

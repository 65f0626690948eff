"""Errors of retargeted clips, measured from joints and soles.

The figures compare a source clip with the retargeted clip on the target body.

Lengths are in per cent of the height of the target body, from the sole to the top of the head, or in millimetres on a
body with a height of 1.75 m. Hand positions are relative to the shoulder and to the arm length, because longer arms
reach farther. Foot positions are the positions of the ankles, relative to the leg length. The horizontal position of an
ankle is relative to the hip. The vertical position is relative to the height of the ankle in the rest pose.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.frames import Frames, frames_of
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.maths import quaternion
from ecs_anim.maths.small_matrices import inner, length, unit
from ecs_anim.retargeting.body import Body, body_of, contacts_of
from ecs_anim.retargeting.root_motion import said_root_motion
from ecs_anim.roles.names import Limb
from ecs_anim.roles.roles import find_roles

Reals = NDArray[np.floating]
RATE = 120  # samples per second; it is high, so that times between two keys are also measured
PERSON = 1750.0  # body height for errors in millimetres [mm]
# largest height and largest speed of a standing contact, as shares of the leg length (per second)
LOW, SLOW = 0.03, 0.25
TOUCHES = 0.015  # largest height of a contact that touches the floor, as a share of the leg length
BENT = 0.3  # a limb that bends by less than this sine has no measured direction
HEAD = 1.09  # body height divided by the height of the highest joint; used for bodies without a skin


class Player(NamedTuple):
    """A body with its height and its arm length [rig units]."""

    body: Body
    height: float
    arm: float


def player_of(rig: Rig) -> Player:
    """Return the body of a humanoid rig with its height and its arm length."""
    body = body_of(rig, find_roles(rig))
    points = body.reference.positions
    height = float(np.ptp(points[:, 1])) * HEAD
    if rig.meshes:
        low, high = rest_bounds(rig)
        height = float(high[1] - low[1])
    arms = [float(length(np.diff(points[[*arm]], axis=0)).sum()) for arm in body.arms]
    return Player(body, height, float(np.mean(arms)))


@dataclass
class Figures:
    """Errors of retargeted clips, for one source body and one target body."""

    slides: list[float] = field(default_factory=list)  # slide [mm] of each foot in each stance
    hands: list[Reals] = field(default_factory=list)  # distance to the hand of the source [%] at each sample
    feet: list[Reals] = field(default_factory=list)
    soles: list[Reals] = field(default_factory=list)  # depth of the lowest contact below the floor [%]
    backwards: int = 0  # number of samples with a knee or an elbow that bends in another direction than in the source
    flips: float = 0.0  # rotation [degrees] of a joint between two samples that exceeds the fastest joint of the source
    stretch: float = 0.0  # change of the length of a limb relative to the rest pose [%]

    def add(self, source: Player, clip: Clip, target: Player, moved: Clip) -> None:
        """Add the errors of the retargeted clip `moved` to the figures.

        `moved` must have the same duration as `clip`.
        """
        time = np.linspace(clip.start, clip.end, max(2, round(clip.duration * RATE)))
        a, b = (frames_of(own.skeleton, own.sample(time, loop=False)) for own in (clip, moved))
        facing = target.body.facing - source.body.facing
        turn = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(facing))
        self.hands.append(_hands(source, a, target, b, turn))
        self.feet.append(_feet(source, a, target, b, turn))
        self.slides += _slides(source, clip, a, target, moved, b, time)
        contacts = np.stack([contacts_of(target.body, b, side) for side in (0, 1)])
        self.soles.append(np.maximum(-contacts[..., 1].min(axis=(0, 2)), 0) * 100 / target.height)
        self.backwards += _backwards(source.body, a, target.body, b, turn)
        self.flips = max(self.flips, _fastest(target.body, b) - _fastest(source.body, a))
        self.stretch = max(self.stretch, _stretch(target.body, b))

    def row(self) -> dict[str, float]:
        """Return the figures by name."""
        hands, feet, soles = (np.concatenate(own) for own in (self.hands, self.feet, self.soles))
        return {
            "stands": len(self.slides),
            "slide_p95_mm": _share(np.array(self.slides), 95),
            "slide_max_mm": _share(np.array(self.slides), 100),
            "hands_p95": _share(hands, 95),
            "hands_max": _share(hands, 100),
            "feet_p95": _share(feet, 95),
            "feet_max": _share(feet, 100),
            "sunk_max": _share(soles, 100),
            "backwards": self.backwards,
            "flip_degrees": round(self.flips, 1),
            "stretch": round(self.stretch, 3),
        }


def _share(values: Reals, percent: float) -> float:
    return round(float(np.percentile(values, percent)), 2) if len(values) else 0.0


def _hands(source: Player, a: Frames, target: Player, b: Frames, turn: Reals) -> Reals:
    """Return the distances between the hands of the target and the hands of the source [% of the target's height].

    Positions are relative to the shoulders. The source's positions are scaled by the ratio of the arm lengths.
    """
    found = []
    for other, own in zip(source.body.arms, target.body.arms, strict=True):
        was = quaternion.rotate(turn, _reach(a, other)) * target.arm / source.arm
        found.append(length(_reach(b, own) - was) * 100 / target.height)
    return np.concatenate(found)


def _reach(frames: Frames, limb: Limb) -> Reals:
    """Return the vectors from the first joint of a limb to its last joint [time, 3]."""
    return frames.positions[:, limb.lower] - frames.positions[:, limb.upper]


def _feet(source: Player, a: Frames, target: Player, b: Frames, turn: Reals) -> Reals:
    """Return the distances between the ankles of the target and the ankles of the source [% of the target's height].

    Positions are relative to the hips. The source's positions are scaled by the ratio of the leg lengths.
    """
    scale = target.body.leg_length / source.body.leg_length
    found = []
    for side in (0, 1):
        was, now = (_from_hip(player.body, frames, side) for player, frames in ((source, a), (target, b)))
        found.append(length(now - quaternion.rotate(turn, was) * scale) * 100 / target.height)
    return np.concatenate(found)


def _from_hip(body: Body, frames: Frames, side: int) -> Reals:
    """Return the vectors to an ankle [time, 3].

    Each vector starts at the point below the hip that has the height of the ankle in the rest pose.
    """
    leg, rest = body.legs[side], [0.0, body.ankle_height, 0.0]
    return frames.positions[:, leg.lower] - frames.positions[:, leg.upper] * [1, 0, 1] - rest


def _slides(source: Player, clip: Clip, a: Frames, target: Player, moved: Clip, b: Frames, time: Reals) -> list[float]:
    """Return the distance [mm] that each foot of the target slides during each stance of the source.

    For each pair of consecutive samples, the function adds the smaller of two movements: the movement of the heel and
    the movement of the ball.
    """
    found = []
    for side in (0, 1):
        was, now = (
            said_root_motion(own, player.body.facing).gone(contacts_of(player.body, frames, side), time - time[0])
            for player, frames, own in ((source, a, clip), (target, b, moved))
        )
        floor = 0.0 if source.body.stands else float(np.percentile(was[..., 1].min(axis=1), 2))
        size = source.body.leg_length
        speed = length(np.gradient(was, time, axis=0))
        stands = (was[..., 1] - floor < LOW * size) & (speed < SLOW * size)
        stands &= now[..., 1] < TOUCHES * target.body.leg_length
        steps = length(np.diff(now[..., ::2], axis=0))
        steps = np.where(stands[1:] & stands[:-1], steps, np.inf).min(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], np.isfinite(steps), [False]])))
        found += [
            float(steps[first:end].sum()) * PERSON / target.height
            for first, end in zip(edges[::2], edges[1::2], strict=True)
        ]
    return found


def _backwards(source: Body, a: Frames, target: Body, b: Frames, turn: Reals) -> int:
    """Return the number of samples in which a target limb clearly bends in another direction than the source limb."""
    count = 0
    for other, own in zip((*source.arms, *source.legs), (*target.arms, *target.legs), strict=True):
        was, now = quaternion.rotate(turn, _bend(a, other)), _bend(b, own)
        clear = (length(was) > BENT) & (length(now) > BENT)
        count += int(np.sum(inner(was, now)[clear] < 0))
    return count


def _bend(frames: Frames, limb: Limb) -> Reals:
    """Return the bending axes of a limb [time, 3]. The length of an axis is the sine of the bending angle."""
    upper, middle, lower = (frames.positions[:, own] for own in limb)
    return np.cross(unit(middle - upper), unit(lower - middle))


def _fastest(body: Body, frames: Frames) -> float:
    """Return the largest rotation [degrees] of a joint with a role between two samples."""
    joints = [own for joints in body.roles.table().values() for own in joints]
    rotations = frames.rotations[:, joints]
    return float(np.degrees(quaternion.angle_between(rotations[1:], rotations[:-1]).max(initial=0)))


def _stretch(body: Body, frames: Frames) -> float:
    """Return the largest difference [%] between the length of a limb (two bones) and that of the reference pose."""
    most = 0.0
    for limb in (*body.arms, *body.legs):
        bones = length(np.diff(frames.positions[:, [*limb]], axis=1)).sum(axis=-1)
        rest = length(np.diff(body.reference.positions[[*limb]], axis=0)).sum()
        most = max(most, float(np.abs(bones / rest - 1).max()) * 100)
    return most

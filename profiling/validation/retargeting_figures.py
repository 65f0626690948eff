"""How well a body does what another does: figures of a clip and of what it became, by joints and soles alone.

Lengths are in per cent of the target's height, from its sole to the top of its head, or in millimetres of a body that
is 1.75 m high. Hands are compared as seen from their shoulder, by the length of arms: what is longer reaches farther.
Feet are compared at the ankle, level as seen from their hip, and in height over the floor from where they are at rest,
by the length of legs.
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
RATE = 120  # moments a second, so that those between two keys count too
PERSON = 1750.0  # [mm]
LOW, SLOW = 0.03, 0.25  # of a contact that stands: shares of the leg's length, and of it a second
TOUCHES = 0.015  # share of the leg's length over the floor, up to which a contact is on it
BENT = 0.3  # sine of a bend, from which on it has a side
HEAD = 1.09  # of the highest joint's height, where no skin tells how high a body is


class Player(NamedTuple):
    """A body, its height and the length of its arms [rig units]."""

    body: Body
    height: float
    arm: float


def player_of(rig: Rig) -> Player:
    """The player of a humanoid rig."""
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
    """Figures of clips of one body that another body plays."""

    slides: list[float] = field(default_factory=list)  # [mm] of each foot that stands, each time
    hands: list[Reals] = field(default_factory=list)  # [%], at each moment
    feet: list[Reals] = field(default_factory=list)
    soles: list[Reals] = field(default_factory=list)  # [%] that the lowest contact is below the floor
    backwards: int = 0  # moments at which a knee or an elbow bends to another side than the source's
    flips: float = 0.0  # [degrees] that a joint turns more from moment to moment than any of the source's
    stretch: float = 0.0  # [%] that a limb is longer or shorter than at rest

    def add(self, source: Player, clip: Clip, target: Player, moved: Clip) -> None:
        """Measure one clip. `moved` is as long."""
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
        """The figures as plain numbers."""
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
    """How far hands are from where the source's are [%], as seen from their shoulders."""
    found = []
    for other, own in zip(source.body.arms, target.body.arms, strict=True):
        was = quaternion.rotate(turn, _reach(a, other)) * target.arm / source.arm
        found.append(length(_reach(b, own) - was) * 100 / target.height)
    return np.concatenate(found)


def _reach(frames: Frames, limb: Limb) -> Reals:
    """From the first joint of a limb to its last [time, 3]."""
    return frames.positions[:, limb.lower] - frames.positions[:, limb.upper]


def _feet(source: Player, a: Frames, target: Player, b: Frames, turn: Reals) -> Reals:
    """How far ankles are from where the source's are [%], as seen from below their hips."""
    scale = target.body.leg_length / source.body.leg_length
    found = []
    for side in (0, 1):
        was, now = (_from_hip(player.body, frames, side) for player, frames in ((source, a), (target, b)))
        found.append(length(now - quaternion.rotate(turn, was) * scale) * 100 / target.height)
    return np.concatenate(found)


def _from_hip(body: Body, frames: Frames, side: int) -> Reals:
    """The ankle of one side [time, 3], from its height at rest below its own hip."""
    leg, rest = body.legs[side], [0.0, body.ankle_height, 0.0]
    return frames.positions[:, leg.lower] - frames.positions[:, leg.upper] * [1, 0, 1] - rest


def _slides(source: Player, clip: Clip, a: Frames, target: Player, moved: Clip, b: Frames, time: Reals) -> list[float]:
    """How far each foot slides [mm] each time that the source's stands: by that of heel and ball which stays more."""
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
    """Moments at which a limb that is clearly bent bends to another side than the source's."""
    count = 0
    for other, own in zip((*source.arms, *source.legs), (*target.arms, *target.legs), strict=True):
        was, now = quaternion.rotate(turn, _bend(a, other)), _bend(b, own)
        clear = (length(was) > BENT) & (length(now) > BENT)
        count += int(np.sum(inner(was, now)[clear] < 0))
    return count


def _bend(frames: Frames, limb: Limb) -> Reals:
    """The axis about which a limb is bent [time, 3], as long as the bend's sine."""
    upper, middle, lower = (frames.positions[:, own] for own in limb)
    return np.cross(unit(middle - upper), unit(lower - middle))


def _fastest(body: Body, frames: Frames) -> float:
    """How far a joint that has a role turns from moment to moment, at most [degrees]."""
    joints = [own for joints in body.roles.table().values() for own in joints]
    rotations = frames.rotations[:, joints]
    return float(np.degrees(quaternion.angle_between(rotations[1:], rotations[:-1]).max(initial=0)))


def _stretch(body: Body, frames: Frames) -> float:
    """How much longer or shorter a limb's bones are than in the reference pose, at most [%]."""
    most = 0.0
    for limb in (*body.arms, *body.legs):
        bones = length(np.diff(frames.positions[:, [*limb]], axis=1)).sum(axis=-1)
        rest = length(np.diff(body.reference.positions[[*limb]], axis=0)).sum()
        most = max(most, float(np.abs(bones / rest - 1).max()) * 100)
    return most

"""Walking and running on the spot, forward or backward.

Curves define the angles of the joints. Then, the module changes the angles of the legs so that standing feet do not
slide.

The gait cycle starts at phase 0 with the first ground contact of the left foot, and ends at phase 1. The right leg
follows half a cycle after the left leg. A curve is a list of pairs (phase, degrees) for the left side. Monotone cubic
curves interpolate between the pairs.
"""

from dataclasses import dataclass

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.foot import Sole, periodic, pitched, standing_ankle, toe_bend
from ecs_anim.mannequin.legs import hip_joint, solve_leg
from ecs_anim.mannequin.motion import Motion
from ecs_anim.mannequin.shapes import smooth_step
from ecs_anim.mannequin.turns import Y, about, arm, compose, neck_and_head, sided, trunk

KEY_RATE = 120  # [1/s]; between the keys, a planted foot drifts by less than 1 cm/s
LEAVE, MEET = 0.15, 0.07  # fraction of the cycle in which a foot changes from planted to free, and back
COARSE = 4  # arms, trunk and head keep every fourth key
SIDES = (("Left", 0.0), ("Right", 0.5))

Keys = list[tuple[float, float]]


@dataclass(frozen=True)
class Gait:
    """The parameters of a walk or a run. Angles are in degrees, and lengths are in metres."""

    speed: float  # [m/s] forward, negative for backward
    key_count: int  # keys in a cycle at KEY_RATE, a multiple of COARSE
    stance: float  # share of the cycle with the foot on the ground
    thigh: Keys  # flexion from the vertical
    knee: Keys  # flexion
    foot_pitch: Keys  # positive for toes up
    toe_relaxed: float  # phase at which the toes are straight again after the foot leaves
    first_contact: float  # forward distance from the hips to the ankle of a flat foot at the first contact
    step_width: float  # distance between the two ankles
    toe_out: float
    splay: float  # outward angle of the knees
    hips_height: float
    bob: tuple[float, float]  # amplitude at twice the cycle frequency, and phase of the highest point
    sway: float  # amplitude towards the standing foot
    surge: tuple[float, float]  # forward amplitude at twice the cycle frequency, and phase of the foremost point
    lean: tuple[float, float]  # forward angles of the pelvis and of the trunk above it
    pelvis_yaw: float
    pelvis_list: tuple[float, float]  # amplitude, and phase at which the left side is highest
    shoulder_yaw: float  # rotation of the shoulders opposite to the pelvis
    arm_swing: tuple[float, float]  # mean flexion and amplitude
    elbow: tuple[float, float]  # mean flexion and amplitude
    abduction: float
    inward: float
    inward_swing: float = 0.0  # amplitude of the inward angle: larger in front, smaller behind, to clear the hip
    toe_braced: float = 1.0  # phase at which the toes begin to bend for the first contact

    @property
    def cycle(self) -> float:
        """Return the duration of one gait cycle in seconds."""
        return self.key_count / KEY_RATE


def gait_motion(gait: Gait, sole: Sole) -> Motion:
    """Return the motion on the spot for one full cycle of the gait."""
    phase = np.arange(gait.key_count + 1) / gait.key_count
    hips, pelvis = _hips(gait, phase), _pelvis(gait, phase)
    rotations = {"Hips": pelvis, **_trunk(gait, phase, pelvis)}
    for side, lag in SIDES:
        rotations |= _leg(gait, sole, side, phase - lag)
        rotations |= _arm(gait, side, phase - lag)
    contacts = {f"{side}Foot": contact(lag, gait.stance, gait.cycle) for side, lag in SIDES}
    velocity = [0.0, gait.speed]
    extras = {"ground_speed": gait.speed, "ground_velocity": velocity, "loop": True, "contacts": contacts}
    return Motion(phase * gait.cycle, rotations, hips, extras, coarse=COARSE)


def wave(phase: Array, peak: float, harmonic: int = 1) -> Array:
    """Return a cosine wave [k] at the phases `phase` [k], with amplitude 1 and its maximum at `peak`.

    The wave has `harmonic` periods per cycle.
    """
    return np.cos(2 * np.pi * harmonic * (phase - peak))


def _hips(gait: Gait, phase: Array) -> Array:
    """Return the position [k, 3] of the hips at the phases `phase` [k]."""
    x = gait.sway * wave(phase, gait.stance / 2)
    y = gait.hips_height + gait.bob[0] * wave(phase, gait.bob[1], 2)
    z = gait.surge[0] * wave(phase, gait.surge[1], 2)
    return np.stack([x, y, z], axis=-1)


def _pelvis(gait: Gait, phase: Array) -> Array:
    """Return the rotation [k, 4] of the pelvis at each phase.

    The side of the leading leg is rotated forward. The side of the swinging leg is lowered.
    """
    yaw = -gait.pelvis_yaw * wave(phase, 0.0)
    tilt = gait.pelvis_list[0] * wave(phase, gait.pelvis_list[1])
    return trunk(gait.lean[0], yaw, tilt)


def _trunk(gait: Gait, phase: Array, pelvis: Array) -> dict[str, Array]:
    """Return the rotations of the spine joints.

    The spine rotates the shoulders opposite to the pelvis. The spine also compensates the sideways tilt of the pelvis.
    The head faces forward.
    """
    yaw = (gait.pelvis_yaw + gait.shoulder_yaw) * wave(phase, 0.0) / 3
    side = -0.9 * gait.pelvis_list[0] * wave(phase, gait.pelvis_list[1]) / 3
    bend = gait.lean[1] / 3
    spine = trunk(bend, yaw, side)
    level = trunk(1.0 + 0.6 * wave(phase, gait.bob[1], 2))
    spines = {"Spine": spine, "Spine1": spine, "Spine2": spine}
    return spines | neck_and_head(compose(pelvis, spine, spine, spine), level)


def _arm(gait: Gait, side: str, phase: Array) -> dict[str, Array]:
    """Return the rotations of the joints of one arm.

    The arm swings together with the leg of the other side. The elbow bends while the arm swings forward.
    """
    flexion = gait.arm_swing[0] - gait.arm_swing[1] * wave(phase, 0.0)
    elbow = gait.elbow[0] - gait.elbow[1] * wave(phase, 0.06)
    abduction = gait.abduction + 1.5 * wave(phase, 0.0)
    inward = gait.inward - gait.inward_swing * wave(phase, 0.0)
    return arm(side, flexion, abduction, inward, elbow, pronation=12, wrist=6, wave=4) | {
        f"{side}Shoulder": sided(side, about(Y, 0.1 * gait.arm_swing[1] * wave(phase, 0.0)))
    }


def _leg(gait: Gait, sole: Sole, side: str, phase: Array) -> dict[str, Array]:
    """Return the local rotations of the joints of one leg.

    Phase 0 of `phase` [k] is the first ground contact of this leg.
    """
    ankle, pitch, bend = _foot(gait, sole, side, phase)
    at = phase + (0.5 if side == "Right" else 0.0)
    outward = gait.toe_out if side == "Left" else -gait.toe_out
    foot = compose(about(Y, outward), pitched(pitch))
    return solve_leg(side, _hips(gait, at), _pelvis(gait, at), ankle, foot, pitched(bend), gait.splay)


def _foot(gait: Gait, sole: Sole, side: str, phase: Array) -> tuple[Array, Array, Array]:
    """Return the ankle position [k, 3], the pitch [k] and the toe bend [k] of a foot during the cycle.

    Angles are in degrees.
    """
    phase = np.mod(phase, 1)
    pitch = periodic(gait.foot_pitch, phase)
    standing = phase <= gait.stance
    ankle = np.where(standing[:, None], _planted(gait, sole, side, phase), _swung(gait, sole, side, phase))
    return ankle, pitch, _bend(gait, phase, pitch)


def _bend(gait: Gait, phase: Array, pitch: Array) -> Array:
    """Return the upward bend of the toes [k] in degrees.

    While the foot is on the ground, the bend is the result of `toe_bend`. The toes relax after the foot leaves the
    ground, and bend again before the foot lands.
    """
    held = toe_bend(np.minimum(pitch, 0))
    gone = smooth_step(phase, gait.stance, gait.toe_relaxed)
    back = smooth_step(phase, gait.toe_braced, 1) if gait.toe_braced < 1 else 0
    return held * (1 - gone + back)


def _planted(gait: Gait, sole: Sole, side: str, phase: Array) -> Array:
    """Return the ankle position [k, 3] of a standing foot. The ground moves backward at the speed of the gait."""
    offset = standing_ankle(sole, periodic(gait.foot_pitch, phase))
    sign = 1 if side == "Left" else -1
    mark = gait.first_contact - gait.speed * gait.cycle * phase
    out = np.radians(gait.toe_out)
    x = sign * (gait.step_width / 2 + np.sin(out) * offset[:, 0])
    return np.stack([x, offset[:, 1], mark + np.cos(out) * offset[:, 0]], axis=-1)


def _swung(gait: Gait, sole: Sole, side: str, phase: Array) -> Array:
    """Return the ankle position [k, 3] of a swinging foot.

    The path of the ankle follows the published joint angles. The function adds a correction to this path, so that the
    foot leaves the ground and lands smoothly.
    """
    left, met = (_gap(gait, sole, side, at) for at in (gait.stance, 1.0))
    leg = _published(gait, side, phase)
    leg += _fading((phase - gait.stance) / LEAVE, left[0], left[1] * LEAVE)
    leg += _fading((phase - 1) / MEET, met[0], met[1] * MEET)
    thigh, shank = leg[:, 0], leg[:, 0] - leg[:, 1]
    hip = _hip(gait, side, phase)
    z = hip[:, 2] + P.THIGH * np.sin(thigh) + P.SHANK * np.sin(shank)
    y = hip[:, 1] - P.THIGH * np.cos(thigh) - P.SHANK * np.cos(shank)
    return np.stack([leg[:, 2], y, z], axis=-1)


def _fading(t: Array, gap: Array, rate: Array) -> Array:
    """Return the values [k, 3] of a cubic correction at the parameters `t` [k].

    At t = 0, the cubic has the value `gap` and the slope `rate`. At t = 1 and at t = -1, the cubic is 0.
    """
    t, sign = np.minimum(np.abs(t), 1)[:, None], np.sign(t)[:, None]
    return gap * (2 * t**3 - 3 * t**2 + 1) + sign * rate * (t**3 - 2 * t**2 + t)


def _gap(gait: Gait, sole: Sole, side: str, at: float, step: float = 1e-4) -> tuple[Array, Array]:
    """Return the difference [3] between the results of `_standing` and `_published` at the phase `at`, and the rate of
    change [3] of this difference per cycle.
    """
    near = np.array([at, at - step]) if at == gait.stance else np.array([0.0, step])
    gaps = _standing(gait, sole, side, near) - _published(gait, side, near)
    return gaps[0], (gaps[1] - gaps[0]) / (near[1] - near[0])


def _published(gait: Gait, side: str, phase: Array) -> Array:
    """Return the published angles of thigh and knee [rad], and the x coordinate of the ankle [m], [k, 3].

    The x coordinate of the ankle is half of the step width, to the left or to the right.
    """
    line = np.full(len(phase), gait.step_width / 2 if side == "Left" else -gait.step_width / 2)
    thigh, knee = np.radians(periodic(gait.thigh, phase)), np.radians(periodic(gait.knee, phase))
    return np.stack([thigh, knee, line], axis=-1)


def _standing(gait: Gait, sole: Sole, side: str, phase: Array) -> Array:
    """Return the angles of thigh and knee [rad], and the x coordinate of the ankle [m], [k, 3].

    The values are those of a foot that stands on the ground.
    """
    ankle = _planted(gait, sole, side, phase)
    reach = ankle - _hip(gait, side, phase)
    distance = np.hypot(reach[:, 1], reach[:, 2])
    inner = (P.THIGH**2 + distance**2 - P.SHANK**2) / (2 * P.THIGH * distance)
    outer = (P.THIGH**2 + P.SHANK**2 - distance**2) / (2 * P.THIGH * P.SHANK)
    thigh = np.arctan2(reach[:, 2], -reach[:, 1]) + np.arccos(inner)
    return np.stack([thigh, np.pi - np.arccos(outer), ankle[:, 0]], axis=-1)


def _hip(gait: Gait, side: str, phase: Array) -> Array:
    """Return the position [k, 3] of the hip joint of one leg.

    Phase 0 of `phase` [k] is the first ground contact of this leg.
    """
    at = phase + (0.5 if side == "Right" else 0.0)
    return hip_joint(side, _hips(gait, at), _pelvis(gait, at))


def contact(lag: float, stance: float, cycle: float) -> list[list[float]]:
    """Return the time intervals [[start, end], ...] of one cycle in which a foot stands, in seconds.

    If the foot still stands at the end of the cycle, the result has two intervals. The foot lands at the phase `lag`,
    and stands for the fraction `stance` of the cycle. `cycle` [s] is the duration of the cycle.
    """
    start, end = lag * cycle, (lag + stance) * cycle
    if end <= cycle:
        return [[round(start, 4), round(end, 4)]]
    return [[0.0, round(end - cycle, 4)], [round(start, 4), round(cycle, 4)]]

"""Side-steps at 0.8 m/s. The leading foot steps outward, and then the trailing foot steps towards the leading foot.

The trailing foot never passes the leading foot. The motion does not come from measurements. The constants describe
steps to the left. In steps to the left, the left foot leads, and phase 0 is the first ground contact of the left foot.
For steps to the right, the module mirrors the motion and shifts it by half a cycle. Because of the shift, phase 0 is
the first ground contact of the left foot in both directions. As in every gait, the two legs are half a cycle apart.
"""

from dataclasses import dataclass

import numpy as np

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.foot import Sole, lowest, periodic, pitched, standing_ankle, toe_bend
from ecs_anim.mannequin.gait import COARSE, KEY_RATE, Keys, contact, wave
from ecs_anim.mannequin.legs import solve_leg
from ecs_anim.mannequin.motion import Motion
from ecs_anim.mannequin.shapes import smooth_step
from ecs_anim.mannequin.turns import X, Y, Z, about, arm, compose, mirrored, neck_and_head, sided, trunk
from ecs_anim.maths.curves import hermite

SPEED = 0.8  # [m/s]
KEY_COUNT = 80  # keys in a cycle at KEY_RATE, a multiple of 2 COARSE
CYCLE = KEY_COUNT / KEY_RATE  # [s]
STANCE = 0.60  # share of the cycle with the foot on the ground
CLOSED = 0.19  # [m], distance of the ankles when the trail foot lands
BACK = -0.030  # [m], distance of the feet behind the hips
TOE_OUT = 6.0  # [deg]
SPLAY = 5.0  # [deg], outward angle of the knees
HIPS_HEIGHT, BOB = 0.942, (0.019, 0.55)  # [m]; amplitude and phase of the highest point, which occurs with close feet
SWAY = (0.012, 0.27)  # [m]; amplitude, and phase at which the hips are nearest to the leading foot
LEAN = (3.0, 3.0)  # [deg], forward angles of the pelvis and of the trunk above it
YAW = 2.5  # [deg], rotation of the pelvis towards the direction of travel with the legs apart
LIST = (2.0, 0.25)  # [deg]; amplitude, and phase at which the leading side is highest
ARMS = (1.0, 16.0, 16.0, 30.0)  # [deg]: flexion, abduction, inward, elbow
ARM_SWING = 3.5  # [deg]


@dataclass(frozen=True)
class Step:
    """The parameters of one foot in a side-step.

    Phases are relative to the first ground contact of the foot. Angles are in degrees, and lengths are in metres.
    """

    side: str
    lag: float  # phase of the clip at the foot's first contact
    first_contact: float  # distance to the left of the hips at the first contact
    foot_pitch: Keys  # positive for toes up
    lift: float  # height of the sole in the middle of the swing


TRAVEL = SPEED * CYCLE  # [m] per cycle
# The distance between the feet is their distance after the trail foot has landed. The middle between the feet is below
# the hips.
LEAD = Step(
    side="Left",
    lag=0.0,
    first_contact=(CLOSED + TRAVEL) / 2,
    foot_pitch=[(0.00, -7), (0.10, 0), (0.42, 0), (0.52, -5), (0.60, -13), (0.68, -17), (0.80, -9), (0.92, -7)],
    lift=0.048,
)
TRAIL = Step(
    side="Right",
    lag=0.5,
    first_contact=-CLOSED / 2,
    foot_pitch=[(0.00, -9), (0.10, 0), (0.36, 0), (0.50, -10), (0.60, -24), (0.68, -26), (0.80, -13), (0.92, -9)],
    lift=0.044,
)


def strafe_left(sole: Sole) -> Motion:
    """Return one full cycle of side-steps to the character's left, on the spot."""
    phase = np.arange(KEY_COUNT + 1) / KEY_COUNT
    hips, pelvis = _hips(phase), _pelvis(phase)
    rotations = {"Hips": pelvis, **_trunk(phase, pelvis)}
    contacts = {}
    for step in (LEAD, TRAIL):
        rotations |= _leg(step, sole, phase - step.lag, hips, pelvis)
        rotations |= _arm(step.side, phase)
        contacts[f"{step.side}Foot"] = contact(step.lag, STANCE, CYCLE)
    return Motion(phase * CYCLE, rotations, hips, _extras(SPEED, contacts), coarse=COARSE)


def strafe_right(sole: Sole) -> Motion:
    """Return one full cycle of side-steps to the character's right, on the spot.

    The motion is the mirror image of `strafe_left`, shifted by half a cycle.
    """
    left = strafe_left(sole)
    on = np.concatenate([np.arange(KEY_COUNT // 2, KEY_COUNT), np.arange(KEY_COUNT // 2 + 1)])
    rotations = {_other(name): mirrored(_full(rotation)[on]) for name, rotation in left.rotations.items()}
    # The mirrored left foot stands when the original right foot stands, half a cycle later. The contact times are
    # therefore unchanged.
    extras = _extras(-SPEED, left.extras["contacts"])
    return Motion(left.times, rotations, left.hips[on] * (-1, 1, 1), extras, coarse=COARSE)


def _extras(speed: float, contacts: object) -> dict[str, object]:
    return {"ground_speed": 0.0, "ground_velocity": [speed, 0.0], "loop": True, "contacts": contacts}


def _other(name: str) -> str:
    for side, across in (("Left", "Right"), ("Right", "Left")):
        if name.startswith(side):
            return across + name.removeprefix(side)
    return name


def _full(rotation: Array) -> Array:
    return np.broadcast_to(rotation, (KEY_COUNT + 1, 4))


def _hips(phase: Array) -> Array:
    """Return the position [k, 3] of the hips at the phases `phase` [k]."""
    x = SWAY[0] * wave(phase, SWAY[1])
    y = HIPS_HEIGHT + BOB[0] * wave(phase, BOB[1])
    return np.stack([x, y, np.zeros_like(x)], axis=-1)


def _pelvis(phase: Array) -> Array:
    """Return the rotation [k, 4] of the pelvis at each phase.

    The pelvis is rotated slightly towards the direction of travel. The side of the swinging leg is lowered.
    """
    return trunk(LEAN[0], YAW * wave(phase, 0.05), LIST[0] * wave(phase, LIST[1]))


def _trunk(phase: Array, pelvis: Array) -> dict[str, Array]:
    """Return the rotations of the spine joints.

    The spine compensates the rotation and the sideways tilt of the pelvis. The head faces forward.
    """
    spine = trunk(LEAN[1] / 3, -1.2 * YAW * wave(phase, 0.05) / 3, -0.8 * LIST[0] * wave(phase, LIST[1]) / 3)
    spines = {"Spine": spine, "Spine1": spine, "Spine2": spine}
    return spines | neck_and_head(compose(pelvis, spine, spine, spine), about(X, 1.0))


def _arm(side: str, phase: Array) -> dict[str, Array]:
    """Return the rotations of the joints of a hanging, slightly bent arm.

    The arm moves outward shortly after the legs move apart.
    """
    flexion, abduction, inward, elbow = ARMS
    apart = wave(phase, 0.12 if side == "Left" else 0.08)
    own = 1.0 if side == "Left" else -1.0
    return arm(
        side,
        flexion - own * ARM_SWING * apart,
        abduction + ARM_SWING * apart,
        inward,
        elbow + 4 * apart,
        pronation=14,
        wrist=6,
        wave=4,
    ) | {f"{side}Shoulder": sided(side, about(Z, 1.0 + 1.0 * apart))}


def _leg(step: Step, sole: Sole, phase: Array, hips: Array, pelvis: Array) -> dict[str, Array]:
    """Return the local rotations of the joints of one leg.

    Phase 0 of `phase` [k] is the first ground contact of this leg.
    """
    phase = np.mod(phase, 1)
    pitch = periodic(step.foot_pitch, phase)
    bend = toe_bend(np.minimum(pitch, 0)) * _held(phase)
    ankle = np.where((phase <= STANCE)[:, None], _planted(step, sole, phase), _swung(step, sole, phase, pitch, bend))
    return solve_leg(step.side, hips, pelvis, ankle, _foot(step, pitch), pitched(bend), SPLAY)


def _held(phase: Array) -> Array:
    """Return the factor [k] by which the upward bend of the toes is multiplied. The factor is smaller while the foot
    swings.
    """
    swing = np.clip((phase - STANCE) / (1 - STANCE), 0, 1)
    return 1 - 0.8 * smooth_step(swing, 0, 0.45) + 0.8 * smooth_step(swing - 0.55, 0, 0.45)


def _foot(step: Step, pitch: Array) -> Array:
    return compose(about(Y, TOE_OUT if step.side == "Left" else -TOE_OUT), pitched(pitch))


def _planted(step: Step, sole: Sole, phase: Array) -> Array:
    """Return the ankle position [k, 3] of a standing foot. The ground moves to the character's right."""
    offset = standing_ankle(sole, periodic(step.foot_pitch, phase))
    out = np.radians(TOE_OUT if step.side == "Left" else -TOE_OUT)
    x = step.first_contact - TRAVEL * phase + np.sin(out) * offset[:, 0]
    return np.stack([x, offset[:, 1], BACK + np.cos(out) * offset[:, 0]], axis=-1)


def _swung(step: Step, sole: Sole, phase: Array, pitch: Array, bend: Array) -> Array:
    """Return the ankle position [k, 3] of a swinging foot.

    When the foot leaves the ground and when the foot lands, the foot has the speed of the ground.
    """
    near, span = 1e-4, 1 - STANCE
    ends = _planted(step, sole, np.array([STANCE - near, STANCE, 0.0, near]))
    leaving, landing = (ends[1] - ends[0]) / near * span, (ends[3] - ends[2]) / near * span
    t = np.clip((phase - STANCE) / span, 0, 1)[:, None]
    path = hermite(ends[1], leaving, landing, ends[2], t)
    rise = step.lift * (4 * t * (1 - t))[:, 0] ** 2
    path[:, 1] = rise - lowest(sole, np.zeros_like(pitch), pitch, bend)
    return path

"""Clips of spectators on seats 0.45 m high: they sit, clap, cheer, or rise with raised arms.

All clips start and end in the same sitting posture. Therefore, each clip can fade into any other clip. The feet stand
at the actor's position, as in other clips, so the seat is behind the actor's position. The front edge of the seat is
about 0.15 m behind the actor's position, and the hips are about 0.4 m behind the actor's position. If blocks of
spectators play `rise` one after another, a wave moves around the stadium.
"""

import numpy as np

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.motion import Motion, on_the_spot
from ecs_anim.mannequin.shapes import curve
from ecs_anim.mannequin.stance import planted_legs
from ecs_anim.mannequin.turns import Z, about, arm, sided, trunk

FRAME_RATE = 20  # [keys/s] of clips with flat feet
RISE_RATE = 30  # [keys/s]
SITTING = 4.0  # [s]
SIT_KEYS = 60
SEAT = np.array([0.0, 0.578, -0.43])  # [m], position of the hips; the seat is 0.13 m below them
FEET = {"Left": np.array([0.125, 0.0, -0.02]), "Right": np.array([-0.125, 0.0, -0.04])}  # [m]
TRUNK = {"Hips": -8.0, "Spine": 4.0, "Spine1": 5.0, "Spine2": 3.0, "Neck": 0.5, "Head": -2.0}  # [deg], forward angles
ARMS = (18.0, 10.0, 18.0, 57.0, 66.0, -12.0, 0.0)  # [deg], arguments of `turns.arm`: hands on the thighs
CLAPPING = (44.0, 4.0, 36.0, 82.0, -15.0, -42.0, 0.0)  # posture in which the hands meet
APART = (42.0, 14.0, 20.0, 78.0, -5.0, -30.0, 0.0)
CHEERING = (152.0, -20.0, 0.0, 22.0, 10.0, 0.0, 0.0)  # arms above the head; a negative abduction spreads the arms
THROWN = (166.0, -20.0, 0.0, 8.0, 10.0, -6.0, 0.0)

# Rows of `rise`: time [s], value.
RISE = 2.6  # [s]
HIPS_BACK = [(0, SEAT[2]), (0.40, -0.27), (0.85, -0.045), (1.55, -0.045), (1.95, -0.20), (2.35, SEAT[2])]  # [m]
HIPS_HEIGHT = [(0, SEAT[1]), (0.28, SEAT[1]), (0.85, 0.962), (1.55, 0.962), (2.35, SEAT[1])]  # [m]
TIPTOE = [(0.65, 0), (0.95, -24), (1.35, -24), (1.60, 0)]  # pitch of the feet [deg]
TILT = [(0, -8), (0.35, 26), (0.85, 1), (1.55, 2), (1.95, 24), (2.40, -8)]  # forward angle of the pelvis [deg]
# Angle of a spine joint in addition to sitting [deg].
ARCH = [(0, 0), (0.35, 3), (0.95, -7), (1.40, -7), (1.95, 3), (2.40, 0)]
THROW = [(0.20, 0), (0.95, 1), (1.40, 1), (2.20, 0)]  # raise of the arms, 0 to 1


def sit_motion(sole: Sole) -> Motion:
    """Return the sitting motion. The motion lasts four seconds and contains one breath. The hands are on the thighs."""
    time = SITTING * np.arange(SIT_KEYS + 1) / SIT_KEYS
    breath = 0.5 - 0.5 * np.cos(2 * np.pi * time / SITTING)
    look = np.sin(2 * np.pi * time / SITTING)
    hips = np.broadcast_to(SEAT, (len(time), 3))
    rotations = {
        "Hips": np.broadcast_to(trunk(-8.0), (len(time), 4)),
        "Spine": trunk(4.0 - 0.3 * breath),
        "Spine1": trunk(5.0 - 0.5 * breath),
        "Spine2": trunk(3.0 - 0.9 * breath),
        "Neck": trunk(0.5 + 0.8 * breath, 1.2 * look),
        "Head": trunk(-2.0 + 0.6 * breath, 1.8 * look),
    }
    for side in ("Left", "Right"):
        flexion, abduction, inward, elbow, *rest = ARMS
        rotations |= arm(side, flexion + 0.5 * breath, abduction, inward, elbow - 1.0 * breath, *rest)
    rotations |= planted_legs(hips, rotations["Hips"], sole, feet=FEET)
    return Motion(time, rotations, hips, on_the_spot(SITTING))


def clap_motion(sole: Sole) -> Motion:
    """Return the clapping motion, with two claps per second."""
    time = _times(1.0)
    apart = 0.5 - 0.5 * np.cos(2 * np.pi * 2 * time)
    nod = np.cos(2 * np.pi * 2 * time)
    arms = _between(CLAPPING, APART, apart)
    return _seated(sole, time, {side: arm(side, *arms) for side in ("Left", "Right")}, bend=0.6 * nod)


def cheer_motion(sole: Sole) -> Motion:
    """Return the cheering motion. The raised arms swing to both sides once in two seconds."""
    time = _times(2.0)
    turn = np.pi * time
    swing, bounce = np.sin(turn), np.cos(2 * turn)
    arms = {}
    for side, sign in (("Left", 1), ("Right", -1)):
        flexion, abduction, inward, elbow, *rest = CHEERING
        arms[side] = arm(side, flexion, abduction - 13 * sign * swing, inward, elbow + 7 * bounce, *rest)
        arms[side][f"{side}Shoulder"] = sided(side, about(Z, np.full(len(time), 10.0)))
    return _seated(sole, time, arms, bend=-2 + 0.8 * bounce, side=4 * swing)


def rise_motion(sole: Sole) -> Motion:
    """Return the rising motion: the character stands up, stands on tiptoe with raised arms, and sits down again."""
    time = _times(RISE, RISE_RATE)
    back, height, pitch, tilt, arch, throw = (
        curve(keys, time)[:, 0] for keys in (HIPS_BACK, HIPS_HEIGHT, TIPTOE, TILT, ARCH, THROW)
    )
    hips = np.stack([0 * time, height - 0.1 * np.sin(np.radians(pitch)), back], axis=-1)
    rotations = {name: trunk(bend + arch) for name, bend in TRUNK.items() if name.startswith("Spine")}
    rotations["Hips"] = trunk(tilt)
    up = -0.4 * (tilt - TRUNK["Hips"]) - 6 * throw
    rotations |= {name: trunk(TRUNK[name] + up) for name in ("Neck", "Head")}
    for side in ("Left", "Right"):
        rotations |= arm(side, *_between(ARMS, THROWN, throw))
        rotations[f"{side}Shoulder"] = sided(side, about(Z, 14 * throw))
    rotations |= planted_legs(hips, rotations["Hips"], sole, pitch, feet=FEET)
    return Motion(time, rotations, hips, on_the_spot(RISE), coarse=2)


def _seated(
    sole: Sole, time: Array, arms: dict[str, dict[str, Array]], bend: Array, side: Array | float = 0.0
) -> Motion:
    """Return a motion of the upper body on a seat at the times `time` [k].

    `arms` contains the rotations of the arm joints for each side of the body. `bend` [k] (forward) and `side` [k] (to
    the right) are angles in degrees, which the function adds to the rotation of each spine joint in the sitting
    posture. Neck and head rotate in the opposite direction.
    """
    rotations = {name: trunk(angle + bend, 0.0, side) for name, angle in TRUNK.items() if name.startswith("Spine")}
    rotations["Hips"] = np.broadcast_to(trunk(TRUNK["Hips"]), (len(time), 4))
    rotations |= {name: trunk(TRUNK[name] - 1.5 * bend, 0.0, -side) for name in ("Neck", "Head")}
    rotations |= arms["Left"] | arms["Right"]
    hips = np.broadcast_to(SEAT, (len(time), 3))
    rotations |= planted_legs(hips, rotations["Hips"], sole, feet=FEET)
    return Motion(time, rotations, hips, on_the_spot(float(time[-1])))


def _times(duration: float, rate: int = FRAME_RATE) -> Array:
    return np.arange(round(duration * rate) + 1) / rate


def _between(first: tuple[float, ...], last: tuple[float, ...], share: Array) -> list[Array]:
    return [a + (b - a) * share for a, b in zip(first, last, strict=True)]

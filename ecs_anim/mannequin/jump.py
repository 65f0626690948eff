"""A jump on the spot: crouch, take-off, ballistic flight, landing on bent knees, and return to standing."""

import numpy as np

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.motion import Motion, on_the_spot
from ecs_anim.mannequin.shapes import curve
from ecs_anim.mannequin.stance import HIPS, RELAXED, planted_legs, relaxed_arms, relaxed_trunk
from ecs_anim.mannequin.turns import arm, compose, trunk
from ecs_anim.maths.curves import hermite

DURATION = 1.8  # [s]
KEY_COUNT = 108
GRAVITY = 9.81  # [m/s^2]
TAKE_OFF, LANDING = 36 / 60, 61 / 60  # [s], equal to key times
CROUCH, ABSORBED, UPRIGHT = 0.36, 1.22, 1.70  # [s]
HEIGHTS = {"take-off": 1.045, "landing": 0.985, "crouch": 0.72, "absorbed": 0.74}  # [m], heights of the hips

# Rows: time [s], value.
# Pitch of the feet [deg].
PITCH = [(0.36, 0), (0.50, -8), (TAKE_OFF, -56), (0.72, -58), (0.92, -22), (LANDING, -14), (1.09, 0)]
# Position of the hips on z [m].
BACK = [(0, 0), (CROUCH, -0.07), (TAKE_OFF, 0.03), (LANDING, 0.0), (ABSORBED, -0.06), (UPRIGHT, 0)]
# Forward angle of the pelvis [deg].
TILT = [(0, 1), (CROUCH, 32), (TAKE_OFF, 2), (0.8, 0), (LANDING, 8), (ABSORBED, 28), (UPRIGHT, 1)]
# Forward angle of a spine joint [deg].
BEND = [(0, 0), (CROUCH, 9), (TAKE_OFF, -3), (0.8, 1), (LANDING, 5), (ABSORBED, 9), (UPRIGHT, 0)]
ARMS = [(0, 0), (0.30, -48), (0.40, -40), (TAKE_OFF, 112), (0.75, 120), (LANDING, 62), (ABSORBED, 22), (UPRIGHT, 0)]
# Angles of elbow and abduction [deg], added to the relaxed angles.
ELBOW = [(0, 0), (0.30, 8), (TAKE_OFF, 18), (LANDING, 28), (ABSORBED, 30), (UPRIGHT, 0)]
ASIDE = [(0, 0), (CROUCH, 8), (TAKE_OFF, -14), (0.75, -16), (LANDING, 8), (ABSORBED, 14), (UPRIGHT, 0)]


def jump_motion(sole: Sole) -> Motion:
    """Return the jump. The motion starts and ends in the relaxed posture."""
    time = DURATION * np.arange(KEY_COUNT + 1) / KEY_COUNT
    back, tilt, bend, swing, elbow, aside = (curve(keys, time)[:, 0] for keys in (BACK, TILT, BEND, ARMS, ELBOW, ASIDE))
    hips = np.stack([0 * time, _height(time), HIPS[2] + back], axis=-1)
    pelvis = trunk(tilt)
    rotations = {"Hips": pelvis, **_trunk(tilt, bend), **relaxed_arms()}
    for side in ("Left", "Right"):
        flexion, abduction, inward, flex, *rest = RELAXED
        rotations |= arm(
            side, flexion + swing, abduction + aside, inward - 0.25 * np.maximum(swing, 0), flex + elbow, *rest
        )
    rotations |= planted_legs(hips, pelvis, sole, curve(PITCH, time)[:, 0], _lift(time))
    stands = [[0.0, TAKE_OFF], [LANDING, DURATION]]
    return Motion(time, rotations, hips, on_the_spot(DURATION, stands=stands))


def _trunk(tilt: Array, bend: Array) -> dict[str, Array]:
    """Return the rotations of the spine, neck and head joints. `tilt` [k] is the forward tilt of the pelvis, and `bend`
    [k] is the forward bend of each spine joint in addition to the relaxed posture. Both angles are in degrees.

    Neck and head rotate upwards, so that the head faces forward as far as the neck can bend.
    """
    rotations = relaxed_trunk(trunk(1.0))
    rotations |= {name: compose(rotations[name], trunk(bend)) for name in ("Spine", "Spine1", "Spine2")}
    up = -0.36 * (tilt - 1 + 3 * bend)
    return rotations | {name: compose(rotations[name], trunk(up)) for name in ("Neck", "Head")}


def _height(time: Array) -> Array:
    """Return the height [k] of the hips. The height follows a parabola between take-off and landing, and cubic curves
    at all other times.
    """
    flight = LANDING - TAKE_OFF
    rise = (HEIGHTS["landing"] - HEIGHTS["take-off"]) / flight + GRAVITY * flight / 2
    knots = [
        (0.0, HIPS[1], 0.0),
        (CROUCH, HEIGHTS["crouch"], 0.0),
        (TAKE_OFF, HEIGHTS["take-off"], rise),
        (LANDING, HEIGHTS["landing"], rise - GRAVITY * flight),
        (ABSORBED, HEIGHTS["absorbed"], 0.0),
        (UPRIGHT, HIPS[1], 0.0),
        (DURATION, HIPS[1], 0.0),
    ]
    return _through(knots, time)


def _lift(time: Array) -> Array:
    """Return the height [k] of the lowest point of the feet above the ground."""
    middle = (TAKE_OFF + LANDING) / 2
    knots = [
        (0.0, 0.0, 0.0),
        (TAKE_OFF, 0.0, 0.0),
        (TAKE_OFF, 0.0, 1.7),
        (middle, 0.25, 0.0),
        (LANDING, 0.0, -1.7),
        (LANDING, 0.0, 0.0),
        (DURATION, 0.0, 0.0),
    ]
    return _through(knots, time)


def _through(knots: list[tuple[float, float, float]], time: Array) -> Array:
    """Return the values [k] of a piecewise cubic curve at the times `time` [k].

    The curve passes through `knots`, which are triples (time, value, slope).

    Two knots at the same time can have different slopes, so that the curve has a corner.
    """
    x, y, slope = np.array(knots).T
    i = np.clip(np.searchsorted(x, time, side="right") - 1, 0, len(x) - 2)
    h = x[i + 1] - x[i]
    t = np.clip((time - x[i]) / np.where(h > 0, h, 1), 0, 1)
    return hermite(y[i], h * slope[i], h * slope[i + 1], y[i + 1], t)

"""A lean to the left: an additive clip. The first key of the clip is the reference pose, which is relaxed standing."""

import numpy as np

from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.motion import Motion, on_the_spot
from ecs_anim.mannequin.stance import HIPS, RELAXED, planted_legs, relaxed_arms, relaxed_trunk
from ecs_anim.mannequin.turns import arm, compose, trunk

DURATION = 0.5  # [s]
KEY_COUNT = 15
SPINE_SIDE, SPINE_YAW = -6.0, 2.5  # [deg], final angles of each of three joints


def lean_motion(sole: Sole) -> Motion:
    """Return the lean to the left.

    The phase of the clip determines the angle of the lean: at half of the clip, the angle is half of the final angle.

    Hips and legs do not move.
    """
    time = DURATION * np.arange(KEY_COUNT + 1) / KEY_COUNT
    amount = time / DURATION
    pelvis = trunk(1.0)
    hips = np.broadcast_to(HIPS, (len(time), 3))
    rotations = {"Hips": pelvis, **relaxed_trunk(pelvis), **relaxed_arms()}
    bend = trunk(0.0, SPINE_YAW * amount, SPINE_SIDE * amount)
    for name in ("Spine", "Spine1", "Spine2"):
        rotations[name] = compose(bend, rotations[name])
    for name in ("Neck", "Head"):
        rotations[name] = compose(trunk(0.0, 0.0, -0.8 * SPINE_SIDE * amount), rotations[name])
    for side, lift in (("Left", 14.0), ("Right", -5.0)):
        flexion, abduction, *rest = RELAXED
        rotations |= arm(side, flexion, abduction + lift * amount, *rest)
    rotations |= planted_legs(hips, pelvis, sole)
    return Motion(time, rotations, hips, on_the_spot(DURATION, loop=False), loop=False)

"""A dance on the spot at 120 beats per minute.

The knees bend on every beat. The hips sway once in two beats. The arms move up and down above the head.
"""

import numpy as np

from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.motion import Motion, on_the_spot
from ecs_anim.mannequin.stance import HIPS, planted_legs, relaxed_trunk
from ecs_anim.mannequin.turns import Z, about, arm, compose, sided, trunk

DURATION = 2.0  # [s], four beats
KEY_COUNT = 48
FEET = {"Left": np.array([0.17, 0.0, 0.0]), "Right": np.array([-0.17, 0.0, -0.06])}  # [m]


def dance_motion(sole: Sole) -> Motion:
    """Return the dance motion. In one cycle of the clip, the hips sway twice and the knees bend four times."""
    turn = 2 * np.pi * np.arange(KEY_COUNT + 1) / KEY_COUNT
    beat, sway, slow = np.cos(4 * turn), np.sin(2 * turn), np.sin(turn)
    hips = HIPS + np.stack([0.055 * sway, -0.075 + 0.028 * beat, -0.02 + 0.012 * np.cos(2 * turn)], axis=-1)
    pelvis = trunk(7.0 - 3.0 * beat, 9.0 * slow, 5.0 * sway)
    rotations = {"Hips": pelvis, **relaxed_trunk(pelvis)}
    twist = trunk(2.0 - 1.5 * beat, -3.0 * slow + 4.0 * sway, -1.0 * sway)
    rotations |= {name: compose(rotations[name], twist) for name in ("Spine", "Spine1", "Spine2")}
    nod = trunk(5.0 * beat, -2.0 * sway, 2.0 * sway)
    rotations |= {name: compose(rotations[name], nod) for name in ("Neck", "Head")}
    for side, sign in (("Left", 1), ("Right", -1)):
        pump = beat + 0.5 * sign * slow
        rotations |= arm(side, 118 + 14 * pump, -24 - 6 * sign * sway, 10.0, 66 - 24 * pump, 20.0, 5.0, 6 * sway)
        rotations[f"{side}Shoulder"] = sided(side, about(Z, 9 + 2 * pump))
    rotations |= planted_legs(hips, pelvis, sole, feet=FEET)
    return Motion(DURATION * turn / (2 * np.pi), rotations, hips, on_the_spot(DURATION))

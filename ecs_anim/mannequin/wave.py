"""A wave with the right hand: the character raises its arm, waves three times, and lowers its arm."""

import numpy as np

from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.motion import Motion, on_the_spot
from ecs_anim.mannequin.shapes import curve
from ecs_anim.mannequin.stance import HIPS, RELAXED, planted_legs, relaxed_arms, relaxed_trunk
from ecs_anim.mannequin.turns import Z, about, arm, compose, sided, trunk

DURATION = 3.0  # [s]
KEY_COUNT = 90
RAISED = (22.0, 62.0, -62.0, 98.0, 15.0, 0.0, 4.0)  # [deg], arguments of `turns.arm`


def wave_motion(sole: Sole) -> Motion:
    """Return the waving motion.

    The motion starts and ends in the relaxed posture. Therefore, an actor can play the motion once or repeatedly.
    """
    time = DURATION * np.arange(KEY_COUNT + 1) / KEY_COUNT
    up = curve([(0.0, 0), (0.7, 1), (2.3, 1), (DURATION, 0)], time)[:, 0]
    swing = curve([(0.5, 0), (0.8, 1), (2.1, 1), (2.4, 0)], time)[:, 0] * np.sin(2 * np.pi * (time - 0.6) / 0.55)
    sway = 0.5 - 0.5 * np.cos(2 * np.pi * time / DURATION)
    hips = HIPS + np.stack([0.010 * sway, -0.001 * sway, 0 * sway], axis=-1)
    pelvis = trunk(1.0, 0.0, 1.0 * sway)
    rotations = {"Hips": pelvis, **relaxed_trunk(pelvis, sway, -6.0 * up), **relaxed_arms(sway)}
    angles = [low + (high - low) * up for low, high in zip(RELAXED, RAISED, strict=True)]
    angles[2] += 6 * swing
    angles[3] += 19 * swing
    angles[6] += 10 * swing
    rotations |= arm("Right", *angles)
    rotations["RightShoulder"] = sided("Right", about(Z, 9 * up))
    rotations["Head"] = compose(rotations["Head"], trunk(0.0, 0.0, -3.0 * up))
    rotations |= planted_legs(hips, pelvis, sole)
    return Motion(time, rotations, hips, on_the_spot(DURATION))

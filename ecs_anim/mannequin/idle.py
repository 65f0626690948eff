"""Relaxed standing: the character breathes, and shifts its weight from one leg to the other leg and back."""

import numpy as np

from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.motion import Motion, on_the_spot
from ecs_anim.mannequin.stance import HIPS, planted_legs, relaxed_arms, relaxed_trunk
from ecs_anim.mannequin.turns import trunk

DURATION = 6.0  # [s]
BREATHS = 2  # breaths in the clip; 20 per minute
KEY_COUNT = 180


def idle_motion(sole: Sole) -> Motion:
    """Return the idle motion. The motion lasts six seconds and contains one shift of weight and two breaths."""
    turn = 2 * np.pi * np.arange(KEY_COUNT + 1) / KEY_COUNT
    breath = (1 - np.cos(BREATHS * turn)) / 2
    sway = np.sin(turn)
    hips = HIPS + np.stack([0.012 * sway, -0.002 * sway**2 + 0.001 * breath, 0.003 * np.sin(2 * turn)], axis=-1)
    pelvis = trunk(1.0, -1.0 * sway, 1.6 * sway)
    look = 3.0 * np.sin(turn)
    rotations = {"Hips": pelvis, **relaxed_trunk(pelvis, breath, look), **relaxed_arms(breath)}
    rotations |= planted_legs(hips, pelvis, sole)
    return Motion(DURATION * turn / (2 * np.pi), rotations, hips, on_the_spot(DURATION))

"""Sitting on a seat 0.45 m high, hands on the thighs, breathing.

The feet are where they are when standing, so the seat is behind the character: its front edge about 0.15 m,
the hips about 0.4 m behind the origin.
"""

import numpy as np

from ecs_anim.mannequin.foot import Sole
from ecs_anim.mannequin.motion import Motion
from ecs_anim.mannequin.stance import planted_legs
from ecs_anim.mannequin.turns import arm, trunk

DURATION = 4.0  # [s]
KEY_COUNT = 60
SEAT = np.array([0.0, 0.578, -0.43])  # [m], the hips; the seat is 0.13 m below them
FEET = {"Left": np.array([0.125, 0.0, -0.02]), "Right": np.array([-0.125, 0.0, -0.04])}  # [m]


def sit_motion(sole: Sole) -> Motion:
    """One breath of four seconds."""
    time = DURATION * np.arange(KEY_COUNT + 1) / KEY_COUNT
    breath = 0.5 - 0.5 * np.cos(2 * np.pi * time / DURATION)
    look = np.sin(2 * np.pi * time / DURATION)
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
        rotations |= arm(side, 18 + 0.5 * breath, 10, 18, 58 - 1.0 * breath, 66, 8, 0)
    rotations |= planted_legs(hips, rotations["Hips"], sole, feet=FEET)
    contacts = {f"{side}Foot": [[0.0, DURATION]] for side in ("Left", "Right")}
    return Motion(time, rotations, hips, {"ground_speed": 0.0, "loop": True, "contacts": contacts})

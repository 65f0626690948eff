"""Standing on both feet. The module computes the start posture of other clips, and the leg rotations that keep the feet
in place.
"""

import numpy as np
from numpy.typing import ArrayLike

from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.foot import Sole, pitched, standing_ankle, toe_bend
from ecs_anim.mannequin.legs import solve_leg
from ecs_anim.mannequin.turns import Y, Z, about, arm, compose, neck_and_head, sided, trunk
from ecs_anim.maths import quaternion

HIPS = np.array([0.0, 0.9755, 0.0])  # [m]
FEET = {"Left": np.array([0.105, 0.0, -0.022]), "Right": np.array([-0.110, 0.0, -0.050])}  # [m], marks below the ankles
RELAXED = (-4.0, 8.0, 20.0, 17.0, 20.0, 1.0, 4.0)  # [deg], arguments of `turns.arm`
TOE_OUT = 9.0  # [deg]


def planted_legs(
    hips: Array,
    pelvis: Array,
    sole: Sole,
    pitch: ArrayLike = 0.0,
    lift: ArrayLike = 0.0,
    feet: dict[str, Array] | None = None,
) -> dict[str, Array]:
    """Return the local rotations [k, 4] of the leg joints by name.

    The hips are at `hips` [k, 3], and the feet stay on their marks `feet`.

    The marks are the ground points below the ankles of standing feet.

    A negative angle `pitch` [k] in degrees raises both heels. The length `lift` [k] in metres raises both feet above
    the ground.
    """
    count = len(hips)
    pitch, lift = (np.broadcast_to(np.asarray(x, float), count) for x in (pitch, lift))
    offset = standing_ankle(sole, pitch)
    rotations: dict[str, Array] = {}
    for side, mark in (feet or FEET).items():
        outward = TOE_OUT if side == "Left" else -TOE_OUT
        turn = about(Y, outward)
        local = np.stack([np.zeros(count), offset[:, 1] + lift, offset[:, 0]], axis=-1)
        foot = compose(turn, pitched(pitch))
        toe = pitched(toe_bend(np.minimum(pitch, 0)))
        ankle = mark + quaternion.rotate(turn, local)
        rotations |= solve_leg(side, hips, np.broadcast_to(pelvis, (count, 4)), ankle, foot, toe, splay=7.0)
    return rotations


def relaxed_arms(breath: ArrayLike = 0.0) -> dict[str, Array]:
    """Return the rotations of the joints of hanging arms, by name.

    `breath` is 0 to 1. Larger values raise the shoulders slightly.
    """
    breath = np.asarray(breath, float)
    rotations: dict[str, Array] = {}
    for side in ("Left", "Right"):
        flexion, abduction, *rest = RELAXED
        rotations |= arm(side, flexion + 0.8 * breath, abduction + 0.8 * breath, *rest)
        rotations[f"{side}Shoulder"] = sided(side, about(Z, 1.2 * breath))
    return rotations


def relaxed_trunk(pelvis: Array, breath: ArrayLike = 0.0, look: ArrayLike = 0.0) -> dict[str, Array]:
    """Return the rotations of an upright spine above a pelvis with the rotation `pelvis` [..., 4].

    The head is upright and turned `look` degrees to the left.
    """
    breath = np.asarray(breath, float)
    back = quaternion.nlerp(quaternion.conjugate(pelvis), np.broadcast_to([0.0, 0, 0, 1], pelvis.shape), 0.7)
    spine = {
        "Spine": back,
        "Spine1": compose(back, trunk(0.5 - 0.3 * breath)),
        "Spine2": compose(back, trunk(1 - 1.2 * breath)),
    }
    return spine | neck_and_head(compose(pelvis, *spine.values()), trunk(0.5, look))

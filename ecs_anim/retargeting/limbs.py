"""Rotations that move the end of a limb to a goal, by the law of cosines. The bones do not twist about their axes."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames
from ecs_anim.maths import quaternion
from ecs_anim.maths.small_matrices import inner, length, unit
from ecs_anim.roles.names import Limb

Reals = NDArray[np.floating]
AHEAD = 0.03  # [limb lengths], small bend that gives a straight limb a bending direction
STRETCHED = 0.9998  # [limb lengths], largest reach; a limb is never straight, so that its bend has a direction


def bent(frames: Frames, limb: Limb, goal: Reals, side: Reals) -> dict[int, Reals]:
    """Return the rotations of a limb's upper two joints that move the end of the limb to `goal` [time, 3].

    The rotations [time, 4] are in model space. The limb stays in its bending plane. An almost straight limb bends
    towards `side` [time, 3]. Each bone rotates by the shortest rotation, because a rotation about the line from the
    first joint to the end would twist a straight limb.
    """
    upper, middle, lower = (frames.positions[:, joint] for joint in limb)
    first, second = length(middle - upper), length(lower - middle)
    whole = first + second
    line = unit(goal - upper)
    apart = np.clip(length(goal - upper), np.abs(first - second) + (1 - STRETCHED) * whole, STRETCHED * whole)
    along = (apart * apart + first * first - second * second) / (2 * apart)
    out = np.sqrt(np.maximum(first * first - along * along, 0))
    swing = quaternion.from_to(lower - upper, line)
    bend = quaternion.rotate(swing, middle - upper + AHEAD * whole[:, None] * side)
    bend = unit(bend - inner(bend, line)[:, None] * line)
    knee = upper + along[:, None] * line + out[:, None] * bend
    end = upper + apart[:, None] * line
    turns = quaternion.from_to(middle - upper, knee - upper), quaternion.from_to(lower - middle, end - knee)
    return {
        joint: quaternion.multiply(turn, frames.rotations[:, joint])
        for joint, turn in zip(limb[:2], turns, strict=True)
    }

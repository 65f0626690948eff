"""Hands of the target body. The hands follow the hands of the source body, scaled by the shoulder height.

The positions of the hands are scaled relative to the point on the floor below the hips.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames
from ecs_anim.maths import quaternion
from ecs_anim.retargeting.body import Body
from ecs_anim.retargeting.feet import Mapping, Source
from ecs_anim.roles.names import Limb

Reals = NDArray[np.floating]


def hand_path(source: Source, target: Body, mapping: Mapping, side: int, frames: Frames) -> Reals:
    """Return the goals [time, 3] of the target's hand on one side. `frames` contains the movement of the hips.

    The function scales the space of the source uniformly. Therefore, hands that touch each other or the floor still
    touch in the target.
    """
    moving = source.moving
    scale = target.shoulder_height / source.body.shoulder_height
    seen = moving.positions[:, source.body.arms[side].lower] - _below_hips(moving, source.body.legs, mapping.floor)
    return _below_hips(frames, target.legs, 0.0) + quaternion.rotate(mapping.turn, seen) * scale


def _below_hips(frames: Frames, legs: tuple[Limb, Limb], floor: float) -> Reals:
    """Return the points on the floor [time, 3] below the middle between both hip joints."""
    middle: Reals = frames.positions[:, [leg.upper for leg in legs]].mean(axis=1)
    middle[:, 1] = floor
    return middle

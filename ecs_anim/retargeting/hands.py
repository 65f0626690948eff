"""Hands of the target body: the source's hands relative to the floor below the hips, scaled by the shoulder height."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames
from ecs_anim.maths import quaternion
from ecs_anim.retargeting.body import Body
from ecs_anim.retargeting.feet import Mapping, Source
from ecs_anim.roles.names import Limb

Reals = NDArray[np.floating]


def hand_path(source: Source, target: Body, mapping: Mapping, side: int, frames: Frames) -> Reals:
    """Return the goal of the target's hand of one side [time, 3], for hips that move as in `frames`.

    The whole space of the source is scaled at once, so hands that touch each other or the floor still touch.
    """
    moving = source.moving
    scale = target.shoulder_height / source.body.shoulder_height
    seen = moving.positions[:, source.body.arms[side].lower] - _below_hips(moving, source.body.legs, mapping.floor)
    return _below_hips(frames, target.legs, 0.0) + quaternion.rotate(mapping.turn, seen) * scale


def _below_hips(frames: Frames, legs: tuple[Limb, Limb], floor: float) -> Reals:
    """Return the floor point below the middle of the hips' joints [time, 3]."""
    middle: Reals = frames.positions[:, [leg.upper for leg in legs]].mean(axis=1)
    middle[:, 1] = floor
    return middle

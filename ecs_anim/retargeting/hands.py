"""Hands of another body: where the source's are, as seen from the floor below the hips, by the shoulders' height."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames
from ecs_anim.maths import quaternion
from ecs_anim.retargeting.body import Body
from ecs_anim.retargeting.feet import Mapping, Source
from ecs_anim.roles.names import Limb

Reals = NDArray[np.floating]


def hand_path(source: Source, target: Body, mapping: Mapping, side: int, frames: Frames) -> Reals:
    """Where the target's hand of one side should be [time, 3], while its hips move as in `frames`.

    All of the source's space is scaled at once, so that hands that meet, or touch the floor, still do.
    """
    moving = source.moving
    scale = target.shoulder_height / source.body.shoulder_height
    seen = moving.positions[:, source.body.arms[side].lower] - _below_hips(moving, source.body.legs, mapping.floor)
    return _below_hips(frames, target.legs, 0.0) + quaternion.rotate(mapping.turn, seen) * scale


def _below_hips(frames: Frames, legs: tuple[Limb, Limb], floor: float) -> Reals:
    """The floor half way between the hips' joints [time, 3]."""
    middle: Reals = frames.positions[:, [leg.upper for leg in legs]].mean(axis=1)
    middle[:, 1] = floor
    return middle

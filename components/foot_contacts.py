"""Pin weights of feet. A pin weight, 0 to 1, is the confidence that a foot stands on the ground."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import Within
from ecs_anim.ecs.columns import Column, Restarts
from ecs_anim.ik.legs import LegArrays
from ecs_anim.runtime.traversal import LANES


@dataclass
class FootContacts:
    """Pin weights of the heel and the ball of each foot: the confidence that the heel or ball stands on the ground.

    Each pin weight is the mean over the actor's clips, weighted by the weights of the clips.

    Written by: the scene loader and the system `foot_contacts` (only `pin`). Read by: the systems `grounding` and
    `foot_measures`.
    """

    legs: LegArrays
    floor: float  # [m], height of an actor's root above the ground
    curves: NDArray[np.float32]  # [clip_count, point, leg_count, 3] f32, pin weights over the phase of each clip
    # columns of the parameters that set the legs' pin weights; () = the curves set the pin weights
    parameters: tuple[int, ...]
    # [actor_count, leg_count, 3] f32, pin weights of heel and ball, and the leg's support, 0 to 1 except for rounding
    pin: Annotated[Column[np.float32], Within(0.0, 1.01), Restarts(0.0)]

    @cached_property
    def rows(self) -> NDArray[np.float32]:
        """The pin weight curves of all clips in the layout of the kernels, [clip_count, point, number] f32.

        A point is a sample of the clip's phase. The numbers of a point are the pin weights of all legs, followed by
        zeros up to a multiple of the SIMD width.
        """
        flat = self.curves.reshape(*self.curves.shape[:2], -1)
        rows = np.pad(flat, ((0, 0), (0, 0), (0, -flat.shape[2] % LANES)))
        rows.flags.writeable = False
        return rows

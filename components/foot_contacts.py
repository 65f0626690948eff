"""Pin weights of feet: the degree to which each foot is on the ground."""

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
    """Pin weights of the heel and the ball of each foot: means over the actor's clips, weighted by the clips' weights.

    Written by: the scene loader, foot_contacts (`pin`). Read by: grounding, foot_measures.
    """

    legs: LegArrays
    floor: float  # [m], height of actors above the ground
    curves: NDArray[np.float32]  # [clip_count, point, leg_count, 3] f32, pin weights over the phase of each clip
    parameters: tuple[int, ...]  # columns of parameters that set the pin weights of legs; () = curves set them
    # [actor_count, leg_count, 3] f32, pin weights of heel and ball, and the leg's support, 0 to 1 except for rounding
    pin: Annotated[Column[np.float32], Within(0.0, 1.01), Restarts(0.0)]

    @cached_property
    def rows(self) -> NDArray[np.float32]:
        """The pin weight curves of all clips for kernels, [clip_count, point, row] f32.

        Rows are padded to whole SIMD vectors.
        """
        flat = self.curves.reshape(*self.curves.shape[:2], -1)
        rows = np.pad(flat, ((0, 0), (0, 0), (0, -flat.shape[2] % LANES)))
        rows.flags.writeable = False
        return rows

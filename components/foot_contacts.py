"""How surely each foot is on the ground."""

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
    """Pin weights of each foot's heel and ball, mixed as the clips are.

    Written by: the scene loader, foot_contacts (`pin`). Read by: grounding, foot_measures.
    """

    legs: LegArrays
    floor: float  # [m], by which actors stand above the ground
    curves: NDArray[np.float32]  # [clip_count, point, leg_count, 3] f32, over each clip's phase
    parameters: tuple[int, ...]  # columns that are the legs' pin weights instead; () = the curves
    # [actor_count, leg_count, 3] f32, 0 to 1 but for rounding, of heel and ball; and the leg's support
    pin: Annotated[Column[np.float32], Within(0.0, 1.01), Restarts(0.0)]

    @cached_property
    def rows(self) -> NDArray[np.float32]:
        """The curves as kernels take them: [clip_count, point, row] f32, rows padded to whole vectors."""
        flat = self.curves.reshape(*self.curves.shape[:2], -1)
        rows = np.pad(flat, ((0, 0), (0, 0), (0, -flat.shape[2] % LANES)))
        rows.flags.writeable = False
        return rows

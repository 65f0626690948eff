"""Transforms: the component with positions, rotations and sizes of actors."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import NumberColumn, PositiveColumn, Unit
from ecs_anim.ecs.columns import Column
from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.records import Placement


@dataclass
class Transforms(Binding):
    """The position, rotation and size of each actor in the world.

    Written by: the scene loader and the system `locomotion`. Read by: the drawing code and the system `locomotion`.
    """

    translation: NumberColumn  # [actor_count, 3] f32, [m]
    rotation: Annotated[Column[np.float32], Unit()]  # [actor_count, 4] f32, unit quaternion x, y, z, w
    scale: PositiveColumn  # [actor_count] f32, factor from the rig's units to metres

    @cached_property
    def placement(self) -> Placement:
        """The positions, rotations and sizes of the actors as a record for kernels."""
        return self.bound(Placement)

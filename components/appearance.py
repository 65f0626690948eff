"""How actors look."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Index, NumberColumn
from ecs_anim.ecs.columns import Column


@dataclass
class Appearance:
    """Written by: the scene loader. Read by: drawing."""

    tint: NumberColumn  # [actor_count, 4] f32, linear RGBA, multiplies the base colour
    shadow_radius: float  # [m] at scale 1, of the soft shadow under each actor
    shows_skin: bool = True
    shows_joints: bool = False  # bones and joint balls, before the skin
    shows_targets: bool = False  # a ball at each of the actor's targets
    # [actor_count] i32, which of several textures; None = there is one
    variant: Annotated[Column[np.int32], Index("Character.rig.variant_count")] | None = None

"""Appearance: the component with the colours, textures and visible parts of a crowd's actors."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Index, NumberColumn
from ecs_anim.ecs.columns import Column


@dataclass
class Appearance:
    """Colours, textures and visible parts of actors.

    Written by: the scene loader. Read by: drawing.
    """

    tint: NumberColumn  # [actor_count, 4] f32, linear RGBA, multiplies the base colour
    shadow_radius: float  # [m], radius of the soft shadow under each actor at scale 1
    shows_skin: bool = True
    shows_joints: bool = False  # bones and joint balls, drawn on top of the skin
    shows_targets: bool = False  # a ball at each of the actor's targets
    # [actor_count] i32, index of the texture; None = all actors have the same texture
    variant: Annotated[Column[np.int32], Index("Character.rig.variant_count")] | None = None

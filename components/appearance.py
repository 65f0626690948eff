"""Appearance: the component that stores how actors are drawn: colours, textures, shadows and markers."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Index, NumberColumn
from ecs_anim.ecs.columns import Column


@dataclass
class Appearance:
    """The colours, textures, shadows and markers with which a crowd's actors are drawn.

    Written by: the scene loader. Read by: the drawing code.
    """

    tint: NumberColumn  # [actor_count, 4] f32, linear RGBA, multiplies the base colour
    shadow_radius: float  # [m], radius of the soft shadow under each actor at scale 1
    shows_skin: bool = True
    shows_joints: bool = False  # true = bones and joint balls are drawn over the skin
    shows_targets: bool = False  # true = a ball is drawn at each target of the actor
    # [actor_count] i32, index of each actor's texture; None = all actors have the same texture
    variant: Annotated[Column[np.int32], Index("Character.rig.variant_count")] | None = None

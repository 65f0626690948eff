"""What the GPU skins with."""

from dataclasses import dataclass

import numpy as np

from ecs_anim.columns import Kept, Posed
from ecs_anim.short_palette import Bits
from ecs_anim.skinning import Method


@dataclass
class Palette:
    """Skin matrices of every actor, in the rig's own units, or what dual quaternion skinning makes of them.

    Written by: skin palettes; `systems.skinning` changes the method. Read by: drawing.
    """

    matrices: Posed[np.float32]  # [actor_count, palette_count, 3, 4] f32, model x inverse bind; [..., 4, 4] where dual
    method: Kept[Method] = "linear"  # "dual_quaternion": four rows an entry, as `ecs_anim.dual_palette` says
    bits: Bits = 32  # 16: numbers travel to the GPU as `ecs_anim.short_palette` packs them

"""What the GPU skins with."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class Palette:
    """Skin matrices of every actor, in the rig's own units.

    Written by: skin palettes. Read by: drawing.
    """

    matrices: NDArray[np.float32]  # [actor_count, palette_count, 3, 4] f32, model x inverse bind

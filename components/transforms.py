"""Where actors stand."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class Transforms:
    """Placement of each actor in the world.

    Written by: the scene loader, locomotion. Read by: locomotion, drawing.
    """

    translation: NDArray[np.float32]  # [actor_count, 3] f32, [m]
    rotation: NDArray[np.float32]  # [actor_count, 4] f32, unit quaternion x, y, z, w
    scale: NDArray[np.float32]  # [actor_count] f32, factor from the rig's units to metres

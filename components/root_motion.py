"""Root motion: the component that stores the paths along which clips move actors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.movers import Movers


@dataclass
class RootMotion:
    """The paths along which clips move their actors.

    Written by: the scene loader. Read by: the systems `root_steps` and `root_motion`.
    """

    first_point: NDArray[np.int32]  # [motion] i32, index of the first point of the motion's path
    # [motion] i32, number of equal intervals of phase in the path; 0 = the motion does not move the actor
    interval_count: NDArray[np.int32]
    points: NDArray[np.float32]  # [point, 3] f32, x and z [rig units] and turn about +Y [rad], in model space
    movers: Movers | None  # movers that the clips replace; None = the crowd has no movers

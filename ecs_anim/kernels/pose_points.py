"""Joint positions of poses that have ten numbers per joint."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.local_rows import ROW, composed, product
from ecs_anim.kernels.types import LONGS, OUT_REALS_3D, REALS_2D, void


@kernel(void(REALS_2D, LONGS, OUT_REALS_3D))
def pose_points(rows, parents, points):
    """Compute the joint positions `points` [n, joint, 3] [rig units] of poses.

    - `rows` [n, joint x 10]: local translation, unit quaternion and scale of each joint.
    - `parents` [joint]: the parent of each joint, or -1. Parents come before their children.
    """
    models = np.empty((parents.shape[0], 12))
    for n in range(rows.shape[0]):
        for joint in range(parents.shape[0]):
            local, parent = composed(rows, n, ROW * joint), parents[joint]
            model = local if parent < 0 else product(models[parent], local)
            for k in range(12):
                models[joint, k] = model[k]
            for axis in range(3):
                points[n, joint, axis] = model[4 * axis + 3]

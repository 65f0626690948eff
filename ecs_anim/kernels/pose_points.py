"""Joint positions of poses that have ten numbers per joint."""

import numpy as np

from ecs_anim.kernels import helper, kernel
from ecs_anim.kernels.types import LONGS, OUT_REALS_3D, REALS_2D, void
from ecs_anim.kernels.vectors import quaternion_rotation

POSE = 10  # numbers of a joint: translation 3, quaternion 4, scale 3
SHORTEST = 1e-6  # a shorter quaternion is divided by this length


@helper
def _linear(own, row, matrix):
    """Write the rotation and the scale of a joint to the first three columns of `matrix` [3, 4]."""
    x, y, z, w = row[own + 3], row[own + 4], row[own + 5], row[own + 6]
    length = max(np.sqrt(x * x + y * y + z * z + w * w), SHORTEST)
    rotation = quaternion_rotation(x / length, y / length, z / length, w / length)
    for axis in range(3):
        for column in range(3):
            matrix[axis, column] = rotation[3 * axis + column] * row[own + 7 + column]


@kernel(void(REALS_2D, LONGS, OUT_REALS_3D))
def pose_points(rows, parents, points):
    """Compute the joint positions `points` [n, joint, 3] [rig units] of poses.

    - `rows` [n, joint x 10]: local translation, quaternion and scale of each joint.
    - `parents` [joint]: the parent of each joint, or -1. Parents come before their children.
    """
    joints = parents.shape[0]
    models, local = np.empty((joints, 3, 4)), np.empty((3, 4))
    for n in range(rows.shape[0]):
        for joint in range(joints):
            own, parent = POSE * joint, parents[joint]
            _linear(own, rows[n], local)
            for axis in range(3):
                local[axis, 3] = rows[n, own + axis]
            for axis in range(3):
                for column in range(4):
                    if parent < 0:
                        models[joint, axis, column] = local[axis, column]
                        continue
                    total = models[parent, axis, 3] if column == 3 else 0.0
                    for k in range(3):
                        total += models[parent, axis, k] * local[k, column]
                    models[joint, axis, column] = total
                points[n, joint, axis] = models[joint, axis, 3]

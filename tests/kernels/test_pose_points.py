"""Joint positions of poses equal products of matrices, which scipy and numpy compute."""

import numpy as np
from scipy.spatial.transform import Rotation

from ecs_anim.kernels.pose_points import pose_points

PARENTS = np.array([-1, 0, 1, 0, -1, 3])


def test_points_are_products_of_local_matrices():
    random = np.random.default_rng(1)
    rows = random.normal(size=(40, len(PARENTS), 10))
    rows[..., 3:7] /= np.linalg.norm(rows[..., 3:7], axis=-1, keepdims=True)
    points = np.empty((40, len(PARENTS), 3))
    pose_points(rows.reshape(40, -1), PARENTS, points)
    local = np.tile(np.eye(4), (40, len(PARENTS), 1, 1))
    local[..., :3, :3] = Rotation.from_quat(rows[..., 3:7].reshape(-1, 4)).as_matrix().reshape(40, -1, 3, 3)
    local[..., :3, :3] *= rows[..., None, 7:]
    local[..., :3, 3] = rows[..., :3]
    for joint, parent in enumerate(PARENTS):
        if parent >= 0:
            local[:, joint] = local[:, parent] @ local[:, joint]
        np.testing.assert_allclose(points[:, joint], local[:, joint, :3, 3], atol=1e-12)

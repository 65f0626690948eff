"""Distances of actors to the camera. The distances decide whether the CPU or the GPU computes the pose of an actor."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.types import BOOLS, FLOATS_2D, OUT, REAL, void

ZERO, ONE = np.float32(0), np.float32(1)


@kernel(void(FLOATS_2D, FLOATS_2D, REAL, REAL, REAL, REAL, BOOLS, OUT))
def measure_nearness(translation, camera, cosine, margin, unseen, stays, chosen, out_distance):
    """Write the weighted squared distance [m^2] of each actor from the camera to out_distance [actor].

    `translation` has the shape [actor, 3] [m]. `camera` [2, 3] contains the position [m] and the view direction of the
    camera. The view is a cone. `cosine` is the cosine of the cone's half-angle, which is below 90 degrees. The kernel
    represents each actor by a sphere with the radius `margin` [m]. The distances of actors outside the cone are
    multiplied by `unseen`. The mask `chosen` [actor] marks the actors with poses from the CPU. The distances of these
    actors are multiplied by `stays`, which avoids flicker.
    """
    x, y, z = camera[0, 0], camera[0, 1], camera[0, 2]
    ahead_x, ahead_y, ahead_z = camera[1, 0], camera[1, 1], camera[1, 2]
    cosine, margin = np.float32(cosine), np.float32(margin)
    sine = np.sqrt(max(ONE - cosine * cosine, ZERO))
    far, near = np.float32(unseen * unseen), np.float32(stays * stays)
    for actor in range(translation.shape[0]):
        dx, dy, dz = translation[actor, 0] - x, translation[actor, 1] - y, translation[actor, 2] - z
        square = dx * dx + dy * dy + dz * dz
        along = dx * ahead_x + dy * ahead_y + dz * ahead_z
        aside = np.sqrt(max(square - along * along, ZERO))
        outside = aside * cosine - along * sine  # [m], distance from the surface of the cone
        if outside > margin or along < -margin:
            square *= far
        if chosen[actor]:
            square *= near
        out_distance[actor] = square

"""Walking for a chunk of actors."""

import numpy as np
from numba import njit

from ecs_anim.kernels.types import FLOATS, INTS, OUT_2D, REAL, void


@njit(
    void(FLOATS, INTS, FLOATS, FLOATS, FLOATS, REAL, REAL, REAL, REAL, REAL, OUT_2D, OUT_2D),
    cache=True,
    nogil=True,
)
def walk(
    clip_ground_speed,
    clip_index,
    playback_speed,
    scale,
    turn_rate,
    facing,
    center_x,
    center_z,
    radius,
    dt,
    out_translation,
    out_rotation,
):
    """Move actors along their heading, in the ground plane.

    clip_ground_speed [clip_count] [rig units/s]; playback_speed, scale, turn_rate [rad/s] [chunk]; facing
    [rad], where the model looks before it is turned, from +Z; center, radius [m], the area that actors turn
    back into; out_translation [chunk, 3] [m]; out_rotation [chunk, 4], rewritten as a turn about +Y. An actor
    that does not move does not turn.
    """
    for actor in range(out_translation.shape[0]):
        distance = np.float64(clip_ground_speed[clip_index[actor]]) * playback_speed[actor] * scale[actor] * dt
        if distance == 0.0:
            continue
        heading = 2.0 * np.arctan2(np.float64(out_rotation[actor, 1]), np.float64(out_rotation[actor, 3])) + facing
        away_x, away_z = out_translation[actor, 0] - center_x, out_translation[actor, 2] - center_z
        if away_x * away_x + away_z * away_z > radius * radius:
            wanted = np.arctan2(-away_x, -away_z)
            turn = np.remainder(wanted - heading + np.pi, 2.0 * np.pi) - np.pi
            most = turn_rate[actor] * dt
            heading += min(max(turn, -most), most)
            half = (heading - facing) / 2.0
            out_rotation[actor, 0], out_rotation[actor, 1] = 0.0, np.sin(half)
            out_rotation[actor, 2], out_rotation[actor, 3] = 0.0, np.cos(half)
        out_translation[actor, 0] += np.sin(heading) * distance
        out_translation[actor, 2] += np.cos(heading) * distance

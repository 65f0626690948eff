"""Kernels that write the positions of targets for a chunk of actors."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, FRAME, INTS, OUT_2D, PLACEMENT, void

TWO = np.float32(2)
HALF = np.float32(0.5)


@kernel(void(FLOATS, OUT_2D))
def stay(at, out_position):
    """Write the point `at` [3] as the position of each target to out_position [chunk, 3]."""
    for actor in range(out_position.shape[0]):
        for axis in range(3):
            out_position[actor, axis] = at[axis]


@kernel(void(FLOATS, FLOATS, FLOATS, FLOATS, OUT_2D))
def follow_circle(center, first, second, phase, out_position):
    """Write center + cos x first + sin x second [m] to out_position [chunk, 3], for `phase` [chunk] in rounds."""
    turn = 2 * np.pi
    for actor in range(phase.shape[0]):
        across, along = sin_cos(turn * phase[actor])
        sine, cosine = np.float32(across), np.float32(along)
        for axis in range(3):
            out_position[actor, axis] = center[axis] + cosine * first[axis] + sine * second[axis]


@kernel(void(FLOATS_2D, FLOATS, OUT_2D))
def follow_path(points, phase, out_position):
    """Write points on a closed Catmull-Rom curve (1974) through points [n, 3], from 0 to 1 round, `phase` [chunk]."""
    count = points.shape[0]
    for actor in range(phase.shape[0]):
        at = phase[actor] * np.float32(count)
        begin = min(max(int(at), 0), count - 1)
        t = at - np.float32(begin)
        for axis in range(3):
            before, here = points[(begin + count - 1) % count, axis], points[begin, axis]
            there, after = points[(begin + 1) % count, axis], points[(begin + 2) % count, axis]
            slope, next_slope = HALF * (there - before), HALF * (after - here)
            rise = there - here
            square_factor = np.float32(3) * rise - TWO * slope - next_slope
            cube_factor = slope + next_slope - TWO * rise
            out_position[actor, axis] = here + t * (slope + t * (square_factor + t * cube_factor))


@kernel(void(FLOATS_2D, INTS, OUT_2D))
def follow_parameters(parameters, columns, out_position):
    """Write positions x, y, z from the three columns `columns` [3] of `parameters` [chunk, parameter]."""
    for actor in range(out_position.shape[0]):
        for axis in range(3):
            out_position[actor, axis] = parameters[actor, columns[axis]]


@kernel(void(PLACEMENT, FRAME, OUT_2D))
def into_world(placement, frame, out_position):
    """Transform out_position [chunk, 3] from each actor's space, which `frame` describes, to the world."""
    translation, rotation, scale = placement.translation, placement.rotation, placement.scale
    sine, cosine = sin_cos(frame.facing)
    facing_sine, facing_cosine = np.float32(sine), np.float32(cosine)
    per_unit, raised = np.float32(1 / frame.unit), np.float32(frame.lift)
    for actor in range(scale.shape[0]):
        size = scale[actor] * per_unit
        left, y, ahead = out_position[actor, 0] * size, out_position[actor, 1] * size, out_position[actor, 2] * size
        x, z = left * facing_cosine + ahead * facing_sine, ahead * facing_cosine - left * facing_sine
        qx, qy, qz, qw = rotation[actor, 0], rotation[actor, 1], rotation[actor, 2], rotation[actor, 3]
        tx, ty, tz = TWO * (qy * z - qz * y), TWO * (qz * x - qx * z), TWO * (qx * y - qy * x)
        out_position[actor, 0] = translation[actor, 0] + x + qw * tx + qy * tz - qz * ty
        out_position[actor, 1] = translation[actor, 1] - raised + y + qw * ty + qz * tx - qx * tz
        out_position[actor, 2] = translation[actor, 2] + z + qw * tz + qx * ty - qy * tx

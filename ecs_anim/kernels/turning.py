"""Turns of vectors on the plan."""

from ecs_anim.kernels import kernel
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.types import OUT_REALS_3D, REALS, REALS_3D, void


@kernel(void(REALS_3D, REALS, OUT_REALS_3D))
def turn_vectors(vectors, angles, out_turned):
    """Write vectors [n or 1, m, 2] that are turned counter-clockwise by n angles [rad] to `out_turned` [n, m, 2]."""
    for row in range(len(angles)):
        sine, cosine = sin_cos(angles[row])
        own = vectors[row if len(vectors) > 1 else 0]
        for number in range(own.shape[0]):
            x, y = own[number, 0], own[number, 1]
            out_turned[row, number, 0], out_turned[row, number, 1] = cosine * x - sine * y, sine * x + cosine * y

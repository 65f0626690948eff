"""Curves of clips. A curve is a number that changes over the time of a clip.

For each actor, the kernel computes the weighted mean of the curves of all playing clips, and writes this mean to a
parameter of the actor.
"""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.motion import list_played, new_played
from ecs_anim.kernels.sampling import table_row
from ecs_anim.kernels.types import COUNT, FLOATS_2D, MOTIONS, OUT_2D, QUEUE, void
from ecs_anim.simd import borrow, keep_alive

ZERO = np.float32(0)


@kernel(void(FLOATS_2D, MOTIONS, QUEUE, COUNT, OUT_2D))
def mix_curve(values, motions, queue, column, out_parameters):
    """Write the value of a curve, mixed from the clips of each actor, to a column of `out_parameters` [chunk,
    parameter]. `values` [clip_count, point] contains the points of the curve of each clip.
    """
    memory, last = new_played(queue), values.shape[1] - 1
    played = borrow(memory)
    for actor in range(queue.slot_count.shape[0]):
        total = ZERO
        for number in range(list_played(motions, queue, out_parameters, actor, played)):
            clip, (point, fraction) = played.clip[number], table_row(played.phase[number], last)
            a, b = values[clip, point], values[clip, min(point + 1, last)]
            total += played.weight[number] * (a + (b - a) * fraction)
        out_parameters[actor, column] = total
    keep_alive(memory)

"""Scalar curves of clips, mixed as a chunk's clips are, into a parameter."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.motion import fade_progress, member_weights
from ecs_anim.kernels.sampling import table_row
from ecs_anim.kernels.types import COUNT, FLOATS_2D, MOTIONS, OUT_2D, QUEUE, void
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.simd import borrow

ONE = np.float32(1)
ZERO = np.float32(0)


@kernel(void(FLOATS_2D, MOTIONS, QUEUE, COUNT, OUT_2D))
def mix_curve(values, motions, queue, column, out_parameters):
    """Write each actor's curve value into a column of its parameters.

    values [clip_count, point]; out_parameters [chunk, parameter].
    """
    queue = FadeQueue(*borrow(queue))
    slot_count, motion, phase = queue.slot_count, queue.motion, queue.phase
    table, members = motions.motion, motions.member
    weights = np.empty(MAX_MEMBERS, np.float32)
    for actor in range(slot_count.shape[0]):
        total, remaining = ZERO, ONE
        for slot in range(slot_count[actor] - 1, -1, -1):
            share = remaining * fade_progress(queue.fade_time, queue.fade_duration, actor, slot)
            remaining -= share
            number = motion[actor, slot]
            member_weights(table, members, number, out_parameters, actor, weights)
            for member in range(table[number]["member_count"]):
                clip = members[table[number]["first_member"] + member]["clip"]
                point, fraction = table_row(phase[actor, slot], values.shape[1] - 1)
                a, b = values[clip, point], values[clip, min(point + 1, values.shape[1] - 1)]
                total += share * weights[member] * (a + (b - a) * fraction)
        out_parameters[actor, column] = total

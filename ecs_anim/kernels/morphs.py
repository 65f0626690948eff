"""Morph weights of a chunk of actors, mixed as their clips are, and layers on top."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.motion import fade_progress, member_weights
from ecs_anim.kernels.sampling import table_row
from ecs_anim.kernels.types import FLAG, FLOATS, FLOATS_2D, INTS, MORPHS, MOTIONS, OUT_2D, QUEUE, void
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.simd import borrow

ONE = np.float32(1)
ZERO = np.float32(0)


@kernel(void(MORPHS, MOTIONS, FLOATS_2D, QUEUE, OUT_2D))
def mix_morphs(morphs, motions, parameters, queue, out_weights):
    """Write the weights that clips animate, by the share of every fade slot's motion and every member's clip.

    parameters [chunk, parameter]; out_weights [chunk, target], of which the `MorphArrays` say the columns.
    """
    rows, columns, first_row, interval_count = morphs.rows, morphs.columns, morphs.first_row, morphs.interval_count
    queue = FadeQueue(*borrow(queue))
    slot_count, motion, phase = queue.slot_count, queue.motion, queue.phase
    table, members = motions.motion, motions.member
    weights = np.empty(MAX_MEMBERS, np.float32)
    for actor in range(slot_count.shape[0]):
        remaining = ONE
        for k in range(columns.shape[0]):
            out_weights[actor, columns[k]] = ZERO
        for slot in range(slot_count[actor] - 1, -1, -1):
            share = remaining * fade_progress(queue.fade_time, queue.fade_duration, actor, slot)
            remaining -= share
            number = motion[actor, slot]
            member_weights(table, members, number, parameters, actor, weights)
            for member in range(table[number]["member_count"]):
                weight = share * weights[member]
                if weight > ZERO:
                    clip = members[table[number]["first_member"] + member]["clip"]
                    row, fraction = table_row(phase[actor, slot], interval_count[clip])
                    a = rows[first_row[clip] + row]
                    b = rows[first_row[clip] + min(row + 1, interval_count[clip])]
                    for k in range(columns.shape[0]):
                        out_weights[actor, columns[k]] += weight * (a[k] + (b[k] - a[k]) * fraction)
            if remaining <= ZERO:
                break


@kernel(void(FLOATS_2D, INTS, FLOATS, FLAG, FLOATS, FLOATS, OUT_2D))
def layer_morphs(rows, columns, shares, is_additive, phase, weight, out_weights):
    """Add a layer's clip of differences to the weights, or blend its clip over them.

    rows [interval_count + 1, n]; columns [n], where they go; shares [n], the mask's; phase, weight [chunk];
    out_weights [chunk, target].
    """
    last = rows.shape[0] - 1
    for actor in range(phase.shape[0]):
        if weight[actor] != ZERO:
            row, fraction = table_row(phase[actor], last)
            a, b = rows[row], rows[min(row + 1, last)]
            for k in range(columns.shape[0]):
                value, share = a[k] + (b[k] - a[k]) * fraction, weight[actor] * shares[k]
                covered = ZERO if is_additive else out_weights[actor, columns[k]]
                out_weights[actor, columns[k]] += share * (value - covered)

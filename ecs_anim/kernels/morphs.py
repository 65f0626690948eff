"""Morph weights of a chunk of actors. Kernels mix the weights of the clips, and then apply layers."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.motion import list_played, new_played
from ecs_anim.kernels.sampling import table_row
from ecs_anim.kernels.types import FLAG, FLOATS, FLOATS_2D, INTS, MORPHS, MOTIONS, OUT_2D, QUEUE, void
from ecs_anim.simd import borrow, keep_alive

ZERO = np.float32(0)


@kernel(void(MORPHS, MOTIONS, FLOATS_2D, QUEUE, OUT_2D))
def mix_morphs(morphs, motions, parameters, queue, out_weights):
    """Write each actor's morph weights `out_weights` [chunk, target]: the weighted means over its clips. `parameters`
    has the shape [chunk, parameter]. `MorphArrays` lists the columns of the targets.
    """
    rows, columns, first_row, interval_count = morphs.rows, morphs.columns, morphs.first_row, morphs.interval_count
    memory = new_played(queue)
    played = borrow(memory)
    for actor in range(queue.slot_count.shape[0]):
        for k in range(columns.shape[0]):
            out_weights[actor, columns[k]] = ZERO
        for number in range(list_played(motions, queue, parameters, actor, played)):
            weight, clip = played.weight[number], played.clip[number]
            if weight > ZERO:
                row, fraction = table_row(played.phase[number], interval_count[clip])
                a, b = rows[first_row[clip] + row], rows[first_row[clip] + min(row + 1, interval_count[clip])]
                for k in range(columns.shape[0]):
                    out_weights[actor, columns[k]] += weight * (a[k] + (b[k] - a[k]) * fraction)
    keep_alive(memory)


@kernel(void(FLOATS_2D, INTS, FLOATS, FLAG, FLOATS, FLOATS, OUT_2D))
def layer_morphs(rows, columns, shares, is_additive, phase, weight, out_weights):
    """Apply a layer to the morph weights `out_weights` [chunk, target]: add a clip of differences (`is_additive`), or
    replace a share of each weight. `rows` [interval_count + 1, n] contains the clip, `columns` [n] its targets, and
    `shares` [n] the strength for each target, 0 to 1. `phase` and `weight` have the shape [chunk].
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

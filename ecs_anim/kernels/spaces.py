"""Blend spaces, eight actors at a time. Most actors that walk or run play one common blend space: the blend space of
the first actor that plays a blend space alone. Kernels process all other actors one after the other, with equal bits
(see `motion`).
"""

import numpy as np

from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.motion import parameters_of, weigh
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.simd import borrow, keep_alive, pad_rows, pointer, rows_at, scatter, view_lanes

NOBODY = np.int64(-1)


@inlined
def plays_alone(slot_count, motion, actor, number):
    """Return whether an actor plays the motion `number` and no other motion."""
    return slot_count[actor] == 1 and motion[actor, 0] == number


@inlined
def _list_players(fits, slot_count, motion, rows):
    """List the actors that play one motion alone: the first motion for which `fits` is true and that an actor plays
    alone. Return the motion, and the number of the listed actors.
    """
    number, count = NOBODY, 0
    for actor in range(slot_count.shape[0]):
        if number == NOBODY and slot_count[actor] == 1 and fits[motion[actor, 0]]:
            number = np.int64(motion[actor, 0])
        if plays_alone(slot_count, motion, actor, number):
            rows[count] = actor
            count += 1
    pad_rows(rows, count)
    return number, count


@helper
def list_alike(table, slot_count, motion, rows):
    """Return the common blend space with `keeps_pace`, or `NOBODY`, and the number of actors that play only this space.
    Write their rows to rows [chunk + 7], padded to a multiple of eight.
    """
    fits = np.empty(table.shape[0], np.bool_)
    for number in range(table.shape[0]):
        fits[number] = table[number]["parameter_x"] >= 0 and table[number]["keeps_pace"]
    return _list_players(fits, slot_count, motion, rows)


@helper  # not inlined, so that the loops beside the call run faster
def weigh_alike(table, members, slot_count, motion, parameters, out_weights):
    """Write the member weights of actors that play only the common blend space to `out_weights` [chunk, MAX_MEMBERS].
    Return the blend space, or `NOBODY`. `parameters` has the shape [chunk, parameter].
    """
    listed, scratch = np.empty(slot_count.shape[0] + 7, np.int64), np.zeros(8 * MAX_MEMBERS, np.float32)
    rows, w, fits = borrow(listed), view_lanes(scratch), np.empty(table.shape[0], np.bool_)
    for number in range(table.shape[0]):
        fits[number] = table[number]["parameter_x"] >= 0
    number, count = _list_players(borrow(fits), slot_count, motion, rows)
    for first in range(0, count, 8):
        own = rows_at(rows, first)
        x, y = parameters_of(table, number, pointer(parameters), own * parameters.shape[1])
        weigh(table, members, number, x, y, w)
        scatter(pointer(out_weights), own * MAX_MEMBERS, 0, (w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]))
    keep_alive(listed, scratch, fits)
    return number

"""Pin weights of feet, 0 to 1: how strongly a heel or a ball is fixed to the ground. The kernel `mix_contacts` mixes
the pin weights of clips. The stage `pin_contacts` adapts the mixed weights to the pose and to the footsteps.
"""

from typing import NamedTuple

import numpy as np

from ecs_anim import simd
from ecs_anim.ik.foot_contacts import CURVE_COUNT, SUPPORT
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.frames import lanes_of, read_frame
from ecs_anim.kernels.grounding_legs import ANKLE
from ecs_anim.kernels.grounding_plans import contact_places
from ecs_anim.kernels.motion import list_members, list_played, new_played
from ecs_anim.kernels.sampling import table_row
from ecs_anim.kernels.spaces import NOBODY, plays_alone, weigh_alike
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import FLAG, FLOATS, FLOATS_2D, FLOATS_3D, LEGS, MOTIONS, OUT_2D, OUT_3D, QUEUE, REAL, void
from ecs_anim.kernels.vectors import eased
from ecs_anim.runtime.motion import MAX_MEMBERS

ZERO, ONE = np.float32(0), np.float32(1)
# With a mixed weight of at most FREE, a contact is free. With at least PINNED, the contact is fully pinned.
FREE, PINNED = np.float32(0.5), np.float32(0.8)
MANY = 8  # if more than 1 / MANY of the actors need weights of clips, the kernel computes all weights together
LOW, HIGH = np.float32(0.02), np.float32(0.05)  # [leg lengths], height of a contact on the ground, and in the air


class PinContacts(NamedTuple):
    """Arguments of the stage `pin_contacts`."""

    blocks: BLOCKS
    legs: LEGS
    floor: REAL  # [m], height of actors above the ground
    scale: FLOATS  # [chunk], [m] of a rig unit
    lifts: FLAG  # whether the stage reduces the weights of contacts in the air
    stepping: FLOATS  # [chunk], weight of the footsteps of each actor's body, 0 to 1
    asked: FLOATS_3D  # [chunk, leg, 3], pin weights of footsteps
    pin: OUT_3D  # [chunk, leg, 3], pin weights; at first the weights of the clips


@stage(PinContacts)
def pin_contacts(own, first, end, frame):
    """Reduce the clips' weights of heels and balls that are in the air in the pose, and mix in the weights of
    footsteps: (1 - stepping) x the weight from the clips + stepping x the weight from the footsteps.
    """
    legs, pins, asked = simd.pointer(own.legs), simd.pointer(own.pin), simd.pointer(own.asked)
    leg_count = own.legs.joints.shape[0]
    for begin in range(first, end, 8):
        rows, frames = simd.rows_at(own.blocks.rows, begin), lanes_of(own.blocks.frames, frame + (begin - first) // 8)
        of_legs, stepping = rows * (3 * leg_count), simd.gather(simd.pointer(own.stepping), rows, 0)
        floor = -np.float32(own.floor) / simd.gather(simd.pointer(own.scale), rows, 0)
        for leg in range(leg_count):
            heel, ball = contact_places(read_frame(frames, legs.joints[4 * leg + ANKLE]), legs.contacts, leg)
            for contact in range(3):
                weight = simd.gather(pins, of_legs, 3 * leg + contact)
                if own.lifts and contact < 2:
                    height = ((heel[1] if contact == 0 else ball[1]) - floor) / legs.length[leg]
                    weight = simd.select(weight > ZERO, weight * eased((HIGH - height) / (HIGH - LOW)), weight)
                mixed = simd.gather(asked, of_legs, 3 * leg + contact) * stepping + weight * (ONE - stepping)
                simd.scatter(pins, of_legs, 3 * leg + contact, simd.select(stepping > ZERO, mixed, weight))


@inlined
def _are_many(stepping):
    """Return whether so many actors need pin weights that one pass for all blend-space weights is faster."""
    count = 0
    for actor in range(stepping.shape[0]):
        count += stepping[actor] < ONE
    return MANY * count > stepping.shape[0]


@inlined
def _between(rows, at, further, fraction):
    """Return eight numbers of curves, interpolated between the points at `at` and `at + further`."""
    a, b = simd.load(rows, at), simd.load(rows, at + further)
    return a + (b - a) * fraction


@inlined
def _point_of(phase, points, width):
    """Return the offset of a phase's point in a clip's curves, the offset to the next point, and a fraction."""
    point, fraction = table_row(phase, points - 1)
    return point * width, (min(point + 1, points - 1) - point) * width, fraction


@inlined
def _put_row(out, at, end, size, values, spill):
    """Write eight numbers to a row. Numbers past the row's end are written, too, and the next row overwrites them. So
    rows are written in their order. The last row has no next row: its numbers go through the memory `spill` [8].
    """
    if at + 8 <= size:
        simd.store(out, at, values)
    else:
        simd.store(spill, 0, values)
        for number in range(at, end):
            simd.store(out, number, simd.load1(spill, number - at))


@inlined
def _mixed(rows, first, row_length, points, played, count):
    """Return eight numbers of a row, mixed from the curves of the clips that an actor plays. `first` is the number of
    the first of them in the row.
    """
    mixed = simd.broadcast(ZERO)
    for number in range(count):
        point, further, fraction = _point_of(played.phase[number], points, row_length)
        clip = played.clip[number] * points * row_length
        mixed = mixed + _between(rows, clip + point + first, further, fraction) * played.weight[number]
    return mixed


@kernel(void(FLOATS_3D, MOTIONS, FLOATS_2D, QUEUE, FLOATS, OUT_2D))
def mix_contacts(curves, motions, parameters, queue, stepping, out_pin):
    """Write each actor's pin weights, mixed from its clips, to `out_pin` [chunk, leg x CURVE_COUNT]. If `stepping`
    [chunk], the weight of an actor's footsteps, is 1, its weights are 0. `curves` [clip_count, point, row] has leg x
    CURVE_COUNT numbers in each row, padded to a multiple of 8.
    """
    points, row_length, pins = curves.shape[1], curves.shape[2], out_pin.shape[1]
    memory, eight, is_support = new_played(queue), np.empty(8, np.float32), np.zeros(row_length, np.float32)
    is_support[SUPPORT::CURVE_COUNT] = ONE
    space_memory = np.empty((stepping.shape[0], MAX_MEMBERS), np.float32)
    space, played, space_weights = NOBODY, simd.borrow(memory), simd.borrow(space_memory)
    if _are_many(stepping):  # `space` is the first blend space that an actor plays alone; most actors play the same
        space = weigh_alike(motions.motion, motions.member, queue.slot_count, queue.motion, parameters, space_weights)
    rows, out, spill = simd.pointer(curves), simd.pointer(out_pin), simd.pointer(eight)
    for actor in range(queue.slot_count.shape[0]):
        begin, end = pins * actor, pins * (actor + 1)
        if not stepping[actor] < ONE:
            for pin in range(begin, end):
                simd.store(out, pin, ZERO)
            continue
        if plays_alone(queue.slot_count, queue.motion, actor, space):
            count = list_members(motions, space, ONE, queue.phase[actor, 0], space_weights[actor], 0, played)
        else:
            count = list_played(motions, queue, parameters, actor, played)
        for at in range(0, pins, 8):
            mixed = _mixed(rows, at, row_length, points, played, count)
            # A foot is pinned if most of the mixed clips pin the foot. Support weights stay as they are.
            decided = eased((mixed - FREE) / (PINNED - FREE))
            mixed = simd.select(simd.load(is_support, at) > ZERO, mixed, decided)
            _put_row(out, begin + at, end, pins * queue.slot_count.shape[0], mixed, spill)
    simd.keep_alive(memory, eight, is_support, space_memory)

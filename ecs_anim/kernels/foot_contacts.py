"""Pin weights of feet: what clips say, then, as a stage, what poses and steps say."""

from typing import NamedTuple

import numpy as np

from ecs_anim.ik.foot_contacts import CURVE_COUNT, SUPPORT
from ecs_anim.kernels import inlined, kernel, maker
from ecs_anim.kernels.blocks import lanes_of
from ecs_anim.kernels.frames import read_frame
from ecs_anim.kernels.motion import fade_progress, member_weights
from ecs_anim.kernels.sampling import table_row
from ecs_anim.kernels.spaces import NOBODY, plays_alone, weigh_alike
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import FLAG, FLOATS, FLOATS_2D, FLOATS_3D, LEGS, MOTIONS, OUT_2D, OUT_3D, QUEUE, REAL, void
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.simd import (
    borrow,
    broadcast,
    gather,
    keep_alive,
    load,
    load1,
    maximum,
    minimum,
    pointer,
    rows_at,
    scatter,
    select,
    store,
)

ONE = np.float32(1)
ZERO = np.float32(0)
FREE, PINNED = np.float32(0.5), np.float32(0.8)  # shares of the clips in a mix that leave a contact free, and pin it
MANY = 8  # one weighed alone takes as long as so many together
LOW, HIGH = np.float32(0.02), np.float32(0.05)  # of the leg's length, a contact on the ground and off it


@inlined
def _decided(share):
    """Mixed pin weights, steepened: a foot stands where most of the mix stands on it."""
    t = minimum(maximum((share - FREE) / (PINNED - FREE), ZERO), ONE)
    return t * t * (np.float32(3) - np.float32(2) * t)


@inlined
def _low(height):
    """How surely contacts of this height, in legs' lengths over the clips' floor, are on the ground."""
    t = minimum(maximum((HIGH - height) / (HIGH - LOW), ZERO), ONE)
    return t * t * (np.float32(3) - np.float32(2) * t)


@inlined
def _lifted(pin, row, point, contacts, level, length):
    """A contact's pin weight, less where it is in the air; `row`: the second one of the ankle's matrix."""
    x, y, z, up = row
    height = x * contacts[point] + y * contacts[point + 1] + z * contacts[point + 2] + up
    lower = pin * _low((height - level) / length)
    return select(pin > ZERO, lower, pin)


class PinContacts(NamedTuple):
    """Arguments of the stage `pin_contacts`."""

    blocks: BLOCKS
    legs: LEGS
    floor: REAL  # [m], by which actors stand above the ground
    scale: FLOATS  # [chunk], [m] of a rig unit
    lifts: FLAG  # contacts that the pose has in the air are let go
    stepping: FLOATS  # [chunk], how much of each actor is a body's steps, 0 to 1
    asked: FLOATS_3D  # [chunk, leg, 3], pin weights that the steps of bodies give
    pin: OUT_3D  # [chunk, leg, 3], what clips say


@stage(PinContacts)
def pin_contacts(own, first, end, frame):
    """Lower the pin weights of contacts that the pose has in the air, and mix in what a body's steps say."""
    legs, leg_count = own.legs, own.legs.joints.shape[0]
    joints, contacts, length = pointer(legs.joints), pointer(legs.contacts), pointer(legs.length)
    pins, asked, lift = pointer(own.pin), pointer(own.asked), np.float32(own.floor)
    for begin in range(first, end, 8):
        rows, lanes = rows_at(own.blocks.rows, begin), lanes_of(own.blocks.frames, frame + (begin - first) // 8)
        pinned, level = rows * (3 * leg_count), -lift / gather(pointer(own.scale), rows, 0)
        share = gather(pointer(own.stepping), rows, 0)
        for leg in range(leg_count):
            _, row, _ = read_frame(lanes, joints[4 * leg + 2])
            for contact in range(3):
                at = 3 * leg + contact
                weight = gather(pins, pinned, at)
                if own.lifts and contact < 2:
                    weight = _lifted(weight, row, 3 * (2 * leg + contact), contacts, level, length[leg])
                mixed = gather(asked, pinned, at) * share + weight * (ONE - share)
                scatter(pins, pinned, at, select(share > ZERO, mixed, weight))


@inlined
def _are_many(stepping):
    """Whether clips are asked for so many that all are best weighed together."""
    count = 0
    for actor in range(stepping.shape[0]):
        count += stepping[actor] < ONE
    return MANY * count > stepping.shape[0]


@inlined
def _between(rows, at, further, fraction):
    """Eight numbers of a curve between two of its points."""
    a, b = load(rows, at), load(rows, at + further)
    return a + (b - a) * fraction


@inlined
def _point_of(phase, points, width):
    """Where in a clip's curves a phase is, how much further on the next point is, and how far it is there."""
    point, fraction = table_row(phase, points - 1)
    return point * width, (min(point + 1, points - 1) - point) * width, fraction


@inlined
def _put_row(out, at, end, size, values, room):
    """Write numbers of a row that goes to `end`; what else lanes hold goes to rows that are written afterwards."""
    if at + 8 <= size:
        store(out, at, values)
    else:
        store(room, 0, values)
        for number in range(at, end):
            store(out, number, load1(room, number - at))


@inlined
def _mix_one(rows, at, place, clips, weights, first):
    """Eight numbers of curves of clips that begin at `clips` in `rows`; `weights` from `first` on."""
    (point, further, fraction), mixed = place, broadcast(ZERO)
    for member in range(clips.shape[0]):
        mixed = mixed + _between(rows, clips[member] + point + at, further, fraction) * load1(weights, first + member)
    return mixed


@maker
def _curves_of(table, members, number, size):
    """Where the curves of a motion's clips begin, of `size` numbers each."""
    count = 0 if number == NOBODY else np.int64(table[number]["member_count"])
    starts = np.empty(count, np.int64)
    for member in range(count):
        starts[member] = members[table[number]["first_member"] + member]["clip"] * size
    return starts


@kernel(void(FLOATS_3D, MOTIONS, FLOATS_2D, QUEUE, FLOATS, OUT_2D))
def mix_contacts(curves, motions, parameters, queue, stepping, out_pin):
    """Mix the pin weights of all clips that each actor plays; 0 of those whose feet stand as a body's steps say.

    curves [clip_count, point, row], rows of leg x CURVE_COUNT numbers with padding to a multiple of 8; parameters
    [chunk, parameter]; stepping [chunk], how much of each actor is a body's steps, 0 to 1; out_pin
    [chunk, leg x CURVE_COUNT].
    """
    slot_count, motion, phase = borrow(queue[0]), borrow(queue[1]), borrow(queue[2])
    fade_time, fade_duration, parameters = borrow(queue[4]), borrow(queue[5]), borrow(parameters)
    table, members = borrow(motions.motion), borrow(motions.member)
    points, width, contacts = curves.shape[1], curves.shape[2], out_pin.shape[1]
    scratch, last, supports = (
        np.empty(MAX_MEMBERS, np.float32),
        np.empty(8, np.float32),
        np.zeros(width, np.float32),
    )
    supports[SUPPORT::CURVE_COUNT] = ONE  # a leg takes over the weight bit by bit
    known, alike = np.empty((stepping.shape[0], MAX_MEMBERS), np.float32), NOBODY
    if _are_many(stepping):
        alike = weigh_alike(table, members, slot_count, motion, parameters, borrow(known))
    starts = _curves_of(table, members, alike, points * width)
    clips, all_weights = borrow(starts), pointer(known)
    weights, rows, out, room = borrow(scratch), pointer(curves), pointer(out_pin), pointer(last)
    for actor in range(slot_count.shape[0]):
        begin, end = contacts * actor, contacts * (actor + 1)
        if not stepping[actor] < ONE:
            for contact in range(begin, end):
                store(out, contact, ZERO)
            continue
        alone = plays_alone(slot_count, motion, actor, alike)
        for at in range(0, contacts, 8):
            mixed, remaining = broadcast(ZERO), ONE
            if alone:
                place = _point_of(phase[actor, 0], points, width)
                mixed = _mix_one(rows, at, place, clips, all_weights, MAX_MEMBERS * actor)
            for slot in range(-1 if alone else slot_count[actor] - 1, -1, -1):
                share = remaining * fade_progress(fade_time, fade_duration, actor, slot)
                remaining -= share
                number = motion[actor, slot]
                member_weights(table, members, number, parameters, actor, weights)
                point, further, fraction = _point_of(phase[actor, slot], points, width)
                for member in range(table[number]["member_count"]):
                    weight = share * weights[member]
                    if weight > ZERO:
                        clip = members[table[number]["first_member"] + member]["clip"] * points * width
                        mixed = mixed + _between(rows, clip + point + at, further, fraction) * weight
            mixed = select(load(supports, at) > ZERO, mixed, _decided(mixed))
            _put_row(out, begin + at, end, contacts * slot_count.shape[0], mixed, room)
    keep_alive(scratch, last, supports, known, starts)

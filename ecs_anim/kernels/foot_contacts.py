"""Pin weights of feet: from clips, then, as a stage, from poses and steps."""

from typing import NamedTuple

import numpy as np

from ecs_anim.ik.foot_contacts import CURVE_COUNT, SUPPORT
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.blocks import lanes_of
from ecs_anim.kernels.frames import read_frame
from ecs_anim.kernels.grounding_legs import ANKLE
from ecs_anim.kernels.grounding_plans import contact_places
from ecs_anim.kernels.motion import list_members, list_played, new_played
from ecs_anim.kernels.sampling import table_row
from ecs_anim.kernels.spaces import NOBODY, plays_alone, weigh_alike
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import FLAG, FLOATS, FLOATS_2D, FLOATS_3D, LEGS, MOTIONS, OUT_2D, OUT_3D, QUEUE, REAL, void
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.runtime.records import FadeQueue
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
MANY = 8  # weights of a whole chunk are computed together if an actor of so many needs them
LOW, HIGH = np.float32(0.02), np.float32(0.05)  # of the leg's length, a contact on the ground and off it


@inlined
def _decided(share):
    """Mixed pin weights, steepened: a foot stands where most of the mix stands on it."""
    t = minimum(maximum((share - FREE) / (PINNED - FREE), ZERO), ONE)
    return t * t * (np.float32(3) - np.float32(2) * t)


@inlined
def _low(height):
    """Return the share, 0 to 1, by which contacts at a height [leg lengths] over the clips' floor stand on it."""
    t = minimum(maximum((HIGH - height) / (HIGH - LOW), ZERO), ONE)
    return t * t * (np.float32(3) - np.float32(2) * t)


@inlined
def _lifted(pin, height, length):
    """Pin weights of contacts, less where these are in the air: height over the clips' floor, length of the leg."""
    return select(pin > ZERO, pin * _low(height / length), pin)


class PinContacts(NamedTuple):
    """Arguments of the stage `pin_contacts`."""

    blocks: BLOCKS
    legs: LEGS
    floor: REAL  # [m], by which actors stand above the ground
    scale: FLOATS  # [chunk], [m] of a rig unit
    lifts: FLAG  # contacts that the pose has in the air are let go
    stepping: FLOATS  # [chunk], how much of each actor is a body's steps, 0 to 1
    asked: FLOATS_3D  # [chunk, leg, 3], pin weights of bodies' steps
    pin: OUT_3D  # [chunk, leg, 3], at first those of clips


@stage(PinContacts)
def pin_contacts(own, first, end, frame):
    """Lower the pin weights of contacts that the pose has in the air, and mix in the weights of a body's steps.

    A weight is (1 - stepping) x the weight of clips + stepping x the weight of steps. The height of heels and balls
    lowers their weights of clips; the weight of the whole leg stays.
    """
    legs, leg_count, pins, asked = pointer(own.legs), own.legs.joints.shape[0], pointer(own.pin), pointer(own.asked)
    for begin in range(first, end, 8):
        rows, frames = rows_at(own.blocks.rows, begin), lanes_of(own.blocks.frames, frame + (begin - first) // 8)
        of_legs, stepping = rows * (3 * leg_count), gather(pointer(own.stepping), rows, 0)
        floor = -np.float32(own.floor) / gather(pointer(own.scale), rows, 0)
        for leg in range(leg_count):
            heel, ball = contact_places(read_frame(frames, legs.joints[4 * leg + ANKLE]), legs.contacts, leg)
            for contact in range(3):
                weight = gather(pins, of_legs, 3 * leg + contact)
                if own.lifts and contact < 2:
                    height = (heel[1] if contact == 0 else ball[1]) - floor
                    weight = _lifted(weight, height, legs.length[leg])
                mixed = gather(asked, of_legs, 3 * leg + contact) * stepping + weight * (ONE - stepping)
                scatter(pins, of_legs, 3 * leg + contact, select(stepping > ZERO, mixed, weight))


@inlined
def _are_many(stepping):
    """Return whether enough actors need the contacts of clips for their weights to be computed together."""
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


@kernel(void(FLOATS_3D, MOTIONS, FLOATS_2D, QUEUE, FLOATS, OUT_2D))
def mix_contacts(curves, motions, parameters, queue, stepping, out_pin):
    """Mix the pin weights of all clips that each actor plays; 0 of those whose feet stand as a body's steps say.

    curves [clip_count, point, row], rows of leg x CURVE_COUNT numbers with padding to a multiple of 8; parameters
    [chunk, parameter]; stepping [chunk], how much of each actor is a body's steps, 0 to 1; out_pin
    [chunk, leg x CURVE_COUNT].
    """
    queue, parameters = FadeQueue(*borrow(queue)), borrow(parameters)
    motions, points, width, contacts = borrow(motions), curves.shape[1], curves.shape[2], out_pin.shape[1]
    memory, last, supports = new_played(queue), np.empty(8, np.float32), np.zeros(width, np.float32)
    supports[SUPPORT::CURVE_COUNT] = ONE  # a leg takes over the weight bit by bit
    known = np.empty((stepping.shape[0], MAX_MEMBERS), np.float32)
    alike = NOBODY
    if _are_many(stepping):
        alike = weigh_alike(motions.motion, motions.member, queue.slot_count, queue.motion, parameters, borrow(known))
    played, all_weights = borrow(memory), borrow(known)
    rows, out, room = pointer(curves), pointer(out_pin), pointer(last)
    for actor in range(queue.slot_count.shape[0]):
        begin, end = contacts * actor, contacts * (actor + 1)
        if not stepping[actor] < ONE:
            for contact in range(begin, end):
                store(out, contact, ZERO)
            continue
        if plays_alone(queue.slot_count, queue.motion, actor, alike):
            count = list_members(motions, alike, ONE, queue.phase[actor, 0], all_weights[actor], 0, played)
        else:
            count = list_played(motions, queue, parameters, actor, played)
        for at in range(0, contacts, 8):
            mixed = broadcast(ZERO)
            for number in range(count):
                point, further, fraction = _point_of(played.phase[number], points, width)
                clip = played.clip[number] * points * width
                mixed = mixed + _between(rows, clip + point + at, further, fraction) * played.weight[number]
            mixed = select(load(supports, at) > ZERO, mixed, _decided(mixed))
            _put_row(out, begin + at, end, contacts * queue.slot_count.shape[0], mixed, room)
    keep_alive(memory, last, supports, known)

"""Stages between pose rows and palettes, each of which 64 actors of a kind go through together, eight at a time.

Helpers, inlined into the kernels that are made of them. Code of all stages together does not fit the nearest cache,
and frames of 64 actors fit the next: so the code of each stage is fetched once for eight eights. `rows` lists actors
by what they do; `part` says from where to where of it actors are done together.
"""

import numpy as np

from ecs_anim.kernels import inlined, maker
from ecs_anim.kernels.foot_contacts import lifted_pin
from ecs_anim.kernels.frames import read_frame
from ecs_anim.kernels.pose_palettes import put_palettes
from ecs_anim.kernels.traversal import first_frames, follow, read_channels, stream_rows
from ecs_anim.simd import gather, gather2, load, pointer, rows_at, scatter, scatter2, store

PART = 64  # actors of a kind who are done together


@inlined
def sort_by_kind(kinds, rows, begins, counts):
    """List actors of the same kind one after the other; each list fills whole eights with its last.

    kinds [chunk]; rows [chunk + 8 x kind count]; begins, counts [kind count].
    """
    present, begin = 0, 0
    for actor in range(kinds.shape[0]):
        present |= 1 << kinds[actor]
    for kind in range(counts.shape[0]):
        count = 0
        for actor in range(kinds.shape[0] if present >> kind & 1 else 0):
            rows[begin + count] = actor
            count += kinds[actor] == kind
        begins[kind], counts[kind] = begin, count
        end = begin + (count + 7) // 8 * 8
        for number in range(begin + count, end):
            rows[number] = rows[number - 1]
        begin = end


@maker
def frames_at_rest(traversal, channels):
    """Frames of a part, of which those that never move are done."""
    at_rest = first_frames(traversal.rest.shape[0] - 1, traversal.fixed, channels)
    frames = np.empty((PART // 8, at_rest.shape[0]), np.float32)
    for number in range(frames.shape[0]):  # a slice would have numba compile its messages of shapes
        own = pointer(frames[number])
        for at in range(0, at_rest.shape[0], 8):
            store(own, at, load(at_rest, at))
    return frames


@inlined
def is_any_of(steps, joints):
    """Whether steps of a traversal make frames of any of these joints."""
    found = False
    for step in range(steps.shape[0]):
        for joint in joints:
            found = found or steps[step, 0] == joint
    return found


@inlined
def moves_any(steps, legs):
    """Whether steps of a traversal make frames of joints that legs or the pelvis move."""
    return is_any_of(steps, legs.pelvis) or is_any_of(steps, legs.owned)


@inlined
def lanes_of(arrays, number):
    """What an array [8, ...] has for the eight actors that begin at this number of a part, flat."""
    return pointer(arrays[number // 8])


@inlined
def last_of(part):
    """The number of a part's last eight actors."""
    return (part[1] - part[0] - 1) // 8 * 8


@inlined
def pair_of(arrays, number, last):
    """What an array has for sixteen actors, that is twice the same eight where there are no others."""
    return lanes_of(arrays, number), lanes_of(arrays, min(number + 8, last))


@inlined
def rows_of(rows, part, number):
    """Rows of the same sixteen actors."""
    begin, last = part[0], last_of(part)
    return rows_at(rows, begin + number), rows_at(rows, begin + min(number + 8, last))


@inlined
def follow_part(frames, rows, part, source):
    """Make the frames of a part's pose rows."""
    (pose, row_width), traversal, channels, anew = source
    for first in range(part[0], part[1], 8):
        starts, lanes = rows_at(rows, first) * row_width, lanes_of(frames, first - part[0])
        read_channels(pose, starts, traversal.channel_rows, channels)
        if anew:
            follow(traversal.fixed, channels, lanes)
        follow(traversal.moving, channels, lanes)


@inlined
def lifted_pins(frames, legs, leg, pins, pinned, level):
    """Pin weights of heel, ball and leg, less where the animation has contacts in the air, as `lift_contacts` says."""
    joints, contacts, lengths, _ = legs
    _, row, _ = read_frame(frames, joints[4 * leg + 2])
    heel, ball = gather2(pins, pinned, 3 * leg)
    return (
        lifted_pin(heel, row, 6 * leg, contacts, level, lengths[leg]),
        lifted_pin(ball, row, 6 * leg + 3, contacts, level, lengths[leg]),
        gather(pins, pinned, 3 * leg + 2),
    )


@inlined
def put_pins(pins, pinned, held, leg, own):
    """Write pin weights of a leg, also side by side to `held` [leg, 3, 8], flat."""
    scatter2(pins, pinned, 3 * leg, own[0], own[1])
    scatter(pins, pinned, 3 * leg + 2, own[2])
    for contact in range(3):
        store(held, 24 * leg + 8 * contact, own[contact])


@inlined
def lift_part(frames, rows, part, places, pins, notes):
    """Take pin weights of a part's contacts that are in the air, as `lift_contacts` does."""
    weights, legs, floor = pins
    for first in range(part[0], part[1], 8):
        own, lanes = rows_at(rows, first), lanes_of(frames, first - part[0])
        pinned, level = own * (3 * legs[3]), -floor / gather(places[2], own, 0)
        for leg in range(legs[3]):
            held = lifted_pins(lanes, legs, leg, weights, pinned, level)
            put_pins(weights, pinned, lanes_of(notes.held, first - part[0]), leg, held)


@inlined
def skin_part(frames, rows, part, skin, target, room):
    """Write the palettes of a part."""
    (joints, inverse_bind), (palette_rows, streamed, palette) = skin, target
    width, (piece, piece_rows, out_rows) = 12 * joints.shape[0], room
    for first in range(part[0], part[1], 8):
        lanes = lanes_of(frames, first - part[0])
        for lane in range(8):
            out_rows[lane] = palette_rows[rows[first + lane]] * width
        if streamed:
            put_palettes(lanes, joints, inverse_bind, piece, rows_at(piece_rows, 0))
            stream_rows(piece, width, palette, out_rows, min(8, part[1] - first))
        else:
            put_palettes(lanes, joints, inverse_bind, palette, rows_at(out_rows, 0))

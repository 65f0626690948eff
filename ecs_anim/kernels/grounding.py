"""The stage that has feet stand on the ground: probes and rays, plans, pelvises, legs.

Each step is a loop of its own over the actors of a block. Plans and legs are chains of roots and quotients, which
sixteen actors go through at once.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from ecs_anim.ik.foot_contacts import SUPPORT
from ecs_anim.ik.grounding import FootState
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.blocks import lanes_of, last_eight, pair_of, rows_of
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.frames import frame_origin, raise_frames, read_frame
from ecs_anim.kernels.ground import cast_lanes, find_cells
from ecs_anim.kernels.grounding_legs import STRAIGHT, follow_ground, move_leg, overstretch
from ecs_anim.kernels.grounding_plans import (
    PLAN_WIDTH,
    SHIFT,
    contact_places,
    plan_foot,
    put_foot,
    read_foot,
    stepping_manner,
)
from ecs_anim.kernels.grounding_probes import (
    Stance,
    begin_eight,
    forget_others,
    grounding_strengths,
    place_below,
    stance_of,
)
from ecs_anim.kernels.matrices import origin_in
from ecs_anim.kernels.stages import BLOCK, BLOCKS, stage
from ecs_anim.kernels.types import (
    FEET,
    FLOATS,
    FLOATS_3D,
    GROUND,
    GROUNDING,
    LEGS,
    OUT,
    OUT_2D,
    OUT_LONGS_2D,
    PLACEMENT,
    REAL,
    void,
)
from ecs_anim.runtime.records import Placement
from ecs_anim.simd import borrow, combine, gather, gather2, load, minimum, pointer, rows_at, split, store

STANCE = 9  # vectors that a `Stance` and how much actors are grounded take


class Notes(NamedTuple):
    """Intermediate results of a block, a lane for each actor: arrays [eight, numbers], or pointers of eight actors."""

    stance: OUT_2D  # [STANCE, 8]
    held: OUT_2D  # [leg, 3, 8], pin weights
    points: OUT_2D  # [leg, 2, 3, 8], where probes begin
    cells: OUT_LONGS_2D  # [leg, 2, 8], where the cells of a height field below them begin
    shares: OUT_2D  # [leg, 2, 2, 8], and how far into these they go
    hits: OUT_2D  # [leg, 2, 4, 8], what they meet
    plans: OUT_2D  # [leg, PLAN_WIDTH, 8]


NOTES: Any = types.BaseTuple.from_types(list(Notes.__annotations__.values()), Notes)


class GroundFeet(NamedTuple):
    """Arguments of the stage `ground_feet`."""

    blocks: BLOCKS
    settings: GROUNDING
    legs: LEGS
    ground: GROUND
    placement: PLACEMENT
    strength: FLOATS  # [chunk], how much each actor's feet are grounded, > 0
    dt: REAL  # [s]
    state: FEET
    pin: FLOATS_3D  # [chunk, leg, 3]
    notes: NOTES


def new_notes(leg_count: int) -> Notes:
    """Return room for the notes of a block."""
    widths = 8 * STANCE, 24 * leg_count, 48 * leg_count, 16 * leg_count, 32 * leg_count, 64 * leg_count
    kinds = np.float32, np.float32, np.float32, np.int64, np.float32, np.float32, np.float32
    sizes = (*widths, 8 * PLAN_WIDTH * leg_count)
    return Notes(*(np.empty((BLOCK // 8, width), kind) for width, kind in zip(sizes, kinds, strict=True)))


@kernel(void(GROUNDING, PLACEMENT, FLOATS, FEET, OUT))
def begin_grounding(settings, placement, weight, state, out_strength):
    """Write how much the feet of each actor are grounded, 0 to 1 [chunk]; feet of other actors begin anew."""
    translation, feet = Placement(*borrow(placement)).translation, FootState(*borrow(state))
    grounding_strengths(settings, translation, weight, out_strength)
    forget_others(borrow(out_strength), translation, feet.pelvis, state)


@inlined
def _notes_of(notes, number):
    """Return pointers to the intermediate results of eight actors."""
    return Notes(
        lanes_of(notes.stance, number),
        lanes_of(notes.held, number),
        lanes_of(notes.points, number),
        lanes_of(notes.cells, number),
        lanes_of(notes.shares, number),
        lanes_of(notes.hits, number),
        lanes_of(notes.plans, number),
    )


@inlined
def _grounded_legs(legs):
    """Return joints, contacts, lengths and number of legs, then the joints that legs and the pelvis carry."""
    own = pointer(legs.joints), pointer(legs.contacts), pointer(legs.length), legs.joints.shape[0]
    return own, ((pointer(legs.owned), pointer(legs.owned_start)), (pointer(legs.pelvis), legs.pelvis.shape[0]))


@inlined
def _put_pins(held, pins, rows, leg_count):
    """Note the pin weights of eight actors side by side."""
    pinned = rows * (3 * leg_count)
    for leg in range(leg_count):
        heel, ball = gather2(pins, pinned, 3 * leg)
        store(held, 24 * leg, heel)
        store(held, 24 * leg + 8, ball)
        store(held, 24 * leg + 16, gather(pins, pinned, 3 * leg + 2))


@inlined
def _put_stance(room, stance, strength):
    size, sine, cosine, x, y, z, level, floor, _ = stance
    numbers = size, sine, cosine, x, y, z, level, floor, strength
    for number in range(STANCE):
        store(room, 8 * number, numbers[number])


@inlined
def _read_stance(room, decay):
    """How eight actors stand, and how much they are grounded."""
    size, turn, place = (
        load(room, 0),
        (load(room, 8), load(room, 16)),
        (load(room, 24), load(room, 32), load(room, 40)),
    )
    return Stance(size, *turn, *place, load(room, 48), load(room, 56), decay), load(room, 64)


@inlined
def _probe(frames, legs, locks, of_legs, stance, out_points):
    """Where feet look for the ground, as `place_probes` says."""
    joints, contacts, _, leg_count = legs
    locked = of_legs * 4
    for leg in range(leg_count):
        hip, ankle = frame_origin(frames, joints[4 * leg]), read_frame(frames, joints[4 * leg + 2])
        back = gather(locks, locked, 4 * leg + 2), gather(locks, locked, 4 * leg + 3)
        heel, ball = contact_places(ankle, contacts, leg)
        top = stance.y + stance.size * hip[1]
        _put_probe(out_points, 48 * leg, place_below(heel, stance, back), top)
        _put_probe(out_points, 48 * leg + 24, place_below(ball, stance, back), top)


@inlined
def _put_probe(points, at, place, top):
    store(points, at, place[0])
    store(points, at + 8, top)
    store(points, at + 16, place[1])


@inlined
def _foot_of(frames, legs, leg, notes):
    """Heels, balls and ankles of eight actors, what their probes hit, and pins."""
    ankle, hits, held = read_frame(frames, legs[0][4 * leg + 2]), 64 * leg, 24 * leg
    heel, ball = contact_places(ankle, legs[1], leg)
    found = _read_hit(notes.hits, hits), _read_hit(notes.hits, hits + 32)
    return (heel, ball, origin_in(ankle)), found, (load(notes.held, held), load(notes.held, held + 8))


@inlined
def _read_hit(hits, at):
    return load(hits, at), load(hits, at + 8), load(hits, at + 16), load(hits, at + 24)


@inlined
def _put_plan(plans, leg, plan):
    for number in range(PLAN_WIDTH):
        store(plans, 8 * (PLAN_WIDTH * leg + number), plan[number])


@inlined
def _plan(frames, rows, legs, memory, notes, manner, decay):
    """Where ankles of sixteen actors go, as `plan_feet` does."""
    (one, other), (_, _, lengths, count) = notes, legs
    of_one, of_other = rows[0] * count, rows[1] * count
    stance, strength = combine(_read_stance(one.stance, decay), _read_stance(other.stance, decay))
    for leg in range(count):
        points, found, pins = combine(_foot_of(frames[0], legs, leg, one), _foot_of(frames[1], legs, leg, other))
        remembered = combine(read_foot(memory, of_one, leg), read_foot(memory, of_other, leg))
        plan, remembered = plan_foot(remembered, points, found, pins, strength, lengths[leg], stance, manner)
        plans, remember = split(plan), split(remembered)
        _put_plan(one.plans, leg, plans[0])
        _put_plan(other.plans, leg, plans[1])
        put_foot(memory, of_one, leg, remember[0])
        put_foot(memory, of_other, leg, remember[1])


@inlined
def _raise_hips(frames, legs, carried, memory, rows, notes, follows):
    """Raise or lower pelvises of eight actors, as `move_legs` does."""
    (joints, _, lengths, leg_count), (pelvis, count), (decay, dt) = legs, carried, follows
    (stance, strength), plans, held, at = _read_stance(notes.stance, decay), notes.plans, notes.held, 8 * SUPPORT
    size, place = stance.size, (stance.x, stance.y, stance.z)
    lower = load(plans, 8 * SHIFT) * load(held, at)
    for leg in range(1, leg_count):
        own = load(plans, 8 * (PLAN_WIDTH * leg + SHIFT))
        lower = minimum(lower, own * load(held, 24 * leg + at))
    shift = strength * follow_ground(memory, rows, place, size * lower, size * lengths[0], decay, dt) / size
    for leg in range(leg_count):
        own, hip = 8 * PLAN_WIDTH * leg, frame_origin(frames, joints[4 * leg])
        x, z = hip[0] - load(plans, own), hip[2] - load(plans, own + 16)
        missing = overstretch(hip[1] + shift - load(plans, own + 8), x * x + z * z, STRAIGHT * lengths[leg])
        shift = shift - strength * load(held, 24 * leg + at) * missing
    raise_frames(frames, pelvis, count, shift)


@inlined
def _move_legs(frames, legs, owned, one, other):
    """Move legs of sixteen actors, as `move_legs` does; last their plans."""
    for leg in range(legs[3]):
        plan = combine(_read_plan(one, leg), _read_plan(other, leg))
        move_leg(frames, (legs[0], *owned), leg, plan)


@inlined
def _read_plan(plans, leg):
    at = 8 * PLAN_WIDTH * leg
    goal = load(plans, at), load(plans, at + 8), load(plans, at + 16)
    ahead = load(plans, at + 24), load(plans, at + 32)
    return (*goal, *ahead, load(plans, at + 40), load(plans, at + 48), load(plans, at + 56))


@stage(GroundFeet)
def ground_feet(own, first, end, frame):
    """Move pelvis and legs so that feet stand on the ground, and write what feet remember."""
    rows, frames, settings, dt = own.blocks.rows, own.blocks.frames, own.settings, own.dt
    legs, (owned, carried) = _grounded_legs(own.legs)
    placement = Placement(*own.placement)
    places = pointer(placement.translation), pointer(placement.rotation), pointer(placement.scale)
    state = FootState(*own.state)
    memory = pointer(state.pelvis)
    feet = pointer(state.trace), pointer(state.tilt), pointer(state.lock), pointer(state.locked)
    floor, decay = np.float32(settings.floor), np.float32(exp(-dt / settings.step_seconds))
    follows, manner = (np.float32(exp(-dt / settings.pelvis_seconds)), np.float32(dt)), stepping_manner(settings, dt)
    last = last_eight(first, end)
    for number in range(0, last + 8, 8):
        actors, notes = rows_at(rows, first + number), _notes_of(own.notes, number // 8)
        stance = stance_of(places, actors, floor, decay)
        begin_eight(stance, legs[2][0], actors, memory, own.state)
        _put_stance(notes.stance, stance, gather(pointer(own.strength), actors, 0))
        _put_pins(notes.held, pointer(own.pin), actors, legs[3])
        lanes = lanes_of(frames, frame + number // 8)
        _probe(lanes, legs, feet[2], actors * legs[3], stance, notes.points)
        find_cells(own.ground, notes.points, 2 * legs[3], (notes.cells, notes.shares))
    for number in range(0, last + 8, 8):
        notes = _notes_of(own.notes, number // 8)
        cast_lanes(own.ground, notes.points, 2 * legs[3], (notes.cells, notes.shares), notes.hits)
    for number in range(0, last + 8, 16):
        notes = _notes_of(own.notes, number // 8), _notes_of(own.notes, min(number + 8, last) // 8)
        _plan(
            pair_of(frames, frame, number, last), rows_of(rows, first, number, last), legs, feet, notes, manner, decay
        )
    for number in range(0, last + 8, 8):
        actors, notes = rows_at(rows, first + number), _notes_of(own.notes, number // 8)
        _raise_hips(lanes_of(frames, frame + number // 8), legs, carried, memory, actors, notes, follows)
    for number in range(0, last + 8, 16):
        _move_legs(pair_of(frames, frame, number, last), legs, owned, *pair_of(own.notes.plans, 0, number, last))

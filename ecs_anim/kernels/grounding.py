"""The stage that puts feet on the ground. Each operation is a separate loop over the actors of a block. The loops that
plan feet and move legs process sixteen actors at once, because their roots and divisions wait for previous results.
"""

from typing import Any, NamedTuple

import numpy as np

from ecs_anim.ik.foot_contacts import SUPPORT
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels import types as t
from ecs_anim.kernels.columns import declared
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.frames import (
    frame_origin,
    lanes_of,
    last_eight,
    origin_in,
    pair_of,
    raise_frames,
    read_frame,
    rows_of,
)
from ecs_anim.kernels.ground import cast_lanes, find_cells
from ecs_anim.kernels.grounding_legs import ANKLE, HIP, STRAIGHT, follow_ground, move_leg, overstretch
from ecs_anim.kernels.grounding_plans import (
    HIT,
    LOCK,
    PLAN_WIDTH,
    Plan,
    contact_places,
    plan_foot,
    put_foot,
    read_foot,
    stepping_manner,
)
from ecs_anim.kernels.grounding_probes import Stance, begin_eight, forget, grounding_strength, place_below, stance_of
from ecs_anim.kernels.stages import BLOCK, BLOCKS, EIGHT, stage
from ecs_anim.simd import combine, gather, gather_each, load_each, minimum, pointer, rows_at, split, store

ZERO = np.float32(0)
STANCE_WIDTH = len(Stance.__annotations__)


class Notes(NamedTuple):
    """Intermediate results of a block in arrays [group of eight actors, number], or pointers to the results of one
    group. Each lane belongs to one actor.
    """

    stance: t.OUT_2D  # [STANCE_WIDTH, 8]
    points: t.OUT_2D  # [leg, contact, 3, 8], start points of rays
    cells: t.OUT_LONGS_2D  # [leg, contact, 8], offsets of the height-field cells below the start points
    shares: t.OUT_2D  # [leg, contact, 2, 8], fractions in these cells
    hits: t.OUT_2D  # [leg, contact, HIT, 8], hits of the rays
    plans: t.OUT_2D  # [leg, PLAN_WIDTH, 8]


NOTES: Any = declared(Notes)


class GroundFeet(NamedTuple):
    """Arguments of the stage `ground_feet`, which puts the feet of actors on the ground."""

    blocks: BLOCKS
    settings: t.GROUNDING
    legs: t.LEGS
    ground: t.GROUND
    placement: t.PLACEMENT
    strength: t.FLOATS  # [chunk], grounding weight of each actor's feet, > 0
    dt: t.REAL  # [s]
    state: t.FEET
    pin: t.FLOATS_3D  # [chunk, leg, 3], pin weights of heel, ball and the whole leg
    notes: NOTES


class Walkers(NamedTuple):
    """Values that all steps of the stage use: the fields of `GroundFeet`, with pointers in place of arrays."""

    legs: Any
    leg_count: Any
    carried: Any  # number of joints that move with the pelvis
    placement: Any
    state: Any
    strength: Any
    pin: Any
    dt: Any  # [s]
    floor: Any  # [m], height of actors above the ground
    pelvis_decay: Any  # factor on the pelvis's distance from its goal in the time dt
    manner: Any  # `Manner` of plans


def new_notes(leg_count: int) -> Notes:
    """Return memory for the `Notes` of a block."""
    contacts = 2 * leg_count
    numbers = STANCE_WIDTH, 3 * contacts, contacts, 2 * contacts, HIT * contacts, PLAN_WIDTH * leg_count
    kinds = np.float32, np.float32, np.int64, np.float32, np.float32, np.float32
    return Notes(*(np.empty((BLOCK // EIGHT, EIGHT * own), kind) for own, kind in zip(numbers, kinds, strict=True)))


@kernel(t.void(t.GROUNDING, t.PLACEMENT, t.FLOATS, t.FEET, t.OUT))
def begin_grounding(settings, placement, weight, state, out_strength):
    """Write grounding weights, 0 to 1, to out_strength [chunk]. Reset the feet of actors with the weight 0."""
    translation = placement.translation
    for actor in range(weight.shape[0]):  # a separate loop, because LLVM can vectorise only this loop
        out_strength[actor] = grounding_strength(settings, translation, weight, actor)
    for actor in range(weight.shape[0]):
        if not out_strength[actor] > ZERO and not np.isnan(translation[actor, 1] - state.pelvis[actor, 1]):
            forget(state, actor)


@inlined
def walkers_of(own):
    """Return the `Walkers` for the arguments of the stage."""
    settings, dt = own.settings, own.dt
    legs = pointer(own.legs), own.legs.joints.shape[0], own.legs.pelvis.shape[0]
    placement, state = pointer(own.placement), pointer(own.state)
    numbers = np.float32(dt), np.float32(settings.floor), np.float32(exp(-dt / settings.pelvis_seconds))
    manner = stepping_manner(settings, dt)
    return Walkers(*legs, placement, state, pointer(own.strength), pointer(own.pin), *numbers, manner)


@inlined
def notes_of(notes, number):
    """Return pointers to the `Notes` of eight actors."""
    stance, plans = lanes_of(notes.stance, number), lanes_of(notes.plans, number)
    points, cells = lanes_of(notes.points, number), lanes_of(notes.cells, number)
    return Notes(stance, points, cells, lanes_of(notes.shares, number), lanes_of(notes.hits, number), plans)


@inlined
def _read_stance(notes):
    return Stance(*load_each(notes.stance, 0, STANCE_WIDTH))


@inlined
def begin_step(frames, rows, walkers, state, notes):
    """Write the stances of eight actors, and the start points of the rays for heels and balls, at the height of the
    hips. For a held contact, the ray starts above its anchor. Reset the feet of actors that have jumped. `state` is the
    `FootState`.
    """
    stance, legs = stance_of(walkers.placement, rows, walkers.floor), walkers.legs
    store(notes.stance, 0, stance)
    begin_eight(stance, legs.length[0], rows, state)
    for leg in range(walkers.leg_count):
        hip, ankle = frame_origin(frames, legs.joints[4 * leg + HIP]), read_frame(frames, legs.joints[4 * leg + ANKLE])
        back = gather_each(walkers.state.lock, rows * (LOCK * walkers.leg_count), LOCK * leg + 2, 2)
        heel, ball = contact_places(ankle, legs.contacts, leg)
        top = stance.y + stance.size * hip[1]
        heel_x, heel_z = place_below(heel, stance, back)
        ball_x, ball_z = place_below(ball, stance, back)
        store(notes.points, 48 * leg, (heel_x, top, heel_z, ball_x, top, ball_z))


@inlined
def _foot_of(frames, rows, walkers, leg, hits):
    """Return one foot of eight actors: heel, ball and ankle, hits of the two rays, pin weights and memory."""
    legs = walkers.legs
    ankle = read_frame(frames, legs.joints[4 * leg + ANKLE])
    heel, ball = contact_places(ankle, legs.contacts, leg)
    found = load_each(hits, 16 * HIT * leg, HIT), load_each(hits, 16 * HIT * leg + 8 * HIT, HIT)
    pins = gather_each(walkers.pin, rows * (3 * walkers.leg_count), 3 * leg, 2)
    return (heel, ball, origin_in(ankle)), found, pins, read_foot(walkers.state, rows * walkers.leg_count, leg)


@inlined
def _put_plan(plans, rows, walkers, leg, planned):
    """Store the `Plan` of one foot of eight actors, and write the new `FootMemory` to the `FootState`."""
    plan, memory = planned
    store(plans, 8 * PLAN_WIDTH * leg, plan)
    put_foot(walkers.state, rows * walkers.leg_count, leg, memory)


@inlined
def _read_plan(plans, leg):
    return Plan(*load_each(plans, 8 * PLAN_WIDTH * leg, PLAN_WIDTH))


@inlined
def plan_feet(pair, one, other, walkers, notes):
    """Plan the feet of sixteen actors in the rows `one` and `other`. `notes` contains the `Notes` of both groups."""
    stance = combine(_read_stance(notes[0]), _read_stance(notes[1]))
    strength = combine(gather(walkers.strength, one, 0), gather(walkers.strength, other, 0))
    for leg in range(walkers.leg_count):
        of_one = _foot_of(pair[0], one, walkers, leg, notes[0].hits)
        of_other = _foot_of(pair[1], other, walkers, leg, notes[1].hits)
        points, found, pins, memory = combine(of_one, of_other)
        length = walkers.legs.length[leg]
        planned = split(plan_foot(memory, points, found, pins, strength, length, stance, walkers.manner))
        _put_plan(notes[0].plans, one, walkers, leg, planned[0])
        _put_plan(notes[1].plans, other, walkers, leg, planned[1])


@inlined
def raise_hips(frames, rows, walkers, notes):
    """Move the pelvises of eight actors towards the lower foot. If a leg is too short, move the pelvis further down."""
    legs, stance, plans, supports = walkers.legs, _read_stance(notes), notes.plans, rows * (3 * walkers.leg_count)
    size, strength = stance.size, gather(walkers.strength, rows, 0)
    lower = _read_plan(plans, 0).shift * gather(walkers.pin, supports, SUPPORT)
    for leg in range(1, walkers.leg_count):
        lower = minimum(lower, _read_plan(plans, leg).shift * gather(walkers.pin, supports, 3 * leg + SUPPORT))
    shift = strength * follow_ground(walkers, rows, stance, size * lower, size * legs.length[0]) / size
    for leg in range(walkers.leg_count):
        plan, hip = _read_plan(plans, leg), frame_origin(frames, legs.joints[4 * leg + HIP])
        x, z = hip[0] - plan.x, hip[2] - plan.z
        missing = overstretch(hip[1] + shift - plan.y, x * x + z * z, STRAIGHT * legs.length[leg])
        shift = shift - strength * gather(walkers.pin, supports, 3 * leg + SUPPORT) * missing
    raise_frames(frames, legs.pelvis, walkers.carried, shift)


@inlined
def move_legs(pair, walkers, one, other):
    """Move the legs of sixteen actors to their plans. `one` and `other` are the plans of eight actors each."""
    for leg in range(walkers.leg_count):
        move_leg(pair, walkers.legs, leg, combine(_read_plan(one, leg), _read_plan(other, leg)))


@stage(GroundFeet)
def ground_feet(own, first, end, frame):
    """Move pelvises and legs so that the feet are on the ground. Write the memory of the feet for the next step."""
    rows, frames, walkers = own.blocks.rows, own.blocks.frames, walkers_of(own)
    last, probes, state = last_eight(first, end), 2 * walkers.leg_count, own.state
    for number in range(0, last + 8, 8):
        actors, notes = rows_at(rows, first + number), notes_of(own.notes, number // 8)
        begin_step(lanes_of(frames, frame + number // 8), actors, walkers, state, notes)
        find_cells(own.ground, notes.points, probes, (notes.cells, notes.shares))
    for number in range(0, last + 8, 8):
        notes = notes_of(own.notes, number // 8)
        cast_lanes(own.ground, notes.points, probes, (notes.cells, notes.shares), notes.hits)
    for number in range(0, last + 8, 16):
        notes = notes_of(own.notes, number // 8), notes_of(own.notes, min(number + 8, last) // 8)
        plan_feet(pair_of(frames, frame, number, last), *rows_of(rows, first, number, last), walkers, notes)
    for number in range(0, last + 8, 8):
        notes = notes_of(own.notes, number // 8)
        raise_hips(lanes_of(frames, frame + number // 8), rows_at(rows, first + number), walkers, notes)
    for number in range(0, last + 8, 16):
        move_legs(pair_of(frames, frame, number, last), walkers, *pair_of(own.notes.plans, 0, number, last))

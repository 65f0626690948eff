"""Skin palettes of a chunk of actors who walk, stand on the ground and look about, straight from their pose rows.

It is what `grounded_palettes` is for those who play clips alone: what the kernels of model matrices, poise, steps,
contacts, grounding, looks and palettes do one after the other is done for eight actors while their frames stay side by
side in the nearest cache.
"""

import numpy as np

from ecs_anim.body.state import WEIGHT
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.foot_goals import goal_of
from ecs_anim.kernels.frame_pairs import matrix_in_frames, move_both, origin_in_frames
from ecs_anim.kernels.grounding_plans import stepping_manner
from ecs_anim.kernels.grounding_probes import forget_others, grounding_strengths
from ecs_anim.kernels.grounding_stages import ground_part, grounded_legs, new_notes
from ecs_anim.kernels.look_at import chain_of, into_model, look_eight, looking_manner, looks, put_gaze, read_gaze
from ecs_anim.kernels.palette_stages import (
    PART,
    follow_part,
    frames_at_rest,
    is_any_of,
    last_of,
    lift_part,
    lifted_pins,
    moves_any,
    pair_of,
    put_pins,
    rows_of,
    skin_part,
    sort_by_kind,
)
from ecs_anim.kernels.poise import spine_chain, standing_sides, take_poises
from ecs_anim.kernels.step_feet import asked_at, legs_of, walking_sides
from ecs_anim.kernels.types import (
    FLOATS_2D,
    LOOKING,
    PINNED_FEET,
    PLACEMENT,
    REAL,
    SKIN,
    STANDING,
    TARGET,
    WALKING,
    void,
)
from ecs_anim.kernels.walking_stages import stand_part, step_sixteen
from ecs_anim.simd import borrow, combine, fence, gather, keep_alive, load, pointer, split

ZERO, ONE = np.float32(0), np.float32(1)
STANDS, WALKS, GROUNDED, LOOKS = 1, 2, 4, 8  # what eight actors do who are taken together: sums of these
KINDS = 16


@inlined
def _walk(frames, rows, part, legs, carried, walking, pins, notes):
    """Bring the feet of a part to their steps, as `step_feet` and `pin_steps` do."""
    goals, last = walking[3], last_of(part)
    for number in range(0, last + 8, 16):
        (one, other), pair = rows_of(rows, part, number), pair_of(frames, number, last)
        frame, weight = step_sixteen(frames, rows, part, number, legs, carried, walking)
        (size, other_size), (share, other_share), held = (
            split(frame.size),
            split(weight),
            pair_of(notes.held, number, last),
        )
        _pin(pair[0], one, 0, goals, size, share, pins, held[0])
        if number < last:
            _pin(pair[1], other, 8, goals, other_size, other_share, pins, held[1])


@inlined
def _pin(frames, rows, lane, goals, size, share, pins, held):
    """Pin feet as steps say, as far as these are what actors do, and else as clips say, less those in the air.

    lane: the first of these actors in `goals`.
    """
    weights, legs, floor = pins
    pinned = rows * (3 * legs[3])
    for leg in range(legs[3]):
        heel, ball, support = lifted_pins(frames, legs, leg, weights, pinned, -floor / size)
        mixed = (
            load(goals, lane + asked_at(leg, 0)) * share + heel * (ONE - share),
            load(goals, lane + asked_at(leg, 1)) * share + ball * (ONE - share),
            load(goals, lane + asked_at(leg, 2)) * share + support * (ONE - share),
        )
        put_pins(weights, pinned, held, leg, mixed)


@inlined
def _look(frames, rows, part, places, chain, manner, looking):
    """Have those of a part look at their targets, as `look_at` does."""
    (targets, weights, gazes), last = looking, last_of(part)
    for number in range(0, last + 8, 16):
        (one, other), pair = rows_of(rows, part, number), pair_of(frames, number, last)
        wanted = combine(_wanted(targets, weights, places, one), _wanted(targets, weights, places, other))
        remembered = combine(read_gaze(gazes, one), read_gaze(gazes, other))
        remembered = look_eight(
            origin_in_frames, matrix_in_frames, move_both, pair, 0, chain, manner, wanted, remembered
        )
        now = split(remembered)
        put_gaze(gazes, one, now[0])
        put_gaze(gazes, other, now[1])


@inlined
def _wanted(targets, weights, places, rows):
    """What actors look at, in their model spaces, and weights."""
    return into_model(targets, places[0], places[1], places[2], rows), gather(weights, rows, 0)


@kernel(void(SKIN, STANDING, WALKING, LOOKING, FLOATS_2D, PLACEMENT, REAL, PINNED_FEET, TARGET))
def street_palettes(skin, standing, walking, looking, pose, placement, dt, feet, target):
    """Correct a chunk of pose rows, and write its palettes.

    skin, standing, target: as for `grounded_palettes`; walking: plan, legs, spine, ids [chunk], the time [s] and
    `BodyState`; looking: chain (of no joints where nobody looks), settings, targets [chunk, 3] [m], weights [chunk] and
    `LookState`; pose [>= chunk, row_width]; dt [s]; feet: weights of grounding [chunk], the `FootState`, and pins
    [chunk, leg, 3], as clips mix them. Writes all states, and pins.
    """
    skin, standing, walking, looking = borrow(skin), borrow(standing), borrow(walking), borrow(looking)
    pose, placement, feet, target = borrow(pose), borrow(placement), borrow(feet), borrow(target)
    (traversal, skin_joints, inverse_bind), (settings, leg_arrays, ground) = skin, standing
    (plan, body_legs, spine, ids, now, body), (chain, look_settings, targets, look_weight, gaze) = walking, looking
    (weight, state, pin), (palette_rows, streamed, out_palette) = feet, target
    chunk, leg_count, width = weight.shape[0], leg_arrays.joints.shape[0], 12 * skin_joints.shape[0]
    places = pointer(placement[0]), pointer(placement[1]), pointer(placement[2])

    poises, strengths = np.empty((chunk, 4), np.float32), np.empty(chunk, np.float32)
    kinds, rows = np.empty(chunk, np.int64), np.empty(chunk + 8 * KINDS, np.int64)
    begins, counts = np.empty(KINDS, np.int64), np.empty(KINDS, np.int64)
    take_poises(plan, body_legs.joints.shape[0], ids, now, body[0], borrow(poises))
    grounding_strengths(settings, placement[0], weight, borrow(strengths))
    forget_others(borrow(strengths), placement, state)
    for actor in range(chunk):
        kind = STANDS * (poises[actor, 3] > ZERO) + WALKS * (body[0][actor, WEIGHT] > ZERO)
        kind += GROUNDED * (strengths[actor] > ZERO)
        if chain.joints.shape[0]:
            kind += LOOKS * looks(look_weight, gaze[0], gaze[1], actor)
        kinds[actor] = kind
    sort_by_kind(borrow(kinds), borrow(rows), borrow(begins), borrow(counts))

    channels = traversal.rest.copy()
    frames = frames_at_rest(traversal, channels)
    room = new_notes(leg_count)
    piece, piece_rows, out_rows = np.empty(8 * width, np.float32), np.arange(8) * width, np.empty(8, np.int64)
    goals = np.empty(goal_of(body_legs.joints.shape[0]), np.float32)
    anew = moves_any(traversal.fixed, leg_arrays) or moves_any(traversal.fixed, body_legs)
    anew = anew or is_any_of(traversal.fixed, spine.owned) or is_any_of(traversal.fixed, chain.owned)
    source = (pointer(pose), pose.shape[1]), traversal, pointer(channels), anew

    legs, moved = grounded_legs(leg_arrays)
    memory = pointer(state[0]), (pointer(state[1]), pointer(state[2]), pointer(state[3]), pointer(state[4])), state
    follows = np.float32(exp(-dt / settings.pelvis_seconds)), np.float32(dt)
    floor, decay = np.float32(settings.floor), np.float32(exp(-dt / settings.step_seconds))
    settled = (pointer(strengths), ground), (floor, decay, stepping_manner(settings, dt), follows)
    pins = pointer(pin), legs, floor
    own_legs, carried = legs_of(body_legs), (pointer(body_legs.pelvis), body_legs.pelvis.shape[0])
    standing_legs, steps = (own_legs[0], own_legs[2], own_legs[5]), (walking_sides(plan), np.float32(plan.floor))
    walked = steps, places, (pointer(body[0]), pointer(body[1])), pointer(goals)
    looked = pointer(targets), pointer(look_weight), (pointer(gaze[0]), pointer(gaze[1]))
    out = (palette_rows, streamed, pointer(out_palette)), (pointer(piece), borrow(piece_rows), borrow(out_rows))

    own, each, notes = borrow(frames), borrow(rows), borrow(room)
    for kind in range(KINDS):
        end = begins[kind] + counts[kind]
        for first in range(begins[kind], end, PART):
            part = first, min(first + PART, end)
            follow_part(own, each, part, source)
            if kind & STANDS:
                stand_part(
                    own, each, part, pointer(poises), standing_legs, carried, spine_chain(spine), standing_sides(plan)
                )
            if kind & WALKS:
                _walk(own, each, part, own_legs, carried, walked, pins, notes)
            else:
                lift_part(own, each, part, places, pins, notes)
            if kind & GROUNDED:
                ground_part(own, each, part, legs, moved, places, memory, settled, notes)
            if kind & LOOKS:
                _look(own, each, part, places, chain_of(chain), looking_manner(look_settings, dt), looked)
            skin_part(own, each, part, (skin_joints, inverse_bind), *out)
    fence()
    keep_alive(poises)
    keep_alive(strengths)
    keep_alive(kinds)
    keep_alive(rows)
    keep_alive(begins)
    keep_alive(counts)
    keep_alive(channels)
    keep_alive(frames)
    keep_alive(room)
    keep_alive(piece)
    keep_alive(goals)
    keep_alive(piece_rows)
    keep_alive(out_rows)

"""Skin palettes of a chunk of actors who walk, stand on the ground and look about, straight from their pose rows.

It is what `grounded_palettes` is for those who play clips alone: what the kernels of model matrices, poise, steps,
contacts, grounding, looks and palettes do one after the other is done for eight actors while their frames stay side by
side in the nearest cache.
"""

import numpy as np

from ecs_anim.body.state import FOOT_WIDTH, WALK_WIDTH, WEIGHT
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.eights import eight_of, read_four, starts_of
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.foot_goals import GOAL_WIDTH, walking_frames
from ecs_anim.kernels.frames import frame_origin, move_frames, raise_frames, read_frame
from ecs_anim.kernels.ground import cast_lanes
from ecs_anim.kernels.grounded_palettes import is_any_of, lift_pins, move_hips_and_legs, plan_eight, probe_below
from ecs_anim.kernels.grounding_plans import PLAN_WIDTH, stepping_manner
from ecs_anim.kernels.grounding_probes import begin_step, grounding_strengths, stance_of
from ecs_anim.kernels.lanes import borrowed, fence, flat, keep
from ecs_anim.kernels.look_at import chain_of, into_model, look_eight, looking_manner, looks
from ecs_anim.kernels.masks import gathered, scattered
from ecs_anim.kernels.poise import ease_eight, spine_chain, standing_sides, take_poises
from ecs_anim.kernels.pose_palettes import put_palettes
from ecs_anim.kernels.step_feet import asked_of, legs_of, step_eight, walking_sides
from ecs_anim.kernels.traversal import first_frames, follow, read_channels, stream_rows
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

ZERO, ONE = np.float32(0), np.float32(1)
STANDS, WALKS, GROUNDED, LOOKS = 1, 2, 4, 8  # what eight actors do who are taken together: sums of these
KINDS = 16
PART = 64  # actors of a kind who are done together: all code together does not fit the nearest cache, frames the next


@inlined
def _sort_by_kind(kinds, rows, begins, counts):
    """List actors of the same kind one after the other; each list fills whole eights with its last.

    kinds [chunk]; rows [chunk + 8 KINDS]; begins, counts [KINDS].
    """
    begin = 0
    for kind in range(KINDS):
        begins[kind], counts[kind] = begin, 0
        for actor in range(kinds.shape[0]):
            rows[begin + counts[kind]] = actor
            counts[kind] += kinds[actor] == kind
        end = (begin + counts[kind] + 7) // 8 * 8
        for number in range(begin + counts[kind], end):
            rows[number] = rows[number - 1]
        begin = end


@inlined
def _moves_any(steps, legs):
    """Whether steps of a traversal make frames of joints that legs or the pelvis move."""
    return is_any_of(steps, legs.pelvis) or is_any_of(steps, legs.owned)


@inlined
def _frames_of(frames, number):
    """Frames of eight actors of a part, flat."""
    return flat(frames[number // 8])


@inlined
def _follow(frames, rows, part, source):
    """Make the frames of a part's pose rows."""
    (pose, row_width), traversal, channels, anew = source
    for first in range(part[0], part[1], 8):
        starts, lanes = starts_of(eight_of(rows, first), row_width), _frames_of(frames, first - part[0])
        read_channels(pose, starts, traversal.channel_rows, channels)
        if anew:
            follow(traversal.fixed, channels, lanes)
        follow(traversal.moving, channels, lanes)


@inlined
def _stand(frames, rows, part, poises, legs, carried, spine, sides):
    """Have those of a part stand at ease, as `stand_at_ease` does."""
    for first in range(part[0], part[1], 8):
        poise = read_four(poises, starts_of(eight_of(rows, first), 4), 0)
        lanes = _frames_of(frames, first - part[0])
        ease_eight(frame_origin, move_frames, lanes, 0, legs, carried, spine, sides, poise)


@inlined
def _walk(frames, rows, part, legs, carried, walking, pins):
    """Bring the feet of a part to their steps, as `step_feet` and `pin_steps` do."""
    (facing, floor), places, body, goals = walking
    for first in range(part[0], part[1], 8):
        own, lanes = eight_of(rows, first), _frames_of(frames, first - part[0])
        of_body = starts_of(own, WALK_WIDTH), starts_of(own, FOOT_WIDTH * legs[5])
        frame = walking_frames(places, own, body[0], of_body[0], floor)
        walker, own_body = (legs, carried, facing), (body, of_body)
        step_eight(frame_origin, _matrix, move_frames, _raise, lanes, 0, walker, own_body, frame, goals)
        _lift(lanes, own, places, pins)
        _pin(goals, legs[5], pins[0], starts_of(own, 3 * legs[5]), gathered(body[0], of_body[0], WEIGHT))


@inlined
def _lift(lanes, own, places, pins):
    """Take pin weights of contacts that are in the air, as `lift_contacts` does."""
    weights, legs, floor = pins
    lift_pins(lanes, legs, weights, starts_of(own, 3 * legs[3]), -floor / gathered(places[2], own, 0))


@inlined
def _matrix(frames, starts, joint):
    return read_frame(frames, joint)


@inlined
def _raise(frames, starts, joints, count, by):
    raise_frames(frames, joints, count, by)


@inlined
def _pin(goals, leg_count, pins, pinned, share):
    """Pin feet as steps say, as far as these are what actors do."""
    for leg in range(leg_count):
        for contact in range(3):
            at = 3 * leg + contact
            own = gathered(pins, pinned, at)
            scattered(pins, pinned, at, asked_of(goals, leg, contact) * share + own * (ONE - share))


@inlined
def _ground(frames, rows, part, legs, moved, places, memory, settled, room):
    """Have the feet of a part stand on the ground, as `grounded_palettes` does."""
    (strengths, pins, ground), (floor, decay, manner, follows), (points, hits, plans) = settled[0], settled[1], room
    pelvis, of_feet = memory
    for first in range(part[0], part[1], 8):
        own, lanes = eight_of(rows, first), _frames_of(frames, first - part[0])
        stance, of_legs = stance_of(places, own, floor, decay), starts_of(own, legs[3])
        held, strength = (pins, starts_of(own, 3 * legs[3])), gathered(strengths, own, 0)
        probe_below(lanes, legs, of_feet[2], of_legs, stance, points)
        cast_lanes(ground, points, 2 * legs[3], hits)
        plan_eight(lanes, legs, of_feet, of_legs, held, strength, stance, manner, hits, plans)
        move_hips_and_legs(lanes, legs, moved, pelvis, own, held, strength, stance, follows, plans)


@inlined
def _look(frames, rows, part, places, chain, manner, looking):
    """Have those of a part look at their targets, as `look_at` does."""
    targets, weights, gazes = looking
    for first in range(part[0], part[1], 8):
        own, lanes = eight_of(rows, first), _frames_of(frames, first - part[0])
        aim, w = into_model(targets, places[0], places[1], places[2], own), gathered(weights, own, 0)
        remembered = starts_of(own, 4)
        look_eight(frame_origin, _matrix, move_frames, lanes, 0, chain, manner, (aim, w), gazes, remembered)


@inlined
def _skin(frames, rows, part, skin, target, room):
    """Write the palettes of a part."""
    (joints, inverse_bind), (palette_rows, streamed, palette) = skin, target
    width, (piece, piece_rows, out_rows) = 12 * joints.shape[0], room
    for first in range(part[0], part[1], 8):
        lanes = _frames_of(frames, first - part[0])
        for lane in range(8):
            out_rows[lane] = palette_rows[rows[first + lane]] * width
        if streamed:
            put_palettes(lanes, joints, inverse_bind, piece, piece_rows)
            stream_rows(piece, width, palette, out_rows, min(8, part[1] - first))
        else:
            put_palettes(lanes, joints, inverse_bind, palette, out_rows)


@kernel(void(SKIN, STANDING, WALKING, LOOKING, FLOATS_2D, PLACEMENT, REAL, PINNED_FEET, TARGET))
def street_palettes(skin, standing, walking, looking, pose, placement, dt, feet, target):
    """Correct a chunk of pose rows, and write its palettes.

    skin, standing, target: as for `grounded_palettes`; walking: plan, legs, spine, ids [chunk], the time [s] and
    `BodyState`; looking: chain (of no joints where nobody looks), settings, targets [chunk, 3] [m], weights [chunk] and
    `LookState`; pose [>= chunk, row_width]; dt [s]; feet: weights of grounding [chunk], the `FootState`, and pins
    [chunk, leg, 3], as clips mix them. Writes all states, and pins.
    """
    skin, standing, walking, looking = borrowed(skin), borrowed(standing), borrowed(walking), borrowed(looking)
    pose, placement, feet, target = borrowed(pose), borrowed(placement), borrowed(feet), borrowed(target)
    (traversal, skin_joints, inverse_bind), (settings, leg_arrays, ground) = skin, standing
    (plan, body_legs, spine, ids, now, body), (chain, look_settings, targets, look_weight, gaze) = walking, looking
    (weight, state, pin), (palette_rows, streamed, out_palette) = feet, target
    chunk, leg_count, width = weight.shape[0], leg_arrays.joints.shape[0], 12 * skin_joints.shape[0]
    places = flat(placement[0]), flat(placement[1]), flat(placement[2])

    poises, strengths = np.empty((chunk, 4), np.float32), np.empty(chunk, np.float32)
    kinds, rows = np.empty(chunk, np.int64), np.empty(chunk + 8 * KINDS, np.int64)
    begins, counts = np.empty(KINDS, np.int64), np.empty(KINDS, np.int64)
    take_poises(plan, body_legs.joints.shape[0], ids, now, body[0], borrowed(poises))
    grounding_strengths(settings, placement[0], weight, borrowed(strengths))
    begin_step(borrowed(strengths), leg_arrays.length[0], placement, state)
    for actor in range(chunk):
        kind = STANDS * (poises[actor, 3] > ZERO) + WALKS * (body[0][actor, WEIGHT] > ZERO)
        kind += GROUNDED * (strengths[actor] > ZERO)
        if chain.joints.shape[0]:
            kind += LOOKS * looks(look_weight, gaze[0], gaze[1], actor)
        kinds[actor] = kind
    _sort_by_kind(borrowed(kinds), borrowed(rows), borrowed(begins), borrowed(counts))

    channels = traversal.rest.copy()
    at_rest = first_frames(traversal.rest.shape[0] - 1, traversal.fixed, channels)
    frames = np.empty((PART // 8, at_rest.shape[0]), np.float32)
    frames[:] = at_rest
    points, hits = np.empty(48 * leg_count, np.float32), np.empty(64 * leg_count, np.float32)
    plans, piece = np.empty(8 * PLAN_WIDTH * leg_count, np.float32), np.empty(8 * width, np.float32)
    goals = np.empty(8 * GOAL_WIDTH * body_legs.joints.shape[0], np.float32)
    piece_rows, out_rows = np.arange(8) * width, np.empty(8, np.int64)
    anew = _moves_any(traversal.fixed, leg_arrays) or _moves_any(traversal.fixed, body_legs)
    anew = anew or is_any_of(traversal.fixed, spine.owned) or is_any_of(traversal.fixed, chain.owned)
    source = (flat(pose), pose.shape[1]), traversal, flat(channels), anew

    legs = flat(leg_arrays.joints), flat(leg_arrays.contacts), flat(leg_arrays.length), leg_count
    owned, lifted = (
        (flat(leg_arrays.owned), flat(leg_arrays.owned_start)),
        (flat(leg_arrays.pelvis), leg_arrays.pelvis.shape[0]),
    )
    memory = flat(state[0]), (flat(state[1]), flat(state[2]), flat(state[3]), flat(state[4]))
    follows = np.float32(exp(-dt / settings.pelvis_seconds)), np.float32(dt)
    floor, decay = np.float32(settings.floor), np.float32(exp(-dt / settings.step_seconds))
    settled = (flat(strengths), flat(pin), ground), (floor, decay, stepping_manner(settings, dt), follows)
    pins = flat(pin), legs, floor
    own_legs, carried = legs_of(body_legs), (flat(body_legs.pelvis), body_legs.pelvis.shape[0])
    standing_legs, steps = (own_legs[0], own_legs[2], own_legs[5]), (walking_sides(plan), np.float32(plan.floor))
    walked = steps, places, (flat(body[0]), flat(body[1])), flat(goals)
    looked = flat(targets), flat(look_weight), (flat(gaze[0]), flat(gaze[1]))
    out, room = (palette_rows, streamed, flat(out_palette)), (flat(piece), borrowed(piece_rows), borrowed(out_rows))

    own, each = borrowed(frames), borrowed(rows)
    for kind in range(KINDS):
        end = begins[kind] + counts[kind]
        for first in range(begins[kind], end, PART):
            part = first, min(first + PART, end)
            _follow(own, each, part, source)
            if kind & STANDS:
                _stand(own, each, part, flat(poises), standing_legs, carried, spine_chain(spine), standing_sides(plan))
            if kind & WALKS:
                _walk(own, each, part, own_legs, carried, walked, pins)
            else:
                for number in range(part[0], part[1], 8):
                    _lift(_frames_of(own, number - part[0]), eight_of(each, number), places, pins)
            if kind & GROUNDED:
                _ground(
                    own,
                    each,
                    part,
                    legs,
                    (owned, lifted),
                    places,
                    memory,
                    settled,
                    (flat(points), flat(hits), flat(plans)),
                )
            if kind & LOOKS:
                _look(own, each, part, places, chain_of(chain), looking_manner(look_settings, dt), looked)
            _skin(own, each, part, (skin_joints, inverse_bind), out, room)
    fence()
    keep(poises)
    keep(strengths)
    keep(kinds)
    keep(rows)
    keep(begins)
    keep(counts)
    keep(channels)
    keep(frames)
    keep(points)
    keep(hits)
    keep(plans)
    keep(piece)
    keep(goals)
    keep(piece_rows)
    keep(out_rows)

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
def _pin(goals, leg_count, pins, pinned, share):
    """Pin feet as steps say, as far as these are what actors do, as `pin_steps` does."""
    for leg in range(leg_count):
        for contact in range(3):
            at = 3 * leg + contact
            own = gathered(pins, pinned, at)
            scattered(pins, pinned, at, asked_of(goals, leg, contact) * share + own * (ONE - share))


@inlined
def _matrix(frames, starts, joint):
    return read_frame(frames, joint)


@inlined
def _raise(frames, starts, joints, count, by):
    raise_frames(frames, joints, count, by)


@kernel(void(SKIN, STANDING, WALKING, LOOKING, FLOATS_2D, PLACEMENT, REAL, PINNED_FEET, TARGET))
def street_palettes(skin, standing, walking, looking, pose, placement, dt, feet, target):
    """Correct a chunk of pose rows, and write its palettes.

    skin, standing, target: as for `grounded_palettes`; walking: plan, legs, spine, ids [chunk], the time [s] and
    `BodyState`; looking: chain (of no joints where nobody looks), settings, targets [chunk, 3] [m], weights [chunk] and
    `LookState`; pose [>= chunk, row_width]; dt [s]; feet: weights of grounding [chunk], the `FootState`, and pins
    [chunk, leg, 3], as clips mix them. Writes all states, and pins.
    """
    (traversal, skin_joints, inverse_bind), (settings, leg_arrays, ground) = skin, standing
    (plan, body_legs, spine, ids, now, body), (chain, look_settings, aims, look_weight, gaze) = walking, looking
    (weight, state, out_pin), (palette_rows, streamed, out_palette) = feet, target
    chunk, leg_count, width = weight.shape[0], leg_arrays.joints.shape[0], 12 * skin_joints.shape[0]
    legs = flat(leg_arrays.joints), flat(leg_arrays.contacts), flat(leg_arrays.length), leg_count
    owned = flat(leg_arrays.owned), flat(leg_arrays.owned_start)
    moved = owned, (flat(leg_arrays.pelvis), leg_arrays.pelvis.shape[0])
    places = flat(placement[0]), flat(placement[1]), flat(placement[2])
    pelvis, memory = flat(state[0]), (flat(state[1]), flat(state[2]), flat(state[3]), flat(state[4]))
    pins, floor, palette = flat(out_pin), np.float32(settings.floor), flat(out_palette)
    decay, manner = np.float32(exp(-dt / settings.step_seconds)), stepping_manner(settings, dt)
    follows = np.float32(exp(-dt / settings.pelvis_seconds)), np.float32(dt)
    own_legs, carried = legs_of(body_legs), (flat(body_legs.pelvis), body_legs.pelvis.shape[0])
    standing_legs = own_legs[0], own_legs[2], own_legs[5]
    own_spine, sides, own_body = spine_chain(spine), standing_sides(plan), (flat(body[0]), flat(body[1]))
    facing, body_floor = walking_sides(plan), np.float32(plan.floor)
    own_chain, gaze_manner = chain_of(chain), looking_manner(look_settings, dt)
    gazes, look_weights, all_aims = (flat(gaze[0]), flat(gaze[1])), flat(look_weight), flat(aims)

    poises, strengths = np.empty((chunk, 4), np.float32), np.empty(chunk, np.float32)
    kinds, rows = np.empty(chunk, np.int64), np.empty(chunk + 8 * KINDS, np.int64)
    begins, counts = np.empty(KINDS, np.int64), np.empty(KINDS, np.int64)
    walk, gaze_turns, gaze_goals = borrowed(body[0]), borrowed(gaze[0]), borrowed(gaze[1])
    take_poises(plan, body_legs.joints.shape[0], ids, now, walk, borrowed(poises))
    grounding_strengths(settings, borrowed(placement[0]), weight, borrowed(strengths))
    begin_step(borrowed(strengths), leg_arrays.length[0], placement, state)
    for actor in range(chunk):
        kind = STANDS * (poises[actor, 3] > ZERO) + WALKS * (walk[actor, WEIGHT] > ZERO)
        kind += GROUNDED * (strengths[actor] > ZERO)
        if own_chain[7] >= 0:
            kind += LOOKS * looks(borrowed(look_weight), gaze_turns, gaze_goals, actor)
        kinds[actor] = kind
    _sort_by_kind(borrowed(kinds), borrowed(rows), borrowed(begins), borrowed(counts))

    channels = traversal.rest.copy()
    frames = first_frames(traversal.rest.shape[0] - 1, traversal.fixed, channels)
    points, hits = np.empty(48 * leg_count, np.float32), np.empty(64 * leg_count, np.float32)
    plans, piece = np.empty(8 * PLAN_WIDTH * leg_count, np.float32), np.empty(8 * width, np.float32)
    goals = np.empty(8 * GOAL_WIDTH * own_legs[5], np.float32)
    out_rows, piece_rows = np.empty(8, np.int64), np.arange(8) * width
    channel_lanes, joint_lanes, plan_lanes = flat(channels), flat(frames), flat(plans)
    point_lanes, hit_lanes, goal_lanes = flat(points), flat(hits), flat(goals)
    fixed = traversal.fixed
    anew = is_any_of(fixed, leg_arrays.pelvis) or is_any_of(fixed, leg_arrays.owned)
    anew = anew or is_any_of(fixed, body_legs.pelvis) or is_any_of(fixed, body_legs.owned)
    anew = anew or is_any_of(fixed, spine.owned) or is_any_of(fixed, chain.owned)
    for kind in range(KINDS):
        end = begins[kind] + counts[kind]
        for first in range(begins[kind], end, 8):
            own = eight_of(rows, first)
            read_channels(flat(pose), starts_of(own, pose.shape[1]), traversal.channel_rows, channel_lanes)
            if anew:
                follow(fixed, channel_lanes, joint_lanes)
            follow(traversal.moving, channel_lanes, joint_lanes)
            if kind & STANDS:
                poise = read_four(flat(poises), starts_of(own, 4), 0)
                ease_eight(frame_origin, move_frames, joint_lanes, 0, standing_legs, carried, own_spine, sides, poise)
            of_body = starts_of(own, WALK_WIDTH), starts_of(own, FOOT_WIDTH * own_legs[5])
            if kind & WALKS:
                frame = walking_frames(places, own, own_body[0], of_body[0], body_floor)
                step_eight(
                    frame_origin,
                    _matrix,
                    move_frames,
                    _raise,
                    joint_lanes,
                    0,
                    own_legs,
                    carried,
                    facing,
                    own_body,
                    of_body,
                    frame,
                    goal_lanes,
                )
            stance, pinned = stance_of(places, own, floor, decay), starts_of(own, 3 * leg_count)
            lift_pins(joint_lanes, legs, pins, pinned, stance.floor)
            if kind & WALKS:
                _pin(goal_lanes, leg_count, pins, pinned, gathered(own_body[0], of_body[0], WEIGHT))
            if kind & GROUNDED:
                of_legs, strength = starts_of(own, leg_count), gathered(flat(strengths), own, 0)
                probe_below(joint_lanes, legs, memory[2], of_legs, stance, point_lanes)
                cast_lanes(ground, point_lanes, 2 * leg_count, hit_lanes)
                held = pins, pinned
                plan_eight(joint_lanes, legs, memory, of_legs, held, strength, stance, manner, hit_lanes, plan_lanes)
                move_hips_and_legs(joint_lanes, legs, moved, pelvis, own, held, strength, stance, follows, plan_lanes)
            if kind & LOOKS:
                aim = into_model(all_aims, places[0], places[1], places[2], own)
                w, remembered = gathered(look_weights, own, 0), starts_of(own, 4)
                look_eight(
                    frame_origin,
                    _matrix,
                    move_frames,
                    joint_lanes,
                    0,
                    own_chain,
                    gaze_manner,
                    aim,
                    w,
                    gazes,
                    remembered,
                )
            for lane in range(8):
                out_rows[lane] = palette_rows[rows[first + lane]] * width
            if streamed:
                put_palettes(joint_lanes, skin_joints, inverse_bind, flat(piece), piece_rows)
                stream_rows(flat(piece), width, palette, out_rows, min(8, end - first))
            else:
                put_palettes(joint_lanes, skin_joints, inverse_bind, palette, out_rows)
    fence()
    keep(channels)
    keep(frames)
    keep(points)
    keep(hits)
    keep(plans)
    keep(goals)
    keep(piece)
    keep(poises)
    keep(strengths)
    keep(kinds)
    keep(rows)
    keep(begins)
    keep(counts)

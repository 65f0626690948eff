"""Skin palettes of a chunk of actors whose feet stand on the ground, straight from their pose rows.

It is what the kernels of model matrices, contacts in the air, probes, rays, plans, legs and palettes do one after the
other, eight actors at a time: from the first to the last their matrices stay side by side in the nearest cache, where
nothing has to be turned round, written and read again.
"""

import numpy as np

from ecs_anim.ik.foot_contacts import SUPPORT
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.eights import eight_of, origin_in, pad_rows, starts_of
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.foot_contacts import lift_pin
from ecs_anim.kernels.frames import frame_origin, move_frames, raise_frames, read_frame
from ecs_anim.kernels.ground import cast_lanes
from ecs_anim.kernels.grounding_legs import STRAIGHT, follow_ground, move_leg, overstretch
from ecs_anim.kernels.grounding_plans import PLAN_WIDTH, SHIFT, contact_places, plan_foot, stepping_manner
from ecs_anim.kernels.grounding_probes import begin_step, grounding_strengths, place_below, stance_of
from ecs_anim.kernels.lanes import borrowed, eight, fence, flat, keep, put
from ecs_anim.kernels.masks import gathered, least
from ecs_anim.kernels.pose_palettes import put_palettes
from ecs_anim.kernels.traversal import first_frames, follow, read_channels, stream_rows
from ecs_anim.kernels.types import FEET, FLOATS, FLOATS_2D, OUT_3D, PLACEMENT, REAL, SKIN, STANDING, TARGET, void

ZERO, ONE = np.float32(0), np.float32(1)


@inlined
def _list_in_order(strength, rows, listed):
    """List actors, those who are grounded first, with their strengths; either sort fills whole eights with its last.

    strength [chunk]; rows, listed [chunk + 16]. Returns how many of either sort there are.
    """
    grounded, others = 0, 0
    for actor in range(strength.shape[0]):
        rows[grounded], listed[grounded] = actor, strength[actor]
        grounded += strength[actor] > ZERO
    pad_rows(rows, grounded)
    pad_rows(listed, grounded)
    begin = (grounded + 7) // 8 * 8
    for actor in range(strength.shape[0]):
        rows[begin + others] = actor
        others += not strength[actor] > ZERO
    pad_rows(rows, begin + others)
    return grounded, others


@inlined
def lift_pins(frames, legs, pins, pinned, level):
    """Take pin weights of contacts that the animation has in the air, as `lift_contacts` does."""
    joints, contacts, lengths, leg_count = legs
    for leg in range(leg_count):
        _, row, _ = read_frame(frames, joints[4 * leg + 2])
        for contact in range(2):
            lift_pin(pins, pinned, 3 * leg + contact, row, 6 * leg + 3 * contact, contacts, level, lengths[leg])


@inlined
def probe_below(frames, legs, locks, of_legs, stance, out_points):
    """Where feet look for the ground, as `place_probes` says; out_points [leg, 2, 3, 8], flat."""
    joints, contacts, _, leg_count = legs
    locked = starts_of(of_legs, 4)
    for leg in range(leg_count):
        hip, ankle = frame_origin(frames, 0, joints[4 * leg]), read_frame(frames, joints[4 * leg + 2])
        back = gathered(locks, locked, 4 * leg + 2), gathered(locks, locked, 4 * leg + 3)
        heel, ball = contact_places(ankle, contacts, leg)
        top = stance.y + stance.size * hip[1]
        put_probe(out_points, 48 * leg, place_below(heel, stance, back), top)
        put_probe(out_points, 48 * leg + 24, place_below(ball, stance, back), top)


@inlined
def put_probe(points, at, place, top):
    put(points, at, place[0])
    put(points, at + 8, top)
    put(points, at + 16, place[1])


@inlined
def _read_hit(hits, at):
    return eight(hits, at), eight(hits, at + 8), eight(hits, at + 16), eight(hits, at + 24)


@inlined
def plan_eight(frames, legs, memory, of_legs, held, strength, stance, manner, hits, out_plans):
    """Where ankles go, as `plan_feet` does; hits [leg, 2, 4, 8] and out_plans [leg, PLAN_WIDTH, 8], flat."""
    joints, contacts, lengths, leg_count = legs
    pins, pinned = held
    for leg in range(leg_count):
        ankle_frame = read_frame(frames, joints[4 * leg + 2])
        heel, ball = contact_places(ankle_frame, contacts, leg)
        points, own = (heel, ball, origin_in(ankle_frame)), 3 * leg
        found = _read_hit(hits, 64 * leg), _read_hit(hits, 64 * leg + 32)
        own_pins, length = (gathered(pins, pinned, own), gathered(pins, pinned, own + 1)), lengths[leg]
        told = plan_foot(memory, of_legs, leg, points, found, own_pins, strength, length, stance, manner)
        for number in range(PLAN_WIDTH):
            put(out_plans, 8 * (PLAN_WIDTH * leg + number), told[number])


@inlined
def move_hips_and_legs(frames, legs, moved, memory, rows, held, strength, stance, follows, plans):
    """Move pelvis and legs, as `move_legs` does."""
    joints, _, lengths, leg_count = legs
    (owned, (pelvis, count)), (pins, pinned) = moved, held
    size, place, (decay, dt) = stance.size, (stance.x, stance.y, stance.z), follows
    lower = eight(plans, 8 * SHIFT) * gathered(pins, pinned, SUPPORT)
    for leg in range(1, leg_count):
        own = eight(plans, 8 * (PLAN_WIDTH * leg + SHIFT))
        lower = least(lower, own * gathered(pins, pinned, 3 * leg + SUPPORT))
    shift = strength * follow_ground(memory, rows, place, size * lower, size * lengths[0], decay, dt) / size
    for leg in range(leg_count):
        at, hip = 8 * PLAN_WIDTH * leg, frame_origin(frames, 0, joints[4 * leg])
        x, z = hip[0] - eight(plans, at), hip[2] - eight(plans, at + 16)
        missing = overstretch(hip[1] + shift - eight(plans, at + 8), x * x + z * z, STRAIGHT * lengths[leg])
        shift = shift - strength * gathered(pins, pinned, 3 * leg + SUPPORT) * missing
    raise_frames(frames, pelvis, count, shift)
    for leg in range(leg_count):
        at = 8 * PLAN_WIDTH * leg
        goal = eight(plans, at), eight(plans, at + 8), eight(plans, at + 16)
        ahead = eight(plans, at + 24), eight(plans, at + 32)
        plan = (*goal, *ahead, eight(plans, at + 40), eight(plans, at + 48), eight(plans, at + 56))
        move_leg(frame_origin, move_frames, frames, 0, (joints, *owned), leg, plan)


@inlined
def is_any_of(steps, joints):
    """Whether steps of a traversal make frames of any of these joints."""
    found = False
    for step in range(steps.shape[0]):
        for joint in joints:
            found = found or steps[step, 0] == joint
    return found


@kernel(void(SKIN, STANDING, FLOATS_2D, PLACEMENT, FLOATS, REAL, FEET, OUT_3D, TARGET))
def grounded_palettes(skin, standing, pose, placement, weight, dt, state, out_pin, target):
    """Ground the feet of a chunk of pose rows, and write its palettes.

    skin: traversal of all joints, skin_joints [palette_count], inverse_bind [palette_count, 12]; standing: settings,
    legs, ground; pose [>= chunk, row_width]; weight [chunk]; dt [s]; state: the `FootState`, which is written; out_pin
    [chunk, leg, 3], as clips mix them, of which contacts in the air are taken; target: palette_rows [chunk] of
    out_palette [actor_count, palette_count, 12] f32 that are written, on request past the caches.
    """
    (traversal, skin_joints, inverse_bind), (settings, leg_arrays, ground) = skin, standing
    palette_rows, streamed, out_palette = target
    leg_count, width = leg_arrays.joints.shape[0], 12 * skin_joints.shape[0]
    legs = flat(leg_arrays.joints), flat(leg_arrays.contacts), flat(leg_arrays.length), leg_count
    owned = flat(leg_arrays.owned), flat(leg_arrays.owned_start)
    moved = owned, (flat(leg_arrays.pelvis), leg_arrays.pelvis.shape[0])
    places = flat(placement[0]), flat(placement[1]), flat(placement[2])
    pelvis, memory = flat(state[0]), (flat(state[1]), flat(state[2]), flat(state[3]), flat(state[4]))
    pins, floor, palette = flat(out_pin), np.float32(settings.floor), flat(out_palette)
    decay, manner = np.float32(exp(-dt / settings.step_seconds)), stepping_manner(settings, dt)
    follows = np.float32(exp(-dt / settings.pelvis_seconds)), np.float32(dt)
    chunk = weight.shape[0]
    rows, strengths = np.empty(chunk + 16, np.int64), np.empty(chunk + 16, np.float32)
    strength_of = np.empty(chunk, np.float32)
    grounding_strengths(settings, borrowed(placement[0]), weight, borrowed(strength_of))
    begin_step(borrowed(strength_of), leg_arrays.length[0], placement, state)
    grounded, others = _list_in_order(borrowed(strength_of), borrowed(rows), borrowed(strengths))
    first_other = (grounded + 7) // 8 * 8
    channels = traversal.rest.copy()
    frames = first_frames(traversal.rest.shape[0] - 1, traversal.fixed, channels)
    points, hits = np.empty(48 * leg_count, np.float32), np.empty(64 * leg_count, np.float32)
    plans, piece = np.empty(8 * PLAN_WIDTH * leg_count, np.float32), np.empty(8 * width, np.float32)
    out_rows, piece_rows = np.empty(8, np.int64), np.arange(8) * width
    channel_lanes, joint_lanes, plan_lanes = flat(channels), flat(frames), flat(plans)
    point_lanes, hit_lanes = flat(points), flat(hits)
    anew = is_any_of(traversal.fixed, leg_arrays.pelvis) or is_any_of(traversal.fixed, leg_arrays.owned)
    for first in range(0, first_other + others, 8):
        own = eight_of(rows, first)
        read_channels(flat(pose), starts_of(own, pose.shape[1]), traversal.channel_rows, channel_lanes)
        if anew:
            follow(traversal.fixed, channel_lanes, joint_lanes)
        follow(traversal.moving, channel_lanes, joint_lanes)
        stance, pinned = stance_of(places, own, floor, decay), starts_of(own, 3 * leg_count)
        lift_pins(joint_lanes, legs, pins, pinned, stance.floor)
        if first < grounded:
            of_legs, strength = starts_of(own, leg_count), eight(strengths, first)
            probe_below(joint_lanes, legs, memory[2], of_legs, stance, point_lanes)
            cast_lanes(ground, point_lanes, 2 * leg_count, hit_lanes)
            plan_eight(
                joint_lanes, legs, memory, of_legs, (pins, pinned), strength, stance, manner, hit_lanes, plan_lanes
            )
            move_hips_and_legs(
                joint_lanes, legs, moved, pelvis, own, (pins, pinned), strength, stance, follows, plan_lanes
            )
        for lane in range(8):
            out_rows[lane] = palette_rows[rows[first + lane]] * width
        if streamed:
            left = grounded - first if first < grounded else first_other + others - first
            put_palettes(joint_lanes, skin_joints, inverse_bind, flat(piece), piece_rows)
            stream_rows(flat(piece), width, palette, out_rows, min(8, left))
        else:
            put_palettes(joint_lanes, skin_joints, inverse_bind, palette, out_rows)
    fence()
    keep(channels)
    keep(frames)
    keep(points)
    keep(hits)
    keep(plans)
    keep(piece)
    keep(rows)
    keep(strengths)
    keep(strength_of)

"""Skin palettes of a chunk of actors who walk or stand on flat ground, straight from their pose rows.

It is what `street_palettes` is for crowds whose feet follow uneven ground: what the kernels of model matrices, poise,
steps and palettes do one after the other is done while frames stay in the caches.
"""

import numpy as np

from ecs_anim.body.state import WEIGHT
from ecs_anim.kernels import kernel
from ecs_anim.kernels.foot_goals import goal_of
from ecs_anim.kernels.palette_stages import (
    PART,
    follow_part,
    frames_at_rest,
    is_any_of,
    last_of,
    moves_any,
    skin_part,
    sort_by_kind,
)
from ecs_anim.kernels.poise import spine_chain, standing_sides, take_poises
from ecs_anim.kernels.step_feet import legs_of, walking_sides
from ecs_anim.kernels.types import FLOATS_2D, PLACEMENT, SKIN, TARGET, WALKING, void
from ecs_anim.kernels.walking_stages import stand_part, step_sixteen
from ecs_anim.simd import borrow, fence, keep_alive, pointer

ZERO = np.float32(0)
STANDS, WALKS = 1, 2  # what actors do who are taken together: sums of these
KINDS = 4


@kernel(void(SKIN, WALKING, FLOATS_2D, PLACEMENT, TARGET))
def walking_palettes(skin, walking, pose, placement, target):
    """Bring the feet of a chunk of pose rows to their steps, and write its palettes.

    skin, target: as for `grounded_palettes`; walking: plan, legs, spine, ids [chunk], the time [s] and `BodyState`;
    pose [>= chunk, row_width].
    """
    skin, walking, pose = borrow(skin), borrow(walking), borrow(pose)
    placement, target = borrow(placement), borrow(target)
    (traversal, skin_joints, inverse_bind), (plan, leg_arrays, spine, ids, now, body) = skin, walking
    palette_rows, streamed, out_palette = target
    chunk, leg_count, width = ids.shape[0], leg_arrays.joints.shape[0], 12 * skin_joints.shape[0]

    poises, kinds = np.empty((chunk, 4), np.float32), np.empty(chunk, np.int64)
    rows, begins, counts = np.empty(chunk + 8 * KINDS, np.int64), np.empty(KINDS, np.int64), np.empty(KINDS, np.int64)
    take_poises(plan, leg_count, ids, now, body[0], borrow(poises))
    for actor in range(chunk):
        kinds[actor] = STANDS * (poises[actor, 3] > ZERO) + WALKS * (body[0][actor, WEIGHT] > ZERO)
    sort_by_kind(borrow(kinds), borrow(rows), borrow(begins), borrow(counts))

    channels = traversal.rest.copy()
    frames = frames_at_rest(traversal, channels)
    piece, piece_rows, out_rows = np.empty(8 * width, np.float32), np.arange(8) * width, np.empty(8, np.int64)
    goals = np.empty(goal_of(leg_count), np.float32)
    anew = moves_any(traversal.fixed, leg_arrays) or is_any_of(traversal.fixed, spine.owned)
    source = (pointer(pose), pose.shape[1]), traversal, pointer(channels), anew

    legs, carried = legs_of(leg_arrays), (pointer(leg_arrays.pelvis), leg_arrays.pelvis.shape[0])
    standing = (legs[0], legs[2], legs[5]), carried, spine_chain(spine), standing_sides(plan)
    places, steps = (
        (pointer(placement[0]), pointer(placement[1]), pointer(placement[2])),
        (pointer(body[0]), pointer(body[1])),
    )
    walked = (walking_sides(plan), np.float32(plan.floor)), places, steps, pointer(goals)
    out = (palette_rows, streamed, pointer(out_palette)), (pointer(piece), borrow(piece_rows), borrow(out_rows))

    own, each = borrow(frames), borrow(rows)
    for kind in range(KINDS):
        end = begins[kind] + counts[kind]
        for first in range(begins[kind], end, PART):
            part = first, min(first + PART, end)
            follow_part(own, each, part, source)
            if kind & STANDS:
                stand_part(own, each, part, pointer(poises), *standing)
            if kind & WALKS:
                for number in range(0, last_of(part) + 8, 16):
                    step_sixteen(own, each, part, number, legs, carried, walked)
            skin_part(own, each, part, (skin_joints, inverse_bind), *out)
    fence()
    keep_alive(poises)
    keep_alive(kinds)
    keep_alive(rows)
    keep_alive(begins)
    keep_alive(counts)
    keep_alive(channels)
    keep_alive(frames)
    keep_alive(piece)
    keep_alive(goals)
    keep_alive(piece_rows)
    keep_alive(out_rows)

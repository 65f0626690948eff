"""Skin palettes of a chunk of actors whose feet stand on the ground, straight from their pose rows.

It is what the kernels of model matrices, contacts in the air, probes, rays, plans, legs and palettes do one after the
other, 64 actors at a time: from the first to the last their matrices stay side by side in the caches, where nothing
has to be turned round, written and read again.
"""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.grounding_plans import stepping_manner
from ecs_anim.kernels.grounding_probes import forget_others, grounding_strengths
from ecs_anim.kernels.grounding_stages import ground_part, grounded_legs, new_notes
from ecs_anim.kernels.palette_stages import (
    PART,
    follow_part,
    frames_at_rest,
    lift_part,
    moves_any,
    skin_part,
    sort_by_kind,
)
from ecs_anim.kernels.types import FEET, FLOATS, FLOATS_2D, OUT_3D, PLACEMENT, REAL, SKIN, STANDING, TARGET, void
from ecs_anim.simd import borrow, fence, keep_alive, pointer

ZERO = np.float32(0)
KINDS = 2  # who is grounded, and others


@kernel(void(SKIN, STANDING, FLOATS_2D, PLACEMENT, FLOATS, REAL, FEET, OUT_3D, TARGET))
def grounded_palettes(skin, standing, pose, placement, weight, dt, state, out_pin, target):
    """Ground the feet of a chunk of pose rows, and write its palettes.

    skin: traversal of all joints, skin_joints [palette_count], inverse_bind [palette_count, 12]; standing: settings,
    legs, ground; pose [>= chunk, row_width]; weight [chunk]; dt [s]; state: the `FootState`, which is written; out_pin
    [chunk, leg, 3], as clips mix them, of which contacts in the air are taken; target: palette_rows [chunk] of
    out_palette [actor_count, palette_count, 12] f32 that are written, on request past the caches.
    """
    skin, standing, pose, placement = borrow(skin), borrow(standing), borrow(pose), borrow(placement)
    weight, state, out_pin, target = borrow(weight), borrow(state), borrow(out_pin), borrow(target)
    (traversal, skin_joints, inverse_bind), (settings, leg_arrays, ground) = skin, standing
    palette_rows, streamed, out_palette = target
    chunk, leg_count, width = weight.shape[0], leg_arrays.joints.shape[0], 12 * skin_joints.shape[0]
    places = pointer(placement[0]), pointer(placement[1]), pointer(placement[2])

    strengths, kinds = np.empty(chunk, np.float32), np.empty(chunk, np.int64)
    rows, begins, counts = np.empty(chunk + 8 * KINDS, np.int64), np.empty(KINDS, np.int64), np.empty(KINDS, np.int64)
    grounding_strengths(settings, placement[0], weight, borrow(strengths))
    forget_others(borrow(strengths), placement, state)
    for actor in range(chunk):
        kinds[actor] = strengths[actor] > ZERO
    sort_by_kind(borrow(kinds), borrow(rows), borrow(begins), borrow(counts))

    channels = traversal.rest.copy()
    frames = frames_at_rest(traversal, channels)
    room = new_notes(leg_count)
    piece, piece_rows, out_rows = np.empty(8 * width, np.float32), np.arange(8) * width, np.empty(8, np.int64)
    source = (pointer(pose), pose.shape[1]), traversal, pointer(channels), moves_any(traversal.fixed, leg_arrays)
    legs, moved = grounded_legs(leg_arrays)
    memory = pointer(state[0]), (pointer(state[1]), pointer(state[2]), pointer(state[3]), pointer(state[4])), state
    follows = np.float32(exp(-dt / settings.pelvis_seconds)), np.float32(dt)
    floor, decay = np.float32(settings.floor), np.float32(exp(-dt / settings.step_seconds))
    settled = (pointer(strengths), ground), (floor, decay, stepping_manner(settings, dt), follows)
    pins = pointer(out_pin), legs, floor
    out = (palette_rows, streamed, pointer(out_palette)), (pointer(piece), borrow(piece_rows), borrow(out_rows))
    own, each, notes = borrow(frames), borrow(rows), borrow(room)
    for kind in range(KINDS):
        end = begins[kind] + counts[kind]
        for first in range(begins[kind], end, PART):
            part = first, min(first + PART, end)
            follow_part(own, each, part, source)
            lift_part(own, each, part, places, pins, notes)
            if kind:
                ground_part(own, each, part, legs, moved, places, memory, settled, notes)
            skin_part(own, each, part, (skin_joints, inverse_bind), *out)
    fence()
    keep_alive(strengths)
    keep_alive(kinds)
    keep_alive(rows)
    keep_alive(begins)
    keep_alive(counts)
    keep_alive(channels)
    keep_alive(frames)
    keep_alive(room)
    keep_alive(piece)
    keep_alive(piece_rows)
    keep_alive(out_rows)

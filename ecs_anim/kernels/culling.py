"""Culling for the GPU: kernels select the visible actors, their levels of detail, and the actors that need a new pose.

If the OpenGL context has compute shaders, the shader `gl/shaders/cull.comp` replaces these kernels.
"""

import numpy as np
from numba import njit

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.types import (
    CULL_SETTINGS,
    FLAG,
    FLOATS,
    FLOATS_2D,
    INTS_2D,
    OUT_2D,
    OUT_INTS,
    OUT_INTS_2D,
    SHORTS_2D,
    void,
)

# Columns of a BAKED_ACTOR row, as 16 floats or as 32 integers of 16 bits.
SCALE, FADE, PHASE = 3, 14, 12
TINT, CLIP, VARIANT, SHARE = 16, 20, 22, 23
UNIT = np.float32(1 / 65535)
BLOCK = 64  # number of actors that one loop tests against planes; LLVM vectorises this loop

DRAWN, POSED = 0, 1  # columns of `state`
CASTS, POSE = 1, 2  # columns of `out_choice`; the first column is DRAWN
# Numbers of the first planes; typed constants, because numba would compile a helper for each literal.
VIEW, SUN, EYE = np.int64(0), np.int64(6), np.int64(11)
SEEN, SHADOWED = np.int64(4), np.int64(5)  # rows of the array `block`
ONE, TWO, ZERO = np.float32(1), np.float32(2), np.float32(0)


@inlined
def _mixes(actors, halves, a):
    """Return whether a pose mixes clips or palettes. A branch would be slow, because neighbouring actors differ."""
    fade = actors[a, FADE]
    same = (halves[a, CLIP] == halves[a, CLIP + 1]) & (actors[a, PHASE] == actors[a, PHASE + 1])
    return (halves[a, SHARE] > 0) | ((fade > ZERO) & (fade < ONE) & (not same))


@njit(inline="always")
def _ball_of(actors, halves, a, last):
    """Return the row of an actor's bounding sphere: its clip's row, or `last` (all poses) for a mixed pose."""
    ball = np.uint64(halves[a, CLIP] if actors[a, FADE] <= ZERO else halves[a, CLIP + 1])
    return last if _mixes(actors, halves, a) else min(ball, last)


@inlined
def _ahead(planes, k, x, y, z):
    return planes[k, 0] * x + planes[k, 1] * y + planes[k, 2] * z + planes[k, 3]


@helper
def _place_balls(actors, halves, balls, first, count, out):
    """Write the bounding spheres of actors to rows 0 to 3 of `out` [6, BLOCK]: centre x, y, z and radius [m]."""
    last = np.uint64(balls.shape[0] - 1)
    for b in range(count):
        a = first + b
        ball = _ball_of(actors, halves, a, last)
        scale = actors[a, SCALE]
        # The rotated point is v + 2 q x (q x v + w v), where v is the scaled point. Then add the translation.
        i, j, k, w = actors[a, 4], actors[a, 5], actors[a, 6], actors[a, 7]
        x, y, z = scale * balls[ball, 0], scale * balls[ball, 1], scale * balls[ball, 2]
        s, t, u = j * z - k * y + w * x, k * x - i * z + w * y, i * y - j * x + w * z
        out[0, b] = actors[a, 0] + x + TWO * (j * u - k * t)
        out[1, b] = actors[a, 1] + y + TWO * (k * s - i * u)
        out[2, b] = actors[a, 2] + z + TWO * (i * t - j * s)
        out[3, b] = abs(scale) * balls[ball, 3]


@helper
def _depths_inside(planes, first, last, balls, row):
    """Write to balls[row] how far [m] each sphere reaches inside of all planes[first:last]; outside is negative."""
    for b in range(BLOCK):
        balls[row, b] = _ahead(planes, first, balls[0, b], balls[1, b], balls[2, b]) + balls[3, b]
    for k in range(first + 1, last):
        for b in range(BLOCK):
            inside = _ahead(planes, k, balls[0, b], balls[1, b], balls[2, b]) + balls[3, b]
            balls[row, b] = inside if not inside >= balls[row, b] else balls[row, b]


@inlined
def _coarsest(errors, last, pixels, allowed):
    """Return the coarsest level up to `last` whose error [rig units] x `pixels` is at most `allowed`."""
    level = last
    while level > 0 and not errors[level] * pixels <= allowed:
        level -= 1
    return level


@njit(inline="always")
def _next_level(errors, last, pixels, allowed, stays, before):
    """Return the level of detail for the next picture. The level becomes coarser only if the error of the coarser level
    is below `stays` x `allowed`, so that the level does not change in every picture.
    """
    level = _coarsest(errors, last, pixels, allowed)
    if 0 <= before < level:
        level = max(before, _coarsest(errors, last, pixels, stays * allowed))
    return level


@njit(inline="always")
def _is_due(actor, picture, size, half, quarter):
    """Return whether an actor gets a new pose. Smaller actors get one only in every second or fourth picture."""
    if size < quarter:
        return (actor + picture) & 3 == 0
    return size >= half or (actor + picture) & 1 == 0


@kernel(void(FLOATS_2D, SHORTS_2D, FLOATS_2D, FLOATS_2D, FLOATS, CULL_SETTINGS, OUT_INTS_2D, OUT_INTS_2D, OUT_INTS_2D))
def choose_actors(actors, halves, balls, planes, errors, settings, state, out_choice, out_counts):
    """Choose the level of detail of each drawn actor, the actors that cast shadows, and the actors with a new pose.

    - `actors` [n, 16] f32 and `halves` [n, 32] u16 are two views of the same `BAKED_ACTOR` rows.
    - `balls` [clip_count + 1, 4]: the bounding sphere of each clip, and a sphere that contains all poses.
    - `planes` [12, 4]: six planes of the view, five planes of the sun's shadow map, and a plane that measures the
      distance ahead of the camera.
    - `errors` [level]: the errors of the levels in rig units. `settings`: a `CullSettings`.
    - `state` [n, 2] i32, kept between pictures: the level that was drawn last, and the level of the palette on the GPU;
      -1 = none.
    - `out_choice` [n, 3]: the level to draw (-1 = not drawn), whether the actor casts a shadow, and the level for which
      the actor needs a new pose (-1 = no new pose).
    - `out_counts` [level_count + 1, 2]: the numbers of rows and of new poses of each level. The last row counts the
      actors that cast shadows.
    """
    n, levels = actors.shape[0], errors.shape[0]
    pixels, pixel_error = np.float32(settings.pixels), np.float32(settings.pixel_error)
    stays, half, quarter = np.float32(settings.stays), np.float32(settings.half_size), np.float32(settings.quarter_size)
    last_mesh, last_level = min(settings.last_mesh, levels - 1), min(settings.last_level, levels - 1)
    caster, picture, all_posed = settings.caster_level, settings.picture, settings.all_posed
    block = np.zeros((6, BLOCK), np.float32)
    out_counts[:] = 0
    for first in range(0, n, BLOCK):
        count = min(BLOCK, n - first)
        _place_balls(actors, halves, balls, first, count, block)
        _depths_inside(planes, VIEW, SUN, block, SEEN)
        if caster >= 0:
            _depths_inside(planes, SUN, EYE, block, SHADOWED)
        for b in range(count):
            a = first + b
            drawn, pose, held = -1, -1, -1
            casts = caster >= 0 and block[SHADOWED, b] >= ZERO
            if casts or block[SEEN, b] >= ZERO:
                nearest = max(_ahead(planes, EYE, block[0, b], block[1, b], block[2, b]) - block[3, b], ZERO)
                if block[SEEN, b] >= ZERO:
                    unit = pixels * abs(actors[a, SCALE])
                    last = last_mesh if last_mesh < last_level and _mixes(actors, halves, a) else last_level
                    drawn = _next_level(errors, last, unit, pixel_error * nearest, stays, state[a, DRAWN])
                    out_counts[drawn, 0] += 1
                if casts:
                    out_counts[levels, 0] += 1
                needed = caster if drawn < 0 else (min(drawn, caster) if casts else drawn)
                due = _is_due(a, picture, TWO * block[3, b] * pixels, half * nearest, quarter * nearest)
                held = state[a, POSED]
                if needed > last_mesh:
                    held = needed
                elif all_posed or held < 0 or needed < held or halves[a, SHARE] > 0 or due:
                    pose = held = needed
                    out_counts[pose, 1] += 1
            state[a, DRAWN], state[a, POSED] = drawn, held
            out_choice[a, DRAWN], out_choice[a, CASTS], out_choice[a, POSE] = drawn, casts, pose


@inlined
def _write(actors, halves, a, palette_row, out_rows, out_ints, at):
    for k in range(8):
        out_rows[at, k] = actors[a, k]
    for k in range(4):
        out_rows[at, 8 + k] = np.float32(halves[a, TINT + k]) * UNIT
    out_ints[at, 12] = palette_row
    out_ints[at, 13] = a
    out_ints[at, 14] = halves[a, VARIANT]
    out_ints[at, 15] = 0


@kernel(void(FLOATS_2D, SHORTS_2D, INTS_2D, FLAG, OUT_INTS, OUT_INTS, OUT_2D, OUT_INTS_2D, OUT_INTS_2D))
def write_actors(actors, halves, choice, is_dense, row_starts, pose_starts, out_rows, out_ints, out_poses):
    """Write the rows and poses that `choose_actors` selected, sorted by level, then by actor.

    `row_starts` [level_count + 1] contains the first row of each level, then the first row of actors that cast shadows.
    `pose_starts` [level_count] contains the first pose of each level. The kernel moves each entry of `row_starts` and
    `pose_starts` forward by the number of rows or poses that the kernel has written.

    Writes `INSTANCE` rows to `out_rows` [m, 16] f32 and `out_ints` [m, 16] i32, which are two views of one array. For
    each pose, writes the actor and its palette row to out_poses [k, 2]. If `is_dense` is true, the palette row is the
    number of the actor in the crowd. If `is_dense` is false, the palette row is the row in `out_poses`.
    """
    levels = pose_starts.shape[0]
    for a in range(actors.shape[0]):
        palette_row = a
        pose = choice[a, POSE]
        if pose >= 0:
            at = pose_starts[pose]
            pose_starts[pose] += 1
            if not is_dense:
                palette_row = at
            out_poses[at, 0], out_poses[at, 1] = a, palette_row
        drawn = choice[a, DRAWN]
        if drawn >= 0:
            _write(actors, halves, a, palette_row, out_rows, out_ints, row_starts[drawn])
            row_starts[drawn] += 1
        if choice[a, CASTS]:
            _write(actors, halves, a, palette_row, out_rows, out_ints, row_starts[levels])
            row_starts[levels] += 1

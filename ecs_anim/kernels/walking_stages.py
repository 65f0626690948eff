"""Stages of bodies between pose rows and palettes: those who stand shift their weight, feet come to their steps.

Helpers, inlined into the kernels that are made of them, as `palette_stages` are; steps go sixteen actors at a time.
"""

from ecs_anim.body.state import FOOT_WIDTH, LEAN, WALK_WIDTH, WEIGHT
from ecs_anim.kernels import inlined
from ecs_anim.kernels.foot_goals import foot_of, walking_frames
from ecs_anim.kernels.frame_pairs import matrix_in_frames, move_both, origin_in_frames, raise_both
from ecs_anim.kernels.frames import frame_origin, move_frames
from ecs_anim.kernels.palette_stages import lanes_of, last_of, pair_of, rows_of
from ecs_anim.kernels.poise import ease_eight
from ecs_anim.kernels.step_feet import step_eight
from ecs_anim.simd import combine, gather, gather4, rows_at


@inlined
def stand_part(frames, rows, part, poises, legs, carried, spine, sides):
    """Have those of a part stand at ease, as `stand_at_ease` does."""
    for first in range(part[0], part[1], 8):
        poise = gather4(poises, rows_at(rows, first) * 4, 0)
        lanes = lanes_of(frames, first - part[0])
        ease_eight(frame_origin, move_frames, lanes, 0, legs, carried, spine, sides, poise)


@inlined
def _frame_of(rows, walking):
    """Where actors are and how fast, their weights and leans."""
    (_, floor), places, (walk, _), _ = walking
    at = rows * WALK_WIDTH
    return walking_frames(places, rows, walk, at, floor), gather(walk, at, WEIGHT), gather(walk, at, LEAN)


@inlined
def _feet_of(feet, steps, column):
    return combine(foot_of(feet, steps[0], column), foot_of(feet, steps[1], column))


@inlined
def step_sixteen(frames, rows, part, number, legs, carried, walking):
    """Bring the feet of sixteen of a part to their steps, as `step_feet` does; how they are placed, and their weights.

    walking: what is ahead and the floor, places, `BodyState`, room for goals, which has afterwards what is asked.
    """
    ((facing, _), _, body, goals), width = walking, FOOT_WIDTH * legs[5]
    (one, other), pair = rows_of(rows, part, number), pair_of(frames, number, last_of(part))
    frame, weight, lean = combine(_frame_of(one, walking), _frame_of(other, walking))
    steps, walker = (one * width, other * width), (legs, carried, facing)
    own = body[1], steps, weight, lean, frame
    step_eight(origin_in_frames, matrix_in_frames, move_both, raise_both, _feet_of, pair, 0, walker, own, goals)
    return frame, weight

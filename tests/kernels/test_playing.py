"""The kernels of playing motions against plain numpy."""

import numpy as np
import pytest

from ecs_anim.kernels.playback import advance_playback
from ecs_anim.kernels.playing import find_root_steps, list_clips
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import MAX_MEMBERS, Member, Motion, build_motion_set
from tests.helpers import one_motion, random_clip, random_playback, random_skeleton
from tests.oracles.blend_weights import weights_1d

RNG = np.random.default_rng(36)
SKELETON = random_skeleton(RNG, 3)
CLIPS = [random_clip(RNG, SKELETON, f"clip_{i}", 8 + i) for i in range(5)]
SPACE = tuple(Member(clip, (0, 0), (float(i), 0)) for i, clip in enumerate(CLIPS[2:]))
MOTIONS = [
    Motion("loop", (Member(CLIPS[0], (0, 0)),), loops=True),
    Motion("once", (Member(CLIPS[1], (0, 0)),), loops=False),
    Motion("space", SPACE, True, ("x",)),
]
ARRAYS = build_motion_set(MOTIONS, build_tables(SKELETON, CLIPS), ("x",)).arrays
FIRST, INTERVALS = np.array([0, 4, 4], np.int32), np.array([3, 5, 0], np.int32)
POINTS = np.concatenate([np.zeros((1, 3)), RNG.normal(size=(3, 3)), np.zeros((1, 3)), RNG.normal(size=(5, 3))])
POINTS = np.ascontiguousarray(POINTS, np.float32)
ACTORS, DT = 200, 0.04


def shares_of(queue, actor, dt=0.0):
    """Return the weight of each slot of an actor: each slot covers the slots before it by the progress of its fade."""
    shares = np.zeros(queue.motion.shape[1])
    for slot in range(queue.slot_count[actor]):
        covers = 1.0 if slot == 0 else min((queue.fade_time[actor, slot] + dt) / queue.fade_duration[actor, slot], 1.0)
        shares *= 1 - covers
        shares[slot] = covers
    return shares


def frame(motion, phase):
    """Return the 3 x 3 matrix of a path at a phase that can be any number: a turn about +Y, and x and z."""
    own = POINTS[FIRST[motion] :][: INTERVALS[motion] + 1].astype(np.float64)
    cycles = np.floor(phase) if motion == 0 else 0

    def matrix(at):
        x, z, turn = (np.interp(at, np.linspace(0, 1, len(own)), column) for column in own.T)
        return np.array([[np.cos(turn), np.sin(turn), x], [-np.sin(turn), np.cos(turn), z], [0, 0, 1]])

    whole = np.linalg.matrix_power(matrix(1.0), int(cycles))
    return whole @ matrix(np.clip(phase - cycles, 0, 1))


@pytest.mark.parametrize("speed", [1.0, -1.0, 70.0, -70.0])
def test_root_steps_are_products_of_matrices(speed):
    queue = random_playback(RNG, len(MOTIONS), ACTORS)
    queue.speed[:] *= speed
    queue.phase[:] = np.rint(queue.phase * 1000) / 1000
    step = np.full((ACTORS, 4), np.nan, np.float32)
    find_root_steps(ARRAYS, FIRST, INTERVALS, POINTS, tuple(queue), DT, step)
    for actor in range(ACTORS):
        expected = np.zeros(4)
        for slot, share in enumerate(shares_of(queue, actor, DT)):
            motion, phase = queue.motion[actor, slot], float(queue.phase[actor, slot])
            if share == 0 or motion == 2:
                continue
            ahead = phase + float(queue.speed[actor, slot]) * DT / CLIPS[motion].duration
            x, z = (np.linalg.inv(frame(motion, phase)) @ frame(motion, ahead))[:2, 2]
            turns = POINTS[FIRST[motion] :][: INTERVALS[motion] + 1, 2]
            cycles = [np.floor(at) if motion == 0 else 0 for at in (phase, ahead)]
            begin, end = (
                np.interp(at - whole, np.linspace(0, 1, len(turns)), turns) + whole * turns[-1]
                for at, whole in zip((phase, ahead), cycles, strict=True)
            )
            expected += share * np.array([x, z, end - begin, 1])
        np.testing.assert_allclose(step[actor], expected, atol=2e-5 * max(1, abs(speed)))


def test_steps_end_at_the_phases_of_the_playback():
    """Many small steps along a path without turns sum to the movement between the phases at both ends."""
    points = POINTS * np.array([1, 1, 0], np.float32)
    queue = one_motion([0, 1], [0.25, 0.25], 0.9)
    total, step = np.zeros((2, 4)), np.empty((2, 4), np.float32)
    for _ in range(1000):
        find_root_steps(ARRAYS, FIRST, INTERVALS, points, tuple(queue), DT, step)
        advance_playback(ARRAYS, np.zeros((2, 1), np.float32), np.ones(2, np.float32), DT, 1, tuple(queue))
        total += step
    assert queue.phase[1, 0] == 1
    for motion, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        own = points[FIRST[motion] :][: INTERVALS[motion] + 1, column]
        begin, end = (np.interp(at, np.linspace(0, 1, len(own)), own) for at in (0.25, queue.phase[motion, 0]))
        cycles = round(0.25 + 1000 * 0.9 * DT / CLIPS[0].duration - queue.phase[0, 0]) if motion == 0 else 0
        assert total[motion, column] == pytest.approx(end - begin + cycles * own[-1], abs=2e-4)


def test_weights_of_clips_are_shares_of_fades_times_weights_in_spaces():
    queue = random_playback(RNG, len(MOTIONS), ACTORS)
    x = RNG.uniform(-1, 3, (ACTORS, 1)).astype(np.float32)
    slots = queue.motion.shape[1]
    clip, share = np.full(ACTORS * slots * MAX_MEMBERS, -1, np.int32), np.zeros((ACTORS * slots * MAX_MEMBERS, 2), "f4")
    list_clips(ARRAYS, tuple(queue), x, clip, share)
    clip, share = clip.reshape(ACTORS, -1), share.reshape(ACTORS, -1, 2)
    for actor in range(ACTORS):
        expected = []
        for slot, weight in enumerate(shares_of(queue, actor)):
            motion, phase = queue.motion[actor, slot], queue.phase[actor, slot]
            members = weights_1d([0, 1, 2], x[actor, 0]) if motion == 2 else [1.0]
            expected += [(phase, motion + m, weight * own) for m, own in enumerate(members) if weight * own > 1e-6]
        found = [(p, c, w) for c, (w, p) in zip(clip[actor], share[actor], strict=True) if w > 1e-6]
        np.testing.assert_allclose(sorted(found), sorted(expected), atol=1e-5)

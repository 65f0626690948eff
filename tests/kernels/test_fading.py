"""The cross-fade queue: the clip asked for last always wins, and nothing jumps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.assets.blending import blend
from ecs_anim.kernels.fading import fade_actors
from ecs_anim.kernels.playback import advance_playback
from ecs_anim.kernels.sampling import sample_motions
from ecs_anim.maths import quaternion
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.records import FadeQueue, FadeRequest
from tests.helpers import random_clip, random_skeleton

RNG = np.random.default_rng(11)
SKELETON = random_skeleton(RNG, 6)
CLIPS = [random_clip(RNG, SKELETON, f"clip_{i}", 12 + 5 * i) for i in range(5)]
TABLES = build_tables(SKELETON, CLIPS)
SET = build_motion_set([Motion(c.name, (Member(c, (0, 0)),), i != 4) for i, c in enumerate(CLIPS)], TABLES, ())


class Actor:
    """One actor's queue, through the kernels."""

    def __init__(self, capacity=4):
        self.count = np.ones(1, np.int32)
        self.motion = np.zeros((1, capacity), np.int32)
        self.phase, self.speed, self.fade_time, self.fade_duration = np.zeros((4, 1, capacity), np.float32)
        self.speed[:] = 1

    @property
    def queue(self):
        return FadeQueue(self.count, self.motion, self.phase, self.speed, self.fade_time, self.fade_duration)

    def fade(self, target, duration, phase=0.0, restart=False):
        one = np.zeros(1, np.int32)
        request = FadeRequest(float(phase), 1.0, float(duration), restart)
        fade_actors(one, one + np.int32(target), request, tuple(self.queue))

    def advance(self, dt):
        advance_playback(SET.arrays, np.zeros((1, 0), np.float32), np.ones(1, np.float32), dt, 1, tuple(self.queue))

    @property
    def wanted(self):
        return int(self.motion[0, self.count[0] - 1])

    def row(self):
        out = np.empty((1, TABLES.layout.row_width), np.float32)
        sample_motions(TABLES.arrays, SET.arrays, np.zeros((1, 0), np.float32), tuple(self.queue), out)
        return out[0]

    def pose(self):
        return TABLES.layout.unpack(self.row())


def clip_pose(number, phase):
    return TABLES.sample(number, np.float64(phase) * CLIPS[number].duration)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("fade"), st.integers(0, 4), st.sampled_from([0.0, 0.05, 0.3, 2.0])),
        st.tuples(st.just("step"), st.sampled_from([0.0, 0.001, 1 / 60, 0.4, 30.0])),
    ),
    max_size=25,
)


@given(steps, st.integers(1, 4))
def test_the_motion_asked_for_last_always_wins(calls, capacity):
    actor, last = Actor(capacity), 0
    for call in calls:
        if call[0] == "fade":
            actor.fade(call[1], call[2])
            last = call[1]
        else:
            actor.advance(call[1])
        assert actor.wanted == last
        assert 1 <= actor.count[0] <= capacity
        assert np.isfinite(actor.row()).all()
    actor.advance(10.0)
    assert actor.count[0] == 1
    assert actor.wanted == last


def largest_turn(a, b):
    return quaternion.angle_between(a.rotation.astype(np.float64), b.rotation.astype(np.float64)).max()


@pytest.mark.exhaustive
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.2, 0.5, 1.0])), min_size=1, max_size=7))
@settings(max_examples=15)
def test_no_joint_jumps(calls):
    """In a thousandth of a second, a fade of at least 0.2 s moves a joint by half a percent of the way at most."""
    actor, dt = Actor(8), 0.001
    before = actor.pose()
    for target, duration in calls:
        actor.fade(target, duration)
        after = actor.pose()
        assert largest_turn(before, after) < 1e-3, "asking alone changes nothing"
        before = after
        for _ in range(30):
            actor.advance(dt)
            after = actor.pose()
            # half a turn at most within the fade, doubled where nlerp hurries, and what the clips themselves turn
            assert largest_turn(before, after) < 4 * np.pi * dt / 0.2 + 40 * dt
            assert np.abs(after.translation - before.translation).max() < 10 * dt / 0.2 + 200 * dt
            before = after


def test_two_motions_mix_as_the_readable_blend():
    actor = Actor()
    actor.phase[0, 0] = 0.3
    actor.fade(2, 0.8, phase=0.6)
    for elapsed in (0.0, 0.2, 0.4, 0.79):
        actor.fade_time[0, 1] = elapsed
        expected = blend(clip_pose(0, actor.phase[0, 0]), clip_pose(2, actor.phase[0, 1]), elapsed / 0.8)
        found = actor.pose()
        assert largest_turn(expected, found) < 3e-5
        np.testing.assert_allclose(found.translation, expected.translation, atol=1e-5)
        np.testing.assert_allclose(found.scale, expected.scale, atol=1e-5)


def test_several_fades_in_flight_each_still_play():
    actor = Actor()
    actor.fade(1, 1.0)
    actor.advance(0.1)
    actor.fade(2, 1.0)
    actor.advance(0.1)
    assert actor.count[0] == 3
    elapsed = [0.2, 0.2, 0.1]
    for slot, time in enumerate(elapsed):
        duration = CLIPS[slot].duration
        assert actor.phase[0, slot] == pytest.approx(time / duration % 1, abs=1e-5)


def test_asking_for_what_already_plays_changes_nothing():
    actor = Actor()
    actor.fade(3, 0.5)
    actor.advance(0.2)
    before = [column.copy() for column in actor.queue]
    actor.fade(3, 0.5)
    for old, new in zip(before, actor.queue, strict=True):
        np.testing.assert_array_equal(old, new)
    actor.fade(3, 0.5, restart=True)
    assert actor.count[0] == 3


def test_a_fade_of_no_length_is_a_cut():
    actor = Actor()
    actor.fade(1, 1.0)
    actor.advance(0.3)
    actor.fade(2, 0.0)
    assert actor.count[0] == 1
    np.testing.assert_allclose(actor.pose().translation, clip_pose(2, 0.0).translation, atol=1e-6)


def test_a_match_takes_over_the_phase():
    actor = Actor()
    actor.phase[0, 0] = 0.7
    actor.fade(1, 0.5, phase=-1.0)
    assert actor.phase[0, 1] == np.float32(0.7)


def test_a_full_queue_forgets_what_shows_least():
    actor = Actor(3)
    actor.fade(1, 1.0)
    actor.fade_time[0, 1] = 0.9  # the first shows a tenth
    actor.fade(2, 1.0)
    actor.fade(3, 1.0)
    assert actor.count[0] == 3
    assert actor.motion[0].tolist() == [0, 1, 3], "the one that had only just begun showed nothing"


def test_forgetting_moves_the_pose_no_more_than_what_was_forgotten_showed():
    actor = Actor(2)
    actor.fade(1, 1.0)
    actor.fade_time[0, 1] = 0.95  # the first shows a twentieth
    before = actor.pose()
    actor.fade(2, 1.0)
    assert actor.motion[0].tolist() == [1, 2]
    assert largest_turn(before, actor.pose()) < 0.05 * 2 * np.pi


def test_a_clip_that_ends_holds_its_last_pose_while_it_fades_out():
    actor = Actor()
    actor.fade(4, 0.0)
    actor.advance(60.0)
    assert actor.phase[0, 0] == 1
    np.testing.assert_allclose(actor.pose().translation, clip_pose(4, 1.0).translation, atol=1e-6)

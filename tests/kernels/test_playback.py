"""The playback kernel against Python's own arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.kernels.playback import advance_phases, advance_playback
from ecs_anim.runtime.records import FadeQueue
from tests.helpers import as_spaces, clip_motions, random_clip, random_playback, random_skeleton

CLIP = random_clip(np.random.default_rng(0), random_skeleton(np.random.default_rng(0), 3), key_count=37)
LOOP, ONCE = clip_motions([CLIP]), clip_motions([CLIP], loops=False)
DURATION = Fraction(float(LOOP.arrays.member["duration"][0]))
NO_PARAMETERS = np.zeros((1, 0), np.float32)


def columns(*slots, capacity=4):
    """Playback columns of one actor; slots are (motion, phase, speed, fade time, fade duration)."""
    table = np.zeros((5, 1, capacity), np.float32)
    for index, slot in enumerate(slots):
        table[:, 0, index] = slot
    motion, *rest = table
    count = np.array([len(slots)], np.int32)
    return FadeQueue(count, motion.astype(np.int32), *(np.ascontiguousarray(c) for c in rest))


def advance(motions, playback, dt):
    advance_playback(motions.arrays, NO_PARAMETERS, np.ones(1, np.float32), dt, 1, tuple(playback))
    return playback


def phase_after(motions, phase, speed, dt):
    return float(advance(motions, columns((0, phase, speed, 0, 0)), dt)[2][0, 0])


@given(st.floats(0, 0.875, width=32), st.floats(-4, 4, width=32), st.floats(0, 1e5))
def test_loops_wrap_exactly(phase, speed, dt):
    rate = Fraction(float(np.float32(speed) / np.float32(DURATION)))
    expected = float((Fraction(phase) + rate * Fraction(dt)) % 1)
    found = phase_after(LOOP, phase, speed, dt)
    apart = abs(found - expected)
    assert min(apart, 1 - apart) < 1e-6
    assert 0 <= found < 1


@given(st.floats(0, 1, width=32), st.floats(-4, 4, width=32), st.floats(0, 1e5))
def test_other_clips_stop_at_their_ends(phase, speed, dt):
    expected = np.clip(phase + speed / float(DURATION) * dt, 0, 1)
    assert phase_after(ONCE, phase, speed, dt) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_a_clip_without_length_stays_where_it_is():
    pose = clip_motions([random_clip(np.random.default_rng(0), CLIP.skeleton, key_count=1)])
    assert phase_after(pose, 0.0, 1.0, 0.5) == 0


def test_standing_still_changes_nothing():
    phase = np.float32(0.33)
    assert phase_after(LOOP, phase, 1.0, 0.0) == phase
    assert phase_after(LOOP, phase, 0.0, 1.0) == phase


def test_fades_go_on_and_what_is_faded_over_is_forgotten():
    playback = columns((0, 0, 1, 0, 0), (0, 0.1, 1, 0.0, 0.5), (0, 0.2, 2, 0.0, 2.0))
    advance(LOOP, playback, 0.25)
    assert playback[0][0] == 3
    assert playback[4][0, 1:3].tolist() == [0.25, 0.25]
    advance(LOOP, playback, 0.25)
    assert playback[0][0] == 2, "the middle one has covered the first"
    assert playback[3][0, :2].tolist() == [1, 2]
    advance(LOOP, playback, 100.0)
    assert playback[0][0] == 1
    assert playback[3][0, 0] == 2


def test_any_number_may_finish_in_one_step():
    playback = advance(LOOP, columns(*[(0, 0, 1, 0, 0.1)] * 4), 5.0)
    assert playback[0][0] == 1


def test_layers_phases_advance_alike():
    phases = np.array([0.0, 0.9, 0.5], np.float32)
    advance_phases(0.5, 0.4, 1, True, phases)
    np.testing.assert_allclose(phases, [0.2, 0.1, 0.7], atol=1e-6)
    advance_phases(0.5, 1.0, 1, False, phases)
    np.testing.assert_allclose(phases, [0.7, 0.6, 1.0], atol=1e-6)


@pytest.mark.parametrize("loops", [True, False])
def test_plain_clips_go_on_as_blend_spaces_of_one_clip_do(loops):
    rng = np.random.default_rng(3)
    clips = [random_clip(rng, CLIP.skeleton, f"clip {count}", count) for count in (1, 9, 30)]
    motions = clip_motions(clips, loops=loops)
    own, general = (random_playback(np.random.default_rng(4), 3, 200) for _ in range(2))
    for _ in range(5):
        for these, columns in ((motions, own), (as_spaces(motions), general)):
            parameters = np.zeros((200, len(these.motions[0].parameters)), np.float32)
            advance_playback(these.arrays, parameters, np.ones(200, np.float32), 0.07, 1, tuple(columns))
    for a, b in zip(own, general, strict=True):
        assert a.tobytes() == b.tobytes()
    assert len(np.unique(own[0])) > 1


TICKS = 2**24  # of a cycle
rates = st.one_of(st.floats(-60, 60), st.floats(-1e9, 1e9), st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-6, -2e-6, 3e-5]))
times = st.one_of(st.sampled_from([0.0, 1 / 60, 1 / 30, 0.25, 1.0]), st.floats(0, 1))
phases = st.one_of(
    st.floats(0, 1, width=32), st.sampled_from([0.0, 1.0, 1e-30, 2.0**-25, 1 - 2.0**-24, 0.3, 1.5, -0.2])
)


def after(phase, rate, dt, steps, loops):
    """Where a phase is, by whole numbers alone, which Python never rounds; one step after the other."""
    step = round(rate * (dt * TICKS))
    if step == 0:
        return np.float32(phase)
    ticks = round(float(np.float32(phase)) * TICKS)
    if loops:
        return np.float32((ticks + steps * step) % TICKS / TICKS)
    ticks = min(max(ticks, 0), TICKS)
    for _ in range(steps):
        ticks = min(max(ticks + step, 0), TICKS)
    return np.float32(ticks / TICKS)


def advanced(phase, rate, dt, loops, *parts):
    """A phase after so many steps, taken at once in each part."""
    own = np.array([phase], np.float32)
    for steps in parts:
        advance_phases(rate, dt, steps, loops, own)
    return own[0]


@given(phases, rates, times, st.lists(st.integers(1, 12), min_size=1, max_size=4), st.booleans())
def test_steps_at_once_are_steps_one_by_one(phase, rate, dt, parts, loops):
    expected = after(phase, rate, dt, sum(parts), loops)
    assert advanced(phase, rate, dt, loops, *parts) == expected
    assert advanced(phase, rate, dt, loops, sum(parts)) == expected
    assert advanced(phase, rate, dt, loops, *[1] * sum(parts)) == expected


@given(phases, st.floats(-60, 60), times, st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_million_steps_at_once_are_none_too_few(phase, rate, dt, steps, more):
    expected = after(phase, rate, dt, steps + more, True)
    assert advanced(phase, rate, dt, True, steps, more) == expected
    assert 0 <= expected < 1 or round(rate * (dt * TICKS)) == 0


@given(phases, rates, times)
def test_phases_that_moved_are_whole_ticks(phase, rate, dt):
    found = float(advanced(phase, rate, dt, True, 1))
    assert found * TICKS == int(found * TICKS) or found == np.float32(phase)


def test_too_slow_is_still():
    """A loop of a week, at 60 steps a second; one of six days is seen to move, by a tick a step."""
    day = 86400
    assert advanced(0.25, 1 / (7 * day), 1 / 60, True, 1000) == 0.25
    assert advanced(0.25, 1 / (6 * day), 1 / 60, True, 1000) == 0.25 + 1000 / TICKS


@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("spaces", [True, False])
def test_crowds_take_steps_at_once(loops, spaces):
    rng = np.random.default_rng(3)
    motions = clip_motions([random_clip(rng, CLIP.skeleton, f"clip {n}", n) for n in (1, 9, 30)], loops=loops)
    motions = as_spaces(motions) if spaces else motions
    parameters = np.zeros((50, len(motions.motions[0].parameters)), np.float32)

    def run(*parts):
        columns = random_playback(np.random.default_rng(4), 3, 50)
        columns[0][:] = 1
        for steps in parts:
            advance_playback(motions.arrays, parameters, np.ones(50, np.float32), 0.01, steps, tuple(columns))
        return columns

    begun, expected = run(), run(*[1] * 45)
    for parts in [(45,), (1, 44), (20, 25)]:
        for a, b in zip(run(*parts), expected, strict=True):
            assert a.tobytes() == b.tobytes()
    assert (begun[2][:, 0] != expected[2][:, 0]).sum() > 20
    assert np.array_equal(begun[2][:, 1:], expected[2][:, 1:])

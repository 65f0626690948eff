"""The playback kernel against Python's own arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.kernels.playback import advance_time

DURATION = np.array([1.2, 0.7, 0.0], np.float32)


def advance(clip, loops, time, speed, dt):
    out = np.array([time], np.float32)
    flags = np.full(3, loops)
    advance_time(DURATION, flags, np.array([clip], np.int32), np.array([speed], np.float32), dt, out)
    return float(out[0])


@given(st.sampled_from([0, 1]), st.floats(0, 0.6875, width=32), st.floats(-4, 4, width=32), st.floats(0, 1e6))
def test_loops_wrap_exactly(clip, time, speed, dt):
    duration = Fraction(float(DURATION[clip]))
    expected = float((Fraction(time) + Fraction(speed) * Fraction(dt)) % duration)
    apart = abs(advance(clip, True, time, speed, dt) - expected)
    assert min(apart, float(duration) - apart) < 1e-6 + 1e-15 * abs(speed) * dt * 4
    assert 0 <= advance(clip, True, time, speed, dt) < duration


@given(st.sampled_from([0, 1]), st.floats(0, 0.6875, width=32), st.floats(-4, 4, width=32), st.floats(0, 1e6))
def test_other_clips_stop_at_their_ends(clip, time, speed, dt):
    expected = np.clip(time + speed * dt, 0, DURATION[clip])
    assert advance(clip, False, time, speed, dt) == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("loops", [True, False])
def test_a_clip_without_length_stays_at_zero(loops):
    assert advance(2, loops, 0.0, 1.0, 0.5) == 0


def test_standing_still_changes_nothing():
    time = np.float32(0.33)
    assert advance(0, True, time, 1.0, 0.0) == time
    assert advance(0, True, time, 0.0, 1.0) == time

"""Clips: time, the golden poses, and clips on other skeletons."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import random_clip, random_skeleton

CLIP = random_clip(np.random.default_rng(4), random_skeleton(np.random.default_rng(3), 9))


@given(st.floats(-1e6, 1e6), st.integers(-1000, 1000))
def test_whole_durations_make_no_difference(time, turns):
    apart = abs(float(CLIP.wrap(time + turns * CLIP.duration)) - float(CLIP.wrap(time)))
    assert min(apart, CLIP.duration - apart) < 1e-6


@given(st.floats(-1e300, 1e300))
def test_wrapped_times_are_inside(time):
    assert CLIP.start <= CLIP.wrap(time) < CLIP.end


def test_the_end_of_a_loop_is_its_start():
    assert CLIP.wrap(CLIP.end) == CLIP.start
    np.testing.assert_array_equal(CLIP.sample(CLIP.end).rotation, CLIP.sample(CLIP.start).rotation)


def test_without_a_loop_the_end_is_the_last_key():
    last = CLIP.sample(CLIP.end, loop=False)
    np.testing.assert_array_equal(last.translation[0], CLIP.tracks[-2].values[-1])
    np.testing.assert_array_equal(CLIP.sample(1e9, loop=False).translation, last.translation)


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf])
def test_a_time_that_is_no_number_is_an_error(time):
    with pytest.raises(ValueError, match="finite"):
        CLIP.sample(time)


def test_joints_without_tracks_rest():
    pose, rest = CLIP.sample(0.7), CLIP.skeleton.rest_pose
    np.testing.assert_array_equal(pose.rotation[3], rest.rotation[3])
    np.testing.assert_array_equal(pose.translation[1:], rest.translation[1:])

"""Tracks against the glTF formulas, written out once more, key by key."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

from ecs_anim.assets.keyframes import FEW, KeyframeCurve
from ecs_anim.assets.track import ScalarTrack, Track
from ecs_anim.maths import quaternion
from tests.helpers import random_rotations

TIMES = np.array([0.25, 0.5, 0.500001, 1.75, 4.0], np.float32)


def vector_track(interpolation, times=TIMES, seed=0):
    shape = (len(times), 3, 3) if interpolation == "CUBICSPLINE" else (len(times), 3)
    return Track(
        0, "translation", interpolation, times, np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    )


times_around_keys = st.one_of(
    st.floats(-10, 10),
    st.sampled_from([float(np.nextafter(t, d)) for t in TIMES for d in (-9, 9)] + TIMES.tolist()),
)


def key_before(time):
    """The last key that is not after a time: the plain search."""
    found = 0
    for index, key in enumerate(TIMES):
        if key <= time:
            found = index
    return found


@given(times_around_keys)
def test_step_holds_the_last_key(time):
    track = vector_track("STEP")
    np.testing.assert_array_equal(track.sample(time), track.values[key_before(time)])


@given(times_around_keys)
def test_linear_is_a_straight_line_between_keys(time):
    track = vector_track("LINEAR")
    expected = [np.interp(time, TIMES.astype(np.float64), track.values[:, axis]) for axis in range(3)]
    np.testing.assert_allclose(track.sample(time), expected, atol=1e-5)


@given(st.floats(0.25, 4.0))
def test_cubic_is_a_hermite_spline(time):
    """scipy's spline has one slope a key, so in- and out-tangents are made equal here."""
    track = vector_track("CUBICSPLINE")
    values = track.values.copy()
    values[:, 2] = values[:, 0]
    track = Track(0, "scale", "CUBICSPLINE", TIMES, values)
    oracle = CubicHermiteSpline(TIMES.astype(np.float64), values[:, 1], values[:, 0])
    np.testing.assert_allclose(track.sample(time), oracle(time), atol=2e-5)


def test_cubic_uses_each_keys_own_side():
    """glTF 2.0 C.5, by hand: half-way, with in-tangent b and out-tangent a, weights are 1/2, 1/8, 1/2, -1/8."""
    times = np.array([1.0, 3.0], np.float32)
    keys = np.array([[[9, 9, 9], [1, 0, 0], [4, 0, 0]], [[0, 8, 0], [3, 0, 2], [9, 9, 9]]], np.float32)
    track = Track(0, "translation", "CUBICSPLINE", times, keys)
    expected = [0.5 * 1 + 0.125 * 2 * 4 + 0.5 * 3, -0.125 * 2 * 8, 0.5 * 2]
    np.testing.assert_allclose(track.sample(2.0), expected, rtol=1e-6)


def rotation_track(interpolation, seed=1):
    rng = np.random.default_rng(seed)
    if interpolation == "CUBICSPLINE":
        values = rng.normal(size=(len(TIMES), 3, 4)).astype(np.float32)
        values[:, 1] = random_rotations(rng, len(TIMES))
    else:
        values = random_rotations(rng, len(TIMES))
    return Track(0, "rotation", interpolation, TIMES, values)


@given(st.floats(0.25, 4.0))
def test_linear_rotation_is_slerp(time):
    track = rotation_track("LINEAR")
    index = min(key_before(time), len(TIMES) - 2)
    oracle = Slerp(TIMES[index : index + 2].astype(np.float64), Rotation.from_quat(track.values[index : index + 2]))
    assert quaternion.angle_between(track.sample(time), oracle(min(time, TIMES[index + 1])).as_quat()) < 2e-5


@given(st.floats(0.25, 4.0))
def test_fast_linear_rotation_is_nlerp_on_the_short_arc(time):
    track = rotation_track("LINEAR")
    index = min(key_before(time), len(TIMES) - 2)
    a, b = track.values[index].astype(np.float64), track.values[index + 1].astype(np.float64)
    b = b if a @ b >= 0 else -b
    t = (time - float(TIMES[index])) / (float(TIMES[index + 1]) - float(TIMES[index]))
    mixed = (1 - t) * a + t * b
    np.testing.assert_allclose(track.sample(time, "nlerp"), mixed / np.linalg.norm(mixed), atol=1e-6)


@given(st.floats(0.25, 4.0))
def test_cubic_rotation_is_raw_then_normalised(time):
    """No key is flipped, even where neighbours lie in opposite half-spaces."""
    track = rotation_track("CUBICSPLINE")
    raw = [
        Track(0, "translation", "CUBICSPLINE", TIMES, track.values[:, :, axis : axis + 1]).sample(time)[0]
        for axis in range(4)
    ]
    expected = np.array(raw) / np.linalg.norm(raw)
    np.testing.assert_allclose(track.sample(time), expected, atol=1e-5)


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR", "CUBICSPLINE"])
def test_before_the_first_and_after_the_last_key_it_clamps(interpolation):
    track = vector_track(interpolation)
    keys = track.values[:, 1] if interpolation == "CUBICSPLINE" else track.values
    np.testing.assert_allclose(track.sample([-1e9, 0.2499]), np.stack([keys[0]] * 2), rtol=1e-6)
    np.testing.assert_allclose(track.sample([4.0, 1e9]), np.stack([keys[-1]] * 2), rtol=1e-6)


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR", "CUBICSPLINE"])
def test_a_single_key_is_a_constant(interpolation):
    track = vector_track(interpolation, TIMES[:1])
    key = track.values[0, 1] if interpolation == "CUBICSPLINE" else track.values[0]
    np.testing.assert_array_equal(track.sample(np.array([-5, 0.25, 7])), np.stack([key] * 3))


def test_many_times_at_once_are_the_same_as_one_by_one():
    times = np.linspace(-1, 5, 301).reshape(7, 43)
    for track in (vector_track("LINEAR"), vector_track("CUBICSPLINE"), rotation_track("LINEAR")):
        together = track.sample(times)
        assert together.shape == (7, 43, track.values.shape[-1])
        assert together.dtype == np.float32
        np.testing.assert_array_equal(together[3, 5], track.sample(times[3, 5]))


def test_constant_tracks_are_known():
    value = np.array([1, 2, 3], np.float32)
    still = Track(0, "translation", "LINEAR", TIMES, np.tile(value, (len(TIMES), 1)))
    assert still.is_constant(value)
    assert not still.is_constant(value + 1e-3)
    assert not vector_track("LINEAR").is_constant(vector_track("LINEAR").values[0])
    turn = quaternion.from_axis_angle([0, 0, 1], 1.0).astype(np.float32)
    flipping = Track(0, "rotation", "LINEAR", TIMES, np.array([1, -1, 1, 1, -1], np.float32)[:, None] * turn)
    assert flipping.is_constant(-turn)
    bump = np.zeros((2, 3, 3), np.float32)
    bump[0, 2] = math.pi
    assert not Track(0, "translation", "CUBICSPLINE", TIMES[:2], bump).is_constant([0, 0, 0])


@given(times_around_keys, st.sampled_from(["STEP", "LINEAR", "CUBICSPLINE"]))
def test_a_number_is_a_track_of_width_one(time, interpolation):
    track = vector_track(interpolation)
    number = ScalarTrack(interpolation, TIMES, track.values[..., 1])
    assert number.sample(time).shape == ()
    assert number.sample(time) == track.sample(time)[1]


def test_a_number_over_many_times_keeps_their_shape():
    number = ScalarTrack("LINEAR", [0, 1, 3], [0, 10, 0])
    np.testing.assert_allclose(number.sample([[-1, 0.5], [1, 2]]), [[0, 5], [10, 5]])
    assert number.sample(0.5).dtype == np.float32


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        (([0, 1], [0, 1, 2]), r"2 LINEAR keys, .* values must have the shape \(2, width\) \(got .*\(3, 1\)"),
        (([], []), "at least one"),
        (([0, 2, 1], [0, 0, 0]), "must not decrease .key 2 is at 1.0 s, but the key before it is at 2.0 s"),
        (([0, np.nan], [0, 0]), "must be a finite number"),
        (([np.nan], [0]), "finite"),
        (([0, np.inf], [0, 0]), "finite"),
    ],
)
def test_keys_that_make_no_track_are_refused(keys, rule):
    with pytest.raises(ValueError, match=rule):
        ScalarTrack("LINEAR", *keys)


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR", "CUBICSPLINE"])
@pytest.mark.parametrize("fast", [False, True])
def test_two_keys_at_one_time_are_a_jump_at_either_end_and_between(interpolation, fast):
    """The value before a jump is that of its first key, at its time and later that of its second key."""
    keys = np.array([1, 2, 2, 3, 3, 4], np.float32)[:, None]
    values = keys if interpolation != "CUBICSPLINE" else np.stack([0 * keys, keys, 0 * keys], axis=1)
    curve = KeyframeCurve(interpolation, np.array([0, 0, 1, 1, 2, 2], np.float32), values)
    times, expected = [-1, 0, 0.25, 0.999999, 1, 1.5, 1.999999, 2, 3], [1, 2, 2, 2, 3, 3, 3, 4, 4]
    times = np.tile(times, 1 + FEW // len(times)) if fast else np.array(times)
    found = (curve.fast() if fast else curve).sample(times)[:, 0]
    np.testing.assert_allclose(found.reshape(-1, len(expected)), np.broadcast_to(expected, (len(times) // 9, 9)))


def test_a_curve_of_rotations_needs_four_numbers():
    with pytest.raises(ValueError, match=r"\(1, 4\).*got .*\(1, 3\)"):
        KeyframeCurve("LINEAR", TIMES[:1], np.zeros((1, 3), np.float32), is_rotation=True)
    with pytest.raises(ValueError, match=r"\(1, 3, width\)"):
        KeyframeCurve("CUBICSPLINE", TIMES[:1], np.zeros((1, 3), np.float32))

"""Arguments of calls from Python: valid values, and the one-line error for others."""

import math

import numpy as np
import pytest

from ecs_anim.support.arguments import (
    numbers,
    numbers_below,
    numbers_for_each,
    rows_of,
    shares_for_each,
    unknown,
    whole_numbers,
)

NO_NUMBERS = ["3", ["1", "2"], None, [None], [[1], [1, 2]], 1j, {"a": 1}, object()]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("check", [numbers, whole_numbers])
def test_what_is_no_number_is_told_in_one_line(check, value):
    with pytest.raises(ValueError, match=r"^speed must be (whole )?numbers \(got .*\)$"):
        check("speed", value)


@pytest.mark.parametrize("value", [math.nan, [1, math.inf], -math.inf, 1e10, np.float32("nan"), 10**18])
def test_numbers_are_finite(value):
    with pytest.raises(ValueError, match="speed must be finite"):
        numbers("speed", value)


def test_numbers_of_every_kind_pass():
    for value in (1, True, 1.5, np.float16(2), [1, 2.5], np.arange(3, dtype=np.uint8), [[1, 2]], []):
        np.testing.assert_array_equal(numbers("x", value), np.array(value, np.float64))


def test_one_for_all_or_one_for_each():
    assert numbers_for_each("x", 2, (3,)).tolist() == [2, 2, 2]
    assert numbers_for_each("x", [1, 2, 3], (3,)).tolist() == [1, 2, 3]
    assert numbers_for_each("x", [1, 2], (3, 2)).tolist() == [[1, 2]] * 3
    for value in ([1, 2], [[1, 2, 3], [4, 5, 6]], []):
        with pytest.raises(
            ValueError, match=r"x must be one value for all 3 rows, or an array of shape \[3\] \(got shape"
        ):
            numbers_for_each("x", value, (3,))


@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, [0.5, 2, 0]])
def test_shares_are_0_to_1(value):
    assert shares_for_each("x", [0, 0.5, 1], 3).tolist() == [0, 0.5, 1]
    with pytest.raises(ValueError, match="x must be 0 to 1"):
        shares_for_each("x", value, 3)


def test_whole_numbers_are_whole():
    assert whole_numbers("x", 3).tolist() == [3]
    assert whole_numbers("x", []).tolist() == []
    assert whole_numbers("x", np.array([4], np.uint16)).dtype == np.int64
    for value in (1.0, [0.5], True, [True], math.nan):
        with pytest.raises(ValueError, match="x must be whole numbers"):
            whole_numbers("x", value)
    with pytest.raises(ValueError, match=r"one number or a list of numbers \(got shape \(1, 1\)\)"):
        whole_numbers("x", [[1]])
    with pytest.raises(ValueError, match=r"less than 2\^63"):
        whole_numbers("x", np.array([2**63], np.uint64))
    with pytest.raises(ValueError, match=r"x must be 0 to 4 \(got \[0, 5\]\)"):
        numbers_below("x", [0, 5], 5, 2)
    assert numbers_below("x", 4, 5, 2).dtype == np.int32


@pytest.mark.parametrize(
    ("selection", "text"),
    [
        (6, r"rows of crowd 'x' must be 0 to 5 \(got 6\)"),
        ([0, -7], r"rows of crowd 'x' must be 0 to 5 \(got -7\)"),
        (np.uint64(2**64 - 1), r"rows"),
        (10**30, r"must be row numbers, a mask"),
        ([True, False], r"one truth value for each of its 6 actors \(got shape \(2,\)\)"),
        (True, "one truth value for each of its 6 actors"),
        (0.5, r"must be row numbers, a mask, a slice, or ea.ALL for all actors \(got 0.5\)"),
        ([math.nan], "must be row numbers, a mask"),
        ("walk", "must be row numbers, a mask, a slice, or ea.ALL for all actors .got 'walk'"),
        ([[0, 1]], "must be row numbers, a mask"),
        ([[0], [1, 2]], "must be row numbers, a mask"),
        ({1: 2}, "must be row numbers, a mask"),
        (None, r"no actors are selected \(got None\)"),
        (slice("a"), "the bounds of a slice of actors must be whole numbers"),
        (slice(0, 6, 0), "the bounds of a slice of actors must be whole numbers"),
    ],
)
def test_rows_that_are_not_there_are_told(selection, text):
    with pytest.raises(IndexError, match=text):
        rows_of("crowd 'x'", selection, 6)


def test_rows_of_a_crowd_without_actors():
    for selection in (slice(None), [], np.zeros(0, bool), np.zeros(0)):
        assert rows_of("x", selection, 0).tolist() == []
    with pytest.raises(IndexError, match=r"x must have actors, but it is empty \(got 0\)"):
        rows_of("x", 0, 0)


def test_rows_are_those_that_numpy_selects():
    every = np.arange(6)
    for selection in (
        [5, 1, 1],
        (0, -1),
        np.int8(3),
        every[::2],
        slice(4, None, -2),
        np.array([True] * 3 + [False] * 3),
    ):
        found = rows_of("x", selection, 6)
        chosen = list(selection) if isinstance(selection, tuple) else selection
        np.testing.assert_array_equal(found, np.atleast_1d(every[chosen]))
        assert found.dtype == np.int32
        assert found.flags.c_contiguous


def test_unknown_names_are_told_with_the_nearest():
    assert unknown("motion", "wlak", ["idle", "walk"]).args == (
        "no motion 'wlak'; did you mean 'walk'? motions are: idle, walk",
    )
    assert unknown("layer", 3, []).args == ("no layer 3; layers are: none",)

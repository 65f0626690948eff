"""Key tables against numpy's search: the same key for every time, in bounded memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.assets.key_table import CELLS_PER_KEY, KeyTable
from ecs_anim.assets.track import Track


def search(times, at):
    return np.maximum(np.searchsorted(times, at, side="right") - 1, 0)


def around(times):
    """Each key, its float32 and float64 neighbours, the middles between, and times far outside."""
    keys = times.astype(np.float64)
    neighbours = [np.nextafter(form, way) for form in (keys, times) for way in (-np.inf, np.inf)]
    middles = (keys[1:] + keys[:-1]) / 2
    far = [-1e300, -1e9, -1.0, 0.0, 1.0, 1e9, 1e300, -np.inf, np.inf, np.nan]
    return np.concatenate([keys, *(n.astype(np.float64) for n in neighbours), middles, far])


def assert_same_key(times, at):
    times = np.asarray(times, np.float32)
    np.testing.assert_array_equal(KeyTable.of(times).key_before(at), search(times, at))


evenly = st.builds(
    lambda start, step, count: (start + np.arange(count) * np.float64(step)).astype(np.float32),
    st.floats(-100, 100),
    st.floats(1e-3, 10),
    st.integers(1, 60),
)
anyhow = st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=40).map(lambda t: np.sort(np.float32(t)))
clustered = st.builds(
    lambda start, steps: np.cumsum([start, *(10.0**s for s in steps)]).astype(np.float32),
    st.floats(-5, 5),
    st.lists(st.integers(-7, 1), max_size=30),
)
key_times = st.one_of(evenly, anyhow, clustered)


@given(key_times)
def test_on_and_beside_every_key_it_is_the_search(times):
    with np.errstate(over="ignore"):  # beside the last float32 lies infinity
        assert_same_key(times, around(times))


@given(key_times, st.lists(st.floats(allow_nan=False), min_size=1, max_size=20))
def test_at_any_time_it_is_the_search(times, at):
    assert_same_key(times, at)


@given(key_times, st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_inside_it_is_the_search(times, places):
    first, last = float(times[0]), float(times[-1])
    assert_same_key(times, first + np.array(places) * (last - first))


def neighbours_in_float32(start, count):
    times = [np.float32(start)]
    for _ in range(count - 1):
        times.append(np.nextafter(times[-1], np.float32(np.inf)))
    return np.array(times, np.float32)


@pytest.mark.parametrize("start", [0.0, 0.3, -7.5, 1e6, 3e38])
def test_keys_that_are_float32_neighbours(start):
    times = neighbours_in_float32(start, 50)
    with np.errstate(over="ignore"):
        assert_same_key(times, around(times))
    wide = np.concatenate([times, [np.float32(3.3e38)]])
    assert_same_key(wide, around(wide[:-1]))


def test_keys_at_the_same_time_give_the_last_of_them():
    times = np.array([0, 1, 1, 1, 2, 2], np.float32)
    assert_same_key(times, around(times))
    assert_same_key(np.ones(4, np.float32), [0, 1, 2])


def test_even_keys_leave_no_cell_to_the_search():
    times = (0.4 + np.arange(1000) / 30).astype(np.float32)
    table = KeyTable.of(times)
    assert table.crowded is None
    assert len(table.before) <= 2 * len(times)


def test_uneven_keys_leave_no_cell_to_the_search():
    times = np.cumsum(np.random.default_rng(2).uniform(0.2, 1.0, 500)).astype(np.float32)
    assert KeyTable.of(times).crowded is None


def test_a_step_is_at_most_one_key():
    """The bound itself: between a cell's entry and the next cell's lies one key at most, where no cell is crowded."""
    times = np.cumsum(np.random.default_rng(3).uniform(0.2, 1.0, 500)).astype(np.float32)
    table = KeyTable.of(times)
    assert np.diff(np.append(table.before, len(times) - 1)).max() == 1


def test_keys_a_microsecond_apart_do_not_make_millions_of_cells():
    times = np.array([0, 1e-6, 2e-6, 5, 10], np.float32)
    table = KeyTable.of(times)
    assert len(table.before) <= CELLS_PER_KEY * len(times)
    assert table.crowded is not None
    assert_same_key(times, np.concatenate([around(times), np.random.default_rng(4).uniform(-1, 11, 20_000)]))


def test_the_shape_of_times_is_kept():
    table = KeyTable.of(np.arange(9, dtype=np.float32))
    assert table.key_before(3.5).shape == ()
    assert table.key_before(np.zeros((2, 0, 4))).shape == (2, 0, 4)
    at = np.linspace(-1, 10, 24).reshape(2, 3, 4)
    np.testing.assert_array_equal(table.key_before(at), search(np.arange(9), at))


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR", "CUBICSPLINE"])
@pytest.mark.parametrize("path", ["translation", "rotation"])
def test_a_fast_track_gives_the_same_bits(interpolation, path):
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.uniform(0.01, 0.1, 40)).astype(np.float32)
    shape = (40, 3) if interpolation == "CUBICSPLINE" else (40,)
    track = Track(0, path, interpolation, times, rng.normal(size=(*shape, 4)).astype(np.float32))
    at = rng.uniform(-1, 5, (3, 1000))
    np.testing.assert_array_equal(track.fast().sample(at), track.sample(at))
    np.testing.assert_array_equal(track.fast().sample(1.0), track.sample(1.0))

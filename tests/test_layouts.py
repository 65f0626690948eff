"""Where actors stand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from ecs_anim.scenes.layouts import place
from ecs_anim.scenes.schema import DiscLayout, GridLayout, PointsLayout, ScatterLayout

RNG = np.random.default_rng


def nearest_distance(places):
    return cKDTree(places).query(places, k=2)[0][:, 1].min()


@given(st.integers(2, 400), st.floats(0.2, 2.0), st.integers(0, 2**32))
@settings(deadline=None)
def test_scatter_keeps_its_distance_and_its_disc(count, min_distance, seed):
    radius = 1.2 * min_distance * math.sqrt(count)
    layout = ScatterLayout(kind="scatter", radius=radius, min_distance=min_distance, center=(5.0, -3.0))
    places = place(layout, count, RNG(seed))
    assert places.shape == (count, 2)
    assert nearest_distance(places) >= min_distance * (1 - 1e-9)
    assert np.linalg.norm(places - [5, -3], axis=1).max() <= radius + min_distance


def test_scatter_says_what_would_fit():
    with pytest.raises(ValueError, match="raise radius to about"):
        place(ScatterLayout(kind="scatter", radius=2.0, min_distance=1.0), 100, RNG(0))


def test_what_scatter_says_would_fit_does_fit():
    with pytest.raises(ValueError, match="raise radius") as caught:
        place(ScatterLayout(kind="scatter", radius=2.0, min_distance=1.0), 100, RNG(0))
    radius = float(str(caught.value).split("about ")[1].split()[0])
    assert len(place(ScatterLayout(kind="scatter", radius=radius, min_distance=1.0), 100, RNG(0))) == 100


def test_scatter_keeps_its_density_when_the_count_changes():
    layout = ScatterLayout(kind="scatter", radius=10.0, min_distance=0.7)
    few, many = (place(layout, count, RNG(1), 100) for count in (100, 10_000))
    reach = [np.linalg.norm(places, axis=1).max() for places in (few, many)]
    assert reach[1] / reach[0] == pytest.approx(10, rel=0.1)


def test_scatter_differs_by_seed_and_repeats_by_seed():
    layout = ScatterLayout(kind="scatter", radius=10.0)
    np.testing.assert_array_equal(place(layout, 50, RNG(1)), place(layout, 50, RNG(1)))
    assert not np.array_equal(place(layout, 50, RNG(1)), place(layout, 50, RNG(2)))


@pytest.mark.parametrize(("count", "columns"), [(1, None), (12, 4), (10, None), (3, 7)])
def test_grid_is_spaced_and_centred(count, columns):
    places = place(GridLayout(kind="grid", spacing=1.5, columns=columns, center=(2.0, 1.0)), count, RNG(0))
    np.testing.assert_allclose((places.min(axis=0) + places.max(axis=0)) / 2, [2, 1], atol=1e-9)
    if count > 1:
        assert nearest_distance(places) == pytest.approx(1.5)


def test_disc_is_even():
    places = place(DiscLayout(kind="disc", spacing=1.2), 1000, RNG(0))
    assert nearest_distance(places) > 0.9 * 1.2 * 0.9
    inner = np.sum(np.linalg.norm(places, axis=1) < np.linalg.norm(places, axis=1).max() / 2)
    assert inner == pytest.approx(250, abs=15)


def test_points_are_used_in_turn():
    places = place(PointsLayout(kind="points", points=[(0.0, 1.0), (2.0, 3.0)]), 5, RNG(0))
    np.testing.assert_array_equal(places, [[0, 1], [2, 3], [0, 1], [2, 3], [0, 1]])

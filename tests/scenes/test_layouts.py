"""Where actors stand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from ecs_anim.scenes.layouts import place, place_more
from ecs_anim.scenes.schema_layout import BlocksLayout, DiscLayout, GridLayout, PointsLayout, ScatterLayout

RNG = np.random.default_rng


def nearest_distance(places):
    return cKDTree(places).query(places, k=2)[0][:, 1].min()


@given(st.integers(2, 400), st.floats(0.2, 2.0), st.integers(0, 2**32))
def test_scatter_keeps_its_distance_and_its_disc(count, min_distance, seed):
    radius = 1.2 * min_distance * math.sqrt(count)
    layout = ScatterLayout(kind="scatter", radius=radius, min_distance=min_distance, center=(5.0, -3.0))
    places = place(layout, count, RNG(seed))
    assert places.shape == (count, 2)
    assert nearest_distance(places) >= min_distance * (1 - 1e-9)
    assert np.linalg.norm(places - [5, -3], axis=1).max() <= radius + min_distance


def test_scatter_says_what_would_fit():
    with pytest.raises(ValueError, match="Raise radius to about"):
        place(ScatterLayout(kind="scatter", radius=2.0, min_distance=1.0), 100, RNG(0))


def test_what_scatter_says_would_fit_does_fit():
    with pytest.raises(ValueError, match="Raise radius") as caught:
        place(ScatterLayout(kind="scatter", radius=2.0, min_distance=1.0), 100, RNG(0))
    radius = float(str(caught.value).split("about ")[1].split(",")[0])
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


def in_a_street(places):
    """Free ground: 6 m wide, and without a block in its middle."""
    x, y = places.T
    return (np.abs(x) < 3) & ~((np.abs(x) < 1) & (np.abs(y) < 1))


@pytest.mark.parametrize(
    "layout",
    [
        ScatterLayout(kind="scatter", radius=2.5, min_distance=0.7, center=(0.0, 3.6)),
        GridLayout(kind="grid", spacing=0.8),
        DiscLayout(kind="disc", spacing=0.8),
        BlocksLayout(kind="blocks", files=4, ranks=4),
    ],
    ids=lambda layout: layout.kind,
)
def test_a_larger_crowd_grows_over_free_ground(layout):
    places = place(layout, 200, RNG(1), 12, in_a_street)
    assert places.shape == (200, 2)
    assert in_a_street(places).all()
    assert nearest_distance(places) > 0.69
    assert not in_a_street(place(layout, 200, RNG(1), 12)).all()
    np.testing.assert_array_equal(place(layout, 12, RNG(1), 12, in_a_street), place(layout, 12, RNG(1), 12))


def test_a_larger_crowd_without_free_ground_stands_as_its_layout_says():
    layout = GridLayout(kind="grid")
    nowhere = place(layout, 20, RNG(0), 10, lambda places: np.zeros(len(places), bool))
    np.testing.assert_array_equal(nowhere, place(layout, 20, RNG(0), 10))


def test_disc_is_even():
    places = place(DiscLayout(kind="disc", spacing=1.2), 1000, RNG(0))
    assert nearest_distance(places) > 0.9 * 1.2 * 0.9
    inner = np.sum(np.linalg.norm(places, axis=1) < np.linalg.norm(places, axis=1).max() / 2)
    assert inner == pytest.approx(250, abs=15)


def test_points_are_used_in_turn():
    places = place(PointsLayout(kind="points", points=[(0.0, 1.0), (2.0, 3.0)]), 5, RNG(0))
    np.testing.assert_array_equal(places, [[0, 1], [2, 3], [0, 1], [2, 3], [0, 1]])


def blocks_of(count, full_count=None, **keys):
    return place(BlocksLayout(kind="blocks", **keys), count, RNG(0), full_count)


def test_blocks_have_ranks_files_and_gaps():
    keys = {"files": 4, "ranks": 3, "spacing": (1.0, 2.0), "gaps": (5.0, 7.0), "across": 2, "center": (10.0, -1.0)}
    places = blocks_of(48, **keys)
    x, y = np.unique(places[:, 0].round(9)), np.unique(places[:, 1].round(9))
    np.testing.assert_allclose(np.diff(x), [1, 1, 1, 6, 1, 1, 1])
    np.testing.assert_allclose(np.diff(y), [2, 2, 9, 2, 2])
    assert x.mean() == pytest.approx(10)
    assert y[0] == -1
    assert len(np.unique(places.round(6), axis=0)) == 48 == len(x) * len(y)


def test_a_block_is_filled_from_its_first_rank():
    places = blocks_of(6, files=4, ranks=3)
    assert np.unique(places[:, 1].round(9), return_counts=True)[1].tolist() == [4, 2]


@pytest.mark.parametrize(("count", "columns", "rows"), [(1600, 4, 4), (400, 2, 2), (100, 1, 1), (50, 1, 1)])
def test_fewer_blocks_keep_the_shape_of_a_formation(count, columns, rows):
    places = blocks_of(count, 1600, files=10, ranks=10, spacing=(1.0, 1.0), gaps=(4.0, 4.0))
    for axis, blocks in ((0, columns), (1, rows)):
        gaps = np.diff(np.unique(places[:, axis].round(6)))
        assert (gaps > 2).sum() == blocks - 1
    assert places[:, 1].min() == 0
    assert places[:, 0].min() == -places[:, 0].max()


def test_a_formation_as_wide_as_asked():
    wide = blocks_of(1600, 1600, files=10, ranks=10, across=8)
    assert (np.diff(np.unique(wide[:, 0].round(6))) > 2).sum() == 7


@pytest.mark.parametrize(
    "layout",
    [
        GridLayout(kind="grid", spacing=1.5, center=(3.0, -2.0)),
        DiscLayout(kind="disc", spacing=1.1),
        BlocksLayout(kind="blocks", files=5, ranks=3, spacing=(1.0, 1.2), gaps=(2.5, 4.0), across=2),
        PointsLayout(kind="points", points=[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]),
    ],
    ids=lambda layout: layout.kind,
)
@pytest.mark.parametrize(("have", "count"), [(0, 7), (4, 1), (16, 20), (31, 64)])
def test_who_joins_a_formation_stands_where_it_goes_on(layout, have, count):
    rng = np.random.default_rng(1)
    whole = place(layout, have + count, rng, 40)
    np.testing.assert_array_equal(place_more(layout, have, count, rng, 40), whole[have:])


def test_a_formation_of_blocks_is_centred():
    layout = BlocksLayout(kind="blocks", files=5, ranks=3, spacing=(1.0, 1.2), gaps=(2.5, 4.0), center=(7.0, 0.0))
    for count in range(1, 100):
        x = place(layout, count, np.random.default_rng(1), 40)[:, 0]
        assert np.isclose((x.min() + x.max()) / 2, 7.0)

"""Rays straight down: the kernel and the plain form against a search through all triangles in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator

from ecs_anim.ground.arrays import TOUCH
from ecs_anim.ground.field_surface import field_surface, field_triangles
from ecs_anim.ground.ground import Ground, flat, height_field, triangle_mesh
from ecs_anim.ground.triangle_grid import facing_up
from ecs_anim.kernels.ground import BATCH, cast_down, keep_footing
from tests.helpers import FEW

UP, EAST = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
NOTHING = [-np.inf, 0, 1, 0]


def cast(ground: Ground, points) -> np.ndarray:
    """Hits [n, 4] of the kernel, which the plain form must share."""
    points = np.ascontiguousarray(points, np.float32).reshape(-1, 3)
    hits = np.full((len(points), 4), np.nan, np.float32)
    cast_down(ground.arrays, points, len(points), hits)
    height, normal = ground.below(points)
    np.testing.assert_allclose(hits[:, 0], height, rtol=1e-6, atol=1e-3)
    agree = np.isclose(hits[:, 0], height, rtol=1e-6, atol=1e-5)
    assert agree.mean() > 0.98  # of steep triangles far from the origin of the grid, heights differ by rounding
    np.testing.assert_allclose(np.linalg.norm(hits[:, 1:], axis=-1), 1, atol=1e-6)
    assert (hits[:, 2] > 0).all()
    assert (normal[:, 1] > 0).all()
    return hits


def oracle(triangles, points, double_sided=False) -> np.ndarray:
    """Heights [n] in exact arithmetic: borders belong to a triangle, walls and undersides do not count."""
    found = [[-np.inf] for _ in points]
    for corners in np.asarray(triangles, object):
        a, b, c = ([Fraction(value) for value in corner] for corner in corners)
        area = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2])
        if area == 0 or (area < 0 and not double_sided):
            continue
        for heights, point in zip(found, points, strict=True):
            x, y, z = (Fraction(float(value)) for value in point)
            s = ((b[2] - z) * (c[0] - x) - (b[0] - x) * (c[2] - z)) / area
            t = ((c[2] - z) * (a[0] - x) - (c[0] - x) * (a[2] - z)) / area
            height = s * a[1] + t * b[1] + (1 - s - t) * c[1]
            if min(s, t, 1 - s - t) >= 0 and height <= y:
                heights.append(float(height))
    return np.array([max(heights) for heights in found])


def square(low, high, height, at=(0.0, 0.0)) -> list:
    """Two triangles that face up."""
    (x, z), (x2, z2) = (low + at[0], low + at[1]), (high + at[0], high + at[1])
    a, b, c, d = (x, height, z), (x, height, z2), (x2, height, z2), (x2, height, z)
    return [[a, b, c], [a, c, d]]


lattice = st.integers(-4, 4)
corner = st.tuples(lattice, lattice, lattice)
soups = st.lists(st.tuples(corner, corner, corner), min_size=1, max_size=12)
half = st.integers(-9, 9).map(lambda value: value / 2)
rays = st.lists(st.tuples(half, st.integers(-5, 5).map(lambda value: value + 0.25), half), min_size=1, max_size=12)


@pytest.mark.exhaustive
@settings(max_examples=300)
@given(soups, rays, st.booleans())
def test_soups_on_a_lattice_whose_rays_hit_edges_and_corners(soup, points, double_sided):
    """Each ray starts between lattice heights, so that rounding cannot put a surface on its other side... unless a
    slope does, and then within the slack."""
    try:
        ground = triangle_mesh(soup, double_sided)
    except ValueError:
        assert (oracle(soup, points, double_sided) == -np.inf).all()
        return
    lower, upper = (oracle(soup, np.add(points, [0, shift, 0]), double_sided) for shift in (0, 2 * TOUCH))
    height = cast(ground, points)[:, 0]
    assert ((height >= lower - 1e-4) & (height <= upper + 1e-4) | (height == lower)).all()


@pytest.mark.exhaustive
@pytest.mark.parametrize("offset", [(0, 0, 0), (2.0**17, 2.0**12, -(2.0**17))], ids=["near", "far"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_terrain_has_no_cracks_and_keeps_its_precision_far_away(offset, shuffled):
    """On a lattice that float32 holds at either place, with rays at corners, on edges and between."""
    rng = np.random.default_rng(3)
    size = 12
    x, z = np.meshgrid(np.arange(size), np.arange(size))
    inner = np.pad(np.ones((size - 2, size - 2)), 1)[..., None] * rng.integers(-1, 2, (size, size, 2)) / 4
    corners = np.stack([x + inner[..., 0], rng.integers(-4, 5, (size, size)) / 4, z + inner[..., 1]], axis=-1)
    triangles = corners.reshape(-1, 3)[field_triangles(size, size)]
    if shuffled:
        triangles = rng.permutation(triangles)
    steps = np.arange(0, size - 1 + 1e-9, 0.25)[:: 4 if FEW else 1]
    points = np.stack(np.meshgrid(steps, [20.0], steps), axis=-1).reshape(-1, 3)
    hits = cast(triangle_mesh(triangles + offset), points + offset)
    some = np.arange(0, len(points), 5 if FEW else 31)
    np.testing.assert_allclose(
        hits[some, 0] - offset[1], oracle(triangles, points[some]), atol=1e-3 if offset[1] else 1e-5
    )
    assert np.isfinite(hits[:, 0]).all()


def test_nothing_falls_between_triangles():
    """Rays on edges as well as float32 can place them: each side of an edge rounds by itself."""
    rng = np.random.default_rng(11)
    size = 5 if FEW else 60
    plan = np.stack(np.meshgrid(np.arange(size), np.arange(size)), axis=-1) + rng.uniform(-0.3, 0.3, (size, size, 2))
    corners = np.float32(np.insert(plan * 0.37, 1, 0.0, axis=-1).reshape(-1, 3))
    triangles = corners[field_triangles(size, size)]
    inner = field_triangles(size - 2, size - 2)
    inner += inner // (size - 2) * 2 + size + 1  # the same, counted in rows of the whole: all but the rim
    begin, end = corners[inner[:, [0, 1, 2]]], corners[inner[:, [1, 2, 0]]]
    points = begin + (end - begin) * np.float32(rng.uniform(0, 1, (*begin.shape[:2], 1)))
    assert (cast(triangle_mesh(triangles), points + UP)[:, 0] == 0).all()


@pytest.mark.parametrize("along", [0, 2])
@pytest.mark.parametrize("height", [-1.0, 1.0])
def test_at_the_brink_of_a_step_the_higher_side_counts(along, height):
    step = np.array(
        [*square(-1, 0, 0), *square(-1, 0, height, (0, 1)), *square(0, 1, height, (0, -1)), *square(0, 1, 0)]
    )
    if along:
        step = step[:, ::-1, ::-1]
    brink = np.zeros((20, 3))
    brink[:, along] = np.linspace(-0.95, 0.95, 20)
    assert (cast(triangle_mesh(step), brink + 5 * UP)[:, 0] == max(height, 0)).all()
    assert (cast(triangle_mesh(step), brink + UP / 2)[:, 0] == min(max(height, 0), 0)).all()


@pytest.mark.exhaustive
def test_random_soups_against_all_triangles():
    rng = np.random.default_rng(5)
    count = 200
    shapes = rng.normal(size=(count, 3, 3)) * [30 / np.sqrt(count), 1, 30 / np.sqrt(count)]
    triangles = np.float32(rng.uniform(-10, 10, (count, 1, 3)) + shapes)
    points = rng.uniform(-11, 11, (300, 3)).astype(np.float32)
    expected = oracle(triangles, points)
    hits = cast(triangle_mesh(triangles), points)
    np.testing.assert_allclose(hits[:, 0], expected, atol=1e-4)
    assert 0.1 < np.isfinite(expected).mean() < 0.95


def test_normals_are_those_of_the_triangles():
    rng = np.random.default_rng(6)
    corners = np.stack([np.arange(9) % 3 * 1.0, rng.uniform(-1, 1, 9), np.arange(9) // 3 * 1.0], axis=-1)
    triangles = corners[field_triangles(3, 3)]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    hits = cast(triangle_mesh(triangles), triangles.mean(axis=1) + 5 * UP)
    np.testing.assert_allclose(hits[:, 1:], normals / np.linalg.norm(normals, axis=-1, keepdims=True), atol=1e-6)


def test_a_bridge_is_ground_for_whoever_is_above_it():
    ground = triangle_mesh([*square(-5, 5, 0), *square(-1, 1, 2)])
    hits = cast(ground, [(0, 3, 0), (0, 1, 0), (3, 3, 3), (0, -1, 0), (0, np.inf, 0), (0, 2, 0), (0, 2 - 2 * TOUCH, 0)])
    np.testing.assert_allclose(hits[:, 0], [2, 0, 0, -np.inf, 2, 2, 0])


def test_many_storeys_in_one_cell():
    storeys = np.concatenate([square(-1, 1, height) for height in np.random.default_rng(1).permutation(40)])
    hits = cast(triangle_mesh(storeys), [(0.25, height + 0.5, 0.5) for height in range(-1, 41)])
    np.testing.assert_allclose(hits[:, 0], [-np.inf, *range(40), 39])


def test_holes_and_places_beside_have_no_ground():
    ground = triangle_mesh([*square(0, 1, 0), *square(0, 1, 0, (2, 0)), *square(0, 1, 0, (1, 1))])
    beside = [(1.5, 1, 0.5), (0.5, 1, 1.5), (-0.1, 1, 0.5), (3.1, 1, 0.5), (0.5, 1, -0.1), (1e30, 1, 0), (0, 1, -1e30)]
    np.testing.assert_array_equal(cast(ground, beside), [NOTHING] * len(beside))


@pytest.mark.parametrize("size", [0.3, 1.0, 1 / 3, 7.7])
def test_the_border_belongs_to_the_ground(size):
    triangles = np.float32(square(0, size, 1, (0.1, -0.7)))
    rim = [corner + np.float32([0, 1, 0]) for corner in triangles.reshape(-1, 3)]
    assert cast(triangle_mesh(triangles), rim)[:, 0].tolist() == [1] * 6


def test_undersides_count_where_the_material_says_so():
    down = np.array(square(-1, 1, 0))[:, ::-1]
    with pytest.raises(ValueError, match="faces up"):
        triangle_mesh(down)
    assert cast(triangle_mesh(down, True), [(0.5, 1, 0.2)]).tolist() == [[0, 0, 1, 0]]
    both = triangle_mesh([*down, *(down + 5 * EAST)], [True, True, False, False])
    assert cast(both, [(0, 1, 0), (5, 1, 0)])[:, 0].tolist() == [0, -np.inf]


def test_walls_closed_triangles_and_rubbish_hold_nobody():
    wall = [(0, 0, 0), (0, 0, 1), (0, 1, 1)]
    point, line = [(0, 3, 0)] * 3, [(0, 3, 0), (1, 3, 1), (2, 3, 2)]
    rubbish = [[(np.nan, 3, 0), (0, 3, 1), (1, 3, 0)], [(np.inf, 3, 0), (0, 3, 1), (1, 3, 0)]]
    for bad in (wall, point, line, *rubbish):
        with pytest.raises(ValueError, match="faces up"):
            triangle_mesh([bad], True)
    hits = cast(triangle_mesh([wall, point, line, *rubbish, *square(-1, 1, 0)], True), [(0, 9, 0.5), (0, 9, 0)])
    np.testing.assert_array_equal(hits, [[0, 0, 1, 0]] * 2)


GROUNDS = {
    "flat": lambda: flat(0.5),
    "heights": lambda: height_field(np.full((3, 3), 0.5), (-1, -1), (1, 1)),
    "triangles": lambda: triangle_mesh(square(-1, 1, 0.5)),
    "on a floor": lambda: triangle_mesh(square(-1, 1, 0.5), floor=0.0),
}


@pytest.mark.parametrize("kind", GROUNDS)
def test_points_that_are_no_places_have_no_ground(kind):
    bad = [
        (np.nan, 1, 0),
        (0, np.nan, 0),
        (0, 1, np.nan),
        (np.inf, 1, 0),
        (0, 1, -np.inf),
        (0, -np.inf, 0),
        (0, 0.4, 0),
    ]
    ground = GROUNDS[kind]()
    expected = [NOTHING] * 6 + [[0, 0, 1, 0] if kind == "on a floor" else NOTHING]
    np.testing.assert_array_equal(cast(ground, bad), expected)
    np.testing.assert_array_equal(cast(ground, [(0, np.inf, 0), (0, 0.5 - TOUCH / 2, 0)])[:, 0], [0.5, 0.5])


@pytest.mark.parametrize("kind", GROUNDS)
def test_only_as_many_rays_as_asked(kind):
    points = np.tile(np.float32([0.1, 2, 0.2]), (BATCH + 9, 1))
    hits = np.full((BATCH + 9, 4), 7, np.float32)
    cast_down(GROUNDS[kind]().arrays, points, BATCH + 3, hits)
    assert (hits[: BATCH + 3, 0] == 0.5).all()
    assert (hits[BATCH + 3 :] == 7).all()
    cast_down(GROUNDS[kind]().arrays, points[:0], 0, hits[:0])


@pytest.mark.parametrize("kind", GROUNDS)
def test_actors_are_put_where_rays_find_ground_and_others_stay(kind):
    ground, rng = GROUNDS[kind]().arrays, np.random.default_rng(8)
    places = rng.uniform(-1.5, 2.5, (300, 3)).astype(np.float32)
    places[::7, 0] = np.nan
    hits = np.empty((300, 4), np.float32)
    cast_down(ground, (places + np.float32([0, 0.4, 0])).astype(np.float32), 300, hits)
    found = hits[:, 0] > -np.inf
    assert 0.05 < found.mean() < 0.95
    expected = places.copy()
    expected[found, 1] = hits[found, 0] + np.float32(0.05)
    keep_footing(ground, 0.4, 0.05, places)
    np.testing.assert_array_equal(places, expected)


def test_a_floor_lies_around_and_below_and_may_be_higher():
    ground = triangle_mesh([*square(-1, 1, 1), *square(-1, 1, -1, (3, 0))], floor=0.0)
    hits = cast(ground, [(0, 2, 0), (0, 0.5, 0), (9, 2, 0), (3, 2, 0), (3, -0.5, 0), (9, -0.5, 0)])
    assert hits[:, 0].tolist() == [1, 0, 0, 0, -1, -np.inf]
    assert (ground.floor, flat(2.0).floor, triangle_mesh(square(0, 1, 0)).floor) == (0.0, 2.0, None)


def test_a_height_field_is_what_is_drawn_of_it():
    rng = np.random.default_rng(8)
    heights = rng.uniform(-1, 1, (5, 7))
    heights[2, 3] = np.nan
    origin, spacing = (-3.0, 10.0), (0.5, 0.25)
    surface = field_surface(heights, origin, spacing)
    ground = height_field(heights, origin, spacing, surfaces=(surface,))
    points = np.stack([rng.uniform(-3.2, 0.2, 400), rng.uniform(-1, 2, 400), rng.uniform(9.9, 11.1, 400)], axis=-1)
    hits = cast(ground, points)
    drawn = cast(triangle_mesh(surface.corners()), points)
    same = np.isclose(hits[:, 0], drawn[:, 0], atol=1e-5)
    assert same.mean() > 0.99  # all but rays that start within rounding of the surface or end at its border
    np.testing.assert_allclose(hits[same], drawn[same], atol=1e-4)
    assert surface.triangle_count == 2 * 4 * 6 - 6
    assert (surface.normals[:, 1] > 0).all()
    np.testing.assert_allclose(np.linalg.norm(surface.normals, axis=-1), 1, atol=1e-6)


def test_a_height_field_on_the_lines_of_its_grid_against_scipy():
    rng = np.random.default_rng(9)
    heights = rng.uniform(0, 2, (6, 9))
    x, z = 4 + 0.5 * np.arange(9), -7 + 2.0 * np.arange(6)
    scipy = RegularGridInterpolator((z, x), heights)
    along = np.stack([rng.uniform(x[0], x[-1], 100), rng.choice(z, 100)], axis=-1)
    across = np.stack([rng.choice(x, 100), rng.uniform(z[0], z[-1], 100)], axis=-1)
    plan = np.concatenate([along, across, [(x[0], z[0]), (x[-1], z[-1]), (x[-1], z[0])]])
    hits = cast(height_field(heights, (4, -7), (0.5, 2)), np.insert(plan, 1, 9.0, axis=1))
    np.testing.assert_allclose(hits[:, 0], scipy(np.float32(plan)[:, ::-1].clip([-7, 4], [3, 8])), atol=2e-6)


def test_a_sloping_height_field_is_its_plane():
    x, z = np.meshgrid(np.linspace(-2, 2, 9), np.linspace(-1, 1, 5))
    points = np.random.default_rng(2).uniform([-2, 5, -1], [2, 6, 1], (60, 3))
    hits = cast(height_field(0.25 * x - 0.5 * z + 1, (-2, -1), (0.5, 0.5)), points)
    np.testing.assert_allclose(hits[:, 0], 0.25 * points[:, 0] - 0.5 * points[:, 2] + 1, atol=1e-6)
    np.testing.assert_allclose(hits[:, 1:], np.tile([-0.25, 1, 0.5] / np.sqrt(1.3125), (60, 1)), atol=1e-6)


@pytest.mark.parametrize(
    ("heights", "says"),
    [([[1, 2]], "2 x 2"), ([1, 2], "2 x 2"), ([[1, np.inf], [0, 0]], "finite"), ([[np.nan] * 2] * 2, "finite")],
)
def test_height_fields_that_are_none(heights, says):
    with pytest.raises(ValueError, match=says):
        height_field(heights, (0, 0), (1, 1))


def test_a_large_triangle_does_not_fill_memory():
    rng = np.random.default_rng(4)
    small = rng.uniform(-50, 50, (2000, 1, 3)) * [1, 0, 1] + np.array(square(0, 0.01, 1.0)[0])
    ground = triangle_mesh([*small, *square(-50, 50, 0), *square(-50, 50, 0.5)])
    assert len(ground.arrays.entries) < 40 * 2004
    inside = small.mean(axis=1) + UP
    np.testing.assert_allclose(ground.below(inside)[0], 1)
    np.testing.assert_allclose(ground.below([[0, 0.75, 0], [0, 0.25, 0]])[0], [0.5, 0])


anything = st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1e-30, 1e-7, 1.0, np.nan, np.inf])


@pytest.mark.exhaustive
@given(st.lists(st.tuples(*[anything] * 9), min_size=1, max_size=5), st.booleans())
def test_any_triangles_make_a_ground_or_a_value_error(numbers, double_sided):
    triangles = np.array(numbers).reshape(-1, 3, 3)
    if not len(facing_up(triangles, double_sided)):
        with pytest.raises(ValueError, match="faces up"):
            triangle_mesh(triangles, double_sided)
        return
    try:
        ground = triangle_mesh(triangles, double_sided)
    except ValueError:
        return  # so thin that float32 closes it
    height, normal = ground.below(np.nan_to_num(triangles.reshape(-1, 3)) + 1e9 * UP)
    assert not np.isnan(height).any()
    assert (normal[:, 1] > 0).all()


def test_arrays_cannot_be_changed():
    for build in GROUNDS.values():
        arrays = [part for part in build().arrays if isinstance(part, np.ndarray)]
        assert len(arrays) == 4
        assert not any(array.flags.writeable for array in arrays)

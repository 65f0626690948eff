"""Culling on the CPU: the kernel against plain numpy, and what must never happen to anybody."""

import numpy as np
import pytest

from ecs_anim.kernels.culling import choose_actors
from ecs_anim.levels.culler import Culled, Culler
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import MARGIN, caster_level
from ecs_anim.view.instances import BAKED_ACTOR
from tests.helpers import FEW
from tests.helpers.culling import (
    drawn_rows,
    expected_choice,
    expected_instance,
    plain_levels,
    posed_rows,
    random_actors,
    sun_rows,
    view_of,
)

LEVELS = plain_levels(0.01, 0.03, 0.06)
CAMERAS = [
    OrbitCamera(distance=8),
    OrbitCamera(distance=90, elevation=0.6),
    OrbitCamera(distance=30, azimuth=np.pi - 2.0, elevation=0.1, vertical_fov=1.4),
    OrbitCamera(target=np.array([0, 1, 500]), distance=5, azimuth=0.0),
]


def choose(actors, view, settings, state, levels=LEVELS):
    """Choices and counts of one call; `state` is changed."""
    choice, counts = np.empty((len(actors), 3), np.int32), np.empty((levels.count + 1, 2), np.int32)
    floats, halves = actors.view(np.float32).reshape(-1, 16), actors.view(np.uint16).reshape(-1, 32)
    choose_actors(floats, halves, levels.bounds, view.planes, levels.errors, settings, state, choice, counts)
    return choice, counts


@pytest.mark.parametrize("camera", CAMERAS, ids=range(len(CAMERAS)))
@pytest.mark.parametrize("caster", [-1, 1, 3])
def test_the_kernel_chooses_as_plain_numpy_does(camera, caster):
    rng = np.random.default_rng(caster + 5)
    actors = random_actors(rng, FEW or 600)
    state = rng.integers(-1, LEVELS.count, (len(actors), 2)).astype(np.int32)
    view = view_of(camera, sun_rows() if caster >= 0 else None)
    settings = view.settings(7, caster_level=caster, seconds=1 / 60)
    expected, after, clear = expected_choice(LEVELS, view, settings, actors, state)
    choice, counts = choose(actors, view, settings, state)
    sure = clear > 1e-3  # what float32 cannot get wrong
    assert sure.mean() > 0.8
    np.testing.assert_array_equal(choice[sure], expected[sure])
    np.testing.assert_array_equal(state[sure], after[sure])
    np.testing.assert_array_equal(counts[:-1, 0], np.bincount(choice[choice[:, 0] >= 0, 0], minlength=4))
    np.testing.assert_array_equal(counts[:-1, 1], np.bincount(choice[choice[:, 2] >= 0, 2], minlength=4))
    assert counts[-1, 0] == choice[:, 1].sum()


def test_all_kinds_of_choices_were_seen():
    """The test above would show little with crowds that are all drawn alike."""
    actors = random_actors(np.random.default_rng(3), 600)
    view = view_of(CAMERAS[1], sun_rows())
    settings = view.settings(7, caster_level=2, seconds=1 / 60)
    choice, _, _ = expected_choice(LEVELS, view, settings, actors, np.full((600, 2), 2))
    assert set(choice[:, 0]) >= {-1, 2, 3}
    assert set(choice[:, 1]) == {0, 1}
    assert set(choice[:, 2]) >= {-1, 2, 3}


@pytest.mark.parametrize("is_dense", [True, False])
def test_rows_are_of_those_chosen_and_nobody_is_lost_or_twice(is_dense):
    actors = random_actors(np.random.default_rng(1), FEW or 400)
    view = view_of(CAMERAS[1], sun_rows())
    settings = view.settings(0, caster_level=2)
    choice, _ = choose(actors, view, settings, np.full((len(actors), 2), -1, np.int32))
    culled = Culler(LEVELS, is_dense=is_dense).cull(actors, view, settings)
    palette_rows = np.full(len(actors), -1)
    palette_rows[culled.poses[:, 0]] = culled.poses[:, 1]
    if is_dense:
        np.testing.assert_array_equal(culled.poses[:, 1], culled.poses[:, 0])
    else:
        np.testing.assert_array_equal(culled.poses[:, 1], np.arange(len(culled.poses)))
    for level in range(LEVELS.count):
        rows = np.flatnonzero(choice[:, 0] == level)
        np.testing.assert_array_equal(drawn_rows(culled, level), expected_instance(actors, rows, palette_rows[rows]))
        np.testing.assert_array_equal(posed_rows(culled, level)[:, 0], np.flatnonzero(choice[:, 2] == level))
    casters = np.flatnonzero(choice[:, 1])
    np.testing.assert_array_equal(
        drawn_rows(culled, LEVELS.count), expected_instance(actors, casters, palette_rows[casters])
    )


def one(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """An actor who plays the first clip."""
    actors = np.zeros(1, BAKED_ACTOR)
    actors["translation"], actors["scale"], actors["rotation"][:, 3] = (x, y, z), 1, 1
    return actors


def level_of(culled: Culled) -> int:
    """Of the only actor; -1 = not drawn."""
    return int(np.flatnonzero(np.diff(culled.row_starts[:-1]))[0]) if culled.row_starts[-2] else -1


@pytest.mark.exhaustive
def test_levels_change_where_their_errors_become_small_and_back_a_little_later():
    """Walking away and back: finer exactly at the formula's distance, coarser only at 1.2 times that."""
    culler = Culler(LEVELS, is_dense=True)
    changes = {}
    before = 0
    for distance in [*np.arange(2, 160, 0.25), *np.arange(160, 2, -0.25)]:
        camera = OrbitCamera(distance=float(distance), elevation=0.0, target=np.array([0, 0.9, 0]))
        view = view_of(camera)
        level = level_of(culler.cull(one(), view, view.settings(0)))
        if level != before:
            changes[before, level] = distance - 0.8  # from the ball's near side
            before = level
    pixels = 360 / np.tan(np.radians(20))
    for level in (1, 2, 3):
        right = LEVELS.errors[level] * pixels / 0.75
        assert changes[level - 1, level] == pytest.approx(MARGIN * right, abs=0.3)
        assert changes[level, level - 1] == pytest.approx(right, abs=0.3)


def test_who_stands_on_a_border_does_not_flicker():
    culler = Culler(LEVELS, is_dense=True)
    rng = np.random.default_rng(0)
    right = float(LEVELS.errors[2] * 360 / np.tan(np.radians(20)) / 0.75) + 0.8
    seen = []
    for _ in range(50):
        view = view_of(OrbitCamera(distance=right * rng.uniform(0.95, 1.05), elevation=0.0))
        seen.append(level_of(culler.cull(one(), view, view.settings(0))))
    assert np.count_nonzero(np.diff(seen)) <= 1


def test_far_actors_are_posed_in_turn_and_newcomers_at_once():
    actors = np.concatenate([one(x) for x in np.linspace(-20, 20, 64)])
    culler = Culler(LEVELS, is_dense=True)
    view = view_of(OrbitCamera(distance=300, elevation=0.3))
    away = view_of(OrbitCamera(distance=300, elevation=0.3, target=np.array([0, 1, 2000])))
    assert len(culler.cull(actors, view, view.settings(0, seconds=1 / 60)).poses) == 64
    turns = [culler.cull(actors, view, view.settings(n, seconds=1 / 60)).poses[:, 0].copy() for n in range(1, 5)]
    assert [len(turn) for turn in turns] == [16] * 4
    assert sorted(np.concatenate(turns)) == list(range(64))
    assert not len(culler.cull(actors, away, away.settings(5, seconds=1 / 60)).instances)
    assert len(culler.cull(actors, view, view.settings(6, seconds=1 / 60)).poses) == 64
    near = view_of(OrbitCamera(distance=30, elevation=0.3))
    assert len(culler.cull(actors, near, near.settings(7, seconds=1 / 60)).poses) >= 40  # needs finer entries


def test_who_has_no_place_is_not_drawn():
    actors = np.concatenate([one(), one(np.nan), one(np.inf), one()])
    actors["rotation"][3] = np.nan
    view = view_of(OrbitCamera(distance=6), sun_rows())
    culled = Culler(LEVELS, is_dense=True).cull(actors, view, view.settings(0, caster_level=2))
    assert culled.instances["actor"].tolist() == [0, 0]
    assert culled.poses.tolist() == [[0, 0]]


def test_nobody_and_somebody_at_the_eye():
    view = view_of(OrbitCamera(distance=4))
    culler = Culler(LEVELS, is_dense=False)
    assert not len(culler.cull(np.zeros(0, BAKED_ACTOR), view, view.settings(0)).instances)
    eye = OrbitCamera(distance=4).position
    assert level_of(culler.cull(one(*(eye - [0, 0.9, 0])), view, view.settings(1))) == 0


def test_other_rows_are_refused():
    view = view_of(CAMERAS[0])
    with pytest.raises(ValueError, match="BAKED_ACTOR"):
        Culler(LEVELS, is_dense=True).cull(np.zeros((3, 16), np.float32), view, view.settings(0))


def test_casters_are_as_coarse_as_the_map():
    assert [caster_level(LEVELS.errors, 1.0, texel) for texel in (0.001, 0.012, 0.05, 1.0)] == [0, 1, 2, 3]
    assert caster_level(LEVELS.errors, 2.0, 0.05) == 1

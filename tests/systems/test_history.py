"""Frames that are shown again: their state and their poses have the bits of the first run."""

import numpy as np
import pytest

from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.columns import fields_of
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.systems import history as history_module
from ecs_anim.systems.crowd_handle import crowds
from ecs_anim.systems.history import History
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.skinning import swap_skinning
from ecs_anim.systems.trajectory_saving import save_trajectories
from tests.helpers import EXHAUSTIVE, FEW

DAILY = ("controllers", "look_at", "rooms")
SCENES = [pytest.param(name, marks=() if name in DAILY else EXHAUSTIVE) for name in shipped_scenes()]
DURATIONS = [1 / 60, 0.02, 1 / 30, 0.011] * 4  # [s], as uneven as in a window


def state(world):
    """Return the bytes of all changing fields and poses, and the clock."""
    fields = [field for entity in world.entities for field in fields_of(world.components(entity))]
    values = [
        (field.path, field.value.tobytes() if isinstance(field.value, np.ndarray) else repr(field.value))
        for field in fields
        if field.path != "Nearness.costs_ns"  # measured times
    ]
    return values, poses_hash(world), world.time, world.frame


@pytest.fixture
def short(monkeypatch):
    """Copies of the state after every five steps, so that few steps need several copies."""
    monkeypatch.setattr(history_module, "SHORTEST", 5)


@pytest.mark.parametrize("name", SCENES)
def test_frames_shown_again_have_the_bits_of_the_first_run(name, short):
    with load_scene(name, actors=FEW or 30, seed=5, threads=1) as world:
        history, first_run = History(world), [state(world)]
        for dt in DURATIONS:
            history.step(dt)
            first_run.append(state(world))
        last = len(DURATIONS)
        for frame in reversed(range(last)):
            assert history.step_back()
            assert state(world) == first_run[frame]
        assert not history.step_back()
        for frame in range(1, last + 1):
            history.step(9.0)  # the stored duration replaces this duration
            assert state(world) == first_run[frame]
        for frame in (3, last, 4, 15, 0, 11):
            history.seek(first_run[frame][-2])
            assert state(world) == first_run[frame]


@pytest.fixture
def world():
    with load_scene("throng", actors=FEW or 30, threads=1) as world:
        yield world


def palettes_of(world):
    ((_, (palette,)),) = world.query(Palette)
    return palette.matrices.copy()


def places_of(world):
    ((_, (transforms,)),) = world.query(Transforms)
    return transforms.translation.copy()


def test_positions_and_palettes_change_and_come_back(world):
    history, seen = History(world), []
    for _ in range(20):
        history.step(1 / 60)
        seen.append((places_of(world), palettes_of(world)))
    assert not np.array_equal(seen[3][0], seen[19][0])
    assert not np.array_equal(seen[3][1], seen[19][1])
    for _ in range(16):
        history.step_back()
    np.testing.assert_array_equal(places_of(world), seen[3][0])
    np.testing.assert_array_equal(palettes_of(world), seen[3][1])


def test_stored_frames_are_played_at_their_own_times(world):
    """The user plays slowly: a stored frame is shown when its time has come. New frames follow the last stored one."""
    history = History(world)
    for _ in range(3):
        history.play(0.1)
    history.seek(0.0)
    frames = []
    for _ in range(12):
        history.play(0.03)
        frames.append(world.frame)
    assert frames == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5]
    assert world.time == pytest.approx(0.36)
    assert history.span == (0.0, world.time)


def test_fast_playback_skips_stored_frames_and_stops_at_the_last_one(world):
    history = History(world)
    for _ in range(10):
        history.play(0.02)
    history.seek(0.0)
    history.play(0.07)
    assert world.frame == 3
    history.play(5.0)
    assert (world.frame, history.time) == (10, history.span[1])


def test_a_moment_shows_the_nearest_frame(world):
    history = History(world)
    for dt in (0.1, 0.2, 0.1):
        history.step(dt)
    shown = []
    for time in (-1.0, 0.04, 0.06, 0.19, 0.21, 0.34, 0.36, 99.0):
        history.seek(time)
        shown.append(world.frame)
    assert shown == [0, 0, 1, 1, 2, 2, 3, 3]


def test_without_a_duration_there_is_no_step(world):
    history, before = History(world), state(world)
    history.play(0.0)
    assert not history.step_back()
    assert state(world) == before


@EXHAUSTIVE
def test_the_memory_is_limited_and_the_last_frames_stay(world, short):
    """Four copies fit. The interval grows to its limit first. Then the oldest frames are forgotten."""
    one = history_module.copy_of(world).byte_count
    history, first_run, firsts = History(world, memory=4 * one + one // 2), {}, []
    for _ in range(360):
        history.step(1 / 60)
        first_run[world.frame] = palettes_of(world)
        firsts.append(round(60 * history.span[0]))
        assert sum(own.byte_count for own in history._copies) < 5 * one
    assert firsts[150] == 0
    assert firsts == sorted(firsts)
    assert 360 - 4 * 80 <= firsts[-1] <= 360 - 3 * 80
    steps = 0
    while history.step_back():
        steps += 1
        if world.frame % 41 == 0:
            np.testing.assert_array_equal(palettes_of(world), first_run[world.frame])
    assert (world.frame, steps) == (firsts[-1], 360 - firsts[-1])


def test_a_large_world_keeps_two_copies(world, short):
    history = History(world, memory=1)
    for _ in range(200):
        history.step(1 / 60)
    assert 80 <= 60 * (history.span[1] - history.span[0]) <= 160


def test_camera_and_skinning_are_those_of_the_user(world):
    history, camera = History(world), stage_of(world).camera
    for _ in range(4):
        history.step(1 / 60)
    linear = palettes_of(world)
    camera.azimuth, camera.target = 1.25, np.float32([3, 1, 2])
    swap_skinning(world)
    dual = palettes_of(world)
    assert dual.shape != linear.shape
    history.seek(0.0)
    history.seek(1.0)
    assert camera.azimuth == 1.25
    np.testing.assert_array_equal(camera.target, [3, 1, 2])
    np.testing.assert_allclose(palettes_of(world), dual, atol=1e-6)
    swap_skinning(world)
    history.step_back()
    history.step(1 / 60)
    np.testing.assert_array_equal(palettes_of(world), linear)


def test_trajectories_contain_each_frame_once(world, tmp_path):
    path = tmp_path / "people.csv"
    history = History(world)
    with save_trajectories(world, path, sample_rate=60) as saved:
        for _ in range(5):
            history.step(1 / 60)
        history.seek(0.0)
        for _ in range(8):
            history.step(1 / 60)
    assert saved.frames == 9


DOOR = """
seed = 3
[rigs.people]
model = "mannequin"
[walls]
wkt = "GEOMETRYCOLLECTION (POLYGON ((0 0, 12 0, 12 8, 0 8, 0 0)), LINESTRING (6 0, 6 3), LINESTRING (6 4.2, 6 8))"
[[walls.doors]]
name = "middle"
shape = [[6.0, 2.9], [6.0, 4.3]]
[[timeline]]
at_seconds = 0.5
open = "middle"
[[crowds]]
name = "people"
rig = "people"
body = {}
[crowds.steering]
goal = [2.0, 4.0]
goal_radius = 1.0
leave = true
starts_empty = true
radius = 0.2
sources = [{ area = [[1, 2], [5, 2], [5, 6], [1, 6]], rate_per_second = 15 }]
"""


@EXHAUSTIVE
@pytest.mark.skipif(bool(FEW), reason="without compiling, a world with routes takes minutes")
def test_doors_close_again_and_the_index_finds_the_ids_of_the_frame():
    with load_scene(DOOR, threads=1) as world:
        history, (people,) = History(world), crowds(world)
        walls, ids = [], []
        for _ in range(60):
            history.step(1 / 30)
            walls.append(stage_of(world).walls)
            ids.append(people.ids.copy())
        assert walls[10] is not walls[59]
        assert 1 < len(ids[10]) < len(ids[59])
        assert not np.isin(ids[10], ids[59]).all(), "an actor has left"
        for frame in (10, 59, 30):
            history.seek((frame + 1) / 30)
            assert stage_of(world).walls is walls[frame]
            np.testing.assert_array_equal(people.rows(ids[frame]), np.arange(len(ids[frame])))

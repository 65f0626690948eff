"""Overlays: the pixels that each overlay changes, the trails of actors, and the density of people."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.systems.cameras import camera_of
from ecs_anim.systems.density_map import CELL, COLORS, RADIUS, colors_of_densities, density_map
from ecs_anim.systems.joints import joint_matrices
from ecs_anim.systems.overlays import OVERLAYS, Overlays
from ecs_anim.systems.trails import EVERY, SECONDS, Trails, places_of
from ecs_anim.view.pinhole import pinhole_of
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

SIZE = (240, 160)
FLAT = """
[rigs.people]
model = "mannequin"
[camera]
target = [2.0, 0.0, 0.0]
distance = 9.0
azimuth_degrees = 180.0
elevation_degrees = 55.0
[light]
shadows = "none"
[ground]
material = "plain"
[[crowds]]
name = "people"
rig = "people"
%s
layout = { kind = "points", points = [[0.0, 0.0], [0.0, 1.5]] }
count = 2
clips = [{ name = "walk" }]
"""
WALKING = FLAT % "body = {}"
STEERED = FLAT % "body = {}\nsteering = { goals = [{ at = [4.0, 0.0] }], goal_radius = 0.0, desired_speed_m_s = 1.3 }"


def pixels_of(world: ea.World, points: np.ndarray) -> np.ndarray:
    """The rows and columns of points in space."""
    pixels, _ = pinhole_of(camera_of(world, None), SIZE).project(points)
    return pixels[:, ::-1].astype(int)


def changed(world: ea.World, overlays: Overlays) -> np.ndarray:
    """Which pixels the overlays change."""
    with ea.Renderer(SIZE) as renderer:
        plain = renderer.render(world).astype(int)
        renderer.show_overlays(overlays)
        return np.abs(renderer.render(world) - plain).max(axis=-1) > 25


def is_at(mask: np.ndarray, pixels: np.ndarray, within: int = 2) -> np.ndarray:
    """Which pixels have a pixel of the mask nearby."""
    near = np.lib.stride_tricks.sliding_window_view(np.pad(mask, within), (2 * within + 1,) * 2).any(axis=(2, 3))
    return near[tuple(pixels.T)]


def walk(world: ea.World, seconds: float) -> None:
    for _ in range(round(seconds * 60)):
        world.step(1 / 60)


def test_trails_are_where_the_actors_have_walked():
    with ea.load_scene(WALKING, threads=1) as world, Overlays(world, ["trails"]) as overlays:
        people, walked = ea.crowd(world, "people"), []
        people.set_velocity(ea.ALL, [[1.2, 0.0], [1.2, 0.0]])
        for _ in range(10):
            walk(world, 0.2)
            walked.append(people.positions_in_space)
        mask = changed(world, overlays)
        assert is_at(mask, pixels_of(world, np.concatenate(walked[:8]))).all()
        beside = np.add(np.concatenate(walked[:8]), [0.0, 0.0, 0.75])  # between the two people, and in front of them
        assert not is_at(mask, pixels_of(world, beside), within=1).any()


def test_goals_have_a_ball_and_a_line_from_the_actor():
    with ea.load_scene(STEERED, threads=1) as world, Overlays(world, ["goals"]) as overlays:
        mask, at = changed(world, overlays), ea.crowd(world, "people").positions_in_space
        goal = np.array([4.0, 0.0, 0.0])
        along = np.concatenate([start + np.linspace(0.3, 1, 12)[:, None] * (goal - start) for start in at])
        assert is_at(mask, pixels_of(world, along)).all()
        (row, column), *_ = pixels_of(world, goal[None] + [0.0, 0.14, 0.0])
        assert mask[row - 1 : row + 2, column - 1 : column + 2].all()


@pytest.mark.exhaustive
def test_actors_that_have_arrived_have_no_line():
    near = STEERED.replace("at = [4.0", "at = [0.6")
    with ea.load_scene(near, threads=1) as world, Overlays(world, ["goals"]) as overlays:
        assert changed(world, overlays).any()
        walk(world, 8.0)
        assert not changed(world, overlays).any()


@pytest.mark.parametrize("path", ["pose", "baked"])
def test_skeletons_are_over_the_joints(path):
    scene = FLAT % f"path = '{path}'"
    with ea.load_scene(scene, threads=1) as world, Overlays(world, ["skeletons"]) as overlays:
        walk(world, 0.1)
        mask = changed(world, overlays)
        names = ea.crowd(world, "people").rig.skeleton.joint_names
        (entity,) = (own for own in world.entities if any(type(c).__name__ == "Crowd" for c in world.components(own)))
        joints = joint_matrices(world, entity, np.arange(2, dtype=np.int32))[..., 3]
        knees = joints[:, [names.index("LeftLeg"), names.index("RightLeg")]].reshape(-1, 3)
        assert is_at(mask, pixels_of(world, knees)).all()


def test_the_density_has_its_colour_around_people_and_no_colour_far_away():
    with ea.load_scene(WALKING, threads=1) as world, Overlays(world, ["density"]) as overlays:
        mask = changed(world, overlays)
        ground = np.array([[0.5, 0.0, 0.0], [0.5, 0.0, -0.75], [0.5, 0.0, 0.7]])
        assert mask[tuple(pixels_of(world, ground).T)].all()
        away = np.array([[RADIUS + 0.5, 0.0, 0.0], [4.0, 0.0, -1.0]])
        assert not mask[tuple(pixels_of(world, away).T)].any()


def test_the_sum_of_the_density_is_the_number_of_people():
    points = np.random.default_rng(1).uniform(-20, 20, (300, 2))
    crowded = points / 5  # no cell of the crowd is below the lowest density inside
    for own in (points, crowded):
        found = density_map(own)
        assert found.densities.sum() * found.size**2 == pytest.approx(300, rel=0.06)  # faint cells are left out


def test_the_density_in_a_regular_crowd_is_that_of_the_grid():
    grid = np.stack(np.meshgrid(np.arange(40) * 0.5, np.arange(40) * 0.5), axis=-1).reshape(-1, 2)  # 4 people per m2
    found = density_map(grid)
    inside = (np.abs(found.centers - 9.75) < 9.75 - RADIUS - 2 * CELL).all(axis=1)
    assert inside.sum() > 1000
    np.testing.assert_allclose(found.densities[inside], 4.0, rtol=0.02)


def test_the_cells_of_the_map_stay_when_people_move_and_grow_in_large_areas():
    first, second = (density_map(np.array([[x, 0.0], [30.0, 9.0]])).centers[:, 0] for x in (0.0, 0.13))
    for own in (first, second):
        np.testing.assert_allclose((own / CELL) % 1, 0.5)
    large = density_map(np.array([[0.0, 0.0], [4000.0, 4000.0]]))
    assert large.size > 10
    assert len(density_map(np.zeros((0, 2))).densities) == 0


def test_the_colours_of_the_map_are_those_of_its_legend():
    colors, coverage = colors_of_densities(np.array([*COLORS, 100.0]))
    assert len({tuple(color) for color in colors}) == len(COLORS)
    assert (coverage == 0.75).all()


def test_trails_last_seconds_and_follow_ids_and_have_gaps_at_jumps():
    with ea.load_scene(WALKING, threads=1) as world:
        trails, people = Trails(), ea.crowd(world, "people")
        people.set_velocity(ea.ALL, [[1.2, 0.0], [0.0, 1.2]])
        for _ in range(360):
            world.step(1 / 60)
            trails.record(world)
        begin, end, age, ids = trails.segments(world.time, places_of(world))
        assert age.max() == pytest.approx(SECONDS, abs=EVERY)
        assert {*ids.tolist()} == {1, 2}
        steps = end[ids == 1] - begin[ids == 1]
        assert steps.sum(axis=0)[0] == pytest.approx(1.2 * SECONDS, abs=1.2 * EVERY)
        assert np.abs(steps[:, 1:]).max() < 0.01
        people.remove([0])  # the second actor moves to row 0
        assert {*trails.segments(world.time, places_of(world))[3].tolist()} == {2}
        people.place([0], [[30.0, 0.0]])
        world.step(1 / 60)
        begin, end, _, _ = trails.segments(world.time, places_of(world))
        assert np.linalg.norm(end - begin, axis=-1).max() < 1.0


def test_trails_forget_the_future_of_a_world_that_goes_back(tmp_path):
    with ea.load_scene(WALKING, threads=1) as world:
        trails = Trails()
        for _ in range(60):
            world.step(1 / 60)
            trails.record(world)
        world.time = 0.5
        trails.record(world)
        assert max(time for time, _ in trails.samples) <= 0.5


def test_films_show_overlays_and_a_legend(tmp_path):
    with ea.load_scene(STEERED, threads=1) as world:
        ea.video(world, 0.1, tmp_path / "film", size=SIZE, fps=10, overlays=["density", "trails"])
    assert len([*(tmp_path / "film").iterdir()]) == 1
    with ea.load_scene(STEERED, threads=1) as world, pytest.raises(TypeError, match="overlays must be a list"):
        ea.video(world, 0.1, tmp_path / "wrong", overlays=["bones"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--overlay", "bones"), f"the value must be one of {', '.join(OVERLAYS)}"),
        (("--overlay", "goals", "--pass", "ids"), "--overlay must not be given with --pass"),
        (("--overlay", "goals", "--no-draw"), "--overlay needs pictures"),
    ],
)
def test_wrong_options_are_one_line(options, told):
    assert_one_line(ecs_anim("run", "single", "--frames", "1", *options), told)

"""Cameras that follow actors: the place in the picture, the delay, and the end of an actor."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.systems.cameras import camera_of
from ecs_anim.systems.following import follow_camera
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

SCENE = """
[rigs.people]
model = "mannequin"
[camera]
azimuth_degrees = 200.0
elevation_degrees = 20.0
[[crowds]]
name = "walkers"
rig = "people"
count = 3
layout = { kind = "points", points = [[0.0, 0.0], [3.0, -0.5], [-3.0, -1.0]] }
body = {}
clips = [{ name = "walk" }]
"""
CAMERA = '[[cameras]]\nname = "one"\nsize = [64, 48]\nfollow = { crowd = "walkers", actor = 1%s }\n'
DT, SPEED = 1 / 60, 1.5  # [s], [m/s]


def load(settings: str) -> ea.World:
    return ea.load_scene(SCENE + CAMERA % (settings and f", {settings}"), threads=1)


def walk(world: ea.World, seconds: float, towards: tuple[float, float] = (SPEED, 0.0)) -> None:
    ea.crowd(world, "walkers").set_velocity(ea.ALL, np.tile(towards, (ea.crowd(world, "walkers").actor_count, 1)))
    for _ in range(round(seconds / DT)):
        world.step(DT)


def ahead(camera: ea.PinholeCamera) -> np.ndarray:
    """The point at the camera's distance in the middle of the picture."""
    return camera.pose[:, 3] - camera.distance * camera.pose[:, 2]


def offset(camera: ea.PinholeCamera) -> np.ndarray:
    """The unit vector on the plan, east and north, from that point to the camera."""
    x, _, z = camera.pose[:, 3] - ahead(camera)
    return np.array([x, -z]) / np.hypot(x, z)


@pytest.mark.exhaustive
def test_the_actor_is_in_the_middle_of_the_picture_at_the_distance():
    with load("distance = 4.0, azimuth_degrees = 90.0, elevation_degrees = 0.0, smooth_seconds = 0.0") as world:
        walk(world, 0.5)
        camera, at = ea.camera(world, "one"), ea.crowd(world, "walkers").positions_in_space[1]
        pixels, depths = camera.project(np.add(at, [0.0, 0.9, 0.0]))
        assert pixels[0] == pytest.approx(32.0, abs=1.0)
        assert pixels[1] == pytest.approx(24.0, abs=1.5)  # half the height of the body is about 0.9 m
        assert depths == pytest.approx(4.0, abs=0.05)
        np.testing.assert_allclose(offset(camera), [1.0, 0.0], atol=1e-6)  # the camera is east of the actor


def test_without_angles_the_camera_has_the_direction_of_the_worlds_own_camera():
    with load("") as world:
        bearing = np.radians(200.0)
        np.testing.assert_allclose(offset(ea.camera(world, "one")), [np.sin(bearing), np.cos(bearing)], atol=1e-6)
        assert ea.camera(world, "one").pose[1, 2] == pytest.approx(np.sin(np.radians(20.0)))
        assert ea.camera(world, "one").distance == 6.0


@pytest.mark.parametrize(("azimuth", "turn"), [("", 180.0), (", azimuth_degrees = 90.0", -90.0)])
def test_a_camera_can_turn_with_the_actor(azimuth, turn):
    with load(f"azimuth_from = 'heading', turn_seconds = 0.0{azimuth}") as world:
        walk(world, 1.0, (0.0, SPEED))
        wanted = ea.crowd(world, "walkers").headings[1] + np.radians(turn)
        np.testing.assert_allclose(offset(ea.camera(world, "one")), [np.cos(wanted), np.sin(wanted)], atol=1e-5)


@pytest.mark.exhaustive
def test_a_camera_turns_the_short_way_and_never_faster_than_its_time_constant():
    with load("azimuth_from = 'heading', turn_seconds = 1.0") as world:
        walk(world, 1.0, (-SPEED, 0.1))  # a heading just below pi
        walk(world, 6.0, (-SPEED, 0.1))
        seen = [offset(ea.camera(world, "one"))]
        for _ in range(60):
            walk(world, DT, (-SPEED, -0.1))  # a heading just above -pi
            seen.append(offset(ea.camera(world, "one")))
    assert min(east for east, _ in seen) > 0.98  # the short way: always east of the actor
    assert np.abs(np.diff(seen, axis=0)).max() < 0.01


def test_at_a_constant_speed_the_camera_is_behind_by_the_time_constant():
    with load("smooth_seconds = 0.4, elevation_degrees = 0.0") as world:
        walk(world, 4.0)
        there = camera_of(world, ea.Follow("walkers", 2)).target  # a new camera has no delay
        assert (there - ahead(ea.camera(world, "one")))[0] == pytest.approx(0.4 * SPEED, rel=1e-3)


def test_a_camera_jumps_with_an_actor_that_jumps():
    with load("smooth_seconds = 2.0") as world:
        ea.crowd(world, "walkers").place([1], [[30.0, 0.0]])
        world.step(DT)
        assert ahead(ea.camera(world, "one"))[0] == pytest.approx(30.0, abs=0.1)


def test_when_the_actor_leaves_the_camera_stays():
    with load("") as world:
        walk(world, 0.5)
        ea.crowd(world, "walkers").remove([1])
        before = ea.camera(world, "one").pose
        walk(world, 0.5)
        np.testing.assert_array_equal(ea.camera(world, "one").pose, before)


@pytest.mark.exhaustive
def test_skipped_steps_and_snapshots_give_the_bits_of_single_steps(tmp_path):
    path = {"times": [[0.0, 3.0]] * 3, "positions": [[[0.0, 0.0], [3.0, 2.0]]] * 3}

    def poses(act) -> np.ndarray:
        with load("azimuth_from = 'heading'") as world:
            ea.crowd(world, "walkers").follow([1, 2, 3], path["times"], path["positions"])
            act(world)
            return ea.camera(world, "one").pose

    def single(world: ea.World) -> None:
        for _ in range(90):
            world.step(DT)

    stepped = poses(single)
    np.testing.assert_array_equal(poses(lambda world: world.skip(90, DT)), stepped)
    with load("azimuth_from = 'heading'") as world:
        walk(world, 0.5)
        world.save(tmp_path / "state.npz")
        with ea.load_world(tmp_path / "state.npz", SCENE + CAMERA % ", azimuth_from = 'heading'", threads=1) as other:
            walk(world, 0.5)
            walk(other, 0.5)
            np.testing.assert_array_equal(ea.camera(other, "one").pose, ea.camera(world, "one").pose)


def test_a_picture_and_a_film_show_the_followed_actor(tmp_path):
    with ea.load_scene(SCENE, threads=1) as world:
        own = int(ea.crowd(world, "walkers").ids[2])
        (seen,) = ea.capture(world, [ea.Follow("walkers", own, 4.0)], ("ids",), size=(65, 49))
        assert seen.images["ids"][24, 32] == own
        ea.video(world, 0.2, tmp_path / "film.gif", size=(32, 24), fps=10, camera=ea.Follow("walkers"))
        assert ea.cameras(world) == []  # the film removes its camera
        with follow_camera(world, ea.Follow("walkers", own)) as name:
            walk(world, 0.5)
            assert 0 < ahead(ea.camera(world, name))[0] + 3.0 < ea.crowd(world, "walkers").positions[2, 0] + 3.0


@pytest.mark.parametrize(
    ("follow", "told"),
    [
        (("people", 1), "no crowd 'people'; crowds are: walkers"),
        (("walkers", 9), "crowd 'walkers' has no actor with id 9 (its ids are 1 to 3). Name one of its actors."),
    ],
)
def test_an_unknown_actor_is_a_clear_error(follow, told):
    with ea.load_scene(SCENE, threads=1) as world, pytest.raises(ea.InputError) as caught:
        ea.render(world, (16, 16), ea.Follow(*follow))
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("settings", "place"),
    [("distance = 0.0", "distance"), ("elevation_degrees = 90.0", "elevation_degrees"), ("actor = 3", "actor")],
)
def test_a_wrong_key_names_its_place(settings, place):
    with pytest.raises(ea.InputError, match=rf"cameras\[0\]\.follow\.{place}: "):
        ea.load_scene(SCENE + (CAMERA % f", {settings}").replace("actor = 1, actor", "actor"))


def test_numbers_out_of_range_are_errors():
    for wrong in ({"distance": 0.0}, {"smooth_seconds": -1.0}, {"elevation_degrees": 90.0}):
        with pytest.raises(ValueError, match=next(iter(wrong)).split("_")[0]):
            ea.Follow("walkers", **wrong)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--follow", "people:1"), "no crowd 'people'; crowds are: walkers"),
        (("--follow", "walkers:9"), "has no actor with id 9"),
        (("--follow", ":9"), "the value must be the name of a crowd"),
        (("--behind",), "--behind needs an actor. Add --follow CROWD:ID"),
        (("--camera", "one", "--follow", "walkers"), "--camera must not be given with --follow"),
        (("--follow", "walkers", "--no-draw"), "--follow needs pictures"),
    ],
)
def test_wrong_options_are_one_line(tmp_path, options, told):
    (tmp_path / "walk.toml").write_text(SCENE)
    made = ecs_anim(
        "run",
        "walk.toml",
        "--frames",
        "1",
        *options,
        *(() if "--no-draw" in options else ("--headless",)),
        cwd=tmp_path,
    )
    assert_one_line(made, told)

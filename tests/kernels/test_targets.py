"""Targets: where they are, against scipy's rotations and splines; scenes, and what each mistake is told as."""

from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from ecs_anim.components.stage import Stage
from ecs_anim.components.targets import Targets
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels import targets as kernels
from ecs_anim.runtime.records import Frame
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.crowd_handle import crowd
from tests.helpers import random_rotations

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 6
heading_degrees = "random"
scale_range = [0.8, 1.2]
layout = { kind = "grid", spacing = 2.0 }
clips = [{ name = "walk" }]
locomotion = {}
parameters = { px = 0.5, py = [0.0, 2.0], pz = -1.0 }
[crowds.targets]
ball = { kind = "orbit", center = [0, 1.5, 1], radius = 0.5, period_seconds = 2.0, phase = "random", space = "actor" }
lap = { kind = "path", points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]], period_seconds = 3.0 }
lamp = { kind = "point", at = [3, 2, 1], color = "#ff0000", marker_radius = 0.2, visible = false }
hand = { kind = "point", at = [0.3, 1.2, 0.4], space = "actor" }
led = { kind = "parameters", parameters = ["px", "py", "pz"] }
viewer = { kind = "camera" }
friend = { kind = "actor" }
leader = { kind = "actor", actor = 2 }
"""


def load(text=SCENE, **options):
    return load_scene(parse_scene(text, "x.toml", Path()), **{"threads": 1, **options})


def targets_of(world):
    ((_, (targets, transforms)),) = world.query(Targets, Transforms)
    return targets, transforms


def in_world(transforms, at, actor):
    """A point of a mannequin's space, by scipy."""
    turned = Rotation.from_quat(transforms.rotation[actor].astype(np.float64)).apply(at)
    return transforms.translation[actor] + transforms.scale[actor] * turned


def test_targets_are_where_the_scene_says():
    with load() as world:
        targets, transforms = targets_of(world)
        for _ in range(30):
            world.step(1 / 60)
        at = {name: target.position for name, target in targets.by_name.items()}
        np.testing.assert_array_equal(at["lamp"], np.tile(np.float32([3, 2, 1]), (6, 1)))
        expected = [in_world(transforms, [0.3, 1.2, 0.4], actor) for actor in range(6)]
        np.testing.assert_allclose(at["hand"], expected, atol=1e-5)
        np.testing.assert_allclose(at["led"][:, [0, 2]], [[0.5, -1.0]] * 6)
        np.testing.assert_array_equal(at["led"][:, 1], crowd(world, "people").parameter("py"))
        ((_, (stage,)),) = world.query(Stage)
        np.testing.assert_array_equal(at["viewer"], np.tile(stage.camera.position, (6, 1)))
        assert targets.by_name["lamp"].color == (1.0, 0.0, 0.0, 1.0)
        assert (targets.by_name["lamp"].radius, targets.by_name["lamp"].visible) == (0.2, False)


def test_a_ball_circles_each_actor_in_its_period():
    with load() as world:
        targets, transforms = targets_of(world)
        ball = targets.by_name["ball"]
        begun = ball.phase.copy()
        assert np.ptp(begun) > 0.2, "each begins elsewhere"
        for _ in range(90):
            world.step(1 / 60)
        for actor in range(6):
            angle = 2 * np.pi * (begun[actor] + 0.75)
            around = [0.5 * np.cos(angle), 1.5, 1 - 0.5 * np.sin(angle)]
            np.testing.assert_allclose(ball.position[actor], in_world(transforms, around, actor), atol=1e-4)


@pytest.mark.parametrize("steps", [1, 7, 60])
def test_time_is_not_lost_between_long_or_short_steps(steps):
    with load() as world:
        targets, _ = targets_of(world)
        for _ in range(steps):
            world.step(1.25 / steps)
        np.testing.assert_allclose(targets.by_name["lap"].phase, 1.25 / 3, atol=2e-6)


def test_others_are_seen_where_they_were_a_step_ago():
    with load() as world:
        targets, transforms = targets_of(world)
        for _ in range(5):
            before = transforms.translation.copy()
            scale = transforms.scale.copy()
            world.step(1 / 60)
        height = 0.93 * 1.7506 * scale
        leader = targets.by_name["leader"].position
        np.testing.assert_allclose(leader, np.tile(before[2] + [0, height[2], 0], (6, 1)), atol=1e-3)
        apart = np.linalg.norm((before[:, None] - before)[..., [0, 2]], axis=-1) + 1e9 * np.eye(6)
        nearest = apart.argmin(axis=1)
        heads = before[nearest] + height[nearest, None] * [0, 1, 0]
        np.testing.assert_allclose(targets.by_name["friend"].position, heads, atol=1e-3)


def test_a_crowd_can_watch_another():
    text = SCENE + 'star = { kind = "actor", crowd = "others", actor = 0, at = [0, 1, 1] }\n'
    text += '[[crowds]]\nname = "others"\nrig = "people"\nclips = [{ name = "idle" }]\nheading_degrees = 0.0\n'
    with load(text) as world:
        targets = next(targets for _, (targets,) in world.query(Targets))
        np.testing.assert_allclose(targets.by_name["star"].position, [[1, 1, 0]] * 6, atol=1e-5)
    with load(text, actors=1) as world:
        targets = next(targets for _, (targets,) in world.query(Targets))
        assert np.isfinite(targets.by_name["star"].position).all(), "nobody is there to watch"


@pytest.mark.exhaustive
def test_the_bits_do_not_depend_on_chunks():
    def run(threads, chunk_size):
        with load(actors=50, threads=threads, chunk_size=chunk_size) as world:
            for _ in range(20):
                world.step(1 / 60)
            return [target.position.tobytes() for target in targets_of(world)[0].targets]

    expected = run(1, 512)
    for threads, chunk_size in [(1, 7), (2, 16), (3, 1)]:
        assert run(threads, chunk_size) == expected


def test_targets_do_not_disturb_the_crowd():
    """What is drawn at random for actors is the same with and without targets."""
    with load() as one, load(SCENE.split("[crowds.targets]")[0]) as other:
        phases = [p for _, (p,) in one.query(Transforms)], [p for _, (p,) in other.query(Transforms)]
        np.testing.assert_array_equal(phases[0][0].translation, phases[1][0].translation)
        np.testing.assert_array_equal(phases[0][0].rotation, phases[1][0].rotation)


def test_the_path_is_a_catmull_rom_curve():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(5, 3)).astype(np.float32)
    phase = np.linspace(0, 1, 101).astype(np.float32)
    out = np.empty((101, 3), np.float32)
    kernels.follow_path(points, phase, out)
    closed = np.concatenate([points, points[:1]]).astype(np.float64)
    slopes = np.roll(closed[:-1], -1, axis=0) - np.roll(closed[:-1], 1, axis=0)
    spline = CubicHermiteSpline(np.arange(6) / 5, closed, np.concatenate([slopes, slopes[:1]]) / 2 * 5)
    np.testing.assert_allclose(out, spline(phase.astype(np.float64)), atol=2e-5)


@pytest.mark.parametrize(("tilt", "turn"), [(0, 0), (90, 0), (35, -120)])
def test_circles_tilt_and_turn(tilt, turn):
    text = SCENE.replace("radius = 0.5", f"radius = 0.5, tilt_degrees = {tilt}, rotation_degrees = {turn}")
    with load(text) as world:
        motion = targets_of(world)[0].by_name["ball"].motion
        normal = Rotation.from_euler("YX", [turn, tilt], degrees=True).apply([0, 1, 0])
        np.testing.assert_allclose(np.cross(motion.first, motion.second), 0.25 * normal, atol=1e-6)


def test_actor_space_holds_for_any_turn_size_and_facing():
    rng = np.random.default_rng(1)
    translation, scale = rng.normal(size=(40, 3)).astype(np.float32), rng.uniform(0.1, 9, 40).astype(np.float32)
    rotation = random_rotations(rng, 40)
    at = rng.normal(size=(40, 3)).astype(np.float32)
    out = at.copy()
    kernels.into_world((translation, rotation, scale), Frame(0.7, 2.0, 0.25), out)
    ahead = Rotation.from_rotvec([0, 0.7, 0])
    turned = (Rotation.from_quat(rotation.astype(np.float64)) * ahead).apply(at * scale[:, None] / 2)
    np.testing.assert_allclose(out, translation - [0, 0.25, 0] + turned, rtol=1e-5, atol=1e-5)


MISTAKES = [
    ('kind = "orbit"', 'kind = "orbti"', "crowds[0].targets.ball.kind: unknown kind 'orbti'; did you mean 'orbit'?"),
    ("radius = 0.5", "raduis = 0.5", "crowds[0].targets.ball.raduis: unknown key; did you mean 'radius'?"),
    ("period_seconds = 2.0", "period_seconds = 0", "crowds[0].targets.ball.period_seconds: should be greater than 0"),
    ('"px", "py"', '"px", "pyy"', "targets.led.parameters[1]: the crowd has no parameter 'pyy'; did you mean 'py'?"),
    (
        "actor = 2",
        "actor = 6",
        "crowds[0].targets.leader.actor: the index of the actor must be 0 to 5, because crowd 'people' has 6",
    ),
    ("actor = 2", 'crowd = "peopel"', "targets.leader.crowd: there is no crowd 'peopel'; did you mean 'people'?"),
    ("[[0, 0, 0], [1, 0, 0], [1, 1, 0]]", "[[0, 0, 0]]", "crowds[0].targets.lap.points: "),
    ('kind = "point", at = [3, 2, 1]', 'kind = "point"', "crowds[0].targets.lamp.at: this key is missing"),
]


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=[message[:40] for *_, message in MISTAKES])
def test_a_mistake_is_told_with_its_fix(old, new, message):
    assert old in SCENE
    with pytest.raises(InputError) as caught:
        load(SCENE.replace(old, new, 1))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

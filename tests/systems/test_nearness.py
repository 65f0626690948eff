"""Hybrid crowds: which actors are near, which parts of them are posed, and that nothing else depends on the choice."""

import hashlib

import numpy as np
import pytest

from ecs_anim.components.controller import Controller
from ecs_anim.components.foot_measures import FootMeasures, new_foot_measures
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.layers import Layers
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels.nearness import measure_nearness
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.queries import palettes_of, stage_of, who_poses
from tests.helpers import EXHAUSTIVE, FEW

COUNT = FEW or 60
SCENE = """
title = "x"
[rigs.mannequin]
model = "mannequin"
[[crowds]]
rig = "mannequin"
count = COUNT
path = "auto"
near_actors = NEAR
layout = { kind = "grid", spacing = 2.0 }
heading_degrees = "random"
clips = [{ name = "walk" }, { name = "idle" }]
blend_spaces = [{ name = "gait", parameters = ["speed"], members = [{ clip = "walk" }, { clip = "run" }] }]
parameters = { speed = [1.5, 3.0], wave = [0.0, 1.0] }
layers = [{ clip = "wave", mask = "RightArm", mode = "override", weight = "wave" }]
locomotion = {}
grounding = {}
look_at = { target = "eye", weight = "wave" }
targets = { eye = { kind = "camera" } }
[crowds.controller]
start = "walk"
states = { walk = "walk", gait = "gait", idle = "idle" }
transitions = [
  { from = "walk", to = "gait", when = ["elapsed > 0.3", "speed > 2"], fade_seconds = 0.2 },
  { from = "walk", to = "idle", when = ["elapsed > 0.2"], fade_seconds = 0.1 },
]
"""


@pytest.fixture
def load(tmp_path):
    """Worlds of the scene, with other near actors or as a crowd that the CPU poses."""

    def build(near="{ count = 7 }", *, threads=1, chunk_size=512):
        text = SCENE.replace("COUNT", str(COUNT)).replace("NEAR", near or "")
        if near is None:
            text = text.replace('path = "auto"\nnear_actors = \n', "")
        (tmp_path / "scene.toml").write_text(text, "utf-8")
        return load_scene(tmp_path / "scene.toml", threads=threads, chunk_size=chunk_size)

    return build


def only(world, *types):
    ((_, found),) = world.query(*types)
    return found if len(types) > 1 else found[0]


def circle(world, frame):
    """A camera that runs round the crowd and looks past it at times."""
    camera = stage_of(world).camera
    camera.azimuth, camera.distance = np.pi - 0.4 * frame, 6.0 + 3.0 * np.sin(frame)


def state(world):
    """Return a digest of all simulated columns."""
    playback, transforms, parameters, layers, controller = only(
        world, Playback, Transforms, Parameters, Layers, Controller
    )
    columns = [*playback.queue, *transforms.placement, parameters.value, parameters.target]
    columns += [layers.layers[0].phase, layers.layers[0].weight, controller.state, controller.elapsed]
    return hashlib.sha256(b"".join(np.ascontiguousarray(column).tobytes() for column in columns)).hexdigest()


def test_distances_count_more_outside_the_view_and_less_for_the_chosen():
    rng = np.random.default_rng(0)
    places, chosen = rng.normal(0, 8, (500, 3)).astype(np.float32), rng.random(500) < 0.5
    eye, ahead = np.array([1.0, 2, 3]), np.array([2.0, -1, 2]) / 3
    half, margin = 0.6, 1.5
    found = np.empty(500, np.float32)
    measure_nearness(places, np.array([eye, ahead], np.float32), np.cos(half), margin, 3.0, 0.5, chosen, found)
    away = places - eye
    angle = np.arccos(np.clip(away @ ahead / np.linalg.norm(away, axis=1), -1, 1))
    beside = np.linalg.norm(away, axis=1) * np.sin(angle - half)  # of the cone's surface
    sees = (beside < margin) & (away @ ahead > -margin)
    expected = np.sum(away**2, axis=1) * np.where(sees, 1, 9) * np.where(chosen, 0.25, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert 30 < sees.sum() < 470


@EXHAUSTIVE
def test_the_nearest_are_chosen_as_many_as_may_be(load):
    with load("{ count = 7 }") as world:
        near, transforms = only(world, Nearness, Transforms)
        camera = stage_of(world).camera
        camera.distance = 200.0  # all are in view
        for _ in range(20):
            world.step(1 / 30)
        away = np.linalg.norm(transforms.translation - camera.position, axis=1)
        assert near.chosen.sum() == len(near.rows) == 7
        assert away[near.chosen].max() < away[~near.chosen].min() / 0.8
        np.testing.assert_array_equal(near.rows, np.flatnonzero(near.chosen))
        assert near.share[near.chosen].tolist() == [1] * 7
        assert not near.share[~near.chosen].any()
        (posing,) = who_poses(world)
        assert (posing.path, posing.by_cpu, posing.by_gpu) == ("auto", 7, COUNT - 7)


def test_who_changes_over_fades_and_is_posed_until_the_end(load):
    with load("{ count = 3, fade_seconds = 0.2 }") as world:
        near = only(world, Nearness)
        before = near.chosen.copy()
        world.step(1 / 60)
        stage_of(world).camera.azimuth += np.pi
        shares = []
        for _ in range(14):
            world.step(1 / 60)
            assert set(near.rows.tolist()) == set(np.flatnonzero((near.share > 0) | near.chosen).tolist())
            assert near.rows.tolist() == sorted(near.rows.tolist())
            np.testing.assert_array_equal(near.palette_row[near.rows], np.arange(len(near.rows)))
            assert (near.palette_row >= 0).sum() == len(near.rows)
            shares.append(near.share.copy())
        assert not (before & near.chosen).any(), "the camera went to the other side"
        expected = np.clip(np.arange(1, 15) / 12, 0, 1)
        np.testing.assert_allclose(np.array(shares)[:, near.chosen].T, [expected] * 3, atol=1e-5)
        np.testing.assert_allclose(np.array(shares)[:, before].T, [1 - expected] * 3, atol=1e-5)
        assert len(near.rows) == 3


@pytest.mark.parametrize(("threads", "chunk_size"), [(1, 512), (2, 3), (3, 16)])
@EXHAUSTIVE
def test_near_actors_are_posed_as_those_of_other_crowds(load, threads, chunk_size):
    with load("{ count = 1000 }", threads=threads, chunk_size=chunk_size) as hybrid, load(None) as posed:
        for _ in range(20):
            hybrid.step(1 / 30)
            posed.step(1 / 30)
        assert only(hybrid, Nearness).rows.tolist() == list(range(COUNT))
        ((entity, _),) = posed.query(Palette)
        ((own, _),) = hybrid.query(Nearness)
        np.testing.assert_array_equal(palettes_of(hybrid, own), palettes_of(posed, entity))
        assert state(hybrid) == state(posed)


def test_some_near_actors_are_posed_so_too(load):
    with load("{ count = 9 }") as hybrid, load(None) as posed:
        for _ in range(20):
            hybrid.step(1 / 30)
            posed.step(1 / 30)
            near = only(hybrid, Nearness)
        ((own, _),) = hybrid.query(Nearness)
        found, expected = palettes_of(hybrid, own), only(posed, Palette).matrices[near.rows]
        assert len(found) == len(near.rows) < COUNT
        np.testing.assert_allclose(found, expected, atol=0.05)  # feet and gazes of later actors remember less
        same = np.all(found == expected, axis=(1, 2, 3))
        assert same.mean() > 0.5


@EXHAUSTIVE
def test_what_is_simulated_depends_on_neither_camera_nor_budget(load):
    found = set()
    budgets = (
        "{ count = 0 }",
        "{ count = 5 }",
        "{ milliseconds = 0.05 }",
        "{ count = 1000, fade_seconds = 0.0 }",
        None,
    )
    for budget in budgets:
        with load(budget) as world:
            for frame in range(30):
                if budget != "{ count = 5 }":
                    circle(world, frame)
                world.step(1 / 30)
            found.add(state(world))
    assert len(found) == 1


@EXHAUSTIVE
def test_the_bits_depend_on_neither_threads_nor_chunks(load):
    found = set()
    for threads, chunk_size in [(1, 512), (1, 1), (2, 5), (4, 16)]:
        with load("{ count = 11 }", threads=threads, chunk_size=chunk_size) as world:
            for frame in range(15):
                circle(world, frame)
                world.step(1 / 30)
            found.add(poses_hash(world))
    assert len(found) == 1


def test_nobody_at_the_border_comes_and_goes(load):
    with load("{ count = 1, fade_seconds = 0.0 }") as world:
        near, transforms = only(world, Nearness, Transforms)
        camera = stage_of(world).camera
        camera.distance = 10.0
        transforms.translation[:] = 1000.0
        chosen = []
        for frame in range(12):
            transforms.translation[:2] = [[-1.0, 0, 0], [1.0, 0, 0]]
            camera.azimuth = np.pi - 0.05 * (-1) ** frame  # now the one is a little nearer, now the other
            world.step(1e-3)
            chosen.append(int(np.flatnonzero(near.chosen)[0]))
        assert len(set(chosen)) == 1
        camera.azimuth = np.pi - np.pi / 2 * (1 if chosen[0] == 0 else -1)
        world.step(1e-3)
        assert near.chosen[1 - chosen[0]]


def test_a_budget_of_time_follows_what_posing_costs(load):
    with load("{ milliseconds = 1.0 }") as world:
        near = only(world, Nearness)
        for cost, expected in [(50_000, 20), (200_000, 5), (100_000, 10)]:
            for _ in range(30):
                near.spent_ns[:] = [cost * len(near.rows)]
                world.step(1.0)
            assert near.chosen.sum() == min(expected, COUNT)


def test_what_posing_took_is_told(load):
    with load("{ count = 4 }") as world:
        near = only(world, Nearness)
        for _ in range(40):
            world.step(1 / 30)
        assert len(near.spent_ns) == 1, "of the last step alone"
        assert near.spent_ns[0] > 0
        assert len(near.costs_ns) == 15
        assert min(near.costs_ns) > 0


def test_feet_and_gazes_of_who_comes_near_begin_anew(load):
    found = []
    for remembered in (0.0, 0.3):
        with load("{ count = 3, fade_seconds = 0.0 }") as world:
            ((entity, (near, grounding, looks, own)),) = world.query(Nearness, Grounding, LookAt, Transforms)
            far, gone = np.flatnonzero(~near.chosen), near.rows
            grounding.state.pelvis[far, :3] = own.translation[far]
            grounding.state.pelvis[far, 3:] = grounding.state.trace[far] = grounding.state.tilt[far] = remembered
            looks.looks[0].state.turn[far] = remembered
            world.attach(entity, new_foot_measures(grounding.legs, grounding.ground, COUNT))
            stage_of(world).camera.azimuth += np.pi
            for _ in range(2):
                world.step(1 / 30)
            assert not set(near.rows) & set(gone)
            measures = world.get(entity, FootMeasures)
            assert np.isfinite(measures.ankle[near.rows]).all()
            assert (measures.steps[near.rows] == 2).all()
            assert (measures.steps[gone] == 0).all()
            found.append(palettes_of(world, entity).copy())
    np.testing.assert_array_equal(*found)


def test_nobody_is_near_where_the_budget_is_nothing(load):
    with load("{ count = 0 }") as world:
        world.step(1 / 30)
        assert len(only(world, Nearness).rows) == 0
        assert len(only(world, Palette).matrices) == 0


def test_room_for_palettes_doubles(load):
    with load("{ count = 4, fade_seconds = 1000.0 }") as world:
        lengths = set()
        for frame in range(40):
            circle(world, frame)
            world.step(1 / 60)
            lengths.add(len(only(world, Palette).matrices))
            assert len(only(world, Palette).matrices) >= len(only(world, Nearness).rows)
        assert len(lengths) <= 5

"""Shared files: the joints in a file equal the joints of a second run of the scene, in Python and in the page."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.sharing import corrections, motion_parts
from ecs_anim.sharing.motion import SharedMotion
from ecs_anim.systems.joints import joint_matrices
from ecs_anim.systems.queries import who_is_there
from tests.helpers.browser import CHROMIUM, Browser
from tests.helpers.command import ecs_anim

SECONDS = 4
RATE = 60
BOUND = 0.005  # [m], smaller than in other files, so that the file has many corrections
WALKERS = """
title = "<script>alert(1)</script>"
[rigs.people]
model = "mannequin"
[[crowds]]
name = "walkers"
rig = "people"
count = 6
layout = { kind = "scatter", radius = 3.0, min_distance = 0.8 }
heading_degrees = "random"
body = {}
steering = { goal = [[9.0, 0.0], [0.0, 9.0]], goal_radius = 2.0 }
[[crowds]]
name = "players"
rig = "people"
count = 12
layout = { kind = "scatter", radius = 6.0, min_distance = 0.8 }
heading_degrees = "random"
scale_range = [0.9, 1.1]
locomotion = { turn_rate_degrees_s = 50.0, area_radius = 20.0 }
clips = [{ name = "idle" }, { name = "walk" }, { name = "run" }]
[[crowds]]
name = "visitors"
rig = "people"
count = 8
layout = { kind = "grid", spacing = 1.0, columns = 4 }
clips = [{ name = "idle" }]
path = "baked"
[[crowds]]
name = "dancers"
rig = "people"
count = 4
layout = { kind = "grid", spacing = 1.0, columns = 4, center = [0.0, 20.0] }
clips = [{ name = "dance" }, { name = "wave" }]
clip_choice = "in_turn"
path = "baked"
[[timeline]]
at_seconds = 1.0
crowd = "dancers"
fade_to = ["wave"]
fade_seconds = 0.5
"""


@pytest.fixture(scope="module")
def scene(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("share") / "walkers.toml"
    path.write_text(WALKERS)
    return path


@pytest.fixture(scope="module")
def shared(scene) -> Path:
    path = scene.with_suffix(".html")
    with ea.load_scene(scene) as world, pytest.MonkeyPatch.context() as patch:
        patch.setattr(corrections, "BOUND", BOUND)
        ea.share(world, path, seconds=SECONDS)
    return path


@pytest.fixture(scope="module")
def motion(shared) -> SharedMotion:
    return ea.open_share(shared)


@pytest.mark.exhaustive
def test_joints_equal_a_second_run(scene, motion):
    with ea.load_scene(scene) as world:
        for step in range(SECONDS * RATE + 1):
            if step:
                world.step(1 / RATE)
            for number, (entity, (crowd,)) in enumerate(world.query(Crowd)):
                bound = BOUND + 1e-4 if crowd.name == "walkers" else 0.05
                if step % 11 and crowd.name != "walkers":  # samples, and times between samples
                    continue
                moment, rows = motion.crowds[number].at(step / RATE), np.flatnonzero(who_is_there(world, entity))
                np.testing.assert_array_equal(motion.crowds[number].ids[moment.actors], crowd.ids[rows])
                exact = joint_matrices(world, entity, rows.astype(np.int32))[..., 3]
                apart = np.linalg.norm(moment.joints - exact, axis=-1)
                assert apart.max() < bound, (crowd.name, step)
                assert apart.mean() < 0.004, crowd.name
                transforms = world.get(entity, Transforms)
                assert np.abs(moment.positions - transforms.translation[rows]).max() < 0.02
                turn = Rotation.from_quat(moment.rotations) * Rotation.from_quat(transforms.rotation[rows]).inv()
                assert turn.magnitude().max() < 0.05
                np.testing.assert_allclose(moment.scales, transforms.scale[rows], atol=1e-3)


def test_fades_between_very_different_clips_turn_the_joints(motion):
    walkers, _, visitors, dancers = motion.crowds
    assert len(dancers.facts["arcs"]) == 1
    assert walkers.facts["arcs"] == visitors.facts["arcs"] == []


def test_corrections_are_only_at_samples_with_large_errors(motion):
    samples = motion.crowds[0].sections["corrected"]
    assert 0 < len(samples) < 0.2 * 6 * SECONDS * RATE


@pytest.mark.exhaustive
def test_poses_that_the_first_basis_does_not_contain_have_small_errors(tmp_path, monkeypatch):
    monkeypatch.setattr(motion_parts, "PROBES", 3)  # number of poses of the first basis
    walkers = WALKERS[: WALKERS.index('[[crowds]]\nname = "players"')]
    worst = []
    for rounds in (1, motion_parts.ROUNDS):
        monkeypatch.setattr(motion_parts, "ROUNDS", rounds)
        with ea.load_scene(walkers) as world:
            worst.append(ea.share(world, tmp_path / "x.html", seconds=1).joint_mm_max)
    assert worst[0] > 50
    assert worst[1] <= 1000 * corrections.BOUND + 0.1


@pytest.mark.exhaustive
def test_errors_in_the_report_are_the_errors_of_the_file(scene, tmp_path):
    with ea.load_scene(scene) as world:
        report = ea.share(world, tmp_path / "x.html", seconds=SECONDS)
    assert (report.people, report.seconds, report.bytes) == (30, SECONDS, (tmp_path / "x.html").stat().st_size)
    assert 0 < report.ankle_mm_mean < report.ankle_mm_p95 < report.joint_mm_max < 50
    with ea.load_scene(scene) as world:
        coarse = ea.share(world, tmp_path / "y.html", seconds=SECONDS, fps=2)
    assert coarse.joint_mm_max > 2 * report.joint_mm_max
    assert coarse.bytes < report.bytes


@pytest.mark.exhaustive
def test_actors_of_large_crowds_have_larger_but_small_errors(tmp_path, monkeypatch):
    text = WALKERS.replace("body = {}", 'path = "baked"')
    reports = []
    monkeypatch.setattr(motion_parts, "LARGE", 0)
    for many in (2000, 2):
        monkeypatch.setattr(motion_parts, "MANY", many)
        with ea.load_scene(text) as world:
            reports.append(ea.share(world, tmp_path / f"{many}.html", seconds=SECONDS))
    fine, coarse = reports
    assert coarse.bytes < fine.bytes
    assert fine.root_mm_p95 < coarse.root_mm_p95 < 15
    assert fine.ankle_mm_p95 < coarse.ankle_mm_p95 < 25


@pytest.mark.exhaustive
def test_large_crowds_have_small_errors_if_their_files_are_small(tmp_path, monkeypatch):
    monkeypatch.setattr(motion_parts, "MANY", 2)
    dancers = "[rigs" + WALKERS.split("[rigs")[1].split("[[crowds]]")[0] + "[[crowds]]" + WALKERS.split("[[crowds]]")[4]
    worst = []
    for large in (0, 1_500_000):
        monkeypatch.setattr(motion_parts, "LARGE", large)
        with ea.load_scene(dancers) as world:
            worst.append(ea.share(world, tmp_path / "x.html", seconds=SECONDS).joint_mm_max)
    assert worst[0] > 2 * worst[1]
    assert worst[1] < 20


@pytest.mark.exhaustive
def test_hands_of_fast_clips_have_small_errors(tmp_path):
    jumpers = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "jumpers"
rig = "people"
count = 30
layout = { kind = "grid", spacing = 1.0, columns = 6 }
clips = [{ name = "jump" }]
path = "baked"
"""
    with ea.load_scene(jumpers) as world:
        ea.share(world, tmp_path / "x.html", seconds=SECONDS)
    crowd = ea.open_share(tmp_path / "x.html").crowds[0]
    assert crowd.facts["clips"][0]["phase_step"] < 0.5 * crowd.facts["steps"][7]
    with ea.load_scene(jumpers) as world:
        (entity, _) = next(iter(world.query(Crowd)))
        for step in range(60):
            exact = joint_matrices(world, entity, np.arange(30, dtype=np.int32))[..., 3]
            assert np.linalg.norm(crowd.at(step / RATE).joints - exact, axis=-1).max() < 0.02
            world.step(1 / RATE)


@pytest.mark.exhaustive
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_page_computes_equal_joints(shared, motion):
    with Browser() as browser:
        browser.open(shared, "#t=0")
        assert browser.evaluate("document.title") == "<script>alert(1)</script>"
        for time in (0.0, 1.234, SECONDS):
            browser.evaluate(f"player.motion.sample({time})")
            for number, crowd in enumerate(motion.crowds):
                moment = crowd.at(time)
                own = f"player.motion.crowds[{number}]"
                assert browser.evaluate(f"[...{own}.actor.subarray(0, {own}.count)]") == moment.actors.tolist()
                joints = browser.evaluate(
                    f"{moment.actors.tolist()}.map((a) => [...player.motion.joints({number}, a)])"
                )
                np.testing.assert_allclose(np.reshape(joints, moment.joints.shape), moment.joints, atol=2e-4)
        assert browser.messages == []


@pytest.mark.exhaustive
def test_actors_that_arrive_and_leave(tmp_path):
    with ea.load_scene("station", actors=60) as world:
        ea.share(world, tmp_path / "x.html", seconds=3)
        motion = ea.open_share(tmp_path / "x.html")
    with ea.load_scene("station", actors=60) as world:
        for step in range(3 * RATE + 1):
            if step:
                world.step(1 / RATE, posed=False)
            if step % 2 == 0:
                for crowd, (entity, (own,)) in zip(motion.crowds, world.query(Crowd), strict=True):
                    there = own.ids[who_is_there(world, entity)]
                    assert set(crowd.ids[crowd.at(step / RATE).actors].tolist()) == set(there.tolist())


@pytest.mark.exhaustive
def test_the_command_prints_size_and_errors(scene, tmp_path):
    done = ecs_anim("share", str(scene), "--seconds", "1", "--json", "-", "--out", "x.html", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert told["bytes"] == (tmp_path / "x.html").stat().st_size
    assert (told["people"], told["seconds"]) == (30, 1.0)
    assert ea.open_share(tmp_path / "x.html").crowds[2].name == "visitors"


@pytest.mark.parametrize(
    ("name", "problem"), [("x.txt", "must end in .html"), ("none/x.html", "does not exist"), (".", "must end in .html")]
)
def test_a_path_that_cannot_be_written_is_reported(name, problem, tmp_path):
    with ea.load_scene("single") as world, pytest.raises(ea.InputError, match=problem):
        ea.share(world, tmp_path / name)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("values", [{"seconds": 0}, {"fps": 0}])
def test_wrong_arguments_are_reported(values, tmp_path):
    with ea.load_scene("single") as world, pytest.raises(ValueError, match="above 0"):
        ea.share(world, tmp_path / "x.html", **values)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("seconds", ["1e4", "99999999999999999999", "1e308"])
def test_a_time_beyond_the_budget_is_one_line_and_leaves_no_file(seconds, tmp_path):
    ended = ecs_anim("share", "single", "--out", "x.html", "--seconds", seconds, cwd=tmp_path)
    assert ended.returncode == 2
    assert "samples, but the limit is 10,000. Share a shorter time" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_damaged_pages_are_reported_in_one_line(shared, tmp_path):
    whole, path = shared.read_bytes(), tmp_path / "x.html"
    begin = whole.index(b'id="payload">') + 13
    for data in (b"", b"<html></html>", whole[: begin + 100], whole[:begin] + b"!" + whole[begin + 1 :]):
        path.write_bytes(data)
        with pytest.raises(ea.InputError) as caught:
            ea.open_share(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert "\n" not in str(caught.value)
    with pytest.raises(ea.InputError, match="no such file"):
        ea.open_share(tmp_path / "none.html")

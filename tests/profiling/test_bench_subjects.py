"""Subjects of benchmarks: the works do the work that they name, and fail where the work was not done."""

import json
import shutil

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from ecs_anim.components.playback import Playback
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gltf.load import load_rig
from ecs_anim.profiling.bench.__main__ import main
from ecs_anim.profiling.bench.pose_yardstick import PlainC
from ecs_anim.profiling.bench.subjects import gpu
from ecs_anim.profiling.bench.subjects.ground import highest_below
from ecs_anim.profiling.bench.subjects.pose import FEATURES, MIXED, Posing
from ecs_anim.profiling.bench.swaying import CLIPS, write_swaying
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.support.pictures import save_png
from ecs_anim.view.cull_view import PIXEL_ERROR

NAMES = ("walk", "run", "lean_left")
SIZE = (32, 18)
CROWD = """
[rigs.people]
model = "mannequin"
[camera]
distance = {distance}
[[crowds]]
rig = "people"
count = 12
layout = {{ kind = "grid", spacing = 2.0 }}
clips = [{{ name = "run" }}]
"""


def figures(*options):
    result = CliRunner().invoke(main, [*options, "--json", "--rounds", "1"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("feature", FEATURES)
def test_every_feature_plays_what_it_names(feature):
    crowd = Posing("mannequin", FEATURES[feature].format(*NAMES), 40, 1)
    with crowd.world as world:
        for _ in range(5):
            crowd.step()
        crowd.check()
        ((_, (playback,)),) = world.query(Playback)
        assert playback.slot_count.tolist() == [2 if feature == "fade in flight" else 1] * 40
        assert ("layers" in crowd.facts()["systems_us"]) == ("layer" in feature)


def test_the_systems_that_pose_are_part_of_the_step():
    found = figures("pose", "--actors", "30")
    own = found["two clips"]
    assert 0 < own["posing_least_us"] <= own["posing_us"] < sum(own["systems_us"].values())
    assert own["posing_ns_per_joint"] == pytest.approx(1e3 * own["posing_us"] / own["joints"], rel=0.01)
    assert np.isfinite(own["checksum"])


def test_poses_that_stand_still_are_no_benchmark():
    crowd = Posing("mannequin", MIXED.format(*NAMES), 10, 1)
    with crowd.world as world:
        ((_, (playback,)),) = world.query(Playback)
        playback.speed[:] = 0
        crowd.step()
        with pytest.raises(RuntimeError, match="did not change"):
            crowd.check()


def test_chains_turn_all_their_joints_and_do_nothing_else(tmp_path):
    rig = load_rig(write_swaying(tmp_path / "chain.glb", 24))
    layout = build_tables(rig.skeleton, list(rig.clips.values())).layout
    assert list(rig.clips) == list(CLIPS)
    assert layout.rotation_joints.tolist() == rig.skeleton.skin_joints.tolist() == list(range(24))
    assert len(layout.translation_joints) == len(layout.scale_joints) == 0
    assert {track.interpolation for clip in rig.clips.values() for track in clip.tracks} == {"LINEAR"}


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_plain_c_gives_the_same_palettes():
    crowd = Posing("mannequin", MIXED.format(*NAMES), 50, 1)
    with crowd.world as world:
        plain = PlainC(world)
        for _ in range(4):
            crowd.step()
        plain.check(crowd.palettes)
        before = crowd.palettes.copy()
        crowd.step()
        crowd.step()
        with pytest.raises(RuntimeError, match="must equal the palettes of the crowd"):
            plain.check(before)
    assert list(figures("pose", "--actors", "20", "--yardstick")["works"]) == ["two clips", "plain C"]


@pytest.mark.parametrize("model", ["anticipation_velocity", "collision_free_speed"])
def test_threads_do_not_change_where_agents_are(model):
    one, two = (figures("steering", "--agents", "60", "--model", model, "--threads", own) for own in ("1", "2"))
    assert one["works"].keys() >= {"step", "neighbours"}
    assert all(work["median"] > 0 for work in one["works"].values())
    assert one["checksum"] == two["checksum"]


def test_jupedsim_steers_beside_where_it_is_installed():
    pytest.importorskip("jupedsim")
    found, alone = (figures("steering", "--agents", "60", *own) for own in (["--against", "jupedsim"], []))
    assert found["works"]["jupedsim"]["median"] > 0
    assert found["checksum"] == alone["checksum"]  # it does not touch our agents


def test_a_ray_hits_the_highest_triangle_below_its_start():
    square = np.array([[[-1, 0, -1], [-1, 0, 1], [1, 0, 1]], [[-1, 0, -1], [1, 0, 1], [1, 0, -1]]], float)
    triangles = np.concatenate([square + np.array([0, height, 0]) for height in (0, 2, 5)])
    points = np.array([[0.3, 3, 0.2], [0.3, 1, -0.2], [3, 3, 0]], np.float32)
    assert highest_below(triangles, points).tolist() == [2, 0, -np.inf]


@pytest.mark.exhaustive
def test_the_gpu_and_the_software_renderer_draw_the_same(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(CROWD.format(distance=6.0))
    asked = ["--scene", str(path), "--actors", "5", "--moment", "2", "--size", "32", "18"]
    found = figures("gpu", *asked, "--out", str(tmp_path / "out.png"))
    with open_headless() as context:
        own, is_software = context.capabilities.summary, context.capabilities.is_software
    assert found["actors"] == 5
    assert all((passed["gpu_ms"] is None) == is_software for passed in found["passes"].values())
    assert all(passed["wall_ms"] > 0 for passed in found["passes"].values())
    assert found["pictures_by"][0] == own
    assert "llvmpipe" in found["pictures_by"][1] or "softpipe" in found["pictures_by"][1]
    picture = np.asarray(Image.open(tmp_path / "out.png"))
    assert picture.shape == (3 * 18, 32, 3)
    assert np.ptp(picture[:18]) > 50
    if is_software:
        assert (found["other_pixels"], found["far_pixels"], found["most_apart"]) == (0, 0, 0)
        np.testing.assert_array_equal(picture[:18], picture[18:36])


SUBJECT = gpu.Subject("none", None, 1, SIZE)


@pytest.fixture
def drawn_by(monkeypatch):
    """Pictures without a scene: the software renderer's differs by 9 in six pixels and by 65 in three."""

    def draw(subject, path, variables):
        shown = np.zeros((18, 32, 3), np.uint8)
        if variables:
            shown[0, :6], shown[1, :3] = 9, 65
        save_png(path, shown)
        return "Mesa" if variables else "own"

    monkeypatch.setattr(gpu, "drawn_apart", draw)
    monkeypatch.setattr(gpu, "MESA", __file__)
    return draw


def test_pixels_that_differ_are_counted(drawn_by):
    found = gpu.compared(SUBJECT, "", "", "")
    assert (found["pictures_by"], found["most_apart"]) == (["own", "Mesa"], 65)
    np.testing.assert_allclose([found["other_pixels"], found["far_pixels"]], [9 / 576, 3 / 576], atol=1e-5)


def test_a_picture_of_another_machine_replaces_the_software_renderers(drawn_by, tmp_path):
    saved = str(tmp_path / "own.png")
    gpu.compared(SUBJECT, saved, "", "")
    found = gpu.compared(SUBJECT, "", saved, "")
    assert (found["pictures_by"], found["most_apart"]) == (["own"], 0)


def test_without_a_software_renderer_only_the_name_is_told(drawn_by, monkeypatch, tmp_path):
    monkeypatch.setattr(gpu, "MESA", str(tmp_path / "missing.json"))
    assert gpu.compared(SUBJECT, "", "", "") == {"pictures_by": ["own"]}


def levels_from(distance, tmp_path):
    path, out = tmp_path / "scene.toml", tmp_path / "pictures.png"
    path.write_text(CROWD.format(distance=distance))
    asked = ["--frames", "7", "--pictures", "2", "--samples", "1", "--size", "160", "90"]
    return figures("levels", "--scene", str(path), *asked, "--out", str(out)), np.asarray(Image.open(out))


@pytest.mark.exhaustive
def test_near_actors_are_not_off(tmp_path):
    found, pictures = levels_from(3.0, tmp_path)
    assert found["coarser"] < 1
    assert found["waiting"] == 0
    assert found["pixels_off"]["median"] < PIXEL_ERROR
    assert pictures.shape == (3 * 90, 160, 3)
    apart = np.abs(pictures[:90].astype(int) - pictures[90:180]).max(axis=-1)
    assert found["other_pixels"] == round(float((apart > 8).mean()), 5)
    np.testing.assert_array_equal(pictures[180:, :, 0], np.minimum(4 * apart, 255))


@pytest.mark.exhaustive
def test_far_actors_are_coarser_wait_and_are_off_by_less_than_is_allowed(tmp_path):
    found, _ = levels_from(400.0, tmp_path)
    assert found["seen_actors"] == 24
    assert found["coarser"] == 1
    assert 0 < found["waiting"] < 1
    assert 0 < found["pixels_off"]["p95"] < PIXEL_ERROR

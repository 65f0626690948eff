"""The benchmark of this machine's GPU, as it is run; where there is none both pictures are the software renderer's."""

import json

import numpy as np
from click.testing import CliRunner
from PIL import Image

from ecs_anim.gl.device.context import open_headless
from ecs_anim.profiling import bench_gpu
from ecs_anim.support.pictures import save_png

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 3
clips = [{ name = "run" }]
"""
SIZE = ["--size", "32", "18"]


def figures_of(tmp_path, *options):
    (tmp_path / "scene.toml").write_text(SCENE, "utf-8")
    asked = [f"{tmp_path / 'scene.toml'}:5", "--frames", "3", "--moment", "2", *SIZE, *options]
    result = CliRunner().invoke(bench_gpu.main, asked)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_scene_is_measured_and_drawn_by_two(tmp_path):
    found = figures_of(tmp_path, "--out", str(tmp_path / "out"))
    with open_headless() as context:
        own, is_software = context.capabilities.summary, context.capabilities.is_software
    assert (found["actors"], found["size"]) == (5, [32, 18])
    assert found["frame_ms"] >= found["draw_ms"] > 0
    assert (found["gpu_ms"] is None) == is_software
    assert found["pictures_by"][0] == own
    assert "llvmpipe" in found["pictures_by"][1] or "softpipe" in found["pictures_by"][1]
    picture = np.asarray(Image.open(tmp_path / "out" / "scene.png"))
    assert picture.shape == (3 * 18, 32, 3)
    assert np.ptp(picture[:18]) > 50
    if is_software:
        assert (found["other_pixels"], found["far_pixels"], found["most_apart"]) == (0, 0, 0)
        np.testing.assert_array_equal(picture[:18], picture[18:36])


def test_what_differs_is_counted(tmp_path, monkeypatch):
    def draw(scene, moment, size, path, environment):
        shown = np.zeros((18, 32, 3), np.uint8)
        if environment:
            shown[0, :6], shown[1, :3] = 9, 65
        save_png(path, shown)
        return "nobody"

    monkeypatch.setattr(bench_gpu, "_drawn_apart", draw)
    found = figures_of(tmp_path)
    assert found["most_apart"] == 65
    np.testing.assert_allclose([found["other_pixels"], found["far_pixels"]], [9 / 576, 3 / 576], atol=1e-5)

"""The benchmark of levels of posed crowds, as it is run."""

import json

import numpy as np
from click.testing import CliRunner
from PIL import Image

from ecs_anim.profiling.bench_levels import main
from ecs_anim.view.cull_view import PIXEL_ERROR

SCENE = """
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
OPTIONS = ["--frames", "7", "--pictures", "2", "--rounds", "1", "--samples", "1", "--size", "160", "90"]


def figures_from(distance, tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(SCENE.format(distance=distance))
    result = CliRunner().invoke(main, [str(path), *OPTIONS, "--out", str(tmp_path / "pictures.png")])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), np.asarray(Image.open(tmp_path / "pictures.png"))


def test_who_is_near_is_not_off(tmp_path):
    found, pictures = figures_from(3.0, tmp_path)
    assert found["coarser"] < 1
    assert found["waiting"] == 0
    assert found["pixels_off"]["median"] < PIXEL_ERROR
    assert pictures.shape == (3 * 90, 160, 3)
    apart = np.abs(pictures[:90].astype(int) - pictures[90:180]).max(axis=-1)
    assert found["other_pixels"] == round(float((apart > 8).mean()), 5)
    np.testing.assert_array_equal(pictures[180:, :, 0], np.minimum(4 * apart, 255))


def test_who_is_far_is_coarser_waits_and_is_off_by_less_than_is_allowed(tmp_path):
    found, _ = figures_from(400.0, tmp_path)
    assert found["seen_actors"] == 24
    assert found["coarser"] == 1
    assert 0 < found["waiting"] < 1
    assert 0 < found["pixels_off"]["p95"] < PIXEL_ERROR

"""Maps on the floor have the values of the report of the same time."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.analysis.floor import FloorMap
from ecs_anim.analysis.map_colors import RAMP, colors_of_means, top_of
from ecs_anim.analysis.samples import samples_of
from ecs_anim.analysis.study import Run
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.systems.queries import stage_of
from ecs_anim.trajectories import ReadOptions, recording
from tests.commands.test_building_report import HOUSE
from tests.test_cli import assert_one_line, ecs_anim

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
path = "baked"
count = 12
layout = { kind = "grid", columns = 4, spacing = 0.9 }
[crowds.steering]
goals = [{ name = "east", at = [9.0, 1.0] }]
[camera]
target = [0.0, 0.0, 0.0]
distance = 14.0
elevation_degrees = 60.0
"""
WALLS = """
[walls]
wkt = "POLYGON ((-8 -6, 3 -6, 3 -0.6, 3.3 -0.6, 3.3 -6, 10 -6, 10 6, -8 6, -8 -6))"
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("walls", ["", WALLS])
def test_the_map_equals_the_map_of_the_report(tmp_path: Path, walls: str) -> None:
    path = tmp_path / "people.sqlite"
    with ea.load_scene(SCENE + walls) as world, FloorMap(world, "density") as floor:
        with ea.save_trajectories(world, path):
            for _ in range(240):
                world.step(1 / 60, posed=False)
        found = floor.map()
        people = samples_of(recording(path), end=world.time)
    assert people.has_walls == bool(walls)
    expected = Run(1, people, "").maps.density
    assert found is not None
    assert found.extent == pytest.approx(expected.extent)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-5, atol=1e-6)
    assert np.nanmax(found.values) > 0.3


@pytest.mark.exhaustive
def test_maps_of_storeys_equal_the_maps_of_the_report(tmp_path: Path) -> None:
    path, low = tmp_path / "people.csv", 0
    with ea.load_scene(HOUSE) as world, FloorMap(world, "density") as floor:
        stage = stage_of(world)
        with ea.save_trajectories(world, path):
            for _ in range(480):
                world.step(1 / 60, posed=False)
        for number, name in enumerate(stage.storey_names):
            area = stage.building.storey_area(number).wkt
            people = samples_of(recording(path, ReadOptions(level=name)), end=world.time, area=area)
            found, expected = floor.map(number), Run(1, people, "").maps.density
            assert found is not None
            np.testing.assert_allclose(found.values, expected.values, rtol=1e-4, atol=1e-5)
            low += np.nanmax(found.values) > 0.1
    assert low == 2


def test_colors_of_the_floor_are_the_colors_of_the_report() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    ramp = matplotlib.colors.LinearSegmentedColormap.from_list("density", RAMP)
    for share in (0.0, 0.13, 0.5, 1.0):
        expected = hex_to_linear(matplotlib.colors.to_hex(ramp(share)))
        np.testing.assert_allclose(colors_of_means(np.array([4 * share]), 4.0)[0], expected, atol=0.01)
    assert [top_of(np.array([value, np.nan])) for value in (0.0, 0.5, 0.6, 3.9, 50.0)] == [0.5, 0.5, 1.0, 4.0, 8.0]


@pytest.mark.exhaustive
def test_pictures_show_the_map_on_the_floor(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text(SCENE)
    run = ("run", tmp_path / "scene.toml", "--frames", "120", "--size", "320x240", "--threads", "1")
    pictures = []
    for name, options in (("plain", ()), ("density", ("--floor", "density")), ("levels", ("--floor", "levels"))):
        out = tmp_path / f"{name}.png"
        done = ecs_anim(*run, *options, "--out", out)
        assert done.returncode == 0, done.stderr
        pictures.append(picture(out))
    plain, density, levels = pictures
    assert (np.abs(plain - density).max(axis=-1) > 20).mean() > 0.05
    assert (np.abs(levels - density).max(axis=-1) > 20).mean() > 0.05
    done = ecs_anim(*run, "--floor", "density", "--pass", "ids", "--out", tmp_path / "x.png")
    assert_one_line(done, "--floor must not be given with --pass")


def picture(path: Path) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(path).convert("RGB")).astype(int)

"""Recordings with heights: bodies stand at the heights of the file, on drawn floors."""

import csv

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.queries import stage_of
from tests.helpers import SHARED

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
body = {{}}
trajectories = {{ file = '{file}', smooth_seconds = 0.0{keys} }}
"""


def scene(file, keys=""):
    return SCENE.format(file=file, keys=keys)


def positions(world):
    _, (transforms,) = next(world.query(Transforms))
    return transforms.translation.astype(np.float64)


def stairs(path):
    """Write a file with three people. One is on the ground, one is on the upper floor, and one goes down."""
    rows = ["id,time_s,x_m,y_m,z_m"]
    for k in range(101):
        t = k / 10
        down = float(np.interp(t, [3, 7], [3.4, 0.0]))
        rows += [f"0,{t},{t},0,0.0", f"1,{t},{t},3,3.4", f"2,{t},{t},1.5,{down:.4f}"]
    path.write_text("\n".join(rows), "utf-8")
    return path


def test_bodies_are_at_the_heights_of_the_file(tmp_path):
    file = stairs(tmp_path / "people.csv")
    with ea.load_scene(scene(file)) as world:
        for frame in range(1, 500):
            world.step(1 / 50)
            t = frame / 50
            found = positions(world)
            assert found[:, 0] == pytest.approx(t, abs=0.02)
            assert found[:2, 1] == pytest.approx([0.0, 3.4], abs=1e-4)
            assert found[2, 1] == pytest.approx(np.interp(t, [3, 7], [3.4, 0.0]), abs=0.03)


def test_feet_stand_on_drawn_floors(tmp_path):
    """Below each person on a floor, the ground is at most 2 cm away. Nothing fills the space above the lower floor."""
    with ea.load_scene(scene(stairs(tmp_path / "people.csv"))) as world:
        terrain = stage_of(world).terrain
        world.step(1.0)
        heights, _ = terrain.below(positions(world)[:2] + np.array([0, 0.5, 0]))
        assert heights == pytest.approx([0.0, 3.4], abs=0.02)
        assert terrain.floor == 0.0
        on_stairs = np.array([[x, 10.0, -1.5] for x in np.linspace(4.0, 6.0, 9)])
        found, _ = terrain.below(on_stairs)
        assert found == pytest.approx(np.interp(on_stairs[:, 0], [3, 7], [3.4, 0.0]), abs=0.2)


def test_floors_of_a_recording_are_storeys(tmp_path):
    """The stairs and the person on the stairs belong to the lower storey."""
    with ea.load_scene(scene(stairs(tmp_path / "people.csv"))) as world:
        stage = stage_of(world)
        assert stage.storey_names == ("0.0", "3.4")
        for _ in range(250):
            world.step(1 / 50)
        heights = positions(world)[:, 1].astype(np.float32)
        assert stage.storeys_at(heights).tolist() == [0, 1, 0]
        for storey, (low, high) in enumerate([(-0.01, 3.1), (3.1, 3.5)]):
            stage.shown_storeys = range(storey, storey + 1)
            tops = np.concatenate([surface.positions[:, 1] for surface in stage.surfaces])
            assert low < tops.max() < high


def test_one_floor_is_no_storey(tmp_path):
    with ea.load_scene(scene(stairs(tmp_path / "people.csv"), ", level = 3.4")) as world:
        assert stage_of(world).storeys == ()


def test_a_ground_of_the_scene_replaces_the_drawn_floors(tmp_path):
    text = scene(stairs(tmp_path / "people.csv")) + "[ground]\nkind = 'flat'\nheight = -1.0\n"
    with ea.load_scene(text) as world:
        assert not stage_of(world).terrain.surfaces
        assert stage_of(world).terrain.floor == -1.0
        world.step(1.0)
        assert positions(world)[:, 1] == pytest.approx([0.0, 3.4, 3.4], abs=1e-4)


def test_one_floor_stands_on_the_ground(tmp_path):
    with ea.load_scene(scene(stairs(tmp_path / "people.csv"), ", level = 3.4")) as world:
        world.step(1.0)
        assert not stage_of(world).terrain.surfaces
        assert not positions(world)[:, 1].any()


def test_heights_of_levels_in_scenes(tmp_path):
    rows = ["id,time_s,x_m,y_m,level"] + [f"{p},{k / 10},{k / 10},{p},{p}" for k in range(30) for p in range(3)]
    (tmp_path / "people.csv").write_text("\n".join(rows), "utf-8")
    with ea.load_scene(scene(tmp_path / "people.csv", ", level_heights = 4.0")) as world:
        assert positions(world)[:, 1].tolist() == [0.0, 4.0, 8.0]
    named = ", level_heights = { 0 = -2.0, 1 = 1.5, 2 = 5.0 }"
    with ea.load_scene(scene(tmp_path / "people.csv", named)) as world:
        assert positions(world)[:, 1].tolist() == [-2.0, 1.5, 5.0]


def test_heights_far_from_the_ground_are_an_error(tmp_path):
    rows = ["id,time_s,x_m,y_m,z_m"] + [f"{p},{k / 10},{k / 10},{p},{p * 9e5}" for k in range(30) for p in range(2)]
    (tmp_path / "people.csv").write_text("\n".join(rows), "utf-8")
    with pytest.raises(ea.InputError, match="the floors must be at most 16384 m from the height 0"):
        ea.load_scene(scene(tmp_path / "people.csv"))


@pytest.mark.parametrize(("name", "time"), [("levels_pathfinder.csv", "t"), ("z_levels.csv", "time_s")])
def test_cases(name, time):
    """Compare bodies with the rows of two shared files, read with the csv module."""
    path = SHARED / "cases" / "trajectories" / name
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    rows = [row for row in csv.DictReader(path.read_text("utf-8").splitlines()) if row[time] != "s"]
    with ea.load_scene(scene(path)) as world:
        world.step(2.0)
        found = positions(world)
    z = "z" if "z" in rows[0] else "z_m"
    truth = [float(row[z]) for row in rows if float(row[time]) == 2.0]
    assert sorted(found[:, 1].tolist()) == pytest.approx(sorted(truth), abs=1e-4)

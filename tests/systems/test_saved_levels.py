"""Trajectories of scenes with levels: files name the level and the height of each actor, and nothing merges levels."""

import csv

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.transforms import Transforms
from ecs_anim.farm.job import LevelLine, flow_lines
from ecs_anim.farm.measures import density_figures, flow_figures
from ecs_anim.scenes.loader import read_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.queries import stage_of
from ecs_anim.trajectories import recording
from tests.helpers.command import ecs_anim

SCENE = """
[rigs.people]
model = "mannequin"
[[levels]]
name = "ground"
height = 0.0
area = [[-15, -8], [15, -8], [15, 8], [-15, 8]]
[[levels]]
name = 'a "first", floor'
height = 3.4
area = [[-15, -8], [15, -8], [15, 8], [-15, 8]]
[[stairs]]
foot = { at = [-8.0, -2.0], level = "ground" }
to = 'a "first", floor'
heading_degrees = 90
[[crowds]]
name = "people"
rig = "people"
count = 6
body = {}
layout = { kind = "grid", spacing = 1.2, center = [-8.0, 5.5], level = 'a "first", floor' }
[crowds.steering]
goal = { at = [12, -6], level = "ground" }
"""
WINGS = """
[rigs.people]
model = "mannequin"
[[levels]]
name = "ground"
height = 0.0
area = [[-30, -20], [30, -20], [30, 20], [-30, 20]]
[[levels]]
name = "west wing"
height = 3.4
area = [[-20, -8], [-5, -8], [-5, 8], [-20, 8]]
[[levels]]
name = "east wing"
height = 3.4
area = [[5, -8], [20, -8], [20, 8], [5, 8]]
[[stairs]]
foot = { at = [-12.0, -13.0], level = "ground" }
to = "west wing"
heading_degrees = 90
[[stairs]]
foot = { at = [12.0, -13.0], level = "ground" }
to = "east wing"
heading_degrees = 90
[[crowds]]
name = "visitors"
rig = "people"
count = 3
clips = [{ name = "idle" }]
layout = { kind = "grid", spacing = 1.2, center = [12.0, 4.0], level = "east wing" }
"""
NAMES = ("ground", 'a "first", floor')


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    path = tmp_path_factory.mktemp("levels") / "two.toml"
    path.write_text(SCENE)
    return path


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_files_contain_heights_and_levels(scene, tmp_path, ending):
    path, seen = tmp_path / f"x{ending}", []
    with ea.load_scene(scene, threads=1) as world, ea.save_trajectories(world, path, sample_rate=10):
        ((_, (transforms,)),) = world.query(Transforms)
        for step in range(900):
            if step % 6 == 0:
                seen += transforms.translation[:, 1].tolist()
            world.step(1 / 60, posed=False)
        seen += transforms.translation[:, 1].tolist()
    rows = _rows(path)
    heights, levels = np.array([float(row[0]) for row in rows]), [row[1] for row in rows]
    np.testing.assert_allclose(heights, seen, atol=1e-6)
    assert set(levels) == set(NAMES)
    assert levels == [NAMES[height >= 3.4 - 0.05] for height in seen]
    assert [own.name for own in recording(path).floors] == [*NAMES]


def test_levels_with_one_height_are_one_storey_also_for_crowds_without_steering(tmp_path):
    (tmp_path / "wings.toml").write_text(WINGS)
    path = tmp_path / "x.csv"
    with ea.load_scene(tmp_path / "wings.toml", threads=1) as world, ea.save_trajectories(world, path):
        world.step(1 / 60)
    assert {row[1] for row in _rows(path)} == {"west wing and east wing"}


def _rows(path):
    if path.suffix == ".parquet":
        from pyarrow import parquet

        table = parquet.read_table(path)
        return list(zip(table["z_m"].to_pylist(), table["level"].to_pylist(), strict=True))
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return [(row["z_m"], row["level"]) for row in csv.DictReader(lines)]


@pytest.mark.exhaustive
def test_reports_of_saved_files_have_a_run_for_each_level(scene, tmp_path):
    run = ecs_anim("run", scene, "--no-draw", "--seconds", "15", "--save-trajectories", "x.csv", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    ended = ecs_anim("report", "x.csv", "--out", "x.html", "--no-player", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    page = (tmp_path / "x.html").read_text()
    assert "Density, floor ground" in page
    assert "Density, floor a &quot;first&quot;, floor" in page


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("run", "--no-draw", "--frames", "1", "--save-trajectories", "x.sqlite"), "x.sqlite: JuPedSim's file format"),
    ],
)
def test_outputs_of_one_floor_are_refused_in_one_line(scene, tmp_path, arguments, problem):
    command, *options = arguments
    ended = ecs_anim(command, scene, *options, cwd=tmp_path)
    assert ended.returncode == 2
    assert problem in ended.stderr
    assert ended.stderr.count("ecs-anim: ") == 1
    assert list(tmp_path.iterdir()) == []


def test_densities_of_a_farm_contain_people_of_the_same_storey_only(scene):
    with ea.load_scene(scene, threads=1) as world:
        people, stage = ea.crowd(world, "people"), stage_of(world)
        for _ in range(120):
            world.step(1 / 60, posed=False)
        storeys = stage.storeys_at(next(own.translation[:, 1] for _, (own,) in world.query(Transforms)))
        apart = np.linalg.norm(people.positions[:, None] - people.positions, axis=-1)
        near = ((apart <= 1.0) & (storeys[:, None] == storeys)).sum(axis=1) / np.pi
        assert len(set(storeys)) > 1
        found = density_figures(world, range(120, 121))
        assert found["mean"] == pytest.approx(near.mean(), abs=1e-4)
        assert found["people"] == len(storeys)
        for number, name in enumerate(stage.storey_names):
            own = near[storeys == number]
            assert found[f"{name}.people"] == len(own)
            assert found[f"{name}.most"] == (pytest.approx(own.max(), abs=1e-4) if len(own) else None)


@pytest.mark.exhaustive
def test_a_line_of_a_farm_counts_people_on_its_level_only(scene):
    read = read_scene(str(scene))
    names = [level.name for level in read.model.levels]
    line = ((-50.0, 0.0), (50.0, 0.0))
    said = {name: LevelLine(line=line, level=name) for name in names} | {"first": line}
    lines = flow_lines(said, read)
    heights = sorted({level.height for level in read.model.levels})
    assert [lines[name].storey for name in names] == [heights.index(level.height) for level in read.model.levels]
    assert lines["first"].storey == lines[names[0]].storey
    with ea.load_scene(scene, threads=1) as world:
        found = flow_figures(world, range(900), lines)
    before, crossed = {}, {}
    with ea.load_scene(scene, threads=1) as world:
        people, stage = ea.crowd(world, "people"), stage_of(world)
        for _ in range(900):
            storeys = stage.storeys_at(next(own.translation[:, 1] for _, (own,) in world.query(Transforms)))
            now = dict(zip(people.ids.tolist(), zip(people.positions[:, 1], storeys, strict=True), strict=True))
            for person, (y, _) in now.items():
                if person in before and (before[person][0] > 0) != (y > 0):
                    crossed[before[person][1]] = crossed.get(before[person][1], 0) + 1
            before = now
            world.step(1 / 60, posed=False)
    for name, own in lines.items():
        assert found[f"{name}.people"] + found[f"{name}.people_back"] == crossed.get(own.storey, 0)
    assert sum(crossed.values()) > 0
    with pytest.raises(InputError, match="no level 'attic'"):
        flow_lines({"door": LevelLine(line=line, level="attic")}, read)

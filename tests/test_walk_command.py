"""`ecs-anim walk`: a file of trajectories, and no scene."""

import json

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from tests.support import TRAJECTORIES, needs_trajectories
from tests.test_cli import assert_one_line, ecs_anim

LINE = "POLYGON ((-2 -3, 12 -3, 12 6, -2 6, -2 -3))"


@pytest.fixture
def people(tmp_path):
    rows = ["id,time_s,x_m,y_m"]
    for person, speed in ((4, 1.2), (9, 0.5)):
        rows += [f"{person},{k / 5:.1f},{speed * k / 5:.3f},{person / 3:.3f}" for k in range(51)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def test_a_picture_with_a_clock_and_the_scene_that_it_is_of(people, tmp_path):
    done = ecs_anim("walk", "people.csv", "--out", "p.png", "--size", "96x64", "--save-scene", "s.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Image.open(tmp_path / "p.png").size == (96, 64)
    with ea.load_scene(tmp_path / "s.toml", threads=1) as world:
        assert ea.crowd(world, "people").actor_count == 2
        world.skip(150, 1 / 60)
        np.testing.assert_allclose(ea.crowd(world, "people").positions[:, 0], [1.2 * 2.5, 0.5 * 2.5], atol=0.15)


def test_films_begin_and_end_when_they_are_told(people, tmp_path):
    (tmp_path / "hall.wkt").write_text(LINE, "utf-8")
    options = "--from 1.0 --seconds 0.1 --camera top --follow 9 --walls hall.wkt --out film --size 64x48"
    done = ecs_anim("walk", "people.csv", *options.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "film").iterdir())) == 6


def test_the_report_is_json(people, tmp_path):
    done = ecs_anim("walk", "people.csv", "--report", "--seconds", "8", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["people"], found["seconds"], found["format"]) == (2, 8.0, "CSV")
    assert list(found["report"]) == ["raw", "smoothed", "grounded"]
    for own in found["report"].values():
        assert [row["from"] for row in own["classes"]] == [0.0, 0.1, 0.3, 0.8, 1.6]
        assert own["leg_stretch_max"] <= 1
    bodies = found["report"]["grounded"]
    assert bodies["leg_stretch_max"] <= 0.995
    assert bodies["root_error_m_p95"] < 0.5
    (speed, cadence), *_ = bodies["cadence_hz"][-1:]
    assert cadence == pytest.approx(np.sqrt(speed / 0.39), rel=0.15)  # the walk ratio (Sekiya and others 1996)


@needs_trajectories
@pytest.mark.parametrize("options", ["corner_traj.txt --unit m", "uo-050-180-180.txt --unit cm --rate 16"])
def test_feet_of_recorded_people_do_not_slide_and_their_knees_do_not_pop(options, tmp_path):
    name, *rest = options.split()
    done = ecs_anim("walk", str(TRAJECTORIES / name), *rest, "--report", "--seconds", "8", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["report"]["grounded"]
    assert found["knee_pops"] == 0
    assert found["leg_stretch_max"] <= 0.995
    classes = [row for row in found["classes"] if row["steps"] >= 10]
    assert classes
    for row in classes:
        assert row["slide_mm_p95"] < 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--json", "-"], "--json is for figures: give --report"),
        (["--from", "99"], "has people from 0 s to 10 s"),
        (["--follow", "3"], "nobody of this id; ids are 4 to 9"),
        (["--save-scene", "x.txt"], "a scene file ends in .toml"),
        (["--unit", "yard"], "units are"),
        (["--rig", "nobody.glb"], "nobody.glb"),
        (["--walls", "no.wkt"], "no.wkt"),
        (["--out", "x.bmp"], ".bmp"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_left_behind(people, tmp_path, options, said):
    done = ecs_anim("walk", "people.csv", *options, *([] if "--out" in options else ["--out", "x.png"]), cwd=tmp_path)
    assert_one_line(done, said)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_what_the_file_does_not_say_is_asked_for(people, tmp_path):
    people.write_text(people.read_text("utf-8").replace("time_s,x_m,y_m", "time,x,y"), "utf-8")
    assert_one_line(ecs_anim("walk", "people.csv", cwd=tmp_path), "--unit")

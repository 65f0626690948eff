"""Small studies from ../shared/cases on the command line: exits that close, and buildings with several floors."""

import csv
import re

import numpy as np
import pytest
import shapely

from tests.helpers import SHARED
from tests.helpers.command import ecs_anim

CASES = SHARED / "cases"
if not CASES.is_dir():
    pytest.skip(f"{CASES}, small inputs with known results, is not here", allow_module_level=True)

# Scenes of the cases have former names of keys, and former coordinates: y of a layout was south.
FORMER = {
    r"^choose\b": "exit_choice",
    r"^at\b(?= = \d)": "at_seconds",
    r"^start\b": "premovement_seconds",
    r"^speed\b": "desired_speed_m_s",
    r"(?<=center = \[)([\d.]+), -": r"\1, ",
}
BUILDING = """
[rigs.people]
model = "mannequin"
[[levels]]
name = "ground"
height = 0.0
file = '{plan}'
plan_level = 0
[[levels]]
name = "first"
height = 3.4
file = '{plan}'
plan_level = 1
[[stairs]]
foot = {{ at = [8.0, 0.9], level = "ground" }}
to = "first"
heading_degrees = 90
going = 0.2
[[crowds]]
name = "people"
rig = "people"
count = 4
body = {{}}
layout = {{ kind = "grid", spacing = 1.0, center = [2.0, 4.0], level = "ground" }}
steering = {{ leave = true, goal = {{ at = [11.5, 5.0], level = "first" }} }}
"""


def run(*arguments, cwd):
    ended = ecs_anim(*arguments, cwd=cwd)
    assert ended.returncode == 0, ended.stderr
    return ended


def rows_of(path):
    return list(csv.DictReader(line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")))


def present(name, folder):
    """Write a scene of the cases with the present names of keys."""
    text = (CASES / "scenes" / name).read_text("utf-8")
    for former, now in FORMER.items():
        text = re.sub(former, now, text, flags=re.MULTILINE)
    (folder / name).write_text(text)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "count", "closes"), [("closed_exit_nearest.toml", 12, 1.0), ("evac_two_exits.toml", 80, 20.0)]
)
def test_people_leave_by_the_other_exit_when_an_exit_closes(tmp_path, name, count, closes):
    present(name, tmp_path)
    run("run", name, "--until", "empty", "--egress", "x.csv", cwd=tmp_path)
    rows = rows_of(tmp_path / "x.csv")
    last = {exit: max((float(row["egress_s"]) for row in rows if row["exit"] == exit), default=0.0) for exit in EXITS}
    assert len({(row["crowd"], row["id"]) for row in rows}) == len(rows) == count
    assert {row["exit"] for row in rows} <= {*EXITS}
    assert last["goals[0]"] < closes + 4.0  # people behind the closed door can still reach their goal
    assert last["goals[1]"] > closes + 4.0


EXITS = ("goals[0]", "goals[1]")


@pytest.mark.parametrize(
    ("name", "columns"), [("levels_pathfinder.csv", ("id", "t", "z")), ("z_levels.csv", ("id", "time_s", "z_m"))]
)
def test_recorded_people_stay_on_their_floors(tmp_path, name, columns):
    person, time, height = columns
    said = [row for row in rows_of(CASES / "trajectories" / name) if row[time] != "s"]
    wanted = {int(row[person]) + 1: round(float(row[height]), 1) for row in said}  # actors have ids from 1
    run("walk", CASES / "trajectories" / name, "--save-scene", "x.toml", cwd=tmp_path)
    run("run", "x.toml", "--no-draw", "--seconds", 4, "--save-trajectories", "x.csv", cwd=tmp_path)
    rows = rows_of(tmp_path / "x.csv")
    assert {int(row["id"]) for row in rows} == {*wanted}
    for row in rows:
        assert float(row["z_m"]) == pytest.approx(wanted[int(row["id"])], abs=0.03)
    floors = {round(float(row["z_m"])): row["level"] for row in rows}
    assert len({*floors.values()}) == len({*wanted.values()}) == 2


@pytest.mark.exhaustive
def test_people_walk_over_both_floors_of_a_plan(tmp_path):
    plan = CASES / "plans/w_levels.geojson"
    (tmp_path / "x.toml").write_text(BUILDING.format(plan=plan))
    run("run", "x.toml", "--until", "empty", "--save-trajectories", "x.csv", cwd=tmp_path)
    rows = rows_of(tmp_path / "x.csv")
    assert {row["level"] for row in rows} == {"ground", "first"}
    places = np.array([[float(row[name]) for name in ("x_m", "y_m", "z_m")] for row in rows])
    ground, first = shapely.box(0, 0, 10, 6), shapely.box(0, 0, 12, 6)
    pillar = shapely.box(4, 2, 5, 3)
    assert shapely.contains_xy(ground, places[places[:, 2] < 0.1, :2]).all()
    assert shapely.contains_xy(first, places[places[:, 2] > 3.3, :2]).all()
    assert not shapely.contains_xy(pillar, places[:, :2]).any()
    assert places[:, 0].max() > 10.0  # only the upper floor extends beyond 10 m

"""`ecs-anim run --until empty` writes a table of egress times and prints a summary."""

import csv

import pyarrow.parquet
import pytest

from tests.helpers.hall import hall
from tests.test_cli import assert_one_line, ecs_anim

SCENE = hall(
    "premovement_seconds = [1.0, 3.0]",
    'exit_choice = "assigned"',
    'goals = [{ name = "west", at = [-6.0, 0.0] }, { at = [6.0, 0.0] }]',
)


@pytest.fixture(name="scene")
def scene_fixture(tmp_path):
    (tmp_path / "hall.toml").write_text(SCENE)
    return tmp_path / "hall.toml"


@pytest.mark.exhaustive
def test_tables_in_both_formats_are_equal(scene, tmp_path):
    result = ecs_anim("run", scene, "--until", "empty", "--egress", tmp_path / "x.csv")
    assert result.returncode == 0
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["all exits", "goals[1]", "west"]
    assert "all exits: 4 actors, mean " in result.stdout
    assert ecs_anim("run", scene, "--until", "empty", "--egress", tmp_path / "x.parquet").returncode == 0
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    table = pyarrow.parquet.read_table(tmp_path / "x.parquet").to_pylist()
    assert [row["exit"] for row in rows] == [row["exit"] for row in table]
    assert [float(row["egress_s"]) for row in rows] == [round(row["egress_s"], 4) for row in table]
    assert {row["exit"] for row in rows} == {"west", "goals[1]"}


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--until", "empty", "--seconds", 1], ["hall.toml", "actors are still in the scene after 1 s (people: 4)"]),
        (["--egress", "x.csv"], ["--egress needs the egress times of all actors. Add --until empty"]),
        (["--until", "empty", "--egress", "x.xlsx"], ["x.xlsx", "must end in .csv or .parquet"]),
        (["--until", "empty", "--out", "x.png"], ["--out needs pictures, but --until draws no pictures"]),
        (["--until", "empty", "--from-frame", 3], ["--from-frame must not be given with --until"]),
        (["--until", "late"], ["--until"]),
    ],
    ids=str,
)
def test_wrong_options_are_one_line(scene, tmp_path, options, parts):
    assert_one_line(ecs_anim("run", scene, *options, cwd=tmp_path), *parts)

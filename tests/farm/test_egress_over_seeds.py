"""The measure "egress" of a farm: one table of egress times over all seeds."""

import csv
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow.parquet
import pytest

import ecs_anim as ea
from ecs_anim.support.errors import InputError
from ecs_anim.systems.egress import run_until_empty
from tests.helpers.hall import hall

SCENE = hall(
    'exit_choice = "share"',
    "premovement_seconds = { lognormal = [1.0, 0.5] }",
    'goals = [{ name = "west", at = [-6.0, 0.0] }, { name = "east", at = [6.0, 0.0] }]',
)
JOB = """
scene = "hall.toml"
[ranges]
seeds = [1, 2, 3]
"crowds.people.count" = [2, 4]
[make]
measures = ["egress"]
"""


@pytest.mark.exhaustive
def test_one_table_has_the_egress_times_of_all_runs(tmp_path):
    (tmp_path / "hall.toml").write_text(SCENE)
    (tmp_path / "job.toml").write_text(JOB)
    with ThreadPoolExecutor(1) as executor:
        outcome = ea.farm.run(tmp_path / "job.toml", tmp_path / "out", executor=executor)
    assert not outcome.failed
    rows = list(csv.DictReader((tmp_path / "out" / "egress.csv").read_text().splitlines()))
    assert len(rows) == 3 * (2 + 4)
    with ea.load_scene(SCENE, seed=2, threads=1) as world:
        expected = run_until_empty(world, {"people": ["west", "east"]}, "")
    own = [row for row in rows if (row["seed"], row["crowds.people.count"]) == ("2", "4")]
    assert [(int(row["id"]), row["exit"]) for row in own] == [(one.id, one.exit) for one in expected]
    np.testing.assert_allclose([float(row["egress_s"]) for row in own], [one.egress_s for one in expected], atol=1e-4)
    table = pyarrow.parquet.read_table(tmp_path / "out" / "egress.parquet").to_pylist()
    assert [(row["run"], row["seed"], row["id"], row["exit"]) for row in table] == [
        (int(row["run"]), int(row["seed"]), int(row["id"]), row["exit"]) for row in rows
    ]
    assert [row["crowds.people.count"] for row in table] == [float(row["crowds.people.count"]) for row in rows]
    assert [row["egress_s"] for row in table] == [float(row["egress_s"]) for row in rows]
    assert "<svg" in (tmp_path / "out" / "egress.svg").read_text()
    with ThreadPoolExecutor(1) as executor:
        ea.farm.run(tmp_path / "job.toml", tmp_path / "again", executor=executor)
    for name in ("egress.csv", "egress.parquet", "egress.svg"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_a_job_whose_crowds_stay_is_an_error(tmp_path):
    (tmp_path / "hall.toml").write_text(SCENE.replace("leave = true\n", ""))
    (tmp_path / "job.toml").write_text(JOB)
    with pytest.raises(InputError, match="job.toml: make.measures: the measure 'egress' needs a crowd that leaves"):
        ea.farm.run(tmp_path / "job.toml", tmp_path / "out")

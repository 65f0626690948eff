"""The benchmarks: every subject as it is run, with small sizes, and the harness with works of known times."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from ecs_anim.profiling.bench.__main__ import SUBJECTS, load, main
from ecs_anim.profiling.bench.harness import Case, Work, measure, require, table
from ecs_anim.support.errors import InputError
from tests.helpers import some

SIZE = ["--size", "64", "36"]
SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 3
clips = [{ name = "run" }]
"""
# Options of a small run of each subject, and the works that it times.
SMALL = {
    "baked": (["--actors", "40"], 6),
    "captures": (["--actors", "20", "--distance", "12", *SIZE], 6),
    "chunks": (["--actors", "300", "--threads", "1"], 6),
    "crowd_shaders": (["--actors", "6", "--size", "64", "64"], 4),
    "culling": (["--actors", "500"], 2),
    "dataset": (["--scene", "SCENE", "--seeds", "1", "--frames", "1", *SIZE], 1),
    "export": (["--actors", "4", "--frames", "3", "--ending", "glb"], 1),
    "gltf": ([], 2),
    "gpu": (["--scene", "SCENE", "--actors", "5", "--moment", "2", *SIZE], 1),
    "ground": (["--actors", "60"], 11),
    "grounding": (["--actors", "20"], 2),
    "ik": (["--chains", "20"], 14),
    "levels": (["--scene", "SCENE", "--frames", "4", "--pictures", "2", "--samples", "1", *SIZE], 2),
    "march": (["--actors", "60", "--classic-actors", "20", "--samples", "1", *SIZE], 2),
    "morphs": (["--actors", "4", *SIZE], 6),
    "population": (["--actors", "60", "--change", "7"], 3),
    "pose": (["--actors", "20", "--features"], 12),
    "profiler": (["--actors", "50"], 3),
    "rooms": (["--rooms", "3"], 3),
    "shadows": (["--actors", "20", "--samples", "1", *SIZE], 3),
    "skinning": (["--actors", "20"], 2),
    "steering": (["--agents", "60"], 2),
    "storeys": (["--actors", "60", "--seconds", "0.1"], 2),
    "trajectories": (["--megabytes", "2"], 3),
    "walking": (["--actors", "20"], 4),
    "window": (["--actors", "20", *SIZE], 6),
}


def run(subject, *options):
    return CliRunner().invoke(main, [subject, *options])


def figures(subject, *options):
    result = run(subject, "--json", "--rounds", "2", "--warmup", "1", *options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_every_subject_has_a_small_run():
    assert set(SMALL) == set(SUBJECTS)


@pytest.mark.exhaustive
@pytest.mark.parametrize("subject", some(SMALL, *(SMALL.keys() - {"gpu", "ground", "march", "window"})))
def test_a_subject_times_its_works(subject, tmp_path):
    options, work_count = SMALL[subject]
    (tmp_path / "scene.toml").write_text(SCENE, "utf-8")
    found = figures(subject, *(str(tmp_path / "scene.toml") if own == "SCENE" else own for own in options))
    assert (found["subject"], found["rounds"], len(found["works"])) == (subject, 2, work_count)
    for own in found["works"].values():
        assert 0 < own["least"] <= own["median"]
        assert own["ratio"]["p25"] <= own["ratio"]["median"] <= own["ratio"]["p75"]
    first = next(iter(found["works"].values()))
    assert first["ratio"] == {"median": 1, "p25": 1, "p75": 1}


@pytest.mark.exhaustive
def test_skinning_has_another_part():
    assert set(figures("skinning", "--part", "picture", "--actors", "5")["works"]) == {"linear", "dual quaternions"}


def test_the_list_has_a_line_for_each_subject():
    lines = CliRunner().invoke(main, ["--list"]).stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(SUBJECTS)
    assert all(load(subject).__doc__.splitlines()[0] in line for subject, line in zip(SUBJECTS, lines, strict=True))


def test_the_table_has_a_line_for_each_work_and_each_fact():
    lines = run("population", "--actors", "30", "--change", "2", "--rounds", "1").stdout.splitlines()
    assert lines[0] == "population: 1 alternated rounds, ms"
    assert [line[:32].strip() for line in lines[2:5]] == ["leave and join", "leave", "join"]
    assert lines[-1].strip() == "actors: 30"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            ["population", "--actors", "20", "--change", "21"],
            "--change must be at most 20, the number of actors in the largest crowd",
        ),
        (["skinning", "--part", "none"], "--part must be one of step, picture (got 'none')"),
        (["steering", "--model", "none"], "--model must be one of"),
        (["levels", "--scene", "nowhere"], "nowhere"),
    ],
)
def test_wrong_options_are_one_line(options, problem):
    result = run(*options)
    assert result.exit_code == 1
    assert problem in result.output
    assert result.output.startswith(f"{options[0]}: ")
    assert result.output.count("\n") == 1


class Clock:
    """A clock that only works move."""

    now = 0

    def __call__(self):
        return self.now

    def work(self, times):
        def run():
            self.now += next(times)

        return run


def test_medians_and_ratios_are_those_of_the_rounds():
    clock = Clock()
    first, second = [900, 10, 20, 60], [900, 40, 20, 30]  # [ns]; the first round is not counted
    works = {"a": Work(clock.work(iter(first)), share=10), "b": Work(clock.work(iter(second)), share=10)}
    found = measure(Case(works, unit="us", clock=clock), rounds=3, warmup=1)
    assert found["unit"] == "us"
    assert found["works"]["a"] == {"median": 0.002, "least": 0.001, "ratio": {"median": 1, "p25": 1, "p75": 1}}
    low, middle, high = np.percentile([4, 1, 0.5], (25, 50, 75))
    assert found["works"]["b"] == {
        "median": 0.003,
        "least": 0.002,
        "ratio": {"median": middle, "p25": low, "p75": high},
    }


def test_preparation_is_not_timed_and_works_take_turns():
    clock, order = Clock(), []

    def named(name):
        return lambda: order.append(name)

    works = {name: Work(clock.work(iter([1, 1])), named(name)) for name in "abc"}
    works["a"] = Work(works["a"].run, lambda: (order.append("a"), setattr(clock, "now", clock.now + 1000)))
    found = measure(Case(works, unit="ns", clock=clock), rounds=2, warmup=0)
    assert found["works"]["a"]["median"] == 1
    assert "".join(order) in ("abccab", "abcbca")  # another one begins each round


def test_a_failed_check_ends_the_measurement():
    case = Case({"a": Work(lambda: None)}, lambda: require(False, "nothing moved"))
    with pytest.raises(RuntimeError, match="nothing moved"):
        measure(case, rounds=1, warmup=0)


def test_facts_stand_below_the_works():
    case = Case({"a": Work(lambda: None)}, each="actor", facts=lambda: {"actors": 3})
    text = table({"subject": "none", **measure(case, rounds=1, warmup=0)})
    assert text.startswith("none: 1 alternated rounds, ms / actor\n")
    assert text.endswith("  actors: 3")


def test_input_errors_are_no_tracebacks(monkeypatch):
    module = load("gltf")

    def refuse(**_):
        raise InputError("no file")

    monkeypatch.setattr(module, "case", refuse)
    assert run("gltf").output == "gltf: no file\n"

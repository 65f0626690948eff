"""A command reports all problems of its options, inputs and outputs together, before it does anything."""

import sys

import pytest

from ecs_anim.commands.duration import Duration
from ecs_anim.commands.outcome import exit_code
from ecs_anim.commands.plan import Output, Plan, each_given, file_output
from ecs_anim.support.errors import InputError
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line


def problems_of(plan: Plan) -> list[str]:
    try:
        plan.check()
    except InputError as error:
        return [*error.problems]
    return []


def test_a_plan_without_problems_writes_nothing(tmp_path):
    assert problems_of(Plan(("in.csv",), file_output("--out", tmp_path / "x.bin"))) == []
    assert list(tmp_path.iterdir()) == []


def test_no_path_and_standard_output_are_no_files():
    assert file_output("--json", None) == file_output("--json", "-") == ()


def test_all_problems_come_together(tmp_path):
    def refuse(path):
        raise InputError(f"{path}: refused", f"{path}: twice")

    source, out = tmp_path / "in.csv", tmp_path / "x"
    source.touch()
    outputs = (
        *file_output("--json", source),
        *file_output("--save", tmp_path / "no" / "y"),
        Output("--out", out, (refuse,)),
        Output("--plot", out, ()),
    )
    assert problems_of(Plan((source,), outputs, ("--a and --b: give one of them",))) == [
        "--a and --b: give one of them",
        f"{source}: --json must not name an input file. Name another file",
        f"{tmp_path}/no/y: the folder {tmp_path}/no does not exist. Make the folder, or name another path.",
        f"{out}: refused",
        f"{out}: twice",
        f"{out}: --out and --plot must be different files. Name another file for one of them",
    ]


def test_a_rule_names_each_given_option():
    options = {"--a": 0, "--b": None, "--c": False, "--d": (), "--e": "x"}
    assert each_given(options, "{option} is too much") == ("--a is too much", "--e is too much")


@pytest.mark.parametrize(
    ("frames", "seconds", "steps"), [(7, None, 7), (None, 0.5, 30), (None, 1e-9, 1), (None, None, None)]
)
def test_a_duration_is_a_number_of_steps(frames, seconds, steps):
    assert Duration(frames, seconds).steps(60) == steps


def test_too_long_a_duration_is_an_error():
    with pytest.raises(InputError, match="--seconds: .*Choose a shorter time"):
        Duration(None, 1e12).steps(60)


@pytest.mark.parametrize("command", [("run", "single", "--no-draw"), ("feet",), ("export", "single", "--out", "x.glb")])
def test_frames_and_seconds_exclude_each_other(tmp_path, command):
    told = ecs_anim(*command, "--frames", 1, "--seconds", 1, cwd=tmp_path)
    assert_one_line(told, "--frames and --seconds must not be given together. Leave out one of these options")


def test_a_run_of_seconds_has_as_many_steps(tmp_path):
    words = ("run", "single", "--no-draw", "--seconds", "0.1", "--save", "x.npz")
    assert "wrote x.npz: frame 6" in ecs_anim(*words, cwd=tmp_path).stderr


def test_a_run_reports_problems_of_its_scene_and_of_all_outputs(tmp_path):
    (tmp_path / "bad.toml").write_text("sed = 3\n[rigs]")
    options = ("--out", "no/x.gif", "--fps", 60, "--save", "no/x.npz", "--sample-rate", 5, "--clock", "--pass", "ids")
    told = ecs_anim("run", "bad.toml", *options, cwd=tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    lines = told.stderr.splitlines()
    for part in (
        "bad.toml: sed: unknown key",
        "--clock must not be given with --pass",
        "--sample-rate needs trajectories",
        "no/x.npz: the folder no does not exist",
        "no/x.gif: label passes must be written to PNG files",
        "--fps: the frame rate of a GIF must be at most 50 frames per second",
    ):
        assert len([line for line in lines if part in line]) == 1, part
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


@pytest.mark.parametrize(
    ("words", "library", "extra"),
    [
        (("run", "single", "--out", "x.mp4"), "av", "video"),
        (("run", "single", "--save-trajectories", "x.parquet"), "pyarrow", "parquet"),
        (("profile", "single", "--plot", "x.png"), "matplotlib", "plot"),
        (("export", "single", "--out", "x.usdc"), "pxr", "usd"),
    ],
)
def test_a_missing_extra_is_reported_before_the_run(tmp_path, monkeypatch, capsys, words, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.chdir(tmp_path)
    assert exit_code(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"ecs-anim[{extra}]" in line

"""Help texts: options in groups, three examples for each command, lines that fit, and examples that are understood."""

import re
import shlex

import click
import pytest
from click.testing import CliRunner
from pygltflib import GLTF2

from ecs_anim.commands.command_line import cli
from ecs_anim.commands.help import FORMER_OPTIONS, Option
from ecs_anim.scenes.rigs import MANNEQUIN
from tests.commands.test_retarget import bvh_of_a_body
from tests.helpers import some
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

GROUPS = {"Input", "Time", "Pictures", "Labels", "Motion", "Figures", "Output", "Execution"}
COMMANDS = {"": cli, **cli.commands}
EXAMPLES = [example for command in COMMANDS.values() for example in command.examples]
QUICK = (
    "ecs-anim scenes",
    "ecs-anim new mine.toml --like plaza",
    "ecs-anim inspect mannequin --clip walk --plot walk.png",
)
SCENE = b'[rigs.a]\nmodel = "mannequin"\n[[crowds]]\nname = "all"\nrig = "a"\nclips = [{ name = "idle" }]\n'
JOB = b"""
scene = "mine.toml"
ranges = { frames = [0, 4], "crowds.all.count" = [1, 2] }
make.measures = ["density"]
"""
PEOPLE = b"id,time [s],x_m,y_m\n" + b"".join(
    b"%d,%.1f,%.1f,%d\n" % (p, k / 10, k / 10, p) for p in (1, 2) for k in range(20)
)
SHORTER = {
    "dataset": ("--size", "64x36", "--frames", "2", "--seeds", "1"),
    "feet": ("--actors", "5"),
    "people": ("--count", "2"),
    "profile": ("--frames", "3", "--actors", "20"),
    "run": ("--size", "64x36", "--actors", "20"),
    "serve": ("--frames", "2", "--speed", "100"),
    "share": ("--seconds", "1"),
    "view": ("--size", "64x36"),
    "walk": ("--size", "64x36", "--seconds", "1"),
    "validate": ("corridor",),
}  # options that make the work of an example less
SECTION = re.compile(r"^(\w+):$", re.MULTILINE)


def words_of(example: str) -> list[str]:
    """Return the command and its arguments. Words after a pipe or a redirection are the shell's."""
    program, *words = shlex.split(re.split(" [|>] ", example)[0])
    assert program == "ecs-anim"
    return words


def body() -> bytes:
    """Return the mannequin without clips."""
    model = GLTF2().load(MANNEQUIN)
    model.animations = []
    return b"".join(model.save_to_bytes())


def help_of(name: str, columns: int, monkeypatch) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    return CliRunner().invoke(cli, [*name.split(), "--help"], prog_name="ecs-anim").output


@pytest.mark.parametrize("columns", [50, 80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_the_terminal(name, columns, monkeypatch):
    lines = help_of(name, columns, monkeypatch).splitlines()
    assert [line for line in lines if len(line) > columns] == []
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("columns", [50, 80, 120])
@pytest.mark.parametrize("name", cli.commands)
def test_help_has_groups_and_three_examples(name, columns, monkeypatch):
    text = help_of(name, columns, monkeypatch)
    options = [own for own in cli.commands[name].params if isinstance(own, click.Option)]
    groups = SECTION.findall(text)
    assert {*groups} == {*(own.group for own in options), "Help", "Examples"}
    assert len(groups) == len({*groups})
    examples = text.partition("\nExamples:\n")[2].replace("\\\n", "").splitlines()
    assert [shlex.split(line) for line in examples] == [line.split() for line in cli.commands[name].examples]
    assert len(examples) == 3


@pytest.mark.parametrize("name", cli.commands)
def test_every_option_has_a_group_and_a_help_without_internal_bounds(name):
    for own in cli.commands[name].params:
        if isinstance(own, click.Option):
            assert isinstance(own, Option), own.name
            assert own.group in GROUPS
            assert own.help.endswith(".") or ". " in own.help, own.help
    text = CliRunner().invoke(cli, [name, "--help"]).output
    assert not re.search(r"<=?x|\d{10}", text)


def shorter(words: list[str]) -> tuple[str, ...]:
    """Return options that make the work of an example less."""
    if {"--help", "--verify"} & {*words}:
        return ()
    if words[0] == "report" and words[1] != "people.csv":  # the seconds of a recording are in the file
        return ("--seconds", "2")
    return SHORTER.get(words[0], ())


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_understood(example):
    name, *arguments = words_of(example)
    if "--help" not in arguments:
        cli.commands[name].make_context(name, arguments, parent=click.Context(cli))


@pytest.mark.exhaustive
@pytest.mark.parametrize("example", some(EXAMPLES, *QUICK))
def test_every_example_runs(example, tmp_path):
    """In a folder with the files that examples read."""
    words = words_of(example)
    files = {
        "character.glb": MANNEQUIN.read_bytes(),
        "body.glb": body(),
        "walk.bvh": bvh_of_a_body().encode(),
        "people.csv": PEOPLE,
    }
    scenes = {} if words[0] == "new" else {"mine.toml": SCENE, "other.toml": SCENE}
    for name, content in {**files, **scenes, "job.toml": JOB}.items():
        (tmp_path / name).write_bytes(content)
    if "--verify" in words:
        made = ecs_anim("dataset", "mine.toml", "--out", words[-1], *SHORTER["dataset"], cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    done = ecs_anim(*words, *shorter(words), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for file in re.findall(r"--(?:out|plot|json|trace) ([\w.-]*\w)", "" if "--plan" in words else example):
        assert (tmp_path / file).exists()


@pytest.mark.parametrize("former", FORMER_OPTIONS)
def test_a_former_option_is_an_error_that_names_the_present_one(former):
    """In each command with a present name."""
    takes = {name: {word for own in command.params for word in own.opts} for name, command in cli.commands.items()}
    assert not any(former in own for own in takes.values())
    commands = [name for name, own in takes.items() if own & {*FORMER_OPTIONS[former]}]
    assert commands
    for name in commands:
        result = ecs_anim(name, former, "x")
        present = " or ".join(word for word in FORMER_OPTIONS[former] if word in takes[name])
        assert_one_line(result, f"{former}: this option is now {present}. Use the new name.")

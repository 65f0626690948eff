"""Options that the user can give several times, or once with several names and commas."""

import click
import pytest
from click.testing import CliRunner

from ecs_anim.commands.help import LABELS
from ecs_anim.commands.parameters import OneOf


@click.command()
@LABELS.repeated("--name", OneOf(["red", "green", "blue"]), "Names.", default=("red",))
@LABELS.repeated("--path", str, "Paths.")
def command(name: tuple[str, ...], path: tuple[str, ...]) -> None:
    print(name, path)


def told(*arguments: str) -> str:
    return CliRunner().invoke(command, arguments).output.strip()


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ([], ("red",)),
        (["--name", "blue,green"], ("blue", "green")),
        (["--name", "blue", "--name", "green,blue"], ("blue", "green")),
    ],
)
def test_names_with_commas_are_several_names(given, names):
    assert told(*given) == f"{names} ()"


@pytest.mark.parametrize(("text", "wrong"), [("blue,gren", "gren"), ("blue,", ""), (",", "")])
def test_the_wrong_name_of_a_list_is_told(text, wrong):
    assert f"(got {wrong!r})" in told("--name", text)


def test_commas_of_paths_are_a_part_of_the_path():
    assert told("--path", "a,b.png") == "('red',) ('a,b.png',)"

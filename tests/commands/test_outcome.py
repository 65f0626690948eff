"""How commands end: what is raised within them, as exit codes and lines."""

import warnings

import click
import pytest

from ecs_anim.commands import outcome
from ecs_anim.commands.command_line import cli
from ecs_anim.commands.outcome import exit_code
from ecs_anim.support.errors import InputError, InputWarning


def end_of(error, monkeypatch, capsys):
    """Exit code, and what is on standard error."""

    @click.command()
    def failing():
        raise error

    monkeypatch.setitem(cli.commands, "failing", failing)
    return exit_code(["failing"]), capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InputError("x.toml: wrong\nhere"), "x.toml: wrong here"),
        (click.UsageError("no such option"), "no such option"),
        (
            MemoryError(),
            "the program needs more memory than is free (no more is free)."
            " Use a smaller input, or free memory (docs/limits.md)",
        ),
        (
            MemoryError("Unable to allocate 7 GiB"),
            "the program needs more memory than is free (Unable to allocate 7 GiB)."
            " Use a smaller input, or free memory (docs/limits.md)",
        ),
        (
            PermissionError(13, "Permission denied", "x\x1b.bake"),
            r"x\x1b.bake: the operating system reports: Permission denied",
        ),
        (OSError(24, "Too many open files"), "the operating system reports: Too many open files"),
        (OSError(28, "No space left on device", "x.png"), "no space is left for x.png. Free some space"),
        (OSError(28, "No space left"), "no space is left for the output, or for compiled kernels. Free some space"),
    ],
)
def test_what_is_the_users_to_mend_is_one_line(error, line, monkeypatch, capsys):
    dropped = []
    monkeypatch.setattr(outcome, "drop_output", dropped.append)
    assert end_of(error, monkeypatch, capsys) == (2, f"ecs-anim: {line}\n")
    assert len(dropped) == isinstance(error, OSError)


@pytest.mark.parametrize("code", [0, 1, 2])
def test_commands_choose_their_code(code, monkeypatch, capsys):
    assert end_of(SystemExit(code), monkeypatch, capsys) == (code, "")


def test_a_fault_of_the_program_is_raised(monkeypatch, capsys):
    with pytest.raises(ZeroDivisionError):
        end_of(ZeroDivisionError(), monkeypatch, capsys)


def test_warnings_are_told_once_and_hooks_are_put_back(monkeypatch, capsys):
    @click.command()
    def warning():
        for text in ("a\x1b.gltf: cut", "b.gltf: cut", "a\x1b.gltf: cut"):
            warnings.warn(text, InputWarning, stacklevel=1)

    monkeypatch.setitem(cli.commands, "warning", warning)
    hook = warnings.showwarning
    assert exit_code(["warning"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        r"ecs-anim: warning: a\x1b.gltf: cut",
        "ecs-anim: warning: b.gltf: cut",
    ]
    assert warnings.showwarning is hook


def test_no_command_shows_the_help(capsys):
    assert exit_code([]) == 0
    assert "Usage: ecs-anim" in capsys.readouterr().out

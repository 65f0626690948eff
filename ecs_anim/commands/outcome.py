"""Computation of the exit code of a command, and output of one line for each problem in the user's input."""

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from ecs_anim.commands.command_line import cli
from ecs_anim.support.errors import FULL, InputError, InputWarning
from ecs_anim.support.terminal import drop_output, print_note, print_problems

WRONG_INPUT, READER_LEFT = 2, 141  # shells give 141 to a program that SIGPIPE has ended
PROGRAM, COMPLETION = "ecs-anim", "_ECS_ANIM_COMPLETE"  # shells set the second name for completion


def exit_code(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code. If the program itself has an error, the function raises an exception."""
    try:
        with warnings.catch_warnings():
            _tell_warnings()
            return _run(arguments)
    except InputError as error:
        return _fail(*error.problems)
    except click.ClickException as error:
        return _fail(error.format_message())
    except MemoryError as error:
        return _fail(
            f"the program needs more memory than is free ({str(error) or 'no more is free'}). Use a smaller input, "
            "or free memory (docs/limits.md)"
        )
    except BrokenPipeError:
        drop_output(sys.stdout)
        return READER_LEFT
    except OSError as error:
        drop_output(sys.stdout)
        return _fail(_reason(error))


def _run(arguments: Sequence[str]) -> int:
    """Run a command with click, but without the error handling of click.

    If the program that reads the output closes the pipe, click would end with exit code 1. With the function `_run`,
    `ecs-anim` ends with exit code 141.
    """
    code: Any = 0
    try:
        if COMPLETION in os.environ:
            cli(prog_name=PROGRAM)
        with cli.make_context(PROGRAM, list(arguments or ["--help"])) as context:
            cli.invoke(context)
    except click.exceptions.Exit as done:
        code = done.exit_code
    except SystemExit as left:
        code = left.code
    sys.stdout.flush()
    return code


def _reason(error: OSError) -> str:
    """Return the operating system's message with the name of the affected file."""
    if error.errno in FULL:
        return f"no space is left for {error.filename or 'the output, or for compiled kernels'}. Free some space"
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}the operating system reports: {error.strerror or error}"


def _tell_warnings() -> None:
    """Print each warning as one line. The program prints equal warnings only once."""
    told: set[str] = set()

    def tell(message: Warning | str, category: type[Warning], *_: Any) -> None:
        text = f"ecs-anim: warning: {message}"
        if text not in told:
            told.add(text)
            print_note(text)

    warnings.simplefilter("always", InputWarning)
    warnings.showwarning = tell  # type: ignore[assignment]


def _fail(*problems: str) -> int:
    print_problems(*problems)
    return WRONG_INPUT

"""Measure one subject with `python -m ecs_anim.profiling.bench SUBJECT [options]`, or with `./dev bench SUBJECT`."""

import inspect
import sys
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import click

from ecs_anim.profiling.bench import subjects
from ecs_anim.profiling.bench.harness import measure, table
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_json

SUBJECTS = tuple(sorted(module.name for module in iter_modules(subjects.__path__)))


class Subjects(click.Group):
    """A group of commands, with one command for each benchmark (subject).

    The program imports the module of a subject only when a user calls its command.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subjects."""
        return list(SUBJECTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a subject, or None if the subject does not exist."""
        return command_of(cmd_name) if cmd_name in SUBJECTS else None


@click.group(cls=Subjects, invoke_without_command=True)
@click.option("--list", "lists", is_flag=True, help="List the subjects.")
@click.pass_context
def main(context: click.Context, lists: bool) -> None:
    """Measure SUBJECT.

    Run the variants of the subject in alternated rounds, and print their median times and their ratios to the first
    variant.
    """
    if lists or context.invoked_subcommand is None:
        click.echo("\n".join(f"{name:16} {summary(load(name))}" for name in SUBJECTS))


def load(subject: str) -> ModuleType:
    """Import and return the module of a subject."""
    return import_module(f"{subjects.__name__}.{subject}")


def summary(module: ModuleType) -> str:
    """Return the first line of the module docstring of a subject."""
    return (module.__doc__ or "").splitlines()[0]


def command_of(subject: str) -> click.Command:
    """Return the command of a subject.

    The options of the command are the common options and the keyword parameters of `case`.
    """
    module = load(subject)
    own = [_option(parameter) for parameter in inspect.signature(module.case).parameters.values()]
    shared = [
        click.Option(["--rounds"], type=click.IntRange(1), default=getattr(module, "ROUNDS", 15), show_default=True),
        click.Option(
            ["--warmup"],
            type=click.IntRange(0),
            default=3,
            show_default=True,
            help="Run N rounds before the measured rounds.",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."),
    ]

    def run(rounds: int, warmup: int, as_json: bool, **options: Any) -> None:
        try:
            with module.case(**options) as case:
                found = {"subject": subject, "options": options, **measure(case, rounds, warmup)}
        except (InputError, RuntimeError) as error:
            sys.exit(f"{subject}: {error}")
        if as_json:
            print_json(found)
        else:
            click.echo(table(found))

    return click.Command(subject, callback=run, params=[*own, *shared], help=module.__doc__, short_help=summary(module))


def _option(parameter: inspect.Parameter) -> click.Option:
    """Return the command-line option of a parameter: a flag, several values, or one value of the default's type."""
    name, default = f"--{parameter.name.replace('_', '-')}", parameter.default
    if isinstance(default, bool):
        return click.Option([name], is_flag=True)
    if isinstance(default, tuple):
        return click.Option([name], nargs=len(default), type=type(default[0]), default=default, show_default=True)
    kinds: dict[Any, Any] = {int: click.IntRange(1), int | None: click.IntRange(1)}
    kind = kinds.get(parameter.annotation, float if parameter.annotation is float else str)
    return click.Option([name], type=kind, default=default, show_default=default is not None)


if __name__ == "__main__":
    main(prog_name="bench")

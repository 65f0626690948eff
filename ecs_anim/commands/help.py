"""Classes for the commands of `ecs-anim` and their help.

The help of a command shows the options in groups, and then examples. The layout of the help fits any terminal width.
"""

import shutil
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

WIDEST, NARROWEST, MARGIN = 100, 30, 2  # columns
LONGEST_SENTENCE = 1000  # characters
WIDEST_NAMES = 30  # columns for the names of options
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": WIDEST}


class Formatter(click.HelpFormatter):
    """A help formatter for narrow terminals. The formatter of click needs at least 50 columns and a margin."""

    def __init__(self, width: int | None = None, max_width: int | None = None) -> None:
        columns = min(shutil.get_terminal_size().columns, max_width or WIDEST)
        super().__init__(width=width or max(columns - MARGIN, NARROWEST))


class Context(click.Context):
    """A click context that writes help with `Formatter`."""

    formatter_class = Formatter


class Option(click.Option):
    """An option that belongs to a group of options in the help of a command."""

    def __init__(self, *arguments: Any, group: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.group = group

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the values of the option. A repeated option also accepts several names in one text, with commas."""
        if value is not None and self.multiple and isinstance(self.type, click.Choice):
            value = [name for text in value for name in text.split(",")]
        return super().type_cast_value(ctx, value)


class OptionGroup:
    """A group of options in the help of a command. The methods of the group return decorators that add one option to a
    command.

    A declaration such as "--seconds N" contains the name of the option, and the name of its value in the help. The
    function of the command gets the value as its argument `into`. By default, the argument has the name of the option.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def option(
        self, declaration: str, type: Any, help: str, *, into: str | None = None, **settings: Any
    ) -> Callable[[Decorated], Decorated]:
        """Return a decorator for an option with a value. If `settings` contains the key `default`, the help shows this
        default.
        """
        name, _, value = declaration.partition(" ")
        names = (name,) if into is None else (name, into)
        settings.setdefault("show_default", "default" in settings)
        return click.option(
            *names, cls=Option, group=self.name, type=type, metavar=value or None, help=help, **settings
        )

    def repeated(self, declaration: str, type: Any, help: str, **settings: Any) -> Callable[[Decorated], Decorated]:
        """Return a decorator for an option that the user can give several times, or once with several names and commas.
        The command gets equal values only once.
        """
        return self.option(declaration, type, help, multiple=True, callback=_each_once, **settings)

    def flag(self, declaration: str, help: str, **settings: Any) -> Callable[[Decorated], Decorated]:
        """Return a decorator for an option without a value."""
        return self.option(declaration, None, help, is_flag=True, show_default=False, **settings)


INPUT, TIME, PICTURES, LABELS = map(OptionGroup, ("Input", "Time", "Pictures", "Labels"))
MOTION, FIGURES, OUTPUT, EXECUTION = map(OptionGroup, ("Motion", "Figures", "Output", "Execution"))


def _each_once(_: click.Context, __: click.Parameter, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return `values`, the values of a repeated option, without duplicates."""
    return tuple(dict.fromkeys(values))


# Present names of former options. A former option can have several present names, one for each command.
FORMER_OPTIONS = {
    "--cameras": ("--camera",),
    "--clips": ("--clip",),
    "--film-rate": ("--fps",),
    "--frame-rate": ("--sample-rate",),
    "--passes": ("--pass",),
    "--rate": ("--fps", "--sample-rate", "--bake-rate"),
    "--trajectory-rate": ("--sample-rate",),
}


class WithExamples(click.Command):
    """A command whose help ends with examples."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples. A long example uses several lines of the terminal."""
        with formatter.section("Examples"):
            for example in self.examples:
                for line in _wrapped(example, formatter.width - formatter.current_indent):
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class Command(WithExamples):
    """A command whose help shows the options in groups, and then examples."""

    context_class = Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line.

        If the user gave the former name of an option, raise click.UsageError with the current name of the option.
        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            own = {name for parameter in self.params for name in parameter.opts}
            present = [name for name in FORMER_OPTIONS.get(error.option_name, ()) if name in own]
            if not present:
                raise
            names = " or ".join(present)
            raise click.UsageError(f"{error.option_name}: this option is now {names}. Use the new name.") from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each group of options, and a last section for `--help`.

        The sections have the order in which the command declares the first option of each group.
        """
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                groups.setdefault(getattr(parameter, "group", "Help"), []).append(record)
        for group, records in groups.items():
            _write_list(formatter, group, records)


def command(*examples: str) -> Callable[[Callable[..., Any]], Command]:
    """Return a decorator that makes a command from a function. The help ends with the examples."""
    return click.command(cls=Command, examples=examples)


class CommandGroup(WithExamples, click.Group):
    """The group of all commands.

    The help shows the complete first sentence of each command, because the library click would shorten a long sentence.
    """

    command_class = Command
    context_class = Context

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, then the options."""
        self.format_commands(ctx, formatter)
        records = [parameter.get_help_record(ctx) for parameter in self.get_params(ctx)]
        _write_list(formatter, "Help", list(filter(None, records)))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        rows = [(name, self.commands[name].get_short_help_str(LONGEST_SENTENCE)) for name in self.list_commands(ctx)]
        _write_list(formatter, "Commands", rows)


def _write_list(formatter: click.HelpFormatter, title: str, rows: Sequence[tuple[str, str]]) -> None:
    """For each row in `rows`, write its name and its text.

    On a narrow terminal, the text after a long name begins on a new line.
    """
    with formatter.section(title):
        formatter.write_dl(rows, col_max=min(WIDEST_NAMES, formatter.width // 3))


def _wrapped(command: str, width: int) -> list[str]:
    """Return the lines of a shell command. All lines except the last end with a backslash."""
    lines = textwrap.wrap(command, width - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return [*(f"{line} \\" for line in lines[:-1]), *lines[-1:]]

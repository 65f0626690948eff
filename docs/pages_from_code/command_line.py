"""Generate the command-line reference from the `--help` texts of the commands."""

import click

from ecs_anim.commands.command_line import cli
from pages_from_code.markdown import code

WIDTH = 100


def commands() -> str:
    """Return the reference as Markdown, with one section per command, in the order of the source code."""
    parent = click.Context(cli, info_name="ecs-anim", max_content_width=WIDTH, terminal_width=WIDTH)
    sections = [_section("ecs-anim", cli.get_help(parent))]
    for name, command in cli.commands.items():
        context = click.Context(command, parent, name, max_content_width=WIDTH, terminal_width=WIDTH)
        sections.append(_section(f"ecs-anim {name}", command.get_help(context)))
    return "\n\n".join(sections)


def _section(title: str, text: str) -> str:
    return f"## {code(title)}\n\n```text\n{text}\n```"

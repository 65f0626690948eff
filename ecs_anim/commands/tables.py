"""Output of dictionaries and lists as tables.

If a table is wider than the terminal, the module prints a list instead, because names must stay complete.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ecs_anim.support.terminal import print_json, printable

MOST_ROWS = 100  # largest number of rows in a table; the layout of thousands of rows takes minutes
INDENT = "    "  # indent of continued lines


def print_facts(facts: dict[str, Any], *, as_json: bool) -> None:
    """Print the dictionary `facts` as JSON if `as_json` is True. Otherwise, print tables."""
    if as_json:
        print_json(facts)
    else:
        print_tables(facts)


def print_figures(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table. If the name of a column begins with `>`, the cells are aligned to the right."""
    from rich.table import Table

    from ecs_anim.support.console import Console

    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def print_tables(facts: dict[str, Any]) -> None:
    """Print each item of `facts` with its key as a title.

    The function prints a dictionary as key-value pairs, and a list of dictionaries as a table. A long table shows only
    its first rows. If a table is wider than the terminal, the function prints the key-value pairs of each dictionary on
    separate lines.
    """
    from ecs_anim.support.console import Console

    console = Console()
    for title, content in facts.items():
        if isinstance(content, dict):
            _print_pairs(console, content, title)
        elif content:
            _print_rows(console, title, content[:MOST_ROWS])
            if len(content) > MOST_ROWS:
                console.print(f"and {len(content) - MOST_ROWS:,} more {title.replace('_', ' ')}. List all with --json")


def _print_rows(console: Any, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for key, value in rows[0].items():
        table.add_column(key.replace("_", " "), justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    if console.measure(table, options=console.options.update(width=1 << 16)).maximum <= console.width:
        console.print(table)
        return
    console.print(title, style="italic")
    for row in rows:
        _print_pairs(console, row)


def _print_pairs(console: Any, pairs: Mapping[str, Any], title: str = "") -> None:
    """Print key-value pairs, several pairs in one line.

    A pair continues on the next line only if the pair is longer than a line.
    """
    from rich.cells import cell_len

    line = title
    for key, value in pairs.items():
        if value == "":
            continue
        pair = printable(f"{key.replace('_', ' ')} {value}")
        if line.strip() and cell_len(line) + 2 + cell_len(pair) > console.width:
            console.print(line)
            line = INDENT
        line += pair if not line.strip() else f"  {pair}"
    console.print(line)

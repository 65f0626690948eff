"""Plain data as tables."""

from typing import Any

MOST_ROWS = 100  # of a table; laying out thousands takes minutes, and nobody reads them


def print_tables(facts: dict[str, Any]) -> None:
    """Print each part under its title: an object on one line, a list of objects as a table, of its first rows."""
    from rich.table import Table
    from rich.text import Text

    from ecs_anim.support.console import Console

    console = Console()
    for title, content in facts.items():
        if isinstance(content, dict):
            facts_text = console.render_str("  ".join(f"{key} {value}" for key, value in content.items()))
            console.print(Text.assemble((title, "bold"), "  ", facts_text))
        elif content:
            table = Table(title=title, title_justify="left")
            for key, value in content[0].items():
                table.add_column(key.replace("_", " "), justify="left" if isinstance(value, str) else "right")
            for row in content[:MOST_ROWS]:
                table.add_row(*(str(value) for value in row.values()))
            console.print(table)
            if len(content) > MOST_ROWS:
                console.print(f"and {len(content) - MOST_ROWS:,} more {title.replace('_', ' ')}: --json lists all")

"""Helpers that write Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table. Line breaks and bars in cells are replaced or escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def code(text: object) -> str:
    """Return the text as code, or an empty text for an empty text."""
    return f"`{text}`" if f"{text}" else ""


def codes(names: Iterable[object]) -> str:
    """Return the names as code, separated by commas."""
    return ", ".join(map(code, names))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

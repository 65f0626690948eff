"""Functions that write Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table. In the cells, line breaks become spaces, and vertical bars are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def code(text: object) -> str:
    """Return `text` as Markdown code. Return an empty text unchanged."""
    return f"`{text}`" if f"{text}" else ""


def codes(names: Iterable[object]) -> str:
    """Return `names` as Markdown code, separated by commas."""
    return ", ".join(map(code, names))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

"""Small pieces of Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; what a cell says stays in it, whatever it is."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def code(text: object) -> str:
    """As code, nothing for nothing."""
    return f"`{text}`" if f"{text}" else ""


def codes(names: Iterable[object]) -> str:
    """As code, one after the other."""
    return ", ".join(map(code, names))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

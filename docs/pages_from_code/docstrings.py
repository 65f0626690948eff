"""Conversion of docstrings to reStructuredText.

In a docstring, single backticks mark `code`, and an indented block is an example.
"""

import dataclasses
import inspect
import re
from typing import Any

from ecs_anim.support.array_layouts import layout_of

FIELD = re.compile(r"    (\w+): ([^#=]+?)(?: = [^#]+?)?(?:  # (.*))?$")


def as_restructured_text(_app: Any, what: str, _name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Convert the docstring `lines` in place to reStructuredText. For a dataclass, add a list of its fields."""
    lines[:] = _with_examples([re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line) for line in lines])
    if what == "class" and dataclasses.is_dataclass(thing):
        lines += ["", *(f"* ``{name}``: {about}" for name, about in fields(thing)), ""]


def fields(thing: Any) -> list[tuple[str, str]]:
    """Return the name and the description of each public field.

    The description of a field consists of its shape and its comment. Without shape and comment, the description is the
    type.
    """
    found, above, types = [], "", {field.name: field.type for field in dataclasses.fields(thing)}
    for line in inspect.getsource(thing).splitlines():
        comment = re.match(r"    # (.*)", line)
        field = FIELD.match(line)
        if field and not field[1].startswith("_"):
            layout, beside = layout_of(types.get(field[1])), " ".join(filter(None, (above, field[3] or "")))
            about = ", ".join(filter(None, (layout and str(layout), beside)))
            found.append((field[1], about.replace("`", "``") or f"``{field[2]}``"))
        above = comment[1] if comment else ""
    return found


def _with_examples(lines: list[str]) -> list[str]:
    """Return the lines with each indented block marked as code."""
    result: list[str] = []
    for i, line in enumerate(lines):
        begins = line.startswith("    ") and i > 0 and not lines[i - 1].strip()
        if begins and not any(earlier.startswith("    ") for earlier in lines[max(i - 2, 0) : i]):
            result += ["::", ""]
        result.append(line)
    return result

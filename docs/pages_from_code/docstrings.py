"""Convert docstrings to reStructuredText, which Sphinx needs.

In a docstring, single backticks mark `code`, and an indented block is an example.
"""

import ast
import dataclasses
import inspect
import re
from itertools import takewhile
from textwrap import dedent
from typing import Any

from ecs_anim.support.array_layouts import layout_of

COMMENT = re.compile(r" *# (.*)")


def as_restructured_text(_app: Any, what: str, _name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Replace the docstring `lines` with reStructuredText. For a dataclass, also add a list of its fields."""
    lines[:] = _with_examples([re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line) for line in lines])
    if what == "class" and dataclasses.is_dataclass(thing):
        lines += ["", *(f"* ``{name}``: {about}" for name, about in fields(thing)), ""]


def fields(thing: Any) -> list[tuple[str, str]]:
    """Return the name and the description of each public field of a dataclass, with the fields of its base classes.

    The description of a field consists of its shape and its comments. Without shape and comments, the description is
    the type.
    """
    types = {field.name: field.type for field in dataclasses.fields(thing) if not field.name.startswith("_")}
    owners = [owner for owner in reversed(thing.__mro__) if "__dataclass_fields__" in vars(owner)]
    texts = {name: text for owner in owners for name, text in _texts(owner, types).items()}
    return list(texts.items())


def _texts(owner: type, types: dict[str, Any]) -> dict[str, str]:
    """Return a description of each field that the source code of a class declares. `types` contains the field types."""
    source = dedent(inspect.getsource(owner))
    (body,) = [node.body for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    found = {}
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in types:
            layout = layout_of(types[node.target.id])
            about = ", ".join(filter(None, (layout and str(layout), _comments(node, source.splitlines()))))
            found[node.target.id] = about.replace("`", "``") or f"``{ast.unparse(node.annotation)}``"
    return found


def _comments(node: ast.AnnAssign, lines: list[str]) -> str:
    """Return the comments directly above a field, and the comment behind the field, as one text."""
    assert node.end_lineno is not None
    above = takewhile(bool, map(COMMENT.fullmatch, reversed(lines[: node.lineno - 1])))
    behind = COMMENT.fullmatch(lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode())
    texts = [comment[1] for comment in above if comment][::-1]
    return " ".join([*texts, behind[1]] if behind else texts)


def _with_examples(lines: list[str]) -> list[str]:
    """Return the lines of a docstring, with each indented block marked as code."""
    result: list[str] = []
    for i, line in enumerate(lines):
        begins = line.startswith("    ") and i > 0 and not lines[i - 1].strip()
        if begins and not any(earlier.startswith("    ") for earlier in lines[max(i - 2, 0) : i]):
            result += ["::", ""]
        result.append(line)
    return result

"""Shorten the signatures on reference pages: arrays show only their number type, and dataclasses only field names."""

import dataclasses
import inspect
import re
from typing import Any

from docutils import nodes
from numpy.typing import ArrayLike
from sphinx import addnodes
from sphinx.util.typing import stringify_annotation

NAMES_ALONE = re.sub(r"~?\b(?:\w+\.)+", "", stringify_annotation(ArrayLike, "smart"))
ARRAY_LIKE = re.compile(
    re.escape(NAMES_ALONE).replace(re.escape("str | _"), r"(?:str \| )?_")
)  # avoids a repeated `str`
ARRAY = re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]")
NUMBERS = {"floating": "f32 or f64 array", "bool": "bool array", "Any": "array", "generic": "array"}
SHORT = {"float": "f", "int": "i", "uint": "u"}
PARTS = (addnodes.desc_annotation, addnodes.desc_returns, addnodes.desc_parameter)


def with_names_alone(
    _app: Any, what: str, _name: str, thing: Any, _options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Return the signature of a dataclass without types.

    The types are omitted, because the page lists the fields with shapes and units below the signature.
    """
    if what != "class" or not dataclasses.is_dataclass(thing) or not signature:
        return signature, returned
    parameters = inspect.signature(thing).parameters.values()
    return f"({', '.join(map(_with_default, parameters))})", returned


def shorten_annotations(_app: Any, tree: nodes.document) -> None:
    """Replace the types of arrays in all signatures, for example with `f32 array` for an array of 32-bit floats."""
    for kind in PARTS:
        for node in tree.findall(kind):
            text = node.astext().removeprefix(" -> ")
            short = shortened(text)
            if short != text:
                node.children = []
                node += nodes.Text(short)


def shortened(annotation: str) -> str:
    """Return the type annotation with short names for array types."""
    return ARRAY.sub(lambda array: _array(array[1]), ARRAY_LIKE.sub("ArrayLike", annotation))


def _array(number: str) -> str:
    kind, bits = re.fullmatch(r"([a-zA-Z]+)(\d*)", number).groups()  # type: ignore[union-attr]
    return NUMBERS.get(number) or f"{SHORT[kind]}{bits} array"


def _with_default(parameter: inspect.Parameter) -> str:
    default = parameter.default
    is_plain = isinstance(default, (bool, int, float, str, type(None)))
    return (
        parameter.name
        if default is parameter.empty
        else f"{parameter.name}={default!r}"
        if is_plain
        else f"{parameter.name}=..."
    )

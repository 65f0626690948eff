"""Heights from a formula in a scene file.

A formula uses a small subset of Python's expressions. The formula is never executed as Python code.
"""

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import elementary

LONGEST = 500  # largest number of characters in a formula
MOST_PARTS = 250  # largest number of nodes in the syntax tree of a formula
ALLOWED = "x, y, pi, numbers, + - * / % **, and sin cos tan sqrt abs exp floor min max clip"

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: elementary.power,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_ONE: dict[str, Callable[[Any], Any]] = {
    "sin": elementary.sin,
    "cos": elementary.cos,
    "tan": elementary.tan,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "exp": elementary.exp,
    "floor": np.floor,
}
_MANY: dict[str, Callable[[Any, Any], Any]] = {"min": np.minimum, "max": np.maximum}


class Expression:
    """A formula of x and y, for example `Expression("0.5 * sin(x / 4)")(x, y)`.

    Raises ValueError for an expression that is not allowed. The message states the position of the fault and the
    allowed expressions.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise ValueError(
                f"a formula must have at most {LONGEST} characters (got {len(text)}). Write a shorter formula."
            )
        try:
            self._body = ast.parse(" ".join(text.split()), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            column = getattr(error, "offset", None) or 1
            raise ValueError(f"the text must be a formula (error at column {column}). Use only {ALLOWED}") from None
        parts = sum(not isinstance(node, ast.expr_context) for node in ast.walk(self._body))
        if parts > MOST_PARTS:
            raise ValueError(
                f"a formula must have at most {MOST_PARTS} numbers, names and operators (got {parts}). Write a"
                " shorter formula."
            )
        self(0.0, 0.0)  # evaluates the formula once, which raises ValueError if an expression is not allowed

    def __call__(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return the values [...] of the formula at `x`, `y` [...].

        If the formula is undefined at a point, its value is NaN or inf.
        """
        x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        with np.errstate(all="ignore"):
            value = _value(self._body, {"x": x, "y": y, "pi": np.float64(math.pi)})
        return np.broadcast_to(value, x.shape).astype(np.float64)


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    match node:
        case ast.Constant(value=bool()):
            raise _fault(node)
        case ast.Constant(value=int() | float() as number):
            return _number(number, node)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=sign, operand=inner) if type(sign) in _UNARY:
            return _UNARY[type(sign)](_value(inner, names))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _BINARY[type(sign)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, [_value(argument, names) for argument in arguments], node)
    raise _fault(node)


def _call(name: str, values: list[Any], node: ast.expr) -> Any:
    if name in _ONE and len(values) == 1:
        return _ONE[name](values[0])
    if name in _MANY and len(values) > 1:
        result = values[0]
        for value in values[1:]:
            result = _MANY[name](result, value)
        return result
    if name == "clip" and len(values) == 3:
        return np.minimum(np.maximum(values[0], values[1]), values[2])
    raise _fault(node)


def _number(number: float, node: ast.expr) -> np.float64:
    try:
        return np.float64(number)
    except OverflowError:
        raise _fault(node) from None


def _fault(node: ast.expr) -> ValueError:
    written = ast.unparse(node)
    expression = written if len(written) <= 40 else f"{written[:37]}..."
    return ValueError(f"{expression!r} at column {node.col_offset + 1} is not allowed in a formula. Use only {ALLOWED}")

"""Formulas: what is allowed means what it does in Python, and nothing else is let in."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.ground.expression import LONGEST, Expression

PYTHON = {"sin": math.sin, "cos": math.cos, "tan": math.tan, "sqrt": math.sqrt, "exp": math.exp, "abs": abs}
PYTHON |= {"floor": math.floor, "min": min, "max": max, "pi": math.pi}
PYTHON["clip"] = lambda value, low, high: min(max(value, low), high)


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "x",
        "-x + +y",
        "0.5 * sin(x / 4) + cos(y) ** 2",
        "x % 3 - y % -2.5",
        "2 ** -x",
        "min(x, y, 1) + max(x, 0)",
        "clip(x * y, -1, pi)",
        "floor(x) / 7 + abs(y)",
        "sqrt(x * x + y * y)",
        "exp(-x * x) * tan(y)",
        "  1 + 2e-1",
        "x\n + y",
    ],
)
@given(st.floats(-20, 20), st.floats(-20, 20))
def test_formulas_mean_what_python_means(text, x, y):
    expected = eval(f"({text})", {"__builtins__": {}}, {**PYTHON, "x": x, "y": y})
    assert Expression(text)(x, y) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_formulas_take_arrays_that_broadcast():
    x, y = np.arange(4.0)[None, :], np.arange(3.0)[:, None]
    np.testing.assert_array_equal(Expression("x + 10 * y")(x, y), x + 10 * y)
    assert Expression("2")(x, y).shape == (3, 4)


@pytest.mark.parametrize("text", ["1 / x", "sqrt(x)", "9 ** 9 ** 9 ** 9", "exp(1e300)", "(0 - 1) ** 0.5", "1e999"])
def test_what_has_no_value_is_not_finite_and_no_error(text):
    assert not np.isfinite(Expression(text)(np.array([0.0, -1.0]), 0.0)).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("z", "'z' at column 1"),
        ("x + open(y)", "'open\\(y\\)' at column 5"),
        ("__import__('os').system('ls')", "column 1 is not allowed"),
        ("x.real", "'x.real' at column 1"),
        ("x[0]", "not allowed"),
        ("[x]", "not allowed"),
        ("'a' * 3", "not allowed"),
        ("True + x", "'True' at column 1"),
        ("1j * x", "not allowed"),
        ("x if y else 1", "not allowed"),
        ("x < 1", "not allowed"),
        ("x // 2", "not allowed"),
        ("x and y", "not allowed"),
        ("~x", "not allowed"),
        ("lambda: 1", "not allowed"),
        ("(z := 1)", "not allowed"),
        ("sin", "'sin' at column 1"),
        ("sin()", "not allowed"),
        ("sin(x, y)", "not allowed"),
        ("min(x)", "not allowed"),
        ("clip(x, 1)", "not allowed"),
        ("sin(x=1)", "not allowed"),
        ("min(*x)", "not allowed"),
        ("1" + "0" * 400, "not allowed"),
        ("", "must be a formula"),
        ("x +", "must be a formula"),
        ("x; y", "must be a formula"),
        ("x = 1", "must be a formula"),
        ("x\0", "must be a formula"),
        ("-" * 490 + "x", "at most"),
        ("x+" * 240 + "x", "at most"),
        ("x" * (LONGEST + 1), "at most"),
        ("x +\n  y +\n  z", "'z' at column 9"),
    ],
)
def test_everything_else_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        Expression(text)


@pytest.mark.exhaustive
@given(st.text("xy()+-*/%.,1e9 sincolabmp_[]'=", max_size=30))
def test_any_text_is_a_formula_or_a_value_error_of_one_line(text):
    said = ""
    try:
        Expression(text)
    except ValueError as error:
        said = str(error)
    assert "\n" not in said

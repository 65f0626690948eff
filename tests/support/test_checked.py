"""Arguments are held to what signatures say."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
import pytest
from numpy.typing import ArrayLike

from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError


class Walks(Protocol):
    def walk(self) -> None: ...


class Change(TypedDict, total=False):
    distance: float


class Thing:
    @checked
    def grow(self, by: float, *, how: Literal["fast", "slow"] | None = None) -> float:
        """Grow."""
        return by


@checked
def act(
    number: float = 0.0,
    count: int = 0,
    flag: bool = False,
    name: str = "",
    path: str | os.PathLike[str] = "",
    names: Sequence[str] = (),
    table: Mapping[str, int] | None = None,
    change: Change | None = None,
    call: Callable[[], None] = print,
    thing: Thing | None = None,
    kind: Literal["linear", "cubic"] = "linear",
    phase: float | Literal["match"] = 0.0,
    array: ArrayLike = 0,
    walker: Walks | None = None,
    anything: Any = None,
    pair: tuple[int, int] = (0, 0),
    counts: tuple[int, ...] = (),
) -> str:
    return "done"


GOOD = {
    "number": [0, 1.5, np.float32(2), np.int64(3), Fraction(1, 2), -1e300],
    "count": [0, 10**30, np.uint8(3)],
    "flag": [True, np.True_, 0, 1],
    "name": ["", "x", "\0"],
    "path": ["x", Path("x")],
    "names": [[], ["a"], ("a", "b")],
    "table": [{}, {"a": 1}, None],
    "change": [{}, {"distance": 1.0}, None],
    "call": [print, lambda: None, Thing],
    "thing": [Thing(), None],
    "kind": ["linear", "cubic"],
    "phase": ["match", 0.5],
    "array": [1, [1, 2], "x", None, object()],
    "walker": [object(), None],
    "anything": [object(), None, 3],
    "pair": [(1, 2), [1, 2], "ab"],
    "counts": [(), (1, 2, 3), [1]],
}
BAD = {
    "number": ["1", None, 1j, [1.0], np.zeros(2), True],
    "count": ["1", None, True, [1]],
    "flag": ["no", None, 0.5],
    "name": [1, None, b"x", Path("x")],
    "path": [1, None, b"x", "\0"],
    "names": ["abc", [1], None, {"a"}],
    "table": [[], 3, {1: 1}, {"a": "b"}],
    "change": [[], 3],
    "call": ["print", None],
    "thing": [Thing, 3],
    "kind": [1, None],
    "counts": [3, "12", ["a"], None],
    "phase": ["mach", None],
}


@pytest.mark.parametrize("name", GOOD)
def test_what_the_signature_says_passes(name):
    for value in GOOD[name]:
        assert act(**{name: value}) == "done"


@pytest.mark.parametrize("name", BAD)
def test_other_types_are_told_in_one_line(name):
    for value in BAD[name]:
        with pytest.raises(TypeError, match=rf"^act\(\): {name} must be [^\n]+ \(got [^\n]*\)$"):
            act(**{name: value})


def test_they_are_told_by_position_too():
    with pytest.raises(TypeError, match=r"^act\(\): count must be a whole number \(got 'x'\)$"):
        act(1.0, "x")
    with pytest.raises(TypeError, match=r"^grow\(\): by must be a finite number \(got None\)$"):
        Thing().grow(None)
    with pytest.raises(TypeError, match=r"path must be a string or a path \(got 3\)"):
        act(path=3)
    assert Thing().grow(2.0, how="fast") == 2.0


def test_lists_and_dicts_are_told_with_what_they_hold():
    with pytest.raises(TypeError, match=r"^act\(\): names must be a list, each a string \(got \[1\]\)$"):
        act(names=[1])
    with pytest.raises(TypeError, match=r"counts must be a list, each a whole number \(got \('a',\)\)$"):
        act(counts=("a",))
    with pytest.raises(TypeError, match=r"table must be a dict, each a whole number or None \(got {'a': 'b'}\)$"):
        act(table={"a": "b"})


@pytest.mark.parametrize("value", [math.nan, math.inf, np.float32("nan")])
def test_another_number_would_do(value):
    with pytest.raises(ValueError, match="number must be a finite number"):
        act(number=value)
    with pytest.raises(ValueError, match="count must be a whole number"):
        act(count=value)
    with pytest.raises(ValueError, match="count must be a whole number"):
        act(count=1.5)


def test_names_are_told_with_the_nearest():
    with pytest.raises(InputError, match=r"^no kind 'linaer'; did you mean 'linear'\? kinds are: linear, cubic$"):
        act(kind="linaer")
    with pytest.raises(
        TypeError, match=r"^act\(\) has no option 'numbr'; did you mean 'number'\? its options are: number, "
    ):
        act(numbr=1)
    with pytest.raises(TypeError, match=r"^grow\(\) has no option 'jnuk'; its options are: by, how$"):
        Thing().grow(1.0, jnuk=1)


def test_the_function_is_still_itself():
    assert (Thing.grow.__name__, Thing.grow.__doc__) == ("grow", "Grow.")
    assert act.__wrapped__.__defaults__ is not None

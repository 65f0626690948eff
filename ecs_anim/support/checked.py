"""Calls from outside, held to what their signatures say: an argument of another type is told in one line.

What a value has to be besides (its range, its shape) each function sees to, with `ecs_anim.support.arguments`.
"""

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from types import UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from ecs_anim.support.arguments import brief, unknown
from ecs_anim.support.errors import nearest

Given = ParamSpec("Given")
Made = TypeVar("Made")
Test = Callable[[Any], bool]  # whether a value is of a type


def checked(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """The function, but arguments that are not of the types it declares are told before it runs.

    Raises TypeError for another type and for an option that it does not have, ValueError for a number that is not
    finite or not whole, InputError for a name that is none of a `Literal`. Arrays, protocols and whatever `Any` is
    pass: what they hold is the function's to look at.
    """
    parameters = signature(function).parameters
    positional = [name for name, parameter in parameters.items() if parameter.kind is not Parameter.KEYWORD_ONLY]
    options = [name for name in parameters if name != "self"]

    @cache
    def hints() -> dict[str, tuple[Any, Test]]:
        return {name: (hint, _test_of(hint)) for name, hint in get_type_hints(function).items()}

    @wraps(function)
    def call(*given: Given.args, **named: Given.kwargs) -> Made:
        require_options(function.__name__, named, options)
        known = hints()
        for name, value in (*zip(positional, given, strict=False), *named.items()):
            if name in known:
                hint, test = known[name]
                if not test(value):
                    raise _refusal(function.__name__, name, value, hint)
        return function(*given, **named)

    return call


def require_options(function: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Raises TypeError where a function is given options by names that it does not have."""
    for name in given:
        if name not in known:
            raise TypeError(f"{function}() does not know {name!r};{nearest(name, known)} it knows: {', '.join(known)}")


def require_type(what: str, value: object, kind: type) -> None:
    """Raises TypeError where a value is of another type."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} must be a {kind.__name__} (got {brief(value)})")


def _refusal(function: str, name: str, value: object, hint: Any) -> Exception:
    """What tells that a value is not of a type."""
    if get_origin(hint) is Literal and isinstance(value, str):
        return unknown(name, value, map(str, get_args(hint)))
    wanted = " or ".join(dict.fromkeys(_words(hint)))
    is_number = isinstance(value, Real) and not isinstance(value, bool) and {int, float} & {hint, *get_args(hint)}
    error = ValueError if is_number else TypeError  # another number would do
    return error(f"{function}(): {name} must be {wanted} (got {brief(value)})")


def _test_of(hint: Any) -> Test:
    """Tells values that are of a type, made once for all calls; those that can only be seen in use pass."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        tests, names_file = [_test_of(part) for part in parts], any(get_origin(part) is os.PathLike for part in parts)
        return lambda value: any(test(value) for test in tests) and not (names_file and _cannot_name(value))
    if kind is Literal:
        return lambda value: any(value is option or (isinstance(value, str) and value == option) for option in parts)
    if kind is Sequence:
        (test,) = map(_test_of, parts)
        return lambda value: isinstance(value, Sequence) and not isinstance(value, str) and all(map(test, value))
    if kind in NUMBERS:
        return NUMBERS[kind]
    if is_typeddict(kind):
        kind = Mapping
    return (lambda value: isinstance(value, kind)) if _can_be_told(kind) else lambda value: True


def _cannot_name(value: object) -> bool:
    """Whether a string holds what no file's name does."""
    return isinstance(value, str) and "\0" in value


def _is_finite(value: object) -> bool:
    """`float` first: asking whether a class is a `Real` takes longer."""
    return isinstance(value, (float, Real)) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, Integral)) and not isinstance(value, bool)


def _is_truth(value: object) -> bool:
    return isinstance(value, (bool, Integral, np.bool_))


NUMBERS: Mapping[Any, Test] = {float: _is_finite, int: _is_whole, bool: _is_truth}


def _can_be_told(kind: Any) -> bool:
    """Whether a value alone says if it is of this type."""
    return isinstance(kind, type) and not getattr(kind, "_is_protocol", False) and kind not in (Any, np.ndarray, tuple)


def _words(hint: Any) -> Iterable[str]:
    """How people call a type, each of a union."""
    kind = get_origin(hint) or hint
    if kind in (Union, UnionType):
        for part in get_args(hint):
            yield from _words(part)
    elif kind is Literal:
        yield from (repr(option) for option in get_args(hint))
    elif is_typeddict(kind):
        yield "a dict"
    else:
        yield WORDS.get(kind) or f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}"


WORDS: Mapping[Any, str] = {
    type(None): "None",
    float: "a finite number",
    int: "a whole number",
    bool: "true or false",
    str: "a string",
    os.PathLike: "a path",
    Sequence: "a list",
    Mapping: "a dict",
    Callable: "a function",
}

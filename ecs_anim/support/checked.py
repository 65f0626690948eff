"""Type checks of arguments in calls from user code.

For an argument of a wrong type, the check raises an error with a message of one line. The called function itself must
check ranges and shapes, for example with `ecs_anim.support.arguments`.
"""

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from operator import call as passes
from types import UnionType
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_type_hints, is_typeddict

import numpy as np

from ecs_anim.support.arguments import brief, unknown
from ecs_anim.support.array_layouts import Layout, Lengths, layout_of, require_layout
from ecs_anim.support.errors import nearest
from ecs_anim.support.hints import taken_apart

Given = ParamSpec("Given")
Made = TypeVar("Made")
Test = Callable[[Any], bool]  # returns whether a value has a type


def checked(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """Return `function` with a check of its arguments against the type annotations.

    The returned function raises TypeError for a wrong type or an unknown option. The returned function raises
    ValueError for a number that is not finite, and for a fraction in place of an integer. The returned function raises
    InputError for a name that is not in the `Literal` annotation of a parameter. If the annotation of a parameter is an
    array type, a protocol or `Any`, the check accepts every value. `function` itself must check such an argument.
    """
    name = function.__qualname__.removesuffix(".__init__").rpartition(".")[-1]  # name of the class for `__init__`
    return _guarded(function, name, f"{name}(): ", lambda value: True)


def checked_fields(kind: type[Made]) -> type[Made]:
    """Return the dataclass `kind` with a check of its fields against their type annotations.

    The docstring of `checked` states the rules of this check.

    An array must contain numbers and must have the `Shape` of its annotation. For any other array, the dataclass raises
    a ValueError that names the array.
    """
    made = vars(kind)["__init__"]
    setattr(kind, "__init__", _guarded(made, kind.__name__, f"{kind.__name__}.", _holds_numbers))  # noqa: B010
    return kind


def _guarded(function: Callable[Given, Made], name: str, label: str, array: Test) -> Callable[Given, Made]:
    """Return `function` with a check of its arguments. Messages begin with `label`.

    `array` tests whether a value is a valid array.
    """
    parameters = signature(function).parameters
    positional = [own for own, parameter in parameters.items() if parameter.kind is not Parameter.KEYWORD_ONLY]
    options = [own for own in parameters if own != "self"]

    @cache
    def declared() -> tuple[dict[str, Any], dict[str, Test], list[Test], dict[str, Layout]]:
        hints = get_type_hints(function, include_extras=True)
        tests = {own: _test_of(hints.get(own, Any), array) for own in parameters}
        layouts = {own: layout for own, hint in hints.items() if (layout := layout_of(hint))}
        return hints, tests, [tests[own] for own in positional], layouts

    @wraps(function)
    def call(*given: Given.args, **named: Given.kwargs) -> Made:
        hints, tests, in_order, layouts = declared()
        fits = all(map(passes, in_order, given))
        if named:
            require_options(name, named, options)
            fits = fits and all(tests[own](value) for own, value in named.items())
        if not fits:
            values = (*zip(positional, given, strict=False), *named.items())
            own, wrong = next((own, value) for own, value in values if not tests[own](value))
            raise _refusal(f"{label}{own}", own, wrong, hints[own])
        if layouts:
            _require_layouts(label, layouts, dict(zip(positional, given, strict=False)) | named)
        return function(*given, **named)

    return call


def require_options(function: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Raise TypeError if one of the options `given` is not among the options `known` of a function."""
    for name in given:
        if name not in known:
            raise TypeError(
                f"{function}() has no option {name!r};{nearest(name, known)} its options are: {', '.join(known)}"
            )


def require_type(name: str, value: object, kind: type) -> None:
    """Raise TypeError if `value` does not have the type `kind`. The message begins with `name`."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__} (got {brief(value)})")


def _require_layouts(label: str, layouts: Mapping[str, Layout], given: Mapping[str, object]) -> None:
    lengths = Lengths()
    for name, layout in layouts.items():  # in declared order; the first array determines the lengths
        if given.get(name) is not None:
            require_layout(f"{label}{name}", layout, given[name], lengths)


def _refusal(what: str, name: str, value: object, hint: Any) -> Exception:
    """Return the error for a value of a wrong type. The message of the error names the valid types."""
    kind, parts = taken_apart(hint)
    if kind is Literal and isinstance(value, str):
        return unknown(name, value, map(str, parts))
    wanted = " or ".join(dict.fromkeys(_words(hint)))
    options = parts if kind in (Union, UnionType) else (hint,)
    is_number = isinstance(value, Real) and not isinstance(value, bool) and {int, float} & {*options}
    error = ValueError if is_number else TypeError  # ValueError: the type is right, and the number is invalid
    return error(f"{what} must be {wanted} (got {brief(value)})")


def _test_of(hint: Any, array: Test) -> Test:
    """Return a function that tests whether a value has the type `hint`.

    If `isinstance` cannot test for a type, the returned function accepts all values.
    """
    kind, parts = taken_apart(hint)
    if kind is Annotated:
        return _test_of(parts[0], array)
    if kind in (Union, UnionType):
        tests = [_test_of(part, array) for part in parts]
        names_file = any(taken_apart(part)[0] is os.PathLike for part in parts)
        return lambda value: any(test(value) for test in tests) and not (names_file and _cannot_name(value))
    if kind is Literal:
        return lambda value: (isinstance(value, str) and value in parts) or any(value is option for option in parts)
    if kind is Sequence or (kind is tuple and parts[1:] == (...,)):
        each = _test_of(parts[0], array)
        return lambda value: isinstance(value, Sequence) and not isinstance(value, str) and all(map(each, value))
    if kind is Mapping and parts:
        key, item = (_test_of(part, array) for part in parts)
        return lambda value: isinstance(value, Mapping) and all(map(key, value)) and all(map(item, value.values()))
    if kind is np.ndarray:
        return array
    if kind in NUMBERS:
        return NUMBERS[kind]
    if is_typeddict(kind):
        kind = Mapping
    return (lambda value: isinstance(value, kind)) if _can_be_told(kind) else lambda value: True


def _cannot_name(value: object) -> bool:
    """Return whether `value` is a string with a character that no file name can have."""
    return isinstance(value, str) and "\0" in value


def _is_finite(value: Any) -> bool:
    is_real = type(value) is float or (
        isinstance(value, Real) and not isinstance(value, bool)
    )  # the second test is slower
    return is_real and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _is_truth(value: object) -> bool:
    return isinstance(value, (bool, Integral, np.bool_))


def _holds_numbers(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


NUMBERS: Mapping[Any, Test] = {float: _is_finite, int: _is_whole, bool: _is_truth}


def _can_be_told(kind: Any) -> bool:
    """Return whether `isinstance` can test values for the type `kind`."""
    return isinstance(kind, type) and not getattr(kind, "_is_protocol", False) and kind not in (Any, tuple)


def _words(hint: Any) -> Iterable[str]:
    """Yield the names that messages use for the type `hint`. For a union, yield a name for each type of the union."""
    kind, parts = taken_apart(hint)
    if kind is Annotated:
        yield from _words(parts[0])
    elif kind in (Union, UnionType):
        for part in parts:
            yield from _words(part)
    elif kind is Literal:
        yield from (repr(option) for option in parts)
    elif is_typeddict(kind):
        yield "a dict"
    else:
        word = WORDS.get(kind) or f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}"
        each = _item_of(hint)
        yield word if each in (Any, object) else f"{word}, each {' or '.join(_words(each))}"


def _item_of(hint: Any) -> Any:
    """Return the item type that the annotation `hint` of a list or a dict states."""
    match taken_apart(hint):
        case (origin, (item, *_)) if origin in (Sequence, tuple):
            return item
        case (origin, (_, item)) if origin is Mapping:
            return item
    return object


WORDS: Mapping[Any, str] = {
    type(None): "None",
    float: "a finite number",
    int: "a whole number",
    bool: "true or false",
    str: "a string",
    os.PathLike: "a path",
    np.ndarray: "an array of numbers",
    Sequence: "a list",
    tuple: "a list",
    Mapping: "a dict",
    Callable: "a function",
}

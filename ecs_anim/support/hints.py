"""Analysis of type hints at run time.

The functions of this module replace a type alias by the type itself. Libraries declare aliases in several ways. For
example, `NDArray` is a plain alias before numpy 2.5, and a `type` statement in numpy 2.5 and later. The functions of
this module support both of these forms.
"""

from collections.abc import Iterator
from typing import Any, get_args, get_origin


def taken_apart(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the origin and the arguments of the type `hint`, such as `list` and `(int,)` for `list[int]`.

    For a type without arguments, the origin is the type itself.
    """
    origin, parts = get_origin(hint) or hint, get_args(hint)
    if not hasattr(origin, "__value__"):  # `typing.TypeAliasType`, which Python 3.11 does not have
        return origin, parts
    return taken_apart(_named_type(origin, parts))


def _named_type(alias: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the type that `alias` names, with `arguments` in place of the type parameters of the alias."""
    given = dict(zip(alias.__type_params__, arguments, strict=False))
    wanted = getattr(alias.__value__, "__parameters__", ()) if given else ()
    return alias.__value__[tuple(given[parameter] for parameter in wanted)] if wanted else alias.__value__


def classes_in(hint: Any) -> Iterator[type]:
    """Yield all classes among the arguments of the type `hint`. If `hint` has no arguments, yield `hint` itself."""
    kind, parts = taken_apart(hint)
    for part in parts:
        yield from classes_in(part)
    if not parts and isinstance(kind, type):
        yield kind

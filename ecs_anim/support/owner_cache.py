"""Values that are computed once for an object, and forgotten with the object."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Owner = TypeVar("Owner")
Options = ParamSpec("Options")
Value = TypeVar("Value")


def cached_by_owner(
    function: Callable[Concatenate[Owner, Options], Value],
) -> Callable[Concatenate[Owner, Options], Value]:
    """Decorate a function that computes a value from an object, its owner, and from hashable options.

    The cache refers to the owner weakly. The value must not refer to the owner: the owner would never be freed.
    """
    known: WeakKeyDictionary[Owner, dict[Hashable, Value]] = WeakKeyDictionary()

    @wraps(function)
    def cached(owner: Owner, /, *options: Options.args, **named: Options.kwargs) -> Value:
        values = known.setdefault(owner, {})
        asked = (options, tuple(named.items()))
        if asked not in values:
            values[asked] = function(owner, *options, **named)
        return values[asked]

    return cached

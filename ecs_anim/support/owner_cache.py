"""A cache for values that belong to an object. When Python frees the object, Python also frees its cached values."""

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
    """Return `function` with a cache. `function` computes a value from an object, the owner, and from hashable options.

    The cache has only a weak reference to the owner. The value must not refer to the owner, because Python could then
    never free the owner.
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

"""Unique names for objects whose names come from files or users."""

from collections.abc import Iterable, Sequence


def unique_names(names: Iterable[str | None], unnamed: str) -> list[str]:
    """Return unique names for the objects with the names `names`.

    An object without a name gets the name `<unnamed>_<index>`. If several objects share a name, the first object keeps
    the name. The following objects get the names `<name>_2`, `<name>_3` and so on. A name that the function makes
    always differs from all names in `names`.
    """
    wanted = [name or f"{unnamed}_{index}" for index, name in enumerate(names)]
    reserved, taken, counters = set(wanted), set[str](), dict[str, int]()
    result = []
    for name in wanted:
        unique = name
        while unique in taken or (unique is not name and unique in reserved):
            counters[name] = counters.get(name, 1) + 1
            unique = f"{name}_{counters[name]}"
        taken.add(unique)
        result.append(unique)
    return result


def repeated(names: Sequence[str]) -> str | None:
    """Return the first repeated name, or None if all names differ."""
    return next((name for number, name in enumerate(names) if name in names[:number]), None)

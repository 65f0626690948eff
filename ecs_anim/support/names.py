"""Names of things that files, or people, call as they like."""

from collections.abc import Iterable, Sequence


def unique_names(names: Iterable[str | None], unnamed: str) -> list[str]:
    """Names made unique: an empty one becomes `<unnamed>_<index>`, a repeated one `<name>_2`, `<name>_3`...

    The first bearer keeps a name, and a name that the file itself uses is never handed out.
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
    """The first name that has been there before; None where each is another one."""
    return next((name for number, name in enumerate(names) if name in names[:number]), None)

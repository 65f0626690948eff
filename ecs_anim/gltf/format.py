"""The error of the glTF loader, with the place in the file, and the checks that many loader parts share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class FormatError(ValueError):
    """A fault in the file. `load_rig` turns it into an InputError that names the file as well."""

    def __init__(self, where: str, rule: str) -> None:
        super().__init__(f"{where}: {rule}" if where else rule)


def brief(value: Any) -> str:
    """A value as an error message shows it, at most 40 characters."""
    text = repr(value) if isinstance(value, int | float | str | bool) else f"a {type(value).__name__}"
    return text if len(text) <= 40 else text[:37] + "..."


def whole(value: Any) -> int | None:
    """The integer that a JSON number is, for 1.0 as for 1; None for everything else."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def object_of(value: Any, where: str) -> dict[str, Any]:
    """A JSON object, an empty one for what is absent. Raises FormatError for anything else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FormatError(where, f"must be an object (got {brief(value)})")
    return value


def key_of(name: str) -> str:
    """A key of an object as an error's place shows it."""
    return name if name.isidentifier() and len(name) <= 40 else brief(name)


def check_index(value: Any, count: int, kind: str, where: str) -> int:
    """An index into a list of `count`. Raises FormatError."""
    index = whole(value)
    if index is None or not 0 <= index < count:
        raise FormatError(where, f"must be one of the file's {count} {kind} (got {brief(value)})")
    return index


def check_length(value: list[Any], length: int, where: str) -> list[Any]:
    """A list of `length` numbers. Raises FormatError."""
    if len(value) != length:
        raise FormatError(where, f"must have {length} numbers (got {len(value)})")
    return value


def check_finite(array: NDArray[Any], where: str, row: str = "element") -> None:
    """Raise FormatError naming the first row of an array that holds an infinity or a NaN."""
    if not np.isfinite(array).all():
        first = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise FormatError(where, f"must be finite ({row} {first} is {np.asarray(array[first]).tolist()})")

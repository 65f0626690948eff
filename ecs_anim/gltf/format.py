"""The error class of the glTF loader with a location in the file, and checks that many loader modules share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class FormatError(ValueError):
    """Error in a glTF file. `load_rig` converts a FormatError to an InputError that also names the file."""

    def __init__(self, where: str, rule: str) -> None:
        super().__init__(f"{where}: {rule}" if where else rule)


def brief(value: Any) -> str:
    """Return a text for `value` in an error message, with at most 40 characters."""
    text = repr(value) if isinstance(value, int | float | str | bool) else f"a {type(value).__name__}"
    return text if len(text) <= 40 else text[:37] + "..."


def whole(value: Any) -> int | None:
    """Return the integer value of a JSON number such as 1 or 1.0. Return None for all other values."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def object_of(value: Any, where: str) -> dict[str, Any]:
    """Return `value` if it is a JSON object, or an empty object for None. Raise FormatError for other values."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FormatError(where, f"must be an object (got {brief(value)})")
    return value


def key_of(name: str) -> str:
    """Return the key `name` in the form of error locations."""
    return name if name.isidentifier() and len(name) <= 40 else brief(name)


def check_index(value: Any, count: int, kind: str, where: str) -> int:
    """Return `value` if it is an index into a list of `count` items. Raise FormatError for other values."""
    index = whole(value)
    if index is None or not 0 <= index < count:
        raise FormatError(where, f"must be one of the file's {count} {kind} (got {brief(value)})")
    return index


def check_length(value: list[Any], length: int, where: str) -> list[Any]:
    """Return `value` if it is a list of `length` numbers. Raise FormatError for other values."""
    if len(value) != length:
        raise FormatError(where, f"must have {length} numbers (got {len(value)})")
    return value


def check_finite(array: NDArray[Any], where: str, row: str = "element") -> None:
    """Raise FormatError for an array with an infinity or a NaN. The message names the first row with such a number."""
    if not np.isfinite(array).all():
        first = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise FormatError(where, f"must be finite ({row} {first} is {np.asarray(array[first]).tolist()})")

"""The error class of the glTF loader, and checks that many modules of the loader use."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class FormatError(ValueError):
    """Error in a glTF file, with a location in the file.

    `load_rig` converts a FormatError to an InputError with the file name.
    """

    def __init__(self, where: str, rule: str) -> None:
        super().__init__(f"{where}: {rule}" if where else rule)


def invalid(where: str, rule: str) -> FormatError:
    """Return the error for data that only a new export of the model can repair."""
    return FormatError(where, f"{rule}. Export the model again.")


def brief(value: Any) -> str:
    """Return a text with at most 40 characters that shows `value` in an error message."""
    text = repr(value) if isinstance(value, int | float | str | bool) else f"a {type(value).__name__}"
    return text if len(text) <= 40 else text[:37] + "..."


def whole(value: Any) -> int | None:
    """Return the integer value of a JSON number such as 1 or 1.0. For all other JSON values, return None."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def object_of(value: Any, where: str) -> dict[str, Any]:
    """Return `value` if `value` is a JSON object. For None, return an empty object.

    If `value` is invalid, raise FormatError.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(where, f"the value must be a JSON object (got {brief(value)})")
    return value


def key_of(name: str) -> str:
    """Return the JSON key `name` in the form that error locations use."""
    return name if name.isidentifier() and len(name) <= 40 else brief(name)


def check_index(value: Any, count: int, kind: str, where: str) -> int:
    """Return `value` if `value` is a valid index of a list with `count` items.

    If `value` is invalid, raise FormatError.
    """
    index = whole(value)
    if index is None or not 0 <= index < count:
        raise invalid(where, f"the value must be the index of one of the file's {count} {kind} (got {brief(value)})")
    return index


def check_length(value: list[Any], length: int, where: str) -> list[Any]:
    """Return `value` if `value` is a list with `length` numbers. If `value` is invalid, raise FormatError."""
    if len(value) != length:
        raise invalid(where, f"the list must have {length} numbers (got {len(value)})")
    return value


def check_finite(array: NDArray[Any], where: str, row: str = "element") -> None:
    """Raise FormatError if an array contains infinity or NaN.

    The message contains the index of the first invalid row.
    """
    if not np.isfinite(array).all():
        first = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise invalid(where, f"all numbers must be finite ({row} {first} is {np.asarray(array[first]).tolist()})")

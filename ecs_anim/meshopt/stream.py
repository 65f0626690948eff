"""Code that all stream decoders share: the error class, and integers with seven bits per byte."""

from collections.abc import Sequence

LONGEST = 5  # largest number of bytes of a varint


class StreamError(ValueError):
    """Error for an invalid stream. The message describes the fault."""


CUT = "the meshopt stream is incomplete"
TOO_LONG = "the meshopt stream has more bytes than its elements need"


def varint(data: Sequence[int], position: int, end: int) -> tuple[int, int]:
    """Return the 32-bit integer (unsigned LEB128) at `position`, and the position after this integer.

    Raises StreamError for invalid data.
    """
    value = 0
    for k in range(LONGEST):
        if position >= end:
            raise StreamError(CUT)
        byte = data[position]
        position += 1
        value |= (byte & 127) << (7 * k)
        if byte < 128:
            return value & 0xFFFFFFFF, position
    raise StreamError("the meshopt stream must not have an integer of more than five bytes")


def unzigzag(value: int) -> int:
    """Return the signed integer that `value` encodes. The lowest bit of `value` is the sign."""
    return -1 - (value >> 1) if value & 1 else value >> 1

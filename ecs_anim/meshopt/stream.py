"""What all streams share: how a fault is told, and integers of seven bits a byte."""

from collections.abc import Sequence

LONGEST = 5  # bytes of a varint


class StreamError(ValueError):
    """A stream that no encoder writes; the message says what is wrong with it."""


CUT = "is incomplete"
TOO_LONG = "has more bytes than its elements need"


def varint(data: Sequence[int], position: int, end: int) -> tuple[int, int]:
    """A 32-bit integer (unsigned LEB128) at a position, and where the next one begins. Raises StreamError."""
    value = 0
    for k in range(LONGEST):
        if position >= end:
            raise StreamError(CUT)
        byte = data[position]
        position += 1
        value |= (byte & 127) << (7 * k)
        if byte < 128:
            return value & 0xFFFFFFFF, position
    raise StreamError("must not have an integer of more than five bytes")


def unzigzag(value: int) -> int:
    """The signed integer of one whose lowest bit is the sign."""
    return -1 - (value >> 1) if value & 1 else value >> 1

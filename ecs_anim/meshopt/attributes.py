"""Decoder for vertex attributes: mode 0 of the compression extension (appendix A).

A stream stores the difference of each byte of an element from the same byte of the previous element. Sixteen
differences form a group. A first pass finds the position and the bit width of each group. A second pass unpacks all
groups with equal bit width in one numpy call.
"""

from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.meshopt.stream import CUT, TOO_LONG, StreamError

Bytes = NDArray[np.uint8]

HEADERS = (0xA0, 0xA1)  # versions 0 and 1
GROUP = 16  # number of elements in a group of one-byte differences
BLOCK_BYTES, BLOCK_ELEMENTS = 8192, 256
TAIL = (32, 24)  # the tail of a stream has at least this number of bytes, in version 0 and in version 1
WIDTHS = ((0, 1, 2, 4), (1, 2, 4, 8))  # number of bits of a difference, by control mode and group header (version 1)
OLD_WIDTHS = (0, 2, 4, 8)  # number of bits of a difference in version 0, by group header
# control modes without group headers: all differences are 0, or all bytes are stored unchanged
ALL_ZERO, LITERAL = 2, 3
BYTES, WORDS, ROTATED = range(3)  # channel modes: the type of differences in a channel of four bytes


class _Groups(NamedTuple):
    """All groups whose differences have the same number of bits."""

    positions: "array[int]"  # position of each group in the stream
    # place in the output: number of the byte within an element * number of groups + number of the group
    places: "array[int]"


def decode_attributes(data: bytes, count: int, stride: int) -> Bytes:
    """Return the elements [count, stride] u8 that a stream encodes. Raises StreamError for invalid data.

    `stride` must be a multiple of 4 and at most 256.
    """
    if not data or data[0] not in HEADERS:
        raise StreamError(f"the meshopt stream must begin with byte 160 or 161 (got {data[0] if data else 'nothing'})")
    version = HEADERS.index(data[0])
    tail = stride + (stride // 4 if version else 0)
    end = len(data) - max(tail, TAIL[version])
    if end < 1:
        raise StreamError(CUT)
    baseline = np.frombuffer(data, np.uint8, stride, len(data) - tail)
    channels = data[len(data) - stride // 4 :] if version else bytes(stride // 4)
    group_count = -(-count // GROUP)
    groups = _walk(data, end, count, stride, version)
    deltas = np.zeros((stride * group_count, GROUP), np.uint8)
    for width, found in groups.items():
        if width:
            _unpack(np.frombuffer(data, np.uint8), width, found, deltas)
    return _summed(deltas.reshape(stride, -1)[:, :count], baseline, channels)


def _walk(data: bytes, end: int, count: int, stride: int, version: int) -> dict[int, _Groups]:
    """Return the positions of all groups, sorted by bit width. Raise StreamError if the blocks do not end at `end`."""
    found = {width: _Groups(array("q"), array("q")) for width in (1, 2, 4, 8)}
    sizes, position = _sizes(data), 1
    group_count = -(-count // GROUP)
    for first, own in _blocks(count, stride):
        controls = data[position : position + stride // 4] if version else b""
        position += len(controls)
        for byte in range(stride):
            control = controls[byte // 4] >> 2 * (byte % 4) & 3 if version else 0
            place = byte * group_count + first
            if control == ALL_ZERO:
                continue
            if control == LITERAL:
                elements = min(GROUP * own, count - GROUP * first)
                found[8].positions.extend(range(position, position + elements, GROUP))
                found[8].places.extend(range(place, place + own))
                position += elements
                continue
            widths = WIDTHS[control] if version else OLD_WIDTHS
            header, position = position, position + -(-own // 4)
            if position > end:
                raise StreamError(CUT)
            for group in range(own):
                width = widths[data[header + group // 4] >> 2 * (group % 4) & 3]
                if width:
                    if position >= end:
                        raise StreamError(CUT)
                    found[width].positions.append(position)
                    found[width].places.append(place + group)
                    position += GROUP if width == 8 else sizes[width][position]
        if position > end:
            raise StreamError(CUT)
    if position < end:
        raise StreamError(TOO_LONG)
    return found


def _blocks(count: int, stride: int) -> Iterator[tuple[int, int]]:
    """For each block, yield the index of its first group and its number of groups."""
    most = min(BLOCK_BYTES // stride // GROUP * GROUP, BLOCK_ELEMENTS) // GROUP
    groups = -(-count // GROUP)
    for first in range(0, groups, most):
        yield first, min(most, groups - first)


def _sizes(data: bytes) -> dict[int, bytes]:
    """Return a table of group sizes for each bit width.

    A table has one byte for each byte of the stream: the size of a group that begins at this byte.
    """
    sizes = {}
    for width in (1, 2, 4):
        own = np.array([_sentinels(value, width) for value in range(256)], np.uint8)[np.frombuffer(data, np.uint8)]
        packed = GROUP * width // 8
        padded = np.concatenate([own, np.zeros(packed, np.uint8)])
        sizes[width] = (sum(padded[k : k + len(own)] for k in range(packed)) + np.uint8(packed)).tobytes()
    return sizes


def _sentinels(value: int, width: int) -> int:
    """Return how many `width`-bit numbers in a byte have the largest value.

    The stream stores a number with the largest value separately.
    """
    return sum(value >> shift & ~(-1 << width) == ~(-1 << width) for shift in range(0, 8, width))


def _unpack(data: Bytes, width: int, groups: _Groups, out: Bytes) -> None:
    """Unpack all groups with the bit width `width`. Write the differences of the groups into `out` [place, 16]."""
    positions, places = (np.frombuffer(own, np.int64) for own in groups)
    if not len(positions):
        return
    if width == 8:
        out[places] = data[positions[:, None] + np.arange(GROUP)]
        return
    packed = GROUP * width // 8
    shifts = np.arange(0, 8, width) if width == 1 else np.arange(8 - width, -1, -width)
    greatest = (1 << width) - 1
    values = data[positions[:, None] + np.arange(packed)][..., None] >> shifts.astype(np.uint8) & np.uint8(greatest)
    values = values.reshape(-1, GROUP)
    wide = values == greatest
    behind = positions[:, None] + packed + wide.cumsum(axis=1) - 1
    values[wide] = data[behind[wide]]
    out[places] = values


def _summed(deltas: Bytes, baseline: Bytes, channels: bytes) -> Bytes:
    """Return the elements [count, stride] for zigzag differences `deltas` [stride, count].

    Raises StreamError for unknown channel modes.
    """
    elements = np.empty(deltas.shape[::-1], np.uint8)
    for channel, mode in enumerate(channels):
        own = slice(4 * channel, 4 * channel + 4)
        kind, rotation = mode & 15, mode >> 4
        if kind > ROTATED or (kind != ROTATED and rotation):
            raise StreamError(f"the meshopt stream has a channel of the unknown mode {mode}")
        if kind == ROTATED:
            elements[:, own] = _rotated(deltas[own], baseline[own], rotation)
        else:
            elements[:, own] = _added(deltas[own], baseline[own], "<u2" if kind == WORDS else "u1")
    return elements


def _added(deltas: Bytes, baseline: Bytes, kind: str) -> Bytes:
    """Return the running sums of the zigzag differences `deltas` [4, count].

    The four bytes of an element are one or several numbers of the type `kind`. The sums wrap around.
    """
    codes = np.ascontiguousarray(deltas.T).view(kind)
    one = codes.dtype.type(1)
    steps = codes >> one ^ (~(codes & one) + one)
    return (np.cumsum(steps, axis=0, dtype=codes.dtype) + baseline.view(kind)).view(np.uint8)


def _rotated(deltas: Bytes, baseline: Bytes, rotation: int) -> Bytes:
    """Return the 32-bit numbers that the bytes `deltas` [4, count] encode as rotated exclusive-or differences."""
    codes = np.ascontiguousarray(deltas.T).view("<u4")
    steps = codes >> np.uint32(rotation) | codes << np.uint32((32 - rotation) % 32)
    return (np.bitwise_xor.accumulate(steps, axis=0) ^ baseline.view("<u4")).view(np.uint8)

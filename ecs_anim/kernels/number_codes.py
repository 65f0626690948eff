"""A compression of integers: an adaptive binary range coder (the coder of LZMA, Igor Pavlov). Each bit of a number has
a context with an estimate of the chance of a 1. Exact estimates give few bytes. The same functions write and read, so
that both use equal contexts. A function that reads ignores its argument, and returns the number from the bytes.
"""

import numpy as np

from ecs_anim.kernels import helper, kernel
from ecs_anim.kernels.types import COUNT, FLAG, LONGS, OUT_BYTES, OUT_LONGS

LOW, RANGE, BYTE, WAITING, PLACE = range(5)  # numbers of the state; while reading, `LOW` has the code
WHOLE = (1 << 32) - 1  # largest range
LEAST = 1 << 24  # a smaller range gets another byte
SPEED = 5  # an estimate changes by 1/32 of its error
MOST_BITS = 31  # of a number
SLOTS = MOST_BITS + 4 * (MOST_BITS + 1)  # contexts of a number: bits of the length, then the two bits after the first
BEFORE = 32  # lengths in bits of an earlier number
CHANGES = 27  # kinds of changes: places 0 and 1, then the lengths 0 to 24 of earlier changes
SPACINGS = 16  # exponents of the distance between keys
EARLIER, LEFT, SIZES = 6, 7, 8  # kinds of earlier and remaining sines in an interval, and of sizes of earlier sines


@helper
def _put(state, data, byte):
    """Write a byte. If `data` is full, change only the position."""
    if state[PLACE] < data.shape[0]:
        data[state[PLACE]] = byte & 255
    state[PLACE] += 1


@helper
def _shift(state, data):
    """Move the first byte of the low end to `data`. A byte waits while a carry can change the byte."""
    if state[LOW] < 0xFF000000 or state[LOW] > WHOLE:
        carry = state[LOW] >> 32
        if state[BYTE] >= 0:
            _put(state, data, state[BYTE] + carry)
        for _ in range(state[WAITING]):
            _put(state, data, 255 + carry)
        state[BYTE], state[WAITING] = (state[LOW] >> 24) & 255, 0
    else:
        state[WAITING] += 1
    state[LOW] = (state[LOW] << 8) & WHOLE


@helper
def _next(state, data):
    """Read the next byte into the code. After the end of `data`, all bytes are 0."""
    byte = np.int64(data[state[PLACE]]) if state[PLACE] < data.shape[0] else np.int64(0)
    state[LOW] = (state[LOW] << 8) | byte
    state[PLACE] += 1


@helper
def _split(state, data, bound, value, writes):
    """Write or read one bit, and return the bit. A 1 has the first part of the range, with the length `bound`."""
    is_one = value > 0 if writes else state[LOW] < bound
    if is_one:
        state[RANGE] = bound
    else:
        state[LOW] += bound if writes else -bound
        state[RANGE] -= bound
    while state[RANGE] < LEAST:
        state[RANGE] <<= 8
        if writes:
            _shift(state, data)
        else:
            _next(state, data)
    return np.int64(1 if is_one else 0)


@helper
def _bit(state, data, chances, context, value, writes):
    """Write or read one bit with a context, and improve the estimate of the context."""
    chance = chances[context]
    found = _split(state, data, (state[RANGE] >> 12) * (chance >> 4), value, writes)
    chances[context] += (65536 - chance) >> SPEED if found else -(chance >> SPEED)
    return found


@helper
def _length(number):
    """Return the number of bits of a number."""
    length = 0
    while number >> length:
        length += 1
    return length


@helper
def _number(state, data, chances, context, value, writes):
    """Write or read a number, 0 or more: its length in bits, then its bits without the first one."""
    base, length = SLOTS * context, np.int64(0)
    while length < MOST_BITS and _bit(state, data, chances, base + length, value >> length, writes):
        length += 1
    found = np.int64(1 if length else 0)
    for place in range(length - 2, -1, -1):
        bit = (value >> place) & 1
        if found < 4:
            bit = _bit(state, data, chances, base + MOST_BITS + 4 * length + found, bit, writes)
        else:
            bit = _split(state, data, state[RANGE] >> 1, bit, writes)
        found = 2 * found + bit
    return found


@helper
def _signed(state, data, chances, context, value, writes):
    """Write or read a number with a sign."""
    size = _number(state, data, chances, context, abs(value), writes)
    if size and _split(state, data, state[RANGE] >> 1, 1 if value < 0 else 0, writes):
        return -size
    return size


@helper
def _begun(data, contexts, writes):
    """Return the state of a coder, and its estimates, which are all 1/2."""
    state = np.array([0, WHOLE, -1, 0, 0], np.int64)
    if not writes:
        for _ in range(4):
            _next(state, data)
    return state, np.full(SLOTS * contexts, 32768, np.int64)


@helper
def _ended(state, data, writes):
    """Write the last bytes. Return the number of bytes, which can be larger than the length of `data`."""
    if writes:
        for _ in range(5):
            _shift(state, data)
    return state[PLACE]


@kernel(COUNT(OUT_BYTES, LONGS, OUT_LONGS, FLAG))
def number_codes(data, kinds, numbers, writes):
    """Write or read numbers, 0 or more, of the known `kinds` [n]. Return the number of bytes. The context of a number
    is its kind and the length in bits of the number before.
    """
    state, chances = _begun(data, BEFORE * (1 + np.max(kinds)) if kinds.shape[0] else 0, writes)
    before = np.int64(0)
    for at in range(kinds.shape[0]):
        numbers[at] = _number(state, data, chances, BEFORE * kinds[at] + _length(before), numbers[at], writes)
        before = numbers[at]
    return _ended(state, data, writes)


@kernel(COUNT(OUT_BYTES, LONGS, LONGS, OUT_LONGS, FLAG))
def key_codes(data, counts, spacings, changes, writes):
    """Write or read the changes of keys of series. Return the number of bytes.

    `counts` [series] are the numbers of intervals, and `spacings` [series] are exponents of the distance between keys.
    For each series, `changes` contains one number more than the series has intervals. The context of a number consists
    of the spacing and the kind: kind 0 for the first number, kind 1 for the second number. The kind of any other number
    is the length in bits of the sum of the two earlier changes.
    """
    state, chances = _begun(data, CHANGES * SPACINGS, writes)
    at = 0
    for series in range(counts.shape[0]):
        last = before = np.int64(0)
        for place in range(counts[series] + 1):
            kind = place if place < 2 else 2 + min(_length(last + before), CHANGES - 3)
            context = SPACINGS * kind + min(spacings[series], SPACINGS - 1)
            changes[at] = _signed(state, data, chances, context, changes[at], writes)
            last, before, at = abs(changes[at]), last, at + 1
    return _ended(state, data, writes)


@kernel(COUNT(OUT_BYTES, LONGS, OUT_LONGS, FLAG))
def sine_codes(data, orders, sines, writes):
    """Write or read the sines of all intervals. Return the number of bytes.

    `orders` [interval] are the numbers of sines. The context of a sine depends on three values:

    - the number of earlier sines in the interval, at most 5;
    - the number of remaining sines, with the present sine, at most 6;
    - the length in bits of 2 a + b, at most 7: a is the size of the sine before, and b is the size of the sine before
      that sine.
    """
    state, chances = _begun(data, EARLIER * LEFT * SIZES, writes)
    at = 0
    for interval in range(orders.shape[0]):
        last = before = np.int64(0)
        for number in range(orders[interval]):
            context = LEFT * min(number, EARLIER - 1) + min(orders[interval] - number, LEFT - 1)
            context = SIZES * context + min(_length(2 * last + before), SIZES - 1)
            sines[at] = _signed(state, data, chances, context, sines[at], writes)
            last, before, at = abs(sines[at]), last, at + 1
    return _ended(state, data, writes)

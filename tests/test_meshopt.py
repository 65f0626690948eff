"""Meshopt's streams: the specification's own examples, and streams that are cut short."""

import pytest

from ecs_anim.meshopt.attributes import decode_attributes
from ecs_anim.meshopt.indices import decode_sequence, decode_triangles
from ecs_anim.meshopt.stream import StreamError

# Of four bytes in an element, one changes: the four-bit group of the specification's example (appendix A, mode 0).
GROUP = bytes.fromhex("175ff0bc77a9210034b5")
DELTAS = [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]
STREAM = b"\xa0\x02" + GROUP + bytes(3 + 32)


def test_the_group_of_the_specification():
    found = decode_attributes(STREAM, 16, 4)
    assert found[:, 0].tolist() == [sum(DELTAS[: k + 1]) % 256 for k in range(16)]
    assert not found[:, 1:].any()


@pytest.mark.parametrize(
    "decode", [lambda d: decode_attributes(d, 16, 4), lambda d: decode_triangles(d, 3), lambda d: decode_sequence(d, 3)]
)
@pytest.mark.parametrize("size", range(len(STREAM)))
def test_what_is_cut_short_is_refused(decode, size):
    with pytest.raises(StreamError):
        decode(STREAM[:size])

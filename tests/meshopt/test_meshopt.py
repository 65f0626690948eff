"""Meshopt's streams: the specification's own examples, and streams that are cut short."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import ecs_anim as ea
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.gltf.meshopt_views import NAMES
from ecs_anim.meshopt.attributes import decode_attributes
from ecs_anim.meshopt.indices import decode_sequence, decode_triangles
from ecs_anim.meshopt.stream import StreamError
from tests.characters import OWN
from tests.gltf.test_lent_clips import parts
from tests.helpers import random_clip

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


def encoded(elements):
    """A stream of version 0 of elements [count, stride] u8, no difference of which is left out or packed."""
    count, stride = elements.shape
    deltas = np.diff(elements, axis=0, prepend=elements[:1]).astype(np.int8).astype(int)
    codes = np.where(deltas < 0, -2 * deltas - 1, 2 * deltas).astype(np.uint8)
    stream = bytearray([0xA0])
    block = min(8192 // stride // 16 * 16, 256)
    for first in range(0, count, block):
        for column in codes[first : first + block].T:
            groups = -(-len(column) // 16)
            stream += bytes([0xFF]) * -(-groups // 4) + column.tobytes() + bytes(-len(column) % 16)
    return bytes(stream) + bytes(max(0, 32 - stride)) + elements[0].tobytes()


@given(npst.arrays(np.uint8, st.tuples(st.integers(1, 600), st.sampled_from([4, 8, 12, 32]))))
def test_elements_are_those_that_were_encoded(elements):
    np.testing.assert_array_equal(decode_attributes(encoded(elements), *elements.shape), elements)


def compressed(path, extension):
    """A .glb file whose views are compressed where they can be, in a second buffer that only a placeholder backs."""
    raw, blob = parts(path.read_bytes())
    used = {own["bufferView"] for own in raw["accessors"] if "bufferView" in own}
    streams, length = bytearray(), 0
    for index, view in enumerate(raw["bufferViews"]):
        begin, stride = view.get("byteOffset", 0), view.get("byteStride", 4)
        data = blob[begin : begin + view["byteLength"]]
        view["byteOffset"] = len(streams)
        if index not in used or len(data) % stride:
            streams += data + bytes(-len(data) % 4)
            continue
        stream = encoded(np.frombuffer(data, np.uint8).reshape(-1, stride))
        told = {"buffer": 0, "byteOffset": len(streams), "byteLength": len(stream), "mode": "ATTRIBUTES"}
        told |= {"byteStride": stride, "count": len(data) // stride}
        view |= {"buffer": 1, "byteOffset": length, "extensions": {extension: told}}
        length += len(data) + -len(data) % 4
        streams += stream + bytes(-len(stream) % 4)
    raw["buffers"] = [
        {"byteLength": len(streams)},
        {"byteLength": length, "extensions": {extension: {"fallback": True}}},
    ]
    raw["extensionsUsed"] = raw["extensionsRequired"] = [*raw.get("extensionsUsed", []), extension]
    text = json.dumps(raw).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(streams), 0x004E4942) + streams
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def same_rigs(found, wanted):
    for own, other in zip(found.meshes, wanted.meshes, strict=True):
        np.testing.assert_array_equal(own.positions, other.positions)
        np.testing.assert_array_equal(own.weights, other.weights)
        np.testing.assert_array_equal(own.indices, other.indices)
    np.testing.assert_array_equal(found.skeleton.rest_pose.rotation, wanted.skeleton.rest_pose.rotation)
    for name, clip in wanted.clips.items():
        for own, other in zip(found.clips[name].tracks, clip.tracks, strict=True):
            np.testing.assert_array_equal(own.values, other.values)


@pytest.mark.parametrize("extension", NAMES)
@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_a_compressed_model_is_the_plain_one_and_may_be_lent_clips(path, extension, tmp_path):
    small = tmp_path / "x.glb"
    small.write_bytes(compressed(path, extension))
    plain = ea.load_rig(path)
    same_rigs(ea.load_rig(small), plain)
    clip = random_clip(np.random.default_rng(3), plain.skeleton, "borrowed")
    more = tmp_path / "more.glb"
    more.write_bytes(with_clips(small, [clip]))
    assert extension.encode() not in more.read_bytes()
    found = ea.load_rig(more)
    assert found.clips["borrowed"].tracks
    same_rigs(found, plain)

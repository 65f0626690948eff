"""Meshopt's filters: what an encoder of their definitions wrote comes back; wild values and streams end well."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import ecs_anim as ea
from ecs_anim.meshopt.filters import STRIDES, unfiltered
from ecs_anim.meshopt.indices import decode_sequence, decode_triangles
from ecs_anim.meshopt.stream import StreamError
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder
from tests.helpers import rotations, vectors
from tests.meshopt.test_meshopt import encoded

NAME = "EXT_meshopt_compression"


def stored(values, dtype):
    """Elements [1, stride] u8 of numbers."""
    return np.array([values], dtype).view(np.uint8)


@given(vectors(1.0).filter(lambda v: np.linalg.norm(v) > 0.1), st.sampled_from([("<i1", 8), ("<i2", 12), ("<i2", 16)]))
def test_directions_of_an_octahedron(vector, kind):
    """Folded as Cigolle and others do (2014); half a step of each number is what may be lost."""
    dtype, bits = kind
    unit, one, most = vector / np.linalg.norm(vector), (1 << bits - 1) - 1, np.iinfo(dtype).max
    x, y, z = unit / np.abs(unit).sum()
    if z < 0:
        x, y = math.copysign(1 - abs(y), x), math.copysign(1 - abs(x), y)
    found = unfiltered("OCTAHEDRAL", stored([round(x * one), round(y * one), one, 5], dtype)).view(dtype)[0]
    np.testing.assert_allclose(found[:3] / most, unit, atol=2 / one + 1 / most)
    assert found[3] == 5


@given(rotations(), st.sampled_from([8, 12, 16]))
def test_rotations_by_their_three_smaller_components(rotation, bits):
    one = (1 << bits - 1) - 1
    largest = int(np.argmax(np.abs(rotation)))
    others = np.roll(rotation, -largest)[1:] * math.copysign(1, rotation[largest]) * math.sqrt(2) * one
    found = unfiltered("QUATERNION", stored([*np.rint(others), one & ~3 | largest], "<i2")).view("<i2")[0] / 32767
    assert abs(found @ rotation) > 1 - 4 / one**2 - 1e-4


@given(st.integers(-(2**23), 2**23 - 1), st.integers(-100, 100))
def test_floats_of_mantissa_and_exponent_are_exact(mantissa, exponent):
    found = unfiltered("EXPONENTIAL", stored([exponent << 24 | mantissa & 0xFFFFFF], "<i8")[:, :4])
    assert found.view("<f4")[0, 0] == math.ldexp(mantissa, exponent)


@given(st.lists(st.integers(0, 255), min_size=4, max_size=4), st.sampled_from([("<u1", 8), ("<u2", 12), ("<u2", 16)]))
@example([0, 255, 0, 0], ("<u1", 8))
def test_colours_of_luma_and_two_differences(color, kind):
    dtype, bits = kind
    one = (1 << bits) - 1
    red, green, blue, alpha = (round(value / 255 * one) for value in color)
    orange = int((red - blue) / 2)  # towards 0: half of 255 is no more than 127, which 8 bits with a sign hold
    middle = blue + orange
    other = int((green - middle) / 2)
    values = [middle + other, orange, other, 1 << bits - 1 | alpha >> 1]
    found = unfiltered("COLOR", stored([value & np.iinfo(dtype).max for value in values], dtype)).view(dtype)[0]
    kept = found / np.iinfo(dtype).max
    np.testing.assert_allclose(kept, np.array(color) / 255, atol=2 / one)  # 1 is cut off, half a one is rounded


@pytest.mark.filterwarnings("error")
@given(st.sampled_from(["OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"]), st.sampled_from([4, 8, 12]), st.data())
def test_wild_values_come_through_every_filter(name, stride, data):
    """As many bytes as before; what is a direction or a rotation is at most one long."""
    if not STRIDES[name](stride):
        return
    elements = data.draw(npst.arrays(np.uint8, (5, stride), elements=st.sampled_from([0, 1, 127, 128, 129, 255])))
    found = unfiltered(name, elements)
    assert (found.shape, found.dtype) == (elements.shape, np.uint8)
    if name == "OCTAHEDRAL":
        dtype = f"<i{stride // 4}"
        lengths = np.linalg.norm(found.view(dtype)[:, :3] / np.iinfo(dtype).max, axis=1)
        assert lengths.max() < 1 + 2 / np.iinfo(dtype).max


@given(st.binary(max_size=200), st.integers(0, 60))
def test_wild_streams_of_indices_are_refused_or_as_long_as_told(data, count):
    tables = (bytes(16), bytes.fromhex("00768756670a97650000000000000000"), b"")
    for first, decode in ((b"\xe1", decode_triangles), (b"\xd1", decode_sequence)):
        for table in tables:
            try:
                found = decode(first + data + table, 3 * count)
            except StreamError:
                continue
            assert (found.shape, found.dtype) == ((3 * count,), np.uint32)


def compressed_view(builder, stream, count, stride, **how):
    """A buffer view that is a stream and nothing else."""
    view = builder.view(stream)
    told = dict(builder.document["bufferViews"][view])
    told |= {"byteStride": stride, "count": count, **how}
    builder.document["bufferViews"][view] = {
        "buffer": 0, "byteLength": stride * count, "extensions": {NAME: told}
    }  # fmt: skip
    return view


def model(path, positions, indices):
    """A triangle whose positions, or whose indices, are a stream."""
    builder = GltfBuilder(extensionsUsed=[NAME], extensionsRequired=[NAME])
    if positions is None:
        place = builder.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], kind="VEC3")
    else:
        view = compressed_view(builder, positions, 3, 12, mode="ATTRIBUTES", filter="EXPONENTIAL")
        place = builder.accessor_on(view, 3, "f32", "VEC3")
    if indices is None:
        corners = builder.accessor([0, 1, 2], "u16")
    else:
        view = compressed_view(builder, indices, 3, 4, mode="INDICES")
        corners = builder.accessor_on(view, 3, "u32", "SCALAR")
    builder.add("nodes", mesh=builder.mesh({"POSITION": place}, corners))
    return builder.write(path)


def test_what_no_float_holds_is_told(tmp_path):
    largest = encoded(np.full((3, 3), 0x7F7FFFFF, "<u4").view(np.uint8))
    with pytest.raises(InputError, match=r"POSITION: all numbers must be finite \(vertex 0 is \[inf, inf, inf\]\)"):
        ea.load_rig(model(tmp_path / "x.glb", largest, None))


def test_indices_beyond_the_vertices_are_told(tmp_path):
    stream = b"\xd1" + b"\xfe\xff\xff\xff\x0f" + bytes(2) + bytes(4)
    with pytest.raises(InputError, match=r"indices: each vertex index must be below 3, .* \(got 3221225472\)"):
        ea.load_rig(model(tmp_path / "x.glb", None, stream))

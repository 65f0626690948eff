import numpy as np
import pygltflib
import pytest

from ecs_anim.gltf import accessors as gltf_accessors
from ecs_anim.gltf.container import read_container
from ecs_anim.gltf.decode import decode
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError
from tests.builders.gltf_builder import FORMATS, WIDTHS, GltfBuilder, pack

DTYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "u32": np.uint32, "f32": np.float32}


def open_document(builder, tmp_path, suffix=".glb"):
    path = builder.write(tmp_path / f"model{suffix}")
    raw, blob = read_container(path)
    return Document(path, decode(pygltflib.GLTF2, raw), blob)


def random_rows(component, kind, count=5):
    random = np.random.default_rng(WIDTHS[kind] * 100 + FORMATS[component][0])
    if component == "f32":
        return random.normal(size=(count, WIDTHS[kind])).astype(np.float32)
    info = np.iinfo(DTYPES[component])
    return random.integers(info.min, info.max, (count, WIDTHS[kind]), dtype=DTYPES[component], endpoint=True)


def shaped(rows, kind):
    if kind == "SCALAR":
        return rows[:, 0]
    return rows.reshape(-1, int(kind[3]), int(kind[3])) if kind.startswith("MAT") else rows


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("component", FORMATS)
def test_every_component_and_type(tmp_path, component, kind, suffix):
    rows, builder = random_rows(component, kind), GltfBuilder()
    index = builder.accessor(rows, component, kind)
    array = gltf_accessors.read(open_document(builder, tmp_path, suffix), index, "test")
    assert array.dtype == DTYPES[component]
    np.testing.assert_array_equal(array, shaped(rows, kind))


@pytest.mark.parametrize(
    ("component", "kind", "data", "expected"),
    [
        ("u8", "MAT2", [1, 2, 99, 99, 3, 4], [[1, 2], [3, 4]]),
        ("u8", "MAT3", [1, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
        (
            "u16",
            "MAT3",
            [1, 0, 2, 0, 3, 0, 9, 9, 4, 0, 5, 0, 6, 0, 9, 9, 7, 0, 8, 0, 9, 0],
            [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
        ),
    ],
)
def test_matrix_columns_are_aligned_and_the_last_padding_may_be_missing(tmp_path, component, kind, data, expected):
    builder = GltfBuilder()
    index = builder.accessor_on(builder.view(bytes(data)), 1, component, kind)
    np.testing.assert_array_equal(gltf_accessors.read(open_document(builder, tmp_path), index, "test"), [expected])


def test_matrices_are_rows_by_columns(tmp_path):
    builder = GltfBuilder()
    index = builder.accessor([np.arange(16)], "f32", "MAT4")
    (matrix,) = gltf_accessors.matrices(open_document(builder, tmp_path), index, "test")
    np.testing.assert_array_equal(matrix[0], [0, 4, 8, 12])


@pytest.mark.parametrize(
    ("component", "integers", "expected"),
    [
        ("i8", [-128, -127, 0, 127], [-1, -1, 0, 1]),
        ("u8", [0, 51, 255], [0, 0.2, 1]),
        ("i16", [-32768, -32767, 0, 32767], [-1, -1, 0, 1]),
        ("u16", [0, 13107, 65535], [0, 0.2, 1]),
    ],
)
@pytest.mark.parametrize("normalized", [True, False])
def test_normalised_integers(tmp_path, component, integers, expected, normalized):
    builder = GltfBuilder()
    index = builder.accessor(integers, component, normalized=normalized)
    array = gltf_accessors.floats(open_document(builder, tmp_path), index, "SCALAR", "test")
    assert array.dtype == np.float32
    np.testing.assert_allclose(array, expected if normalized else integers, rtol=1e-7)


@pytest.mark.parametrize("component", ["i8", "u16", "f32"])
def test_interleaved_with_offsets(tmp_path, component):
    first, second = random_rows(component, "VEC3", 4), random_rows(component, "VEC2", 4)
    size = first.itemsize
    stride = 24
    rows = b""
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        row = pack(a, component, "VEC3") + b"\xaa" * size + pack(b, component, "VEC2")
        rows += row + b"\xbb" * (stride - len(row))
    builder = GltfBuilder()
    builder.view(b"something before")
    view = builder.view(rows, stride=stride)
    one = builder.accessor_on(view, 4, component, "VEC3")
    two = builder.accessor_on(view, 3, component, "VEC2", byteOffset=stride + 4 * size)
    document = open_document(builder, tmp_path)
    np.testing.assert_array_equal(gltf_accessors.read(document, one, "test"), first)
    np.testing.assert_array_equal(gltf_accessors.read(document, two, "test"), second[1:])


def test_the_last_element_of_an_interleaved_view_may_end_before_its_stride(tmp_path):
    builder = GltfBuilder()
    index = builder.accessor_on(builder.view(bytes([7, 0, 0, 0, 8]), stride=4), 2, "u8", "SCALAR")
    np.testing.assert_array_equal(gltf_accessors.read(open_document(builder, tmp_path), index, "test"), [7, 8])


@pytest.mark.parametrize("index_component", ["u8", "u16", "u32"])
@pytest.mark.parametrize("with_base", [True, False])
def test_sparse(tmp_path, index_component, with_base):
    builder = GltfBuilder()
    base = np.arange(15, dtype=np.float32).reshape(5, 3) if with_base else np.zeros((5, 3), np.float32)
    indices = b"\xff" * 4 + b"".join(pack([i], index_component, "SCALAR") for i in (1, 4))
    values = b"".join(pack(row, "f32", "VEC3") for row in ([10, 11, 12], [13, 14, 15]))
    sparse = {
        "count": 2,
        "indices": {
            "bufferView": builder.view(indices),
            "byteOffset": 4,
            "componentType": FORMATS[index_component][0],
        },
        "values": {"bufferView": builder.view(values)},
    }
    if with_base:
        index = builder.accessor(base, "f32", "VEC3", sparse=sparse)
    else:
        index = builder.accessor_on(None, 5, "f32", "VEC3", sparse=sparse)
    expected = base.copy()
    expected[1], expected[4] = [10, 11, 12], [13, 14, 15]
    np.testing.assert_array_equal(gltf_accessors.read(open_document(builder, tmp_path), index, "test"), expected)


def test_without_a_buffer_view_all_is_zero(tmp_path):
    builder = GltfBuilder()
    index = builder.accessor_on(None, 3, "i16", "MAT2")
    array = gltf_accessors.read(open_document(builder, tmp_path), index, "test")
    np.testing.assert_array_equal(array, np.zeros((3, 2, 2)))
    assert array.dtype == np.int16


def test_a_buffer_is_decoded_once_and_arrays_are_views_of_it(tmp_path):
    builder = GltfBuilder()
    first, second = builder.accessor(np.arange(6), "f32"), builder.accessor(np.arange(6), "f32")
    document = open_document(builder, tmp_path, ".gltf")
    arrays = [gltf_accessors.read(document, index, "test") for index in (first, second)]
    whole = document.view(0, "test").base
    assert all(np.shares_memory(array, whole) for array in arrays)
    assert not any(array.flags.writeable for array in arrays)
    assert gltf_accessors.read(document, first, "test") is arrays[0]


def break_accessor(**changes):
    def change(builder):
        builder.document["accessors"][0].update(changes)

    return change


def break_view(**changes):
    def change(builder):
        builder.document["bufferViews"][0].update(changes)

    return change


def break_buffer(**changes):
    def change(builder):
        builder.document["buffers"] = [{"byteLength": len(builder.data), **changes}]

    return change


SPARSE = {"count": 1, "indices": {"bufferView": 0, "componentType": 5123}, "values": {"bufferView": 0}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            break_accessor(count=5),
            r"accessors\[0\]: the elements of the accessor need the bytes 0 to 20 of .*, but .* has only 16 bytes",
        ),
        (break_accessor(byteOffset=4), r"accessors\[0\]: the elements of the accessor need the bytes 4 to 20"),
        (break_accessor(byteOffset=-4), r"accessors\[0\]: the elements of the accessor need the bytes -4"),
        (break_accessor(count=-1), r"accessors\[0\].count: the number of elements of an accessor must be 0 or more"),
        (break_accessor(count=10**30), r"accessors\[0\]: the elements of the accessor need the bytes"),
        (
            break_accessor(bufferView=None, count=10**12),
            r"accessors\[0\].count: the accessors without a buffer view take too much memory",
        ),
        (
            break_accessor(bufferView=9),
            r"accessors\[0\].bufferView: the value must be the index of one of the file's 1 bufferViews \(got 9\)",
        ),
        (break_accessor(bufferView=-1), r"accessors\[0\].bufferView: the value must be the index of one of"),
        (
            break_accessor(componentType=5124),
            r"accessors\[0\].componentType: the component type of an accessor must be one of",
        ),
        (break_accessor(type="VEC5"), r"accessors\[0\].type: the type of an accessor must be one of SCALAR"),
        (
            break_accessor(type="VEC2", count=2),
            r"test: the accessor must have the type SCALAR \(accessors\[0\] has the type VEC2\)",
        ),
        (break_accessor(componentType=5125, normalized=True), r"accessors\[0\].normalized: `normalized` must be false"),
        (
            break_view(byteStride=2),
            r"accessors\[0\]: the byteStride of the buffer view must be at least 4 bytes, .* \(got 2\)",
        ),
        (break_view(byteStride=-4), r"accessors\[0\]: the byteStride of the buffer view"),
        (
            break_view(byteLength=17),
            r"bufferViews\[0\]: the buffer view needs the bytes 0 to 17 of buffers\[0\], but .* only 16 bytes",
        ),
        (break_view(byteOffset=-1), r"bufferViews\[0\]: the buffer view needs the bytes -1"),
        (break_view(byteLength=-1), r"bufferViews\[0\]: the buffer view needs the bytes"),
        (break_view(buffer=1), r"bufferViews\[0\].buffer: the value must be the index of one of the file's 1 buffers"),
        (
            break_buffer(byteLength=17),
            r"buffers\[0\]: the data of the buffer must have 17 bytes, as byteLength states \(got 16 bytes\)",
        ),
        (break_buffer(byteLength=-1), r"buffers\[0\].byteLength: the byte length of a buffer must be 0 or more"),
        (
            break_accessor(sparse={**SPARSE, "count": 5}),
            r"accessors\[0\].sparse.count: the number of sparse elements must be 0 to",
        ),
        (
            break_accessor(sparse=SPARSE),
            r"accessors\[0\].sparse.indices: each sparse index must be below 4, the number of elements of the accessor",
        ),
        (
            break_accessor(sparse={**SPARSE, "indices": {"bufferView": 0, "componentType": 5126}}),
            r"accessors\[0\].sparse.indices.componentType: the component type of sparse indices must be unsigned",
        ),
    ],
)
def test_faults_name_their_place(tmp_path, change, message):
    builder = GltfBuilder()
    builder.accessor([700.0, 1, 2, 3])  # its first two bytes are 0, its third and fourth 0x442f
    builder.data[:2] = b"\xff\xff"
    change(builder)
    with pytest.raises(FormatError, match=message):
        gltf_accessors.floats(open_document(builder, tmp_path), 0, "SCALAR", "test")


def test_indices_must_be_unsigned(tmp_path):
    builder = GltfBuilder()
    index = builder.accessor([1, 2], "i16")
    with pytest.raises(
        FormatError, match=r"test: the accessor must contain unsigned integers \(accessors\[0\] has the type int16\)"
    ):
        gltf_accessors.unsigned(open_document(builder, tmp_path), index, "SCALAR", "test")

"""The container of shared files: Python and the page read equal arrays, and damaged bytes give one clear sentence."""

import base64
import json
import struct
import zlib

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.sharing.build_page import page_file
from ecs_anim.sharing.container import TYPES, read_container, write_container
from tests.helpers.browser import CHROMIUM, Browser

META = {"title": "<script>", "numbers": [1, 2.5]}
ARRAYS = {f"part/{name[1:]}": np.arange(7).astype(name) for name in TYPES}
ARRAYS |= {"compressed": np.zeros(600, np.uint16)}
ARRAYS |= {"empty": np.zeros((0, 3), np.float32), "table": np.arange(6, dtype=np.float32).reshape(2, 3)}


def test_a_container_gives_back_its_arrays_and_values():
    meta, arrays = read_container(write_container(ARRAYS, META))
    assert meta == META
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)


def test_the_layout_is_the_documented_layout():
    data = write_container({"a": np.ones(600, np.uint16)}, {"b": 3})
    magic, version, length = struct.unpack_from("<8sII", data)
    header = json.loads(data[16 : 16 + length])
    (section,) = header["sections"]
    first = 16 + length + section["offset"]
    raw = zlib.decompress(data[first : first + section["packed"]])
    assert (magic, version, header["meta"], raw) == (b"ECSSHARE", 7, {"b": 3}, 600 * b"\1\0")
    assert (section["name"], section["dtype"], section["shape"]) == ("a", "<u2", [600])
    assert (section["size"], section["crc"]) == (1200, zlib.crc32(raw))


def test_a_container_has_only_types_that_the_page_reads():
    with pytest.raises(ValueError, match="section 'a': the numbers must have one of the types"):
        write_container({"a": np.zeros(2, np.complex64)}, {})


def _read(data: bytes):
    """Return the error of a container or None, and its arrays."""
    try:
        return None, read_container(data)[1]
    except ea.InputError as error:
        return error, {}


@pytest.mark.parametrize("values", [np.arange(40), np.zeros(600)], ids=["plain", "compressed"])
def test_each_damaged_byte_is_reported_or_changes_nothing(values):
    data = write_container({"a": values.astype(np.float32)}, {"b": 3})
    _, whole = read_container(data)
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x55
        problem, arrays = _read(bytes(damaged))
        if problem is None:  # only the names of sections and the values of the page can change
            (array,) = arrays.values()
            np.testing.assert_array_equal(array, whole["a"])
        else:
            assert len(problem.problems) == 1
            assert str(problem).endswith(("again.", "Update ecs-anim."))


@pytest.mark.parametrize("length", [0, 4, 15, 16, 60, -1])
def test_a_short_container_is_reported(length):
    data = write_container({"a": np.arange(40, dtype=np.float32)}, {"b": 3})
    with pytest.raises(ea.InputError, match="Write the file again"):
        read_container(data[:length])


@pytest.mark.exhaustive
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_page_reads_the_same_arrays_and_reports_damage(tmp_path):
    data = write_container(ARRAYS, META)
    folder = tmp_path / "page.html"
    script = page_file("maths.js") + page_file("container.js") + "document.documentElement.dataset.state = 'complete';"
    folder.write_text(f"<!doctype html><html><script>{script}</script></html>")
    flipped = bytearray(data)
    flipped[-3] ^= 1
    with Browser() as browser:
        browser.open(folder)
        for name, array in ARRAYS.items():
            found = browser.evaluate(f"{_open(data)}.then((box) => box.array('{name}')).then((own) => [...own])")
            assert found == array.reshape(-1).tolist()
        assert browser.evaluate(f"{_open(data)}.then((box) => box.meta)") == META
        for bad in (bytes(flipped), data[:50], b"ECSSHARE", b"other" + data[5:], data[:8] + b"c" + data[9:]):
            reading = f"{_open(bad)}.then((box) => box.array('table')).then(() => 'read', (error) => error.message)"
            told = browser.evaluate(reading)
            assert told.startswith(("The data of this page are damaged", "The data have version 99"))


def _open(data: bytes) -> str:
    text = base64.b64encode(data).decode()
    return f"openContainer(Uint8Array.from(atob('{text}'), (letter) => letter.charCodeAt(0)))"

"""The container of a shared file: named arrays in compressed sections. docs/share.md describes the format."""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError

MAGIC = b"ECSSHARE"
VERSION = 7
HEAD = struct.Struct("<8sII")  # magic, version, bytes of the header
LEVEL = 9  # level of the compression
LEAST_SAVING = 1024  # [byte], by which compression must shrink a section; browsers unpack each section in 2 ms
MOST_BYTES = 1 << 32  # largest number of unpacked bytes of a section
# The types of numbers that a section can have. Each type has a typed array in JavaScript.
TYPES = ("|u1", "<u2", "<u4", "<i2", "<i4", "<f4", "<f8")


class Damage(InputError):
    """An error for a container that is not complete or not valid."""


class Section(NamedTuple):
    """The position and the type of one section in a container."""

    name: str
    offset: int  # [byte] after the header
    packed: int  # [byte] in the file; equal to `size` = the section is not compressed
    size: int  # [byte] after unpacking
    dtype: str
    shape: tuple[int, ...]
    crc: int  # CRC-32 of the unpacked bytes


def write_container(sections: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> bytes:
    """Return the bytes of a container with the arrays `sections` and the JSON value `meta`.

    Raises ValueError for an array whose type is not in `TYPES`.
    """
    entries, packed, offset = [], [], 0
    for name, values in sections.items():
        array = np.ascontiguousarray(values)
        if array.dtype.str not in TYPES:
            raise ValueError(f"section {name!r}: the numbers must have one of the types {', '.join(TYPES)}")
        data = array.tobytes()
        short = zlib.compress(data, LEVEL)
        packed.append(short if len(data) - len(short) >= LEAST_SAVING else data)
        entry = Section(name, offset, len(packed[-1]), len(data), array.dtype.str, array.shape, zlib.crc32(data))
        entries.append(entry._asdict())
        offset += len(packed[-1])
    header = json.dumps({"meta": meta, "sections": entries}, separators=(",", ":")).encode()
    return b"".join([HEAD.pack(MAGIC, VERSION, len(header)), header, *packed])


def read_container(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the JSON value `meta` and the arrays of a container by name. Raises InputError for damaged bytes."""
    header, begin = _header(data)
    try:
        found = [Section(**entry) for entry in header["sections"]]
        meta = dict(header["meta"])
        return meta, {own.name: _array(own, data, begin) for own in found}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Damage("the header of the shared data is damaged. Write the file again.") from None


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    """Return the header and the position of the first section."""
    if len(data) < HEAD.size or data[: len(MAGIC)] != MAGIC:
        raise Damage("the shared data do not begin with ECSSHARE. Write the file again.")
    _, version, length = HEAD.unpack_from(data)
    if version != VERSION:
        fix = "Write the file again" if version < VERSION else "Update ecs-anim"
        raise Damage(f"the shared data have version {version}, but only version {VERSION} is known. {fix}.")
    begin = HEAD.size + length
    try:
        header = json.loads(data[HEAD.size : begin])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or begin > len(data):
        raise Damage("the header of the shared data is damaged. Write the file again.")
    return header, begin


def _array(section: Section, data: bytes, begin: int) -> NDArray[Any]:
    first = begin + section.offset
    problem = f"section {section.name!r} of the shared data is damaged. Write the file again."
    if section.dtype not in TYPES or min(section.offset, section.packed) < 0 or not 0 <= section.size <= MOST_BYTES:
        raise Damage(problem)
    packed = data[first : first + section.packed]
    raw = packed if section.packed == section.size else _unpacked(packed, section.size)
    if len(raw) != section.size or zlib.crc32(raw) != section.crc:
        raise Damage(problem)
    return np.frombuffer(raw, section.dtype).reshape(section.shape)


def _unpacked(packed: bytes, size: int) -> bytes:
    """Return the bytes of a compressed section. If the bytes are damaged or have another size, return b""."""
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, size + 1)
    except zlib.error:
        return b""
    return raw if unpacker.eof else b""

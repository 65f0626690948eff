"""Format, writing and reading of bake files. A written file is always complete. The reader checks the whole file.

A bake file has these fields in order:

- 8 bytes: the magic number
- u32: the version of the format
- u32: the length of the header in bytes
- u64: the length of the file in bytes
- 32 bytes: the SHA-256 digest of the file, computed with zeros in place of the digest
- 8 bytes: zeros
- the header: JSON in ASCII, padded to the next multiple of 64 bytes
- the arrays: each array begins at a multiple of 64 bytes
"""

import hashlib
import os
import struct
from pathlib import Path

import numpy as np

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.header import (
    Arrays,
    BadHeader,
    Section,
    aligned,
    arrays_of,
    build,
    describe,
    from_json,
    sections_of,
    to_json,
)
from ecs_anim.bake.signature import skeleton_signature
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, opened
from ecs_anim.support.pictures import complete_file

BAKE = Kind("bake", "bake_bytes", ("bake",))
MAGIC = b"\x89BAKE\r\n\x1a"  # detects a file transfer in text mode, like the magic number of PNG files
FORMAT_VERSION = 2
PREFIX = struct.Struct("<8sIIQ32s8x")
NO_DIGEST = bytes(32)
BAKE_AGAIN = "Bake the model again: ecs-anim bake MODEL --out FILE"


@checked
def save_bake(bake: Bake, path: str | os.PathLike[str]) -> None:
    """Write a bake to the file `path`. If writing fails, raise InputError and do not change `path`."""
    data = to_bytes(bake)
    with complete_file(Path(path)) as file:
        file.write(data)


@checked
def load_bake(path: str | os.PathLike[str], skeleton: Skeleton | None = None) -> Bake:
    """Load a bake from the file `path`. The arrays of the bake are read-only.

    Raises InputError if the program cannot read the file, if the file is damaged or truncated, or if its format version
    is too new. With `skeleton`, also raises InputError if the bake was made for another skeleton. The error message has
    one line.
    """
    bake = from_bytes(_read(Path(path)), os.fspath(path))
    if skeleton is not None and skeleton_signature(skeleton) != skeleton_signature(bake.skeleton):
        raise InputError(
            f"{path}: the bake {bake.name!r} was made for a skeleton of {bake.skeleton.joint_count} joints, but the"
            f" character has another skeleton of {skeleton.joint_count} joints. Bake the model of this character:"
            " ecs-anim bake MODEL --out FILE"
        )
    return bake


def to_bytes(bake: Bake) -> bytes:
    """Return the bytes of a bake file for `bake`. Raise InputError if the `extras` of a clip are not valid JSON."""
    arrays = arrays_of(bake)
    try:
        header = to_json(describe(bake, sections_of(arrays)).model_dump())
    except (ValueError, TypeError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise InputError(
            f"{bake.name}: the extras of a clip must contain only values that JSON can store ({why}). Remove or"
            " replace the other values in the extras."
        ) from None
    return sealed(header, _joined(arrays))


def sealed(header: bytes, data: bytes) -> bytes:
    """Return the bytes of a bake file: a prefix, the bytes `header` and the array bytes `data`.

    The prefix contains the lengths and the checksum.
    """
    body = header.ljust(aligned(len(header)), b"\0") + data
    length = PREFIX.size + len(body)
    digest = hashlib.sha256(PREFIX.pack(MAGIC, FORMAT_VERSION, len(header), length, NO_DIGEST))
    digest.update(body)
    return PREFIX.pack(MAGIC, FORMAT_VERSION, len(header), length, digest.digest()) + body


def from_bytes(data: bytes, label: str) -> Bake:
    """Return the bake from the bytes `data` of a bake file.

    For invalid bytes, raise InputError with a message of one line. `label` is the name of the data source in the error
    message.
    """
    header = _checked_header(data, label)
    try:
        facts = from_json(header)
        return build(facts, _arrays(data, PREFIX.size + aligned(len(header)), facts.sections))
    except BadHeader as error:
        raise InputError(f"{label}: the bake file is invalid: {error}. {BAKE_AGAIN}") from None


def _read(path: Path) -> bytes:
    """Return the bytes of a bake file.

    The function checks the prefix and the length of the file before it reads the rest of the file.
    """
    with opened(path, BAKE) as file:
        _check_prefix(file.first(PREFIX.size), file.size, str(path))
        return file.whole()


def _check_prefix(prefix: bytes, size: int, label: str) -> tuple[int, bytes]:
    """Return the header length and the checksum from the prefix of a bake file.

    Raise InputError for an invalid prefix.
    """
    if prefix[: len(MAGIC)] != MAGIC:
        raise InputError(
            f"{label}: the file is not a bake file. Make a bake file from a model: ecs-anim bake MODEL --out FILE"
        )
    if len(prefix) < PREFIX.size:
        raise InputError(f"{label}: the file is incomplete. {BAKE_AGAIN}")
    _, version, header_length, length, digest = PREFIX.unpack(prefix)
    if version > FORMAT_VERSION:
        raise InputError(
            f"{label}: a newer ecs-anim wrote this bake file: its format version is {version}, but this ecs-anim"
            f" reads only version {FORMAT_VERSION}. Update ecs-anim, or bake the model again: ecs-anim bake MODEL"
            " --out FILE"
        )
    if version != FORMAT_VERSION:
        raise InputError(
            f"{label}: the file is damaged (it states the format version {version}, which does not exist). {BAKE_AGAIN}"
        )
    if size != length or PREFIX.size + aligned(header_length) > length:
        problem = "incomplete" if size < length else "damaged"
        raise InputError(
            f"{label}: the file is {problem} (got {size} bytes, but the header of the file states {length} bytes)."
            f" {BAKE_AGAIN}"
        )
    return header_length, digest


def _checked_header(data: bytes, label: str) -> bytes:
    """Check everything that can be checked without parsing the header, and return the bytes of the header."""
    length, digest = _check_prefix(data[: PREFIX.size], len(data), label)
    found = hashlib.sha256(data[: PREFIX.size - 40] + bytes(40))
    found.update(memoryview(data)[PREFIX.size :])
    if found.digest() != digest or any(data[PREFIX.size - 8 : PREFIX.size]):
        raise InputError(f"{label}: the file is damaged (its checksum is wrong). {BAKE_AGAIN}")
    return data[PREFIX.size : PREFIX.size + length]


def _arrays(data: bytes, begin: int, sections: tuple[Section, ...]) -> Arrays:
    """Return the arrays of a bake file as views into `data`.

    Raise BadHeader if `sections` do not exactly match the file.
    """
    end = max((section.offset + section.nbytes for section in sections), default=0)
    if begin + end != len(data):
        raise BadHeader("the last array must end at the end of the file")
    try:
        found = {s.name: np.ndarray(s.shape, s.dtype, data, begin + s.offset) for s in sections}
    except ValueError:  # a shape with a zero and a number that is too large
        raise BadHeader("an array has an impossible shape") from None
    if len(found) != len(sections):
        raise BadHeader("two arrays have the same name")
    return {name: array.astype(array.dtype.newbyteorder("="), copy=False) for name, array in found.items()}


def _joined(arrays: Arrays) -> bytes:
    data = bytearray()
    for array in arrays.values():
        data += bytes(aligned(len(data)) - len(data)) + array.tobytes()
    return bytes(data)

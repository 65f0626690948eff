"""Snapshot files: .npz archives (numpy). The reader checks each size in the file before it reads the data.

The member `header` is JSON in UTF-8. Each other member is an array. The members of the archive are not compressed. The
directory of the archive and the header have size limits. Therefore, the reader needs little more memory than the length
of the file. A digest detects accidental damage of the file, but not manipulation. Other code must therefore check the
values in the arrays.
"""

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, opened
from ecs_anim.support.memory import available_bytes
from ecs_anim.support.npy import DAMAGE, read_header
from ecs_anim.support.pictures import complete_file

SNAPSHOT = Kind("snapshot", "snapshot_bytes", ("snapshot",))
KIND = "ecs-anim world"
FORMAT_VERSION = 4
OWN = {"kind": KIND, "format": FORMAT_VERSION}
FACTS = {"origin": dict, "time": int | float, "frame": int, "values": dict, "digest": str}  # types of header fields
HEADER, SUFFIX = "header", ".npy"
# [byte], largest single read; a larger directory is rejected, because zipfile reads the whole directory at once
MOST_AT_ONCE = 4 << 20
MOST_HEADER = 4 << 20  # [byte], maximum size of the header
MOST_SHOWN = 80  # maximum number of characters of a name in an error message

Arrays = dict[str, NDArray[Any]]


class Member(NamedTuple):
    """The description of an array in the file: its type, its shape and its position."""

    file_name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int  # [byte], offset of the array's data in the member

    @property
    def byte_count(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


class Header(NamedTuple):
    """The saved state of a world, except its arrays."""

    origin: dict[str, Any]  # description of the world's source, such as a scene
    time: float  # [s], time of the world
    frame: int
    values: dict[str, Any]  # values of fields that are not arrays, by name


class SnapshotFile:
    """An open snapshot file, with its header and the descriptions of its arrays.

    The method `read_arrays` reads the arrays themselves.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path, self._archive = path, archive
        self.members = _members(path, archive)
        self.header, self._digest = _read_header(path, archive, self.members.pop(HEADER))

    def fault(self, problem: str) -> InputError:
        """Return an error with a message of one line: the name of the file, then `problem`."""
        return _fault(self.path, problem)

    def read_arrays(self) -> Arrays:
        """Read all arrays. Raises InputError if an array is damaged, or if the arrays do not fit in the free memory."""
        needed, free = sum(member.byte_count for member in self.members.values()), available_bytes()
        if free is not None and needed > free:
            raise InputError(
                f"{self.path}: the arrays of the snapshot take {needed / 1000000000.0:.2g} GB, but only"
                f" {free / 1000000000.0:.2g} GB of memory are free. Free more memory."
            )
        arrays = {name: np.empty(member.shape, member.dtype) for name, member in self.members.items()}
        with _told(self.path):
            for name, member in self.members.items():
                _read_array(self._archive, member, arrays[name])
            if self._digest != digest_of({**OWN, **self.header._asdict()}, arrays):
                raise ValueError("digest")
        return arrays


@contextmanager
def open_snapshot(path: Path) -> Iterator[SnapshotFile]:
    """Open a snapshot. Raises InputError if the file is not a complete snapshot."""
    with opened(path, SNAPSHOT) as file:
        with _told(path):
            archive = zipfile.ZipFile(_FrugalReader(file.stream.raw))
            snapshot = SnapshotFile(path, archive)
        yield snapshot


def write_snapshot(path: Path, header: Header, arrays: Arrays) -> None:
    """Write a snapshot file.

    The file appears only after all data is written. Raises InputError if the file cannot be written.
    """
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise InputError(
                f"{path}: the field {name} must contain numbers (got Python objects). Store numbers in this field."
            )
    try:
        whole = {**OWN, **header._asdict()}
        text = json.dumps({**whole, "digest": digest_of(whole, arrays)})
    except TypeError as error:
        raise InputError(
            f"{path}: each field of a snapshot must contain numbers, text or lists ({error}). Change the type"
            " of this field."
        ) from None
    with complete_file(path) as file:
        np.savez(file, allow_pickle=False, **{HEADER: np.frombuffer(text.encode("utf-8"), np.uint8)}, **arrays)


def digest_of(header: Mapping[str, Any], arrays: Arrays) -> str:
    """Return a digest of the header and the arrays. If any value changes, the digest also changes."""
    digest = hashlib.blake2b(json.dumps(header, sort_keys=True).encode("utf-8"), digest_size=32)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.view(np.uint8).data if array.size else b"")
    return digest.hexdigest()


def shown(name: str) -> str:
    """Return a name from the file in a short and safe form for error messages."""
    short = name[:MOST_SHOWN]
    return short if short.isprintable() else ascii(short)[1:-1]


class _FrugalReader(io.BufferedReader):
    """A reader that rejects large single reads, because the size of a read comes from unchecked numbers in the file."""

    def read(self, size: int | None = -1) -> bytes:
        wanted = MOST_AT_ONCE if size is None or size < 0 else size
        if wanted > MOST_AT_ONCE:
            raise ValueError(
                f"one read operation on the archive can read at most {MOST_AT_ONCE} bytes (got {wanted}). Save the"
                " snapshot again."
            )
        return super().read(wanted)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path}: cannot read the snapshot ({error.strerror or type(error).__name__})."
            " Check the disk that contains the file."
        ) from None
    except DAMAGE:
        raise _fault(path, "the file must be a complete snapshot of a world") from None


def _fault(path: Path, problem: str) -> InputError:
    return InputError(f"{path}: {problem}. Save the snapshot again.")


def _members(path: Path, archive: zipfile.ZipFile) -> dict[str, Member]:
    """Return a description of each array, by member name. Raises InputError. For a damaged file, the function can also
    raise any exception in DAMAGE.
    """
    entries = archive.infolist()
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise _fault(path, "the snapshot must be an uncompressed .npz archive")
    if sum(entry.file_size for entry in entries) > path.stat().st_size:
        raise ValueError("the entries overlap")
    members = {entry.filename.removesuffix(SUFFIX): _member(path, archive, entry) for entry in entries}
    if len(members) != len(entries):
        raise ValueError("two entries of the archive have the same name. Save the snapshot again.")
    return members


def _member(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Member:
    """Return the description of one array. Raises InputError. For a damaged file, the function can also raise any
    exception in DAMAGE.
    """
    with archive.open(entry) as file:
        shape, is_fortran, dtype = read_header(file)
        member = Member(entry.filename, dtype, shape, file.tell())
    if dtype.hasobject or is_fortran or any(length < 0 for length in shape):
        raise _fault(path, f"the entry {shown(entry.filename)} must be an array of numbers in row-major order")
    if member.start + member.byte_count != entry.file_size:
        raise _fault(path, f"the entry {shown(entry.filename)} must have the length that its header states")
    return member


def _read_array(archive: zipfile.ZipFile, member: Member, out: NDArray[Any]) -> None:
    numbers = out.reshape(-1).view(np.uint8) if out.size else np.empty(0, np.uint8)
    with archive.open(member.file_name) as file:
        file.read(member.start)
        for at in range(0, len(numbers), MOST_AT_ONCE):
            piece = numbers[at : at + MOST_AT_ONCE]
            piece[:] = np.frombuffer(file.read(len(piece)), np.uint8)


def _read_header(path: Path, archive: zipfile.ZipFile, member: Member) -> tuple[Header, str]:
    """Return the header, and the digest that the file contains.

    Raises InputError. For a damaged file, the function can also raise any exception in DAMAGE.
    """
    if member.dtype != np.uint8 or member.byte_count > MOST_HEADER:
        raise ValueError("no header")
    text = np.empty(member.shape, np.uint8)
    _read_array(archive, member, text)
    header = json.loads(text.tobytes().decode("utf-8"))
    if header["kind"] != KIND:
        raise ValueError("another kind")
    if header["format"] != FORMAT_VERSION:
        got = shown(str(header["format"]))
        raise _fault(path, f"the format version of the snapshot must be {FORMAT_VERSION} (got {got})")
    facts = {name: header[name] for name in header.keys() - OWN.keys()}
    odd = facts.keys() ^ FACTS.keys() or {name for name in FACTS if not isinstance(facts[name], FACTS[name])}
    if odd:
        place = f"{HEADER}: the item {shown(min(odd))}"
        raise _fault(path, f"{place} of the snapshot's header is missing, unknown or of the wrong type")
    digest = facts.pop("digest")
    return Header(**facts), digest

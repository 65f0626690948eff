"""Reading of files that users name. No other module opens such files.

Each file must be a regular file, and its size must be below a limit.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError
from ecs_anim.support.file_types import HEAD, type_of_bytes
from ecs_anim.support.known_types import DATA_SET, FARM, FOLDER, Family, FileType

# With these flags, `open` does not wait if a pipe replaces the file after the check.
FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
POINTER = b"version https://git-lfs.github.com/spec/v1"  # first bytes of a pointer file of Git LFS
OTHERS = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
CHANGED = (
    "another program changed the file while ecs-anim read it. Run the command again after the other program has "
    "finished"
)


@dataclass(frozen=True)
class Kind:
    """The properties of files with one purpose, such as scene files."""

    name: str  # name in messages, such as "scene file"
    budget: str  # name of the size limit in `ecs_anim.support.budgets`
    families: tuple[Family, ...] = ()  # families of file types that the reader supports; empty = all


ANY = Kind("file", "trajectory_bytes")


class MissingFile(InputError):
    """An error for a file that does not exist."""


class WrongType(InputError):
    """An error for a file type that the reader does not support."""

    def __init__(self, path: Path, found: FileType, wanted: str) -> None:
        instead = "which ecs-anim does not read" if found.family == "foreign" else f"not a {wanted}"
        problem = "the file is empty" if found.family == "empty" else f"this is {found.description}, {instead}"
        super().__init__(f"{path}: {problem}. {found.next_step(str(path))}.")


class _UnreadableError(Exception):
    """Error for a file that the program cannot read. The message is the reason."""


class OpenFile:
    """An open regular file whose size does not exceed the limit for its kind of file."""

    def __init__(self, stream: BufferedReader, size: int) -> None:
        self.stream = stream
        self.size = size  # [byte]

    def first(self, count: int) -> bytes:
        """Return the first `count` bytes of the file. If the file has fewer bytes, return all bytes."""
        expected = min(count, self.size)
        self.stream.seek(0)
        data = self.stream.read(expected)
        if len(data) != expected:
            raise _UnreadableError(CHANGED)
        return data

    def whole(self) -> bytes:
        """Return all bytes of the file."""
        data = self.first(self.size)
        if self.stream.read(1):
            raise _UnreadableError(CHANGED)
        return data


@contextmanager
def opened(path: Path, kind: Kind) -> Iterator[OpenFile]:
    """Open a file for reading in a `with` block. Reading begins at the first byte.

    Raises MissingFile if the file does not exist. Raises WrongType if the file has another known type. Raises
    InputError in these cases:

    - The file is not regular or not readable.
    - The file exceeds the size limit for its kind.
    - The file changes during reading.
    - The file is only a pointer of Git LFS.
    """
    try:
        with _open(path, kind) as stream:
            status = os.fstat(stream.fileno())
            _require_regular(status)
            file = OpenFile(stream, status.st_size)
            _require_type(path, file, kind)
            if limit_message := excess(kind.budget, file.size, "name a smaller file"):
                raise _UnreadableError(f"the file has {limit_message}")
            stream.seek(0)
            yield file
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFile(f"{path}: cannot read the {kind.name}: there is no such file") from None
    except (OSError, MemoryError, _UnreadableError) as error:
        raise InputError(f"{path}: cannot read the {kind.name}: {_reason(error)}") from None


def file_type(path: Path) -> FileType:
    """Return the type of the file or folder at `path`.

    The content determines the type. Raises the same errors as `opened`.
    """
    if os.path.isdir(path):
        return _folder_type(path)
    with opened(path, ANY) as file:
        return type_of_bytes(file.first(HEAD), file.size)


def _folder_type(path: Path) -> FileType:
    if (path / "tasks").is_dir() and (path / "manifest.json").exists():
        return FARM
    return DATA_SET if (path / "labels.jsonl").exists() or (path / "annotations").is_dir() else FOLDER


def read_bytes(path: Path, kind: Kind) -> bytes:
    """Return all bytes of a file. Raises the same errors as `opened`."""
    with opened(path, kind) as file:
        return file.whole()


def read_text(path: Path, kind: Kind) -> str:
    """Return the text of a UTF-8 file with or without a byte order mark. Raises the same errors as `opened`."""
    try:
        return read_bytes(path, kind).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: the {kind.name} must be UTF-8 text (byte {error.start} is not UTF-8). Save the file as UTF-8."
        ) from None


def _open(path: Path, kind: Kind) -> BufferedReader:
    """Open a regular file. The function does not open devices, because opening can change the state of a device."""
    try:
        status = os.stat(path)
    except ValueError:  # a NUL, or a character without an encoding
        raise _UnreadableError("the name has characters that no file name can have") from None
    if stat.S_ISDIR(status.st_mode):
        raise WrongType(path, _folder_type(path), kind.name)
    _require_regular(status)
    return os.fdopen(os.open(path, FLAGS), "rb")


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        other = OTHERS.get(stat.S_IFMT(status.st_mode), "device")
        raise _UnreadableError(f"the path must be a regular file, but it is a {other}. Name a regular file")


def _require_type(path: Path, file: OpenFile, kind: Kind) -> None:
    """Raise WrongType if the file has a known type that the reader of `kind` does not support."""
    if file.first(len(POINTER)) == POINTER:
        raise _UnreadableError("this file is only a Git LFS pointer. Fetch the content of the file: git lfs pull")
    if kind.families and (found := type_of_bytes(file.first(HEAD), file.size)).family not in kind.families:
        raise WrongType(path, found, kind.name)


def _reason(error: Exception) -> str:
    match error:
        case OSError():
            return error.strerror or type(error).__name__
        case MemoryError():
            return "the file needs more memory than is free"
        case _:
            return str(error)

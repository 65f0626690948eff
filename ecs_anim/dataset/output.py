"""Writing and reading of a data set's files. A file is complete or does not exist.

Each file has a digest of its content.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, MissingFile, opened, read_bytes
from ecs_anim.support.pictures import complete_file, told

MANIFEST, LABELS, SHEET = "manifest.json", "labels.jsonl", "contact_sheet.png"
SCHEMA = "labels.schema.json"
ANNOTATIONS = "annotations"  # name of the folder for annotation files
MADE = Kind("file that was made", "trajectory_bytes")


class DigestedFile:
    """A file that is being written, with the digest of the data written so far."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._hash = file, hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Append `data` to the file."""
        self._hash.update(data)
        self._file.write(data)

    @property
    def sha256(self) -> str:
        """Return the SHA-256 digest of the data written so far."""
        return self._hash.hexdigest()


@contextmanager
def digested_file(path: Path) -> Iterator[DigestedFile]:
    """Yield a file for writing. If the folder is missing, create the folder. Raises the errors of `complete_file`."""
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with complete_file(path) as file:
        yield DigestedFile(file)


def write_file(path: Path, data: bytes) -> str:
    """Write a complete file and return its SHA-256 digest. Raises InputError for disk errors."""
    with digested_file(path) as file:
        file.write(data)
    return file.sha256


def write_data(path: Path, data: object) -> str:
    """Write plain data as JSON and return the file's SHA-256 digest. Raises InputError for disk errors."""
    return write_file(path, (json.dumps(data, indent=2) + "\n").encode())


def linked(source: Path, target: Path) -> None:
    """Give a file a second path: a hard link, or a copy where the disk has no hard links.

    Raises InputError for disk errors.
    """
    with told(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)


def read_data(path: Path, kind: Kind, fault: str) -> dict[str, Any] | None:
    """Return the JSON object in a file. If the file is missing, return None.

    If the file does not contain a JSON object, raises InputError with the text `fault`.
    """
    try:
        found = json.loads(read_bytes(path, kind))
    except MissingFile:
        return None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{path}: {fault}")
    return found


def holds(folder: Path, digests: Mapping[str, str]) -> bool:
    """Return whether each file in `digests` exists and has the given SHA-256 digest.

    Raises InputError for disk errors.
    """
    try:
        return all(file_digest(folder / name) == digest for name, digest in digests.items())
    except MissingFile:
        return False


def file_digest(path: Path, kind: Kind = MADE) -> str:
    """Return the SHA-256 digest of a file. Raises the errors of `opened`."""
    with opened(path, kind) as file:
        return hashlib.file_digest(file.stream, "sha256").hexdigest()


def names_in(path: Path) -> set[str]:
    """Return the names in an output folder. If the folder is missing, return no names.

    Raises InputError for an invalid folder.
    """
    if not path.parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist. Make the folder, or name another path")
    with told(path):
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: the path must be a folder, but it is a file. Name another path.")
        return {own.name for own in path.iterdir()} if path.is_dir() else set()

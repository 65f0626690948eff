"""The output of a label format: files in the folder of a data set, and their digests."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from ecs_anim.dataset.output import DigestedFile, digested_file, linked, write_file
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import Label


class FormatWriter(Protocol):
    """The writer of a label format."""

    def add(self, label: Label) -> None:
        """Add a picture and its actors. `label` is a line of labels.jsonl."""

    def finish(self) -> None:
        """Complete the files. No picture follows."""


class Output:
    """Files in the folder of a data set. Paths are relative to the folder, with slashes."""

    def __init__(self, folder: Path, pictures: dict[str, str], stack: ExitStack) -> None:
        """`pictures` contains the digest of each picture file that is written so far, and grows."""
        self.folder = folder
        self._pictures, self._stack = pictures, stack
        self._digests: dict[str, str] = {}
        self._begun: dict[str, DigestedFile] = {}

    def begin(self, path: str) -> DigestedFile:
        """Return a file to which a format writes until the end of the data set."""
        self._begun[path] = self._stack.enter_context(digested_file(self.folder / path))
        return self._begun[path]

    def write(self, path: str, data: bytes) -> None:
        """Write a complete file. Raises InputError for disk errors."""
        self._digests[path] = write_file(self.folder / path, data)

    def link(self, picture: str, path: str) -> None:
        """Give the file of a picture a second path: a hard link, or a copy where the disk has no hard links.

        Raises InputError for disk errors.
        """
        linked(self.folder / picture, self.folder / path)
        self._digests[path] = self._pictures[picture]

    def digests(self) -> dict[str, str]:
        """Return the digest of each file, by path."""
        return self._digests | {path: file.sha256 for path, file in self._begun.items()}


def paths_of_splits(plan: Plan, name: str) -> Iterator[tuple[str | None, str]]:
    """Yield the name of each split and the path of its JSON file. Without splits, yield None and one path."""
    for split in (*plan.splits,) or (None,):
        yield split, f"{name}.json" if split is None else f"{name}_{split}.json"


def stem_of(label: Label) -> str:
    """Return a file name without ending that is unique in the data set, such as door_000017."""
    return f"{label['camera']}_{label['number']:06d}"

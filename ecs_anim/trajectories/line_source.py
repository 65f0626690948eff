"""Reading of text files in slabs. A slab contains several complete lines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.trajectories.rows import Rows, Whole
from ecs_anim.trajectories.source import TRAJECTORIES, Source

# Bytes that are read and parsed together. Four times as many bytes are 10 % faster, but take 3 MB more memory.
SLAB = 1 << 15

# A function that returns the rows of lines. The arguments are the lines and their line numbers. A line can be without a
# row.
Parse = Callable[[list[str], Whole], Rows]


@dataclass(frozen=True)
class LineSource(Source):
    """A text file and a parser for the lines of the file."""

    parse: Parse
    skipped: int  # lines before the first row
    counted = "line"

    def rows(self) -> Iterator[Rows]:
        """Yield all rows of the file. Each item has the rows of one slab."""
        for number, data in slabs(self.path):
            texts = _texts(data)
            skipped = min(max(0, self.skipped + 1 - number), len(texts))
            yield self.parse(texts[skipped:], np.arange(number + skipped, number + len(texts), dtype=np.int64))


def slabs(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the line number of the first line, and the bytes, of each slab. Line numbers begin at 1.

    Raises InputError if the file is not text, or if a line is longer than a slab.
    """
    start, line, rest = 0, 1, b""
    with opened(path, TRAJECTORIES) as file:
        while data := file.stream.read(SLAB):
            data = rest + data
            if b"\0" in data:
                raise InputError(
                    f"{path}: the file must be a text file or have a known format (byte {start + data.index(0)} is "
                    "zero, so the file is not text). Name another file."
                )
            end = data.rfind(b"\n") + 1
            if not end and len(data) > SLAB:
                raise InputError(
                    f"{path}: line {line} must be at most {SLAB:,} bytes long. Name a file of trajectories."
                )
            if end:
                yield line, data[:end]
                line += data.count(b"\n", 0, end)
                start += end
            rest = data[end:]
        if rest:
            yield line, rest


def _texts(data: bytes) -> list[str]:
    """Return the lines in `data` without line ends. A replacement character stands for each invalid UTF-8 sequence.

    A parser later rejects replacement characters outside comments.
    """
    text = data.replace(b"\r\n", b"\n").decode("utf-8", "replace").removeprefix("\ufeff")  # removes a byte order mark
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]

"""Files of lines: read a slab at a time, cut into pieces of some lines, so that any of them is found again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.trajectories.rows import Label, Rows, Whole
from ecs_anim.trajectories.source import TRAJECTORIES, Block, Layout, Pieces, bytes_between

SLAB = 1 << 15  # bytes that are read and parsed at once; four times as many are a tenth faster, and take 3 MB more
LINES = 128  # of a piece
NEWLINE = 10

# Rows of these lines, of which each has its number; lines that hold none may be among them.
Parse = Callable[[list[str], Whole], Rows]


class Slab(NamedTuple):
    """Whole lines of a file."""

    start: int  # [byte]
    line: int  # number of the first, from 1
    data: bytes


@dataclass(frozen=True)
class LineSource:
    """A file of lines, and what reads them."""

    path: Path
    layout: Layout
    parse: Parse
    skipped: int  # lines of headers, which come first

    @property
    def label(self) -> Label:
        return Label(str(self.path), "line", self.layout.ids)

    def blocks(self) -> Iterator[Block]:
        """The whole file, in its order."""
        for slab in slabs(self.path):
            offsets = _line_offsets(slab)
            header = min(max(0, self.skipped + 1 - slab.line), len(offsets) - 1)
            firsts = np.arange(header, len(offsets) - 1, LINES)
            lasts = np.minimum(firsts + LINES, len(offsets) - 1)
            pieces = Pieces(offsets[firsts], offsets[lasts], slab.line + firsts)
            texts = _texts(slab.data)[header:]
            rows = self.parse(texts, slab.line + header + np.arange(len(texts), dtype=np.int64))
            yield Block(pieces, rows, (rows.lines - slab.line - header) // LINES)

    def rows(self, pieces: Pieces) -> Iterator[Rows]:
        """What is in these pieces, about a slab at a time."""
        with opened(self.path, TRAJECTORIES) as file:
            texts: list[str] = []
            numbers: list[Whole] = []
            size = 0
            for start, stop, line in zip(*(column.tolist() for column in pieces), strict=True):
                own = _texts(bytes_between(file, start, stop, self.path))
                texts += own
                numbers.append(line + np.arange(len(own), dtype=np.int64))
                size += stop - start
                if size >= SLAB:
                    yield self.parse(texts, np.concatenate(numbers))
                    texts, numbers, size = [], [], 0
            if texts:
                yield self.parse(texts, np.concatenate(numbers))


def slabs(path: Path) -> Iterator[Slab]:
    """A file's lines in slabs. Raises InputError for what is no text, or where one line is longer than a slab."""
    start, line, rest = 0, 1, b""
    with opened(path, TRAJECTORIES) as file:
        while data := file.stream.read(SLAB):
            data = rest + data
            if b"\0" in data:
                raise InputError(f"{path}: it is no text (byte {start + data.index(0)} is zero), nor a known format")
            end = data.rfind(b"\n") + 1
            if not end and len(data) > SLAB:
                raise InputError(f"{path}: line {line} is longer than {SLAB:,} bytes: it is no file of trajectories")
            if end:
                yield Slab(start, line, data[:end])
                line += data.count(b"\n", 0, end)
                start += end
            rest = data[end:]
        if rest:
            yield Slab(start, line, rest)


def _line_offsets(slab: Slab) -> Whole:
    """Bytes at which lines begin, and the end [lines + 1]."""
    ends = np.flatnonzero(np.frombuffer(slab.data, np.uint8) == NEWLINE) + 1
    if not len(ends) or ends[-1] != len(slab.data):
        ends = np.append(ends, len(slab.data))
    return slab.start + np.concatenate([[0], ends]).astype(np.int64)


def _texts(data: bytes) -> list[str]:
    """Lines without their ends. What is no UTF-8 stands in comments or is no number, which is told of later."""
    text = data.replace(b"\r\n", b"\n").decode("utf-8", "replace").removeprefix("\ufeff")  # a byte order mark
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]

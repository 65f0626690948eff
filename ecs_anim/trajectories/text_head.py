"""Heads of text files: comments, names, units and the first rows, before anybody knows what the columns are."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.comments import told_rate, told_units
from ecs_anim.trajectories.rows import EXACT, Reals
from ecs_anim.trajectories.source import NO_ROWS

MOST_HEADER = 100  # lines before the first row
SAMPLE = 4096  # rows that are looked at
SIMULATED = re.compile(r"simulated\b", re.IGNORECASE)


@dataclass(frozen=True)
class Head:
    """How a text file begins."""

    comments: tuple[str, ...]  # without their signs
    names: tuple[str, ...]  # of columns, from a first line or the last comment; may be none
    units: tuple[str, ...]  # from a line after the names; may be none
    delimiter: str | None  # None: white space
    rows: tuple[tuple[str, ...], ...]  # the fields of the first rows, all with numbers
    skipped: int  # lines before the first row

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.rows[0]) if self.rows else len(self.names)

    @property
    def table(self) -> Reals:
        """First rows in which every field is a number below 2^53, [n, width]. Sums and squares of these are finite."""
        whole = [row for row in self.rows if len(row) == self.width and all(map(_is_number, row))]
        table = np.array(whole, np.float64).reshape(-1, self.width)
        return table[(np.abs(table) <= EXACT).all(axis=1)]

    @property
    def rate(self) -> float | None:
        """Frames a second, as comments say."""
        return told_rate(self.comments)

    @property
    def told_units(self) -> frozenset[str]:
        """The units of x and y, as comments say; several where these contradict each other."""
        return told_units(self.comments)

    @property
    def is_simulated(self) -> bool:
        """Whether a comment begins by saying that positions are a simulation's."""
        return any(SIMULATED.match(comment) for comment in self.comments)


def whole_lines(start: bytes) -> list[str]:
    """The lines that a file begins with, of which the last may be cut: it is left out, unless it is the only one."""
    lines = start.replace(b"\r\n", b"\n").decode("utf-8-sig", "replace").split("\n")
    return lines[:-1] if len(lines) > 1 else lines


def fields(line: str, delimiter: str | None) -> list[str]:
    """Return the fields of a line. A delimiter between quotes separates nothing; None is white space."""
    try:
        found = next(_csv_rows([line], delimiter), [])
    except csv.Error:  # not a table, which the numbers report later
        found = line.split(delimiter)
    return [field.strip() for field in found]


def has_open_quote(line: str, delimiter: str | None) -> bool:
    """Return whether a quoted field of a line continues on the next line."""
    try:
        return len(list(_csv_rows([line, ""], delimiter))) == 1
    except csv.Error:
        return False


def _csv_rows(lines: Sequence[str], delimiter: str | None) -> Iterator[list[str]]:
    if delimiter is None:
        return csv.reader([" ".join(line.split()) for line in lines], delimiter=" ")
    return csv.reader(lines, delimiter=delimiter)


def read_head(path: Path, start: bytes) -> Head:
    """How a text file begins that begins with these bytes, whose last line may be cut. Raises InputError."""
    lines = whole_lines(start)
    full = [(k, line) for k, line in enumerate(lines) if line.strip()]
    comments = [line.strip().lstrip("#").strip() for _, line in full if line.lstrip().startswith("#")]
    body = [(k, line) for k, line in full if not line.lstrip().startswith("#")]
    if not body:
        raise InputError(f"{path}: {NO_ROWS}")
    delimiter = _delimiter(body[0][1])
    split = [(k, tuple(fields(line, delimiter))) for k, line in body[: SAMPLE + MOST_HEADER]]
    headers = next((n for n, (_, row) in enumerate(split) if _has_numbers(row)), len(split))
    if headers > 2:
        raise InputError(f"{path}: line {split[0][0] + 1}: it is no table of numbers, nor a known format")
    skipped = split[headers][0] if headers < len(split) else lines.index(body[-1][1]) + 1
    names = split[0][1] if headers else _names_in_comment(comments, len(split[0][1]))
    return Head(
        tuple(comments[:MOST_HEADER]),
        tuple(names),
        split[1][1] if headers == 2 else (),
        delimiter,
        tuple(row for _, row in split[headers : headers + SAMPLE]),
        skipped,
    )


def _delimiter(line: str) -> str | None:
    """The sign between columns: a semicolon, a comma, a tab, or white space."""
    found = next((sign for sign in (";", ",", "\t") if sign in line), None)
    return None if found == "\t" and " " not in line else found


def _has_numbers(row: tuple[str, ...]) -> bool:
    """Whether a row holds numbers, as rows of names and of units do not."""
    return sum(_is_number(field) for field in row) >= min(3, len(row)) > 0


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _names_in_comment(comments: list[str], width: int) -> list[str]:
    """The last comment's words, where there is one for each column."""
    words = comments[-1].split() if comments else []
    return words if len(words) == width else []

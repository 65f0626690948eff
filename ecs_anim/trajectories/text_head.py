"""Heads of text files: comments, names, units and the first rows, before the columns have a meaning."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.columns import named_columns
from ecs_anim.trajectories.comments import told_rate, told_units
from ecs_anim.trajectories.dialect import Dialect, dialect_of, fields
from ecs_anim.trajectories.moments import calendar_of
from ecs_anim.trajectories.rows import EXACT, Reals
from ecs_anim.trajectories.source import NO_ROWS

MOST_HEADER = 100  # lines before the first row
SAMPLE = 4096  # rows that are looked at
COMMENTS = ("#", "%", "//")  # how lines of comments begin
SIMULATED = re.compile(r"simulated\b", re.IGNORECASE)

Fields = tuple[str, ...]


@dataclass(frozen=True)
class Head:
    """How a text file begins."""

    comments: tuple[str, ...]  # without their signs
    names: Fields  # of columns, from a first line or the last comment; may be none
    units: Fields  # from a line after the names; may be none
    dialect: Dialect
    rows: tuple[Fields, ...]  # the fields of the first rows
    skipped: int  # lines before the first row

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.rows[0]) if self.rows else len(self.names)

    @cached_property
    def table(self) -> Reals:
        """First rows in which every field is a number below 2^53, [n, width]. Sums and squares of these are finite."""
        whole = [row for row in self.rows if len(row) == self.width]
        table = np.array([[self.dialect.number_or_none(field) for field in row] for row in whole], np.float64)
        table = table.reshape(-1, self.width)
        return table[(np.abs(table) <= EXACT).all(axis=1)]

    def column(self, number: int) -> list[str]:
        """The fields of a column in the first rows."""
        return [row[number] for row in self.rows if number < len(row)]

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


def is_comment(line: str) -> bool:
    """Return whether a line holds no row: it is blank or a comment."""
    stripped = line.lstrip()
    return not stripped or stripped.startswith(COMMENTS)


def head_of(lines: Sequence[str], path: Path) -> Head:
    """Return how a text file begins that has these first lines. Raises InputError."""
    comments = [line.strip().lstrip("#%/").strip() for line in lines if line.strip() and is_comment(line)]
    body = [(k, line) for k, line in enumerate(lines) if not is_comment(line)]
    if not body:
        raise InputError(f"{path}: {NO_ROWS}")
    dialect = dialect_of([line for _, line in body])
    split = [(k, tuple(fields(line, dialect.delimiter))) for k, line in body[: SAMPLE + MOST_HEADER]]
    first = next((n for n, (_, row) in enumerate(split) if _has_values(row, dialect)), len(split))
    names, units, titles = _header([row for _, row in split[:first]])
    rows = _without_empty_end([row for _, row in split[first : first + SAMPLE]], len(names))
    if titles and (not rows or named_columns(names, units) is None):
        raise InputError(f"{path}: line {split[0][0] + 1}: it is no table of numbers, nor a known format")
    comments += [" ".join(title) for title in titles]
    skipped = split[first][0] if rows else split[-1][0] + 1
    if not names:
        names = _names_in_comment(comments, len(rows[0]))
    return Head(tuple(comments[:MOST_HEADER]), names, units, dialect, tuple(rows), skipped)


def _header(header: list[Fields]) -> tuple[Fields, Fields, list[Fields]]:
    """Return the names of columns, their units, and the lines of titles before them; any may be empty."""
    if not header:
        return (), (), []
    names = next((k for k, row in enumerate(header) if named_columns(row) is not None), max(0, len(header) - 2))
    units = header[names + 1] if names + 1 < len(header) else ()
    return header[names], units, [*header[:names], *header[names + 2 :]]


def _without_empty_end(rows: list[Fields], named: int) -> list[Fields]:
    """Return rows without a last column that has no name and is empty in all of them: lines end in a delimiter."""
    if any(len(row) == named or row[-1:] != ("",) for row in rows):
        return rows
    return [row[:-1] for row in rows]


def _has_values(row: Fields, dialect: Dialect) -> bool:
    """Whether a row holds numbers and times, as rows of names and of units do not."""
    return sum(_is_value(field, dialect) for field in row) >= min(3, len(row)) > 0


def _is_value(field: str, dialect: Dialect) -> bool:
    try:
        return not math.isnan(dialect.number(field)) or field.lower().endswith("nan")
    except ValueError:
        return calendar_of(field) is not None


def _names_in_comment(comments: list[str], width: int) -> Fields:
    """The last comment's words, where there is one for each column."""
    words = comments[-1].split() if comments else []
    return tuple(words) if len(words) == width else ()

"""The head of a text file: comments, column names, units and the first rows. The head does not contain the roles of the
columns.
"""

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

MOST_HEADER = 100  # most lines before the first row
SAMPLE = 4096  # number of first rows that are examined
COMMENTS = ("#", "%", "//")  # first characters of comment lines
SIMULATED = re.compile(r"simulated\b", re.IGNORECASE)

Fields = tuple[str, ...]


@dataclass(frozen=True)
class Head:
    """The beginning of a text file."""

    comments: tuple[str, ...]  # comments without their comment signs
    names: Fields  # names of columns, from a first line or the last comment; can be empty
    units: Fields  # units from a line after the names; can be empty
    dialect: Dialect
    rows: tuple[Fields, ...]  # the fields of the first rows
    skipped: int  # lines before the first row

    @property
    def width(self) -> int:
        """Return the number of columns in the first rows."""
        return len(self.rows[0]) if self.rows else len(self.names)

    @cached_property
    def table(self) -> Reals:
        """Return the numbers [n, width] of the first rows.

        The method omits each row with a field that is not a number below 2^53. The limit 2^53 keeps sums and squares of
        the numbers finite.
        """
        whole = [row for row in self.rows if len(row) == self.width]
        table = np.array([[self.dialect.number_or_none(field) for field in row] for row in whole], np.float64)
        table = table.reshape(-1, self.width)
        return table[(np.abs(table) <= EXACT).all(axis=1)]

    def column(self, number: int) -> list[str]:
        """Return the fields of the column `number` in the first rows."""
        return [row[number] for row in self.rows if number < len(row)]

    @property
    def rate(self) -> float | None:
        """Return the frame rate [1/s] that comments state, or None."""
        return told_rate(self.comments)

    @property
    def told_units(self) -> frozenset[str]:
        """Return the units of x and y that comments state.

        If comments contradict each other, the set has several units.
        """
        return told_units(self.comments)

    @property
    def is_simulated(self) -> bool:
        """Return whether a comment at the beginning states that the positions come from a simulation."""
        return any(SIMULATED.match(comment) for comment in self.comments)


def whole_lines(start: bytes) -> list[str]:
    """Return the complete lines in the first bytes of a file.

    The function drops the last line, because the last line can be incomplete. If the file has only one line, the
    function keeps this line.
    """
    lines = start.replace(b"\r\n", b"\n").decode("utf-8-sig", "replace").split("\n")
    return lines[:-1] if len(lines) > 1 else lines


def is_comment(line: str) -> bool:
    """Return whether a line is blank or a comment."""
    stripped = line.lstrip()
    return not stripped or stripped.startswith(COMMENTS)


def head_of(lines: Sequence[str], path: Path) -> Head:
    """Return the head of a text file from its first lines. Raises InputError if the lines are not a table."""
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
        raise InputError(
            f"{path}: line {split[0][0] + 1}: the file must be a table of numbers or have a known format. Name"
            " another file."
        )
    comments += [" ".join(title) for title in titles]
    skipped = split[first][0] if rows else split[-1][0] + 1
    if not names:
        names = _names_in_comment(comments, len(rows[0]))
    return Head(tuple(comments[:MOST_HEADER]), names, units, dialect, tuple(rows), skipped)


def _header(header: list[Fields]) -> tuple[Fields, Fields, list[Fields]]:
    """Return three parts of a header: the row of column names, the row of units, and the other rows.

    Each part of the header can be empty.
    """
    if not header:
        return (), (), []
    names = next((k for k, row in enumerate(header) if named_columns(row) is not None), max(0, len(header) - 2))
    units = header[names + 1] if names + 1 < len(header) else ()
    return header[names], units, [*header[:names], *header[names + 2 :]]


def _without_empty_end(rows: list[Fields], named: int) -> list[Fields]:
    """Return rows without the last column if the last column has no name and no values.

    A last column without values occurs in files whose lines end with a delimiter.
    """
    if any(len(row) == named or row[-1:] != ("",) for row in rows):
        return rows
    return [row[:-1] for row in rows]


def _has_values(row: Fields, dialect: Dialect) -> bool:
    """Return whether a row contains numbers or times. A row of column names or units contains neither."""
    return sum(_is_value(field, dialect) for field in row) >= min(3, len(row)) > 0


def _is_value(field: str, dialect: Dialect) -> bool:
    try:
        return not math.isnan(dialect.number(field)) or field.lower().endswith("nan")
    except ValueError:
        return calendar_of(field) is not None


def _names_in_comment(comments: list[str], width: int) -> Fields:
    """Return the words of the last comment as column names, if the comment has one word for each of the `width`
    columns.

    Otherwise, return an empty tuple.
    """
    words = comments[-1].split() if comments else []
    return tuple(words) if len(words) == width else ()

"""Conversion of the fields in text files. A column can contain numbers, names or times."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.columns import NEEDED, Columns
from ecs_anim.trajectories.dialect import MISSING, Dialect, fields, has_open_quote, is_float
from ecs_anim.trajectories.moments import Calendar, calendar_of
from ecs_anim.trajectories.names import Names
from ecs_anim.trajectories.rows import EXACT, Label, Reals, Whole, wrong_line
from ecs_anim.trajectories.text_head import Head

UNMISSED = ("id", "frame", "time")  # columns without which a row is useless
Values = dict[str, NDArray[Any]]  # columns by role, each [n]
WHOLE_NUMBER = re.compile(r"[-+]?\d{1,18}")  # fits in 64 bits


class Readers(NamedTuple):
    """Readers for the columns that contain names or times in place of numbers."""

    ids: Names | None = None  # ids of people
    levels: Names | None = None  # names of floors
    calendar: Calendar | None = None  # times as text

    def values(self, role: str, texts: Sequence[str]) -> NDArray[Any] | None:
        """Return the values of the fields `texts` for the role `role`.

        Return None if the column contains plain numbers.

        Raises ValueError for an invalid text.
        """
        match role:
            case "id" if self.ids is not None:
                return self.ids.numbers(texts)
            case "level" if self.levels is not None:
                return self.levels.numbers(texts)
            case "time" if self.calendar is not None:
                return self.calendar.all_seconds(texts)
            case _:
                return None


def readers_of(head: Head, columns: Columns, path: Path) -> Readers:
    """Return the readers for the columns of a file. The function chooses the readers from the fields in the head of the
    file.
    """
    ids = levels = calendar = None
    if "id" in columns.where and not all(map(_is_number_of_a_person, head.column(columns.where["id"]))):
        ids = Names(str(path))
    if "level" in columns.where:
        levels = Names(str(path))
    if "time" in columns.where and head.rows and not is_float(first := head.rows[0][columns.where["time"]]):
        calendar = calendar_of(first)
    return Readers(ids, levels, calendar)


@dataclass(frozen=True)
class FieldReader:
    """The reader that converts lines to columns."""

    label: Label
    dialect: Dialect
    where: dict[str, int]  # numbers of columns by role
    readers: Readers

    def read(self, lines: list[str], numbers: Whole) -> Values:
        """Return the columns of `lines` [n]. `numbers` contains the line numbers. Raises InputError for an invalid
        field.
        """
        try:
            return self._at_once(lines)
        except (ValueError, IndexError):
            return self._by_fields(lines, numbers)

    def first(self, rows: Sequence[Sequence[str]]) -> Values:
        """Return the columns of the rows `rows`, which are lists of fields. An invalid field becomes NaN."""
        found: Values = {}
        for role, column in self.where.items():
            texts = [row[column] if column < len(row) else "" for row in rows]
            try:
                own = self.readers.values(role, texts)
            except ValueError:
                own = np.full(len(texts), np.nan)
            found[role] = (
                np.array([self.dialect.number_or_none(text) for text in texts], np.float64) if own is None else own
            )
        return found

    def _at_once(self, lines: list[str]) -> Values:
        """Return the columns of `lines`, with one conversion for all lines.

        Raises ValueError or IndexError if only the slower function `_by_fields` can read a line.
        """
        special = {role for role in self.where if self.readers.values(role, ()) is not None}
        plain = {role: column for role, column in self.where.items() if role not in special}
        found: Values = dict(zip(plain, self._table(lines, list(plain.values())).T, strict=True))
        rows = [fields(line, self.dialect.delimiter) for line in lines] if special else []
        for role in special:
            texts = [row[self.where[role]] for row in rows]
            if role == "id" and "" in texts:
                raise ValueError("a person must have an id")
            own = self.readers.values(role, texts)
            assert own is not None
            found[role] = own
        if "id" in plain and (np.abs(found["id"]) >= EXACT).any():
            raise ValueError("an id must be a number that fits into float64")
        return found

    def _table(self, lines: list[str], used: list[int]) -> Reals:
        """Return the numbers [n, columns] in the columns `used` of `lines` [n]. Raises ValueError or IndexError."""
        if not lines:
            return np.zeros((0, len(used)))
        if not self.dialect.has_plain_lines or has_open_quote(lines[-1], self.dialect.delimiter):
            raise ValueError("the fast table reader cannot read quoted fields that contain a delimiter or a line end")
        if self.dialect.decimal != "." or self.dialect.thousands:
            lines = [self.dialect.plain(line) for line in lines]
        values = np.loadtxt(
            lines,
            delimiter=self.dialect.delimiter,
            usecols=used,
            comments=None,
            quotechar='"',
            ndmin=2,
            dtype=np.float64,
        )
        if len(values) != len(lines):
            raise ValueError("a quoted field must end on its line")
        return values

    def _by_fields(self, lines: list[str], numbers: Whole) -> Values:
        """Return the columns of `lines`, with a separate conversion of each field.

        Raises InputError for the first invalid field.
        """
        rows = [self._fields(line, number) for line, number in zip(lines, numbers.tolist(), strict=True)]
        return {role: self._column(role, rows, numbers) for role in self.where}

    def _fields(self, line: str, number: int) -> list[str]:
        """Return the fields of a line. Raises InputError if a needed column is missing."""
        if has_open_quote(line, self.dialect.delimiter):
            raise InputError(
                f"{self.label.path}: line {number}: a quoted field must end on its line"
                f" (got {line[-40:]!r}). Close or remove the quote."
            )
        own = fields(line, self.dialect.delimiter)
        for role, column in self.where.items():
            if column >= len(own) and role in NEEDED:
                raise wrong_line(
                    self.label.path,
                    number,
                    f"the line must have {column + 1} columns, because {role} is column {column + 1} (got {len(own)}"
                    " columns). The file may be incomplete",
                )
        return own

    def _column(self, role: str, rows: list[list[str]], numbers: Whole) -> NDArray[Any]:
        column = self.where[role]
        texts = [row[column] if column < len(row) else "" for row in rows]
        self._check_texts(role, texts, numbers)
        if (own := self.readers.values(role, texts)) is not None:
            return own
        values = [self._number(role, text, number) for text, number in zip(texts, numbers.tolist(), strict=True)]
        return np.array(values, np.int64 if all(isinstance(value, int) for value in values) else np.float64)

    def _check_texts(self, role: str, texts: Sequence[str], numbers: Whole) -> None:
        """Raise InputError for a person without an id, and for an invalid time."""
        for text, number in zip(texts, numbers.tolist(), strict=True):
            if role == "id" and not text:
                raise self._wrong(role, text, number, "a number or a name" if self.readers.ids else "a number")
            try:
                self.readers.values(role, [text] if role == "time" else ())
            except ValueError as error:
                raise self._wrong(role, text, number, f"a time as in the first row: {error}") from None

    def _number(self, role: str, text: str, line: int) -> float:
        """Return the number in the field `text`. An id becomes an integer with all its digits. Raises InputError if the
        field is not a number.
        """
        if role == "id" and WHOLE_NUMBER.fullmatch(text):
            return int(text)
        value = self.dialect.number_or_none(text)
        if role in NEEDED and (value is None or (not text and role in UNMISSED)):
            raise self._wrong(role, text, line)
        return float("nan") if value is None else value

    def _wrong(self, role: str, text: str, line: int, rule: str = "a number") -> InputError:
        return wrong_line(self.label.path, line, f"{role} must be {rule} (got {text[:40]!r})")


def _is_number_of_a_person(text: str) -> bool:
    """Return whether an id is missing or is a number.

    The number can be outside the valid range, because a later check reports invalid ids.
    """
    if text.lstrip("-+").isdigit():
        return bool(WHOLE_NUMBER.fullmatch(text))
    return is_float(text) or text.lower() in MISSING

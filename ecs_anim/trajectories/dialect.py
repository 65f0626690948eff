"""Dialects of text tables: the delimiter, the decimal sign, and words for missing numbers."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

LOOKED_AT = 50  # lines that are read to find the delimiter
LEAST_SIGNS = 3  # least number of delimiters in a line: four columns for person, frame, x and y
# words for missing numbers, in lower case
MISSING = frozenset(("", "nan", "+nan", "-nan", "na", "n/a", "null", "none", "nil", "-", "--", "?"))
DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
BOTH = re.compile(r"[-+]?\d{1,3}(?:([.,])\d{3})+([.,])\d+")  # a thousands separator, then a decimal sign
GROUPED = re.compile(r"[-+]?\d{1,3}(?:[.,]\d{3})+")
GROUPS = str.maketrans("", "", "'\u2019\u00a0\u202f")  # further thousands separators


class Dialect(NamedTuple):
    """The delimiter, the decimal sign and the thousands separator of a table."""

    delimiter: str | None  # None: white space
    decimal: str = "."
    thousands: str = ""  # thousands separator, or empty

    def plain(self, text: str) -> str:
        """Return the numbers in `text` with decimal points and without thousands separators."""
        if self.thousands:
            text = text.replace(self.thousands, "")
        return text if self.decimal == "." else text.replace(self.decimal, ".")

    def number(self, text: str) -> float:
        """Return the number in a field, or NaN for a word that marks a missing number.

        Raises ValueError for other text.
        """
        plain = self.plain(text.strip())
        if plain.lower() in MISSING:
            return float("nan")
        return float(plain.translate(GROUPS))

    def number_or_none(self, text: str) -> float | None:
        """Return the number in a field, or None if the field is not a number."""
        try:
            return self.number(text)
        except ValueError:
            return None

    @property
    def has_plain_lines(self) -> bool:
        """Return whether `Dialect.plain` can process a whole line without changing its columns."""
        return self.delimiter not in (self.decimal, self.thousands)


def dialect_of(lines: Sequence[str]) -> Dialect:
    """Return the dialect of a table. `lines` contains the first lines of the table, including the header."""
    delimiter = _delimiter(lines[:LOOKED_AT])
    decimal, thousands = _signs(field for line in lines[:LOOKED_AT] for field in fields(line, delimiter))
    return Dialect(delimiter, decimal, thousands)


def fields(line: str, delimiter: str | None) -> list[str]:
    """Return the fields of a line. The delimiter None means white space.

    A delimiter inside a quoted field is a part of the field.
    """
    try:
        found = next(_csv_rows([line], delimiter), [])
    except csv.Error:  # the file is not a table; the reader of the numbers reports this later
        found = line.split(delimiter)
    return [field.strip() for field in found]


def has_open_quote(line: str, delimiter: str | None) -> bool:
    """Return whether a quoted field of a line continues on the next line."""
    try:
        return '"' in line and len(list(_csv_rows([line, ""], delimiter))) == 1
    except csv.Error:
        return False


def _csv_rows(lines: Sequence[str], delimiter: str | None) -> Iterator[list[str]]:
    if delimiter is None:
        return csv.reader([" ".join(line.split()) for line in lines], delimiter=" ")
    return csv.reader(lines, delimiter=delimiter)


def _delimiter(lines: Sequence[str]) -> str | None:
    """Return the delimiter of a table: a semicolon, a tab, a comma, or None for white space."""
    last = lines[-1]
    if ";" in last and ("," not in last or _usual_count(lines, ";") >= min(LEAST_SIGNS, _usual_count(lines, ","))):
        return ";"
    if _usual_count(lines, "\t") >= LEAST_SIGNS:
        alike = [line.split() == line.split("\t") for line in lines]  # no field is empty or contains a space
        return None if alike[0] and 2 * sum(alike) > len(lines) else "\t"
    return "," if "," in last and not _is_white_space_table(last) else None


def _usual_count(lines: Sequence[str], sign: str) -> int:
    (count, _), *_ = Counter(line.count(sign) for line in lines).most_common(1)
    return count


def _is_white_space_table(line: str) -> bool:
    """Return whether white space separates the numbers of a line, and commas are decimal signs."""
    parts = fields(line, None)
    return len(parts) > LEAST_SIGNS and all(part.isdigit() or DECIMAL_COMMA.fullmatch(part) for part in parts)


def _signs(texts: Iterable[str]) -> tuple[str, str]:
    """Return the decimal sign and the thousands separator of a table.

    A comma can be the decimal sign or the thousands separator. The function determines the meaning of the comma from
    the fields of the table.
    """
    with_commas: list[str] = []
    with_points: list[str] = []
    for text in texts:
        if match := BOTH.fullmatch(text):
            if match[1] != match[2]:
                return match[2], match[1]
        elif GROUPED.fullmatch(text) or DECIMAL_COMMA.fullmatch(text):
            (with_commas if "," in text else with_points).append(text)
        elif "." in text and is_float(text):
            with_points.append(text)
    if not with_commas:
        return ".", ""
    if not with_points:
        return ",", ""
    if all(map(GROUPED.fullmatch, with_points)):
        return ",", "."
    return ".", "," if all(map(GROUPED.fullmatch, with_commas)) else ""


def is_float(text: str) -> bool:
    """Return whether Python can convert a text to a float."""
    try:
        float(text)
    except ValueError:
        return False
    return True

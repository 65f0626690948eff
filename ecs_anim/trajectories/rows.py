"""Rows of a trajectory file.

Each row is one sample of one person. The readers of all formats use the checks in this module.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.arguments import LARGEST
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.names import Names

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

EXACT = 2.0**53  # largest range in which float64 represents every integer
NEEDED = ("id", "x", "y")


class Rows(NamedTuple):
    """Samples of a file in any order, with the units and axes of the file."""

    ticks: Reals  # [n], frame numbers or times in the file's unit
    ids: Whole  # [n], ids of people
    xy: Reals  # [n, 2]; NaN = the person is not seen
    lines: Whole  # [n], line or row number in the file, from 1
    heading_vectors: Reals | None = None  # [n, 2], of any length; zero = not known
    groups: Whole | None = None  # [n]
    heights: Reals | None = None  # [n], z; NaN = not known
    levels: Whole | None = None  # [n], numbers of floor names

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Return a mask [n] of the rows with a position."""
        return ~np.isnan(self.xy[:, 0])

    def taken(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> "Rows":
        """Return the rows that `chosen` selects. `chosen` is a mask or contains row numbers."""
        return Rows(*(None if column is None else column[chosen] for column in self))  # type: ignore[arg-type]


class Label(NamedTuple):
    """The words with which messages identify a row of a file."""

    path: str
    counted: str  # line or row
    names: Names | None = None  # names of people, if ids are texts

    def person(self, number: int) -> str:
        """Return the id that the file contains for the person with the number `number`."""
        return str(number) if self.names is None else self.names.texts[number]


def wrong_line(path: object, line: int, problem: str) -> InputError:
    """Return the error for a line of a file that the user must correct or remove."""
    return InputError(f"{path}: line {line}: {problem}. Correct or remove the line.")


def joined(parts: Sequence[Rows]) -> Rows:
    """Return the concatenated rows of all parts.

    `parts` must have at least one item. All parts must have the same optional columns.
    """
    columns = zip(*parts, strict=True)
    return Rows(*(None if column[0] is None else np.concatenate(column) for column in columns))  # type: ignore[arg-type]


def checked(columns: Mapping[str, NDArray[Any]], lines: Whole, label: Label) -> Rows:
    """Check all numbers in the columns [n], and return the rows.

    The keys of `columns` are roles: id, frame or time, x, y, and optionally heading_x, heading_y, group, z, level. If x
    or y is NaN, the row has no position. Raises InputError with the line, the person and the frame of the first invalid
    number.
    """
    tick = "frame" if "frame" in columns else "time"
    wrong = np.zeros(len(lines), bool)
    for role, values in columns.items():
        wrong |= _wrong(role, values)
    if wrong.any():
        _tell(columns, int(np.argmax(wrong)), lines, label)
    xy = np.stack([columns["x"], columns["y"]], axis=-1).astype(np.float64)
    xy[np.isnan(xy).any(axis=-1)] = np.nan
    return Rows(columns[tick].astype(np.float64), columns["id"].astype(np.int64), xy, lines, *_optional(columns))


def _optional(columns: Mapping[str, NDArray[Any]]) -> tuple[Reals | None, Whole | None, Reals | None, Whole | None]:
    """Return headings, groups, heights and levels. An unknown heading becomes a zero vector."""
    headings = None
    if "heading_x" in columns:
        headings = np.nan_to_num(np.stack([columns["heading_x"], columns["heading_y"]], axis=-1).astype(np.float64))
    groups, levels = (columns[role].astype(np.int64) if role in columns else None for role in ("group", "level"))
    heights = np.where(np.abs(columns["z"]) <= LARGEST, columns["z"], np.nan) if "z" in columns else None
    return headings, groups, heights, levels


def _wrong(role: str, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask [n] of the values that are invalid for the role `role`."""
    if role in ("z", "level") or values.dtype.kind == "i":
        return np.zeros(len(values), bool)
    if role in ("id", "frame", "group"):
        with np.errstate(invalid="ignore"):
            return ~((np.abs(values) < EXACT) & (values == np.rint(values)))
    return ~(np.abs(values) <= EXACT) if role == "time" else np.abs(values) > LARGEST


def _tell(columns: Mapping[str, NDArray[Any]], row: int, lines: Whole, label: Label) -> None:
    role = next(role for role, values in columns.items() if _wrong(role, values[row : row + 1])[0])
    value = float(columns[role][row])
    rule = "a whole number" if role in ("id", "frame", "group") else "a finite number"
    limit = EXACT if role in ("id", "frame", "group", "time") else LARGEST
    if limit < abs(value) < np.inf:
        rule += f" from {-limit:g} to {limit:g}"
    known = [_shown(r, columns[r][row], label) for r in ("id", "frame", "time") if r in columns and r != role]
    row_name, place = label.counted, ", ".join(known)
    raise InputError(
        f"{label.path}: {row_name} {lines[row]}: {place}: {role} must be {rule} (got {value:g}). Correct or remove the"
        f" {row_name}."
    )


def _shown(role: str, value: float, label: Label) -> str:
    """Return a text with a role and its value, such as "frame 12" or "person 3"."""
    if role == "id":
        return f"person {label.person(int(value)) if label.names else format(value, '.17g')}"
    return f"{role} {value:.17g}"

"""Rows of a file of trajectories: one sample of one person each, checked in one place for all formats."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.arguments import LARGEST
from ecs_anim.support.errors import InputError

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

EXACT = 2.0**53  # beyond it a float64 skips whole numbers
NEEDED = ("id", "x", "y")


class Rows(NamedTuple):
    """Samples in the file's own units and axes, in any order."""

    ticks: Reals  # [n], frames or units of time
    ids: Whole  # [n], people's
    xy: Reals  # [n, 2]
    lines: Whole  # [n], the line or row of the file, from 1
    headings: Reals | None = None  # [n, 2], of any length; zero = none
    groups: Whole | None = None  # [n]

    def taken(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> "Rows":
        """Some of the rows, by mask or by number."""
        return Rows(*(None if column is None else column[chosen] for column in self))  # type: ignore[arg-type]


class Label(NamedTuple):
    """The words by which messages name a row of a file."""

    path: str
    counted: str  # line, row


def joined(parts: Sequence[Rows]) -> Rows:
    """Rows one after the other; all have the same columns, and there is one part at least."""
    columns = zip(*parts, strict=True)
    return Rows(*(None if column[0] is None else np.concatenate(column) for column in columns))  # type: ignore[arg-type]


def checked(columns: Mapping[str, Reals], lines: Whole, label: Label) -> Rows:
    """Rows of columns by role (id, frame or time, x, y, and maybe heading_x, heading_y, group), each [n].

    Raises InputError that names line, person and frame of the first number that cannot be.
    """
    tick = "frame" if "frame" in columns else "time"
    wrong = np.zeros(len(lines), bool)
    for role, values in columns.items():
        wrong |= _wrong(role, values)
    if wrong.any():
        _tell(columns, int(np.argmax(wrong)), lines, label)
    headings = np.stack([columns["heading_x"], columns["heading_y"]], axis=-1) if "heading_x" in columns else None
    groups = columns["group"].astype(np.int64) if "group" in columns else None
    xy = np.stack([columns["x"], columns["y"]], axis=-1)
    return Rows(columns[tick], columns["id"].astype(np.int64), xy, lines, headings, groups)


def _wrong(role: str, values: Reals) -> NDArray[np.bool_]:
    """Which values a role cannot have."""
    if role in ("id", "frame", "group"):
        with np.errstate(invalid="ignore"):
            found: NDArray[np.bool_] = ~((np.abs(values) < EXACT) & (values == np.rint(values)))
            return found
    return ~(np.abs(values) <= (EXACT if role == "time" else LARGEST))


def _tell(columns: Mapping[str, Reals], row: int, lines: Whole, label: Label) -> None:
    role = next(role for role, values in columns.items() if _wrong(role, values[row : row + 1])[0])
    value = float(columns[role][row])
    rule = "a whole number" if role in ("id", "frame", "group") else "a finite number"
    known = [f"{_word(r)} {columns[r][row]:.17g}" for r in ("id", "frame", "time") if r in columns and r != role]
    raise InputError(
        f"{label.path}: {label.counted} {lines[row]}: {', '.join(known)}: {role} should be {rule}"
        f" (got {value:g}); mend or remove that {label.counted}"
    )


def _word(role: str) -> str:
    return "person" if role == "id" else role

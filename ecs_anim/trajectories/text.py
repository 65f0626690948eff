"""Text with columns: CSV, Pathfinder, Vadere's footsteps, the Jülich data archive and PeTrack, ETH, TrajNet++."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.columns import Columns
from ecs_anim.trajectories.line_source import LineSource
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Label, Reals, Rows, Whole, checked, joined
from ecs_anim.trajectories.text_head import fields, has_open_quote, read_head
from ecs_anim.trajectories.text_layout import text_columns, text_layout


def text_source(path: Path, start: bytes, options: ReadOptions) -> LineSource:
    """The source of a text file that begins with these bytes. Raises InputError."""
    head = read_head(path, start)
    columns = text_columns(head, options, path)
    parse = _Parse(Label(str(path), "line"), head.delimiter, columns)
    layout = text_layout(head, columns)
    return LineSource(path, layout, parse, head.skipped)


@dataclass(frozen=True)
class _Parse:
    """The parser of lines with these columns."""

    label: Label
    delimiter: str | None
    columns: Columns

    def __call__(self, lines: list[str], numbers: Whole) -> Rows:
        if "#" in "".join(lines) or not all(map(str.strip, lines)):  # seldom, and looking at each line takes long
            kept = [k for k, line in enumerate(lines) if line.lstrip()[:1] not in ("", "#")]
            lines, numbers = [lines[k] for k in kept], numbers[kept]
        values = self._numbers(lines, numbers)
        own = dict(zip(self.columns.where, values.T, strict=True))
        return _footsteps(own, numbers, self.label) if self.columns.footsteps else checked(own, numbers, self.label)

    def _numbers(self, lines: Sequence[str], numbers: Whole) -> Reals:
        """Return the columns [n, columns] of lines, one row for each line.

        Raises InputError with the first line that has no number in a column, or whose quoted field does not end.
        """
        used = list(self.columns.where.values())
        if not lines:
            return np.zeros((0, len(used)))
        try:
            values = np.loadtxt(
                lines, delimiter=self.delimiter, usecols=used, comments=None, quotechar='"', ndmin=2, dtype=np.float64
            )
        except (ValueError, IndexError) as error:
            problem = f"not a table of numbers: {error!s:.200}"
        else:
            if len(values) == len(lines) and not has_open_quote(lines[-1], self.delimiter):
                return values
            problem = "a quoted field spans several lines"
        self._tell(lines, numbers)
        raise InputError(f"{self.label.path}: lines {numbers[0]} to {numbers[-1]}: {problem}")

    def _tell(self, lines: Sequence[str], numbers: Whole) -> None:
        for number, line in zip(numbers.tolist(), lines, strict=True):
            if has_open_quote(line, self.delimiter):
                raise InputError(
                    f"{self.label.path}: line {number}: a quoted field does not end on its line"
                    f" (got {line[-40:]!r}); close or remove the quote"
                )
            own = fields(line, self.delimiter)
            for role, column in self.columns.where.items():
                if column >= len(own):
                    raise InputError(
                        f"{self.label.path}: line {number}: {len(own)} columns, where {role} is column {column + 1};"
                        " the file may be cut short: mend or remove that line"
                    )
                try:
                    float(own[column])
                except ValueError:
                    raise InputError(
                        f"{self.label.path}: line {number}: {role} should be a number (got {own[column][:40]!r});"
                        " mend or remove that line"
                    ) from None


def _footsteps(columns: dict[str, Reals], lines: Whole, label: Label) -> Rows:
    """Two samples of each step: where and when it begins, and where and when it ends."""
    begin, end = (
        {"id": columns["id"], "time": columns[time], "x": columns[x], "y": columns[y]}
        for time, x, y in (("start_time", "start_x", "start_y"), ("end_time", "end_x", "end_y"))
    )
    return joined([checked(begin, lines, label), checked(end, lines, label)])

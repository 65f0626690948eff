"""Rows of text: lines become samples of people."""

from dataclasses import dataclass

from ecs_anim.trajectories.angles import with_headings
from ecs_anim.trajectories.mot import feet
from ecs_anim.trajectories.rows import Label, Rows, Whole, checked, joined
from ecs_anim.trajectories.text_fields import FieldReader, Values
from ecs_anim.trajectories.text_head import COMMENTS, is_comment


@dataclass(frozen=True)
class TextRows:
    """The parser of a table's lines."""

    reader: FieldReader
    convention: str  # of headings that are angles, one of `angles.CONVENTIONS`; or none
    footsteps: bool  # a row is a step

    def __call__(self, lines: list[str], numbers: Whole) -> Rows:
        text = "".join(lines)
        if any(sign in text for sign in COMMENTS) or not all(map(str.strip, lines)):  # seldom, and slow
            kept = [k for k, line in enumerate(lines) if not is_comment(line)]
            lines, numbers = [lines[k] for k in kept], numbers[kept]
        columns = self.reader.read(lines, numbers)
        if self.footsteps:
            return _footsteps(columns, numbers, self.reader.label)
        if "box_left" in columns:
            columns = feet(columns)
        if self.convention:
            columns = with_headings(columns, self.convention)
        return checked(columns, numbers, self.reader.label)


def _footsteps(columns: Values, lines: Whole, label: Label) -> Rows:
    """Two samples of each step: where and when it begins, and where and when it ends."""
    begin, end = (
        {"id": columns["id"], "time": columns[time], "x": columns[x], "y": columns[y]}
        for time, x, y in (("start_time", "start_x", "start_y"), ("end_time", "end_x", "end_y"))
    )
    return joined([checked(begin, lines, label), checked(end, lines, label)])

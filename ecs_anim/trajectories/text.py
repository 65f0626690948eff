"""Reader of text tables: CSV, Pathfinder, Vadere's footsteps, Jülich data archive, PeTrack, ETH, TrajNet++ and MOT."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.angles import with_headings
from ecs_anim.trajectories.columns import BY_NAME
from ecs_anim.trajectories.evidence import with_evidence
from ecs_anim.trajectories.line_source import LineSource
from ecs_anim.trajectories.mot import feet
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Label, Rows, Whole, checked, joined
from ecs_anim.trajectories.text_fields import FieldReader, Values, readers_of
from ecs_anim.trajectories.text_head import COMMENTS, Head, head_of, is_comment, whole_lines
from ecs_anim.trajectories.text_layout import text_columns, text_layout

# The first line in which a spreadsheet program names the delimiter.
EXCEL = re.compile(r"sep=.", re.IGNORECASE)


def text_source(path: Path, start: bytes, options: ReadOptions) -> LineSource:
    """Return the object that reads the lines of a text file with trajectories.

    `start` contains the first bytes of the file. Raises InputError if the format is unknown.
    """
    if b"\r" in start and b"\n" not in start:
        raise InputError(
            f"{path}: each line must end in a line feed (got only carriage returns). Convert the line ends."
        )
    lines = whole_lines(start)
    if EXCEL.fullmatch(lines[0].strip()):
        lines[0] = ""
    return source_of_head(head_of(lines, path), path, options)


def source_of_head(head: Head, path: Path, options: ReadOptions) -> LineSource:
    """Return the source for the text file that begins with `head`. Raises InputError if the format is unknown."""
    columns = text_columns(head, options, path)
    layout = text_layout(head, columns)
    readers = readers_of(head, columns, path)
    layout = replace(layout, ids=readers.ids, levels=readers.levels)
    if readers.calendar is not None:
        notes = (note for note in layout.notes if note != BY_NAME)
        layout = replace(layout, rate=1.0, notes=(*notes, readers.calendar.note))
    label = Label(str(path), "line", readers.ids)
    reader = FieldReader(label, head.dialect, columns.where, readers)
    layout, convention = with_evidence(layout, columns, reader.first(head.rows))
    read = columns.read if convention else columns.without("heading").read
    parse = _TextRows(replace(reader, where=read), convention or "", columns.footsteps)
    return LineSource(path, layout, parse, head.skipped)


@dataclass(frozen=True)
class _TextRows:
    """The parser of a text table's lines."""

    reader: FieldReader
    convention: str  # convention of heading angles, one of `angles.CONVENTIONS`; or empty
    footsteps: bool  # whether a row is a footstep

    def __call__(self, lines: list[str], numbers: Whole) -> Rows:
        text = "".join(lines)
        if any(sign in text for sign in COMMENTS) or not all(map(str.strip, lines)):  # rare, and slow
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
    """Return two samples for each footstep: position and time at its start, and position and time at its end."""
    begin, end = (
        {"id": columns["id"], "time": columns[time], "x": columns[x], "y": columns[y]}
        for time, x, y in (("start_time", "start_x", "start_y"), ("end_time", "end_x", "end_y"))
    )
    return joined([checked(begin, lines, label), checked(end, lines, label)])

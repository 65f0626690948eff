"""Text with columns: CSV, Pathfinder, Vadere's footsteps, the Jülich data archive and PeTrack, ETH, TrajNet++, MOT."""

from dataclasses import replace
from pathlib import Path

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.columns import BY_NAME
from ecs_anim.trajectories.evidence import with_evidence
from ecs_anim.trajectories.line_source import LineSource
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Label
from ecs_anim.trajectories.text_fields import FieldReader, readers_of
from ecs_anim.trajectories.text_head import Head, read_head
from ecs_anim.trajectories.text_layout import text_columns, text_layout
from ecs_anim.trajectories.text_rows import TextRows


def text_source(path: Path, start: bytes, options: ReadOptions) -> LineSource:
    """Return the source of a text file that begins with these bytes. Raises InputError."""
    if b"\r" in start and b"\n" not in start:
        raise InputError(
            f"{path}: its lines end in carriage returns alone, as old spreadsheets wrote; end them in line feeds"
        )
    return source_of_head(read_head(path, start), path, options)


def source_of_head(head: Head, path: Path, options: ReadOptions) -> LineSource:
    """Return the source of a text file that begins in this way. Raises InputError."""
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
    parse = TextRows(replace(reader, where=read), convention or "", columns.footsteps)
    return LineSource(path, layout, parse, head.skipped)

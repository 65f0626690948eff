"""Reader of PTV Viswalk's pedestrian protocol (.pp). The file contains a line with column names and a table."""

import re
from dataclasses import replace
from pathlib import Path

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.line_source import LineSource
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.text import source_of_head
from ecs_anim.trajectories.text_head import head_of, whole_lines

NAMES = re.compile(r"\$PEDESTRIAN:(.*)", re.IGNORECASE)


def viswalk_source(path: Path, start: bytes, options: ReadOptions) -> LineSource:
    """Return the source for a pedestrian protocol. `start` contains the first bytes of the file. Raises InputError if
    the file has no column names.
    """
    lines = whole_lines(start)
    found = next((k for k, line in enumerate(lines) if NAMES.match(line)), None)
    if found is None:
        raise InputError(
            f"{path}: a Viswalk file must have a line with '$PEDESTRIAN:' and column names. Export the file again."
        )
    names = NAMES.sub(r"\1", lines[found])
    head = head_of([*[""] * found, names, *lines[found + 1 :]], path)
    comments = tuple(line.lstrip("* ") for line in lines[:found] if line.startswith("*"))
    return source_of_head(replace(head, comments=comments), path, options)

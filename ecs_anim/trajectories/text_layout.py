"""Detection of the format of text files. The content of a file determines the format.

A layout contains facts from the definition of the format, such as the unit.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.columns import (
    SET_COLUMNS,
    Columns,
    agreed_unit,
    asked_columns,
    clear_columns,
    plain_words,
    shown,
)
from ecs_anim.trajectories.known_tables import LATITUDES, LONGITUDES, known_table, refuse_degrees
from ecs_anim.trajectories.mot import PIXELS, WORLD, metres_of_a_pixel, mot_columns
from ecs_anim.trajectories.motion import Motion, motion_of
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.source import Layout
from ecs_anim.trajectories.steps import FASTEST
from ecs_anim.trajectories.text_head import Head

SAMPLES_A_SECOND = 2.5  # rate of ETH's and TrajNet++'s files, by definition
CLEARER = 2.0  # least ratio of distances between samples for the two possible orders of columns
OFF = 0.15  # largest relative difference between a rate from velocities and the rate of the definition
NUMBER = re.compile(r"\s*[-+]?[\d.,]+([eE][-+]?\d+)?\s*")
ETH = Columns({"frame": 0, "id": 1, "x": 2, "y": 4, "z": 3})  # eight columns: frame id x z y vx vz vy
ARCHIVE = Columns({"id": 0, "frame": 1, "x": 2, "y": 3, "z": 4})  # five columns: id frame x y z
TRAJNET = Columns({"frame": 0, "id": 1, "x": 2, "y": 3})  # four columns: frame id x y


def text_columns(head: Head, options: ReadOptions, path: Path) -> Columns:
    """Return the column for each role, from the user's option `columns`.

    Without the option `columns`, the column names or the number of columns determine the roles. Raises InputError if
    the roles stay unclear.
    """
    if options.columns is not None:
        return _within(asked_columns(options.columns, head.names, str(path)), head, path)
    if head.names and (named := clear_columns(head.names, head.units, str(path))) is not None:
        _require_names_of_all(head, path)
        return _within(named, head, path)
    if head.names:
        words = plain_words(head.names)
        refuse_degrees(words, path, _first_point(head, words))
    if head.names and not head.comments:
        columns = _told_columns(head)
        raise InputError(f"{path}: cannot find id, time, x and y in {columns}. {SET_COLUMNS}, or 'id=NAME x=NAME ...'.")
    if (boxes := mot_columns(head.table)) is not None:
        return boxes
    match head.width:
        case 8:
            return ETH
        case 5:
            return ARCHIVE
        case 4:
            return _of_four(head, path)
    raise InputError(f"{path}: a table of {head.width} columns without names is not a known format. {SET_COLUMNS}.")


def _told_columns(head: Head) -> str:
    """Return a text that describes the columns in a message. The text contains the column names only if most fields are
    numbers.
    """
    fields = [field for row in head.rows for field in row]
    numbers = [field for field in fields if NUMBER.fullmatch(field)]
    if 2 * len(numbers) > len(fields):
        return f"the columns {shown(head.names)}"
    return f"{len(head.names)} columns (with unknown names, and mostly without numbers)"


def text_layout(head: Head, columns: Columns) -> Layout:
    """Return the layout of a text file: facts that the file states, and facts from the definition of its format."""
    if columns.footsteps:
        notes = (*columns.notes, "metres and seconds, from the definition of Vadere")
        return Layout("Vadere footsteps", False, "m", 1.0, (), notes, footsteps=True, is_simulated=True)
    if columns is ETH:
        return _eth(head)
    if columns in (WORLD, PIXELS):
        return _mot(head, columns)
    if columns is TRAJNET and _is_trajnet(head):
        return trajnet_layout("TrajNet++ text", head.table[:, 0], head.table[:, 1])
    unit, notes, simulated = agreed_unit(columns.units | head.told_units), columns.notes, head.is_simulated
    name = "CSV" if head.dialect.delimiter else "text"
    if name == "text" and columns.counts_frames and (head.comments or columns is ARCHIVE):
        name = "text of the Jülich data archive"
    if (known := known_table(columns.words)) is not None:
        name, simulated = known.name, known.is_simulated
        if unit is None and known.unit is not None:
            unit, notes = known.unit, (*notes, f"metres, from the definition of {known.name}")
    rate = head.rate if columns.counts_frames else columns.time_rate
    return Layout(name, columns.counts_frames, unit, rate, (), notes, is_simulated=simulated)


def _mot(head: Head, columns: Columns) -> Layout:
    """Return the layout of a table with boxes around people.

    Positions are in metres on the ground or in picture pixels.
    """
    if columns is WORLD:
        return Layout(
            "MOTChallenge text", True, "m", None, (), (*columns.notes, "metres, from the definition of MOT15")
        )
    pixel = metres_of_a_pixel(head.table)
    return Layout("MOTChallenge text", True, None, None, (), columns.notes, axes="x -y", pixel_metres=pixel)


def _first_point(head: Head, words: Sequence[str]) -> tuple[float, float] | None:
    """Return the latitude and longitude in the first row.

    Return None if the file has no columns for latitude and longitude.
    """
    try:
        found = [
            head.dialect.number(head.rows[0][next(k for k, word in enumerate(words) if word in own)])
            for own in (LATITUDES, LONGITUDES)
        ]
    except (IndexError, StopIteration, ValueError):
        return None
    return found[0], found[1]


def _is_trajnet(head: Head) -> bool:
    """Return whether a table is a TrajNet++ table.

    In a TrajNet++ table, samples are several frames apart, and people are not faster than `FASTEST` if lengths are in
    metres.
    """
    stride = _stride(head.table[:, 0], head.table[:, 1])
    return bool(stride and stride > 1 and _median_move(head.table, TRAJNET) * SAMPLES_A_SECOND <= FASTEST)


def _eth(head: Head) -> Layout:
    """Return the layout of ETH files.

    The rate is 2.5 samples per second, unless the velocities in the file contradict this rate.
    """
    table = head.table
    stride, told = _stride(table[:, 0], table[:, 1]), _rate_of_velocities(table)
    if stride and told and not abs(told / (SAMPLES_A_SECOND * stride) - 1) <= OFF:
        stride = None
    return _sampled("ETH obsmat", stride, SAMPLES_A_SECOND, "ETH")


def trajnet_layout(name: str, frames: Reals, ids: Reals, rate: float | None = None) -> Layout:
    """Return the layout of TrajNet++ files, with positions in metres.

    `rate` is the number of samples per second. Between two samples, the frame number can increase by more than 1.
    """
    return _sampled(name, _stride(frames, ids), rate or SAMPLES_A_SECOND, "TrajNet++")


def _sampled(name: str, stride: float | None, samples: float, whose: str) -> Layout:
    """Return a layout in metres with `samples` samples per second.

    `stride` is the number of frames from sample to sample, or None if this number is unknown. `whose` names the format
    or the data set that defines the unit and the rate.
    """
    rate = samples * stride if stride else None
    paced = f" and {rate:g} frames per second ({samples:g} samples per second)" if rate else ""
    return Layout(name, True, "m", rate, (), (f"metres{paced}, from the definition of {whose}",))


def _of_four(head: Head, path: Path) -> Columns:
    """Return the roles of the columns in a table with four columns.

    The first column contains frames (as in TrajNet++) or persons. The function chooses the order of roles with which
    people move continuously, because people would jump with the wrong order.
    """
    frame_first, id_first = (_median_move(head.table, columns) for columns in (TRAJNET, ARCHIVE))
    if CLEARER * frame_first <= id_first:
        return TRAJNET
    if CLEARER * id_first <= frame_first:
        return replace(
            ARCHIVE,
            notes=("the columns are id, frame, x, y, because people would jump with the columns frame, id, x, y",),
        )
    raise InputError(
        f"{path}: four columns without names have two possible orders: frame id x y, and id frame x y. {SET_COLUMNS}."
    )


def _median_move(table: Reals, columns: Columns) -> float:
    """Return the median distance between a person's successive samples, or infinity if no person has two samples."""
    lengths = _motion(table, columns).steps.metres
    return float(np.median(lengths)) if len(lengths) else np.inf


def _motion(table: Reals, columns: Columns) -> Motion:
    ids, frames, x, y = (table[:, columns.where[role]] for role in ("id", "frame", "x", "y"))
    return motion_of(ids, frames, np.stack([x, y], axis=-1))


def _stride(frames: Reals, ids: Reals) -> float | None:
    """Return the median number of frames between a person's samples, or None if no person has two samples."""
    steps = motion_of(ids, frames, np.zeros((len(ids), 2))).steps
    return float(np.median(steps.seconds)) if len(steps.seconds) else None


def _rate_of_velocities(table: Reals) -> float | None:
    """Return the median frame rate at which movements agree with the velocities in the table.

    The columns are frame id x z y vx vz vy.
    """
    motion = _motion(table, ETH)
    first, frames, moves = motion.steps
    squares = np.sum(moves * moves, axis=-1)
    velocities = table[motion.order][first][:, [5, 7]]
    rates = np.sum(moves * velocities, axis=-1) / np.where(squares > 0, squares, 1) * frames
    chosen = squares > 1e-2
    return float(np.median(rates[chosen])) if chosen.any() else None


def _require_names_of_all(head: Head, path: Path) -> None:
    """Raise InputError if rows have more fields than the header has column names.

    If a row has more fields than the header has names, the program cannot know which name belongs to which field.
    """
    if head.width > len(head.names):
        raise InputError(
            f"{path}: line {head.skipped + 1}: a row must have {len(head.names)} fields, as many as the header (got"
            f" {head.width} fields). {SET_COLUMNS}. In a file with decimal commas, separate columns by semicolons."
        )


def _within(columns: Columns, head: Head, path: Path) -> Columns:
    """Return `columns`. Raises InputError for columns that do not exist in the rows."""
    last = max(columns.where.values())
    if head.rows and last >= head.width:
        raise InputError(
            f"{path}: line {head.skipped + 1}: a row must have at least {last + 1} fields, one for each named"
            f" column (got {head.width}). Correct the row."
        )
    return columns

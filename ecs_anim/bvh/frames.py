"""Reading of the second part of a BVH file: the frame time, and one number for each channel and frame."""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bvh.hierarchy import LARGEST, BvhError, number
from ecs_anim.support.budgets import excess
from ecs_anim.support.frozen import freeze
from ecs_anim.trajectories.dialect import is_float

Reals = NDArray[np.floating]
Line = tuple[int, str]  # line number in the file, from 1, and text
SHORTEST_FRAME = 1e-6  # [s]
LONGEST_FRAME = 5.0  # [s]; if the frame time is larger, the number is probably a frame rate
HEAD = re.compile(r"\s*(frames|frame\s*time)(\s*):(.*)", re.IGNORECASE)


def read_frames(
    lines: Sequence[str], start: int, channels: Sequence[str], notes: list[str]
) -> tuple[NDArray[np.float32], Reals]:
    """Return the times [frame] [s] and the numbers [frame, channel] from the lines of a BVH file.

    The function reads the lines from index `start`, which is the line after MOTION. Error messages contain the channel
    names `channels`. The number of frames in the result is the number of rows in the file, because the number that the
    file declares can be wrong. Each repair adds a text to `notes`. Raises BvhError for invalid data.
    """
    told = ((at, line) for at, line in enumerate(lines[start:], start + 1) if line.strip())
    at, count = _head(told, "Frames", "the number of frames", len(lines), notes)
    if count != int(count) or count < 1:
        raise BvhError(at, f"the number of frames must be a whole number of 1 or more (got {count:g})")
    _, seconds = _head(told, "Frame Time", "the frame time", len(lines), notes)
    rows = list(_rows(told, channels, int(count), notes)) if channels else [np.zeros(0)]
    if not rows:
        raise BvhError(len(lines), f"the file must contain {count:.0f} frames (got 0). Export the file again.")
    if channels and len(rows) != count:
        notes.append(f"line {at}: {count:.0f} frames are declared, but the file has {len(rows)}")
    return _times(at + 1, len(rows), seconds, notes), np.stack(rows)


def _times(at: int, count: int, seconds: float, notes: list[str]) -> NDArray[np.float32]:
    """Return the times [count] [s] of `count` frames. Each frame lasts `seconds`."""
    if not seconds >= SHORTEST_FRAME and count > 1:
        raise BvhError(
            at, f"the frame time must be positive (got {seconds:g}). Write seconds, such as 0.0333333 for 30 Hz."
        )
    if seconds > LONGEST_FRAME and count > 1:
        notes.append(
            f"line {at}: the file states that a frame lasts {seconds:g} s. If {seconds:g} is a"
            f" frame rate in Hz, write {1 / seconds:.6g}"
        )
    times: NDArray[np.float32] = freeze((np.arange(count) * seconds).astype(np.float32))
    if (np.diff(times) <= 0).any():
        raise BvhError(
            at, f"{count:.0f} frames of {seconds:g} s are too short for 32-bit times. Write a longer frame time."
        )
    return times


def _head(told: Iterator[Line], key: str, what: str, last: int, notes: list[str]) -> tuple[int, float]:
    """Return the line number and the value of a header key such as 'Frames:'."""
    at, line = next(told, (last, ""))
    found = HEAD.fullmatch(line)
    if found is None or " ".join(found[1].split()).upper().replace(" ", "") != key.upper().replace(" ", ""):
        raise BvhError(at, f"the line must be '{key}:' with {what} (got {line.strip()[:40]!r})")
    if found[2]:
        notes.append(f"line {at}: a blank before the colon is ignored")
    return at, number(found[3].strip(), what, at)


def _rows(told: Iterator[Line], channels: Sequence[str], count: int, notes: list[str]) -> Iterator[Reals]:
    """Return the numbers of each frame. A frame can span several lines."""
    width, found, row, first = len(channels), 0, list[float](), 0
    for at, line in told:
        if found >= count and not row and not is_float(line.split()[0]):
            notes.append(f"line {at}: text after the last frame is ignored")
            return
        first = first if row else at
        own = _numbers(line, at, channels[len(row) :])
        if len(row) + len(own) > width:
            raise BvhError(first, _miscounted(width, len(row) or len(own)))
        row += own
        if len(row) == width:
            found += 1
            if limit_message := excess("row_bytes", 8 * found * width, "split the motion into parts"):
                raise BvhError(at, limit_message)
            yield np.array(row)
            row = []
    if row and found == 0:
        raise BvhError(first, _miscounted(width, len(row)))
    if row:
        notes.append(f"line {first}: the last frame has only {len(row)} of {width} numbers and is ignored")


def _miscounted(width: int, got: int) -> str:
    return f"a frame must have a number for each of {width} channels (got {got}). Correct the line."


def _numbers(line: str, at: int, channels: Sequence[str]) -> list[float]:
    """Return the finite numbers of a line. Error messages contain the channel names `channels`.

    The first number belongs to the first name in `channels`.
    """
    words = line.split()
    try:
        values = list(map(float, words))
    except ValueError:
        values = []
    if "_" in line or not values or not all(abs(value) <= LARGEST for value in values):
        names = [*channels, *["a channel"] * len(words)]
        for word, name in zip(words, names, strict=False):
            number(word, name, at)
    return values

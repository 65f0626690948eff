"""Preparation of the text of a BVH file: encoding, comments and decimal commas."""

import re

from ecs_anim.support.file_types import encoding_of

COMMENT = ("#", "//", ";", "*")
LINE_END = re.compile(r"\r\n|\r|\n")


def decoded(data: bytes) -> tuple[str, list[str]]:
    """Return the text of the file bytes `data`. If the encoding is not UTF-8, also return a note."""
    if (encoding := encoding_of(data)) != "utf-8":
        return data.decode(encoding, "replace").removeprefix("\ufeff"), ["the text is UTF-16"]
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        return data.decode("latin-1"), ["the text is not UTF-8; names are read as Latin-1"]


def clean_lines(text: str) -> tuple[list[str], list[str]]:
    """Return the lines of `text` without comments and with decimal points.

    Also return a note for each type of change.
    """
    lines, notes = LINE_END.split(text), []
    if commented := [at for at, line in enumerate(lines) if line.lstrip().startswith(COMMENT)]:
        notes.append(f"line {commented[0] + 1}: comments are skipped ({len(commented)} lines)")
        lines = ["" if line.lstrip().startswith(COMMENT) else line for line in lines]
    if with_commas := [at for at in range(motion_line(lines), len(lines)) if "," in lines[at]] + _offsets(lines):
        notes.append(f"line {min(with_commas) + 1}: decimal commas are read as decimal points")
        for at in with_commas:
            lines[at] = _with_points(lines[at])
    return lines, notes


def motion_line(lines: list[str]) -> int:
    """Return the index of the line MOTION, or the number of lines if the text has no such line."""
    return next(
        (at for at, line in enumerate(lines) if line.split()[:1] and line.split()[0].upper() == "MOTION"), len(lines)
    )


def _offsets(lines: list[str]) -> list[int]:
    """Return the indices of all lines in the hierarchy that contain a number with a comma."""
    head = lines[: motion_line(lines)]
    return [at for at, line in enumerate(head) if "," in line and line.lstrip().upper().startswith("OFFSET")]


def _with_points(line: str) -> str:
    """Return `line` with decimal points instead of decimal commas.

    If a word contains a point, or if a blank follows a comma, the comma is a separator and becomes a blank.
    """
    words = (word if "." in word else re.sub(r"(?<=\d),(?=\d)", ".", word) for word in line.split())
    return " ".join(words).replace(",", " ")

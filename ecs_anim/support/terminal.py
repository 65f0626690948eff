"""Lines for people, and plain data for programs: the one way to standard output and standard error.

Names in files and on command lines hold anything. Characters that act on a terminal, or end a line, become escapes
here, so that no other module needs to think of it.
"""

import json
import os
import sys
from typing import TextIO

MOST_CHARACTERS = 2000  # of a note: a name may be a whole file long


def printable(text: str) -> str:
    r"""The text with Python's escapes, such as \x1b, \n or \u202e, for all that is neither visible nor a space."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def print_line(text: str) -> None:
    """A line of what was asked for, on standard output."""
    print(printable(text), flush=True)


def print_json(data: object) -> None:
    """Plain data on standard output, in ASCII."""
    print(json.dumps(data, indent=2), flush=True)


def print_note(text: str) -> None:
    """A line beside what was asked for, on standard error. Without a reader, the line is dropped."""
    try:
        print(_shortened(printable(text)), file=sys.stderr, flush=True)
    except OSError:
        drop_output(sys.stderr)


def print_problems(*problems: str) -> None:
    """A note for each problem, which begins with the command's name."""
    for problem in problems:
        print_note(f"ecs-anim: {problem}")


def drop_output(stream: TextIO) -> None:
    """Discard the unwritten output, which would be tried once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _shortened(text: str) -> str:
    half = MOST_CHARACTERS // 2
    return text if len(text) <= MOST_CHARACTERS else f"{text[:half]} ... {text[-half:]}"

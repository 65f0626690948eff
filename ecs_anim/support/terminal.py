"""Output to standard output and standard error: lines for people, and plain data for programs.

Names in files and on command lines can contain any characters. Some characters control a terminal or end a line. The
functions of this module convert such characters to escape sequences, so the other modules need not convert them.
"""

import json
import os
import sys
from typing import TextIO

MOST_CHARACTERS = 2000  # maximum length of a note, because a name can be as long as a file


def printable(text: str) -> str:
    r"""Return the text with an escape sequence such as \x1b, \n or \u202e in place of each invisible character. Space
    characters stay unchanged.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def print_line(text: str) -> None:
    """Print a line of a result on standard output."""
    print(printable(text), flush=True)


def print_json(data: object) -> None:
    """Print `data` as ASCII JSON on standard output."""
    print(json.dumps(data, indent=2), flush=True)


def print_note(text: str) -> None:
    """Print a line of additional information on standard error.

    If the program that reads standard error has closed the stream, print nothing.
    """
    try:
        print(_shortened(printable(text)), file=sys.stderr, flush=True)
    except OSError:
        drop_output(sys.stderr)


def print_problems(*problems: str) -> None:
    """Print a line for each problem on standard error. Each line begins with the name of the command."""
    for problem in problems:
        print_note(f"ecs-anim: {problem}")


def drop_output(stream: TextIO) -> None:
    """Discard the unwritten output of a stream.

    Without this function, Python would try to write the output again when the process ends.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _shortened(text: str) -> str:
    half = MOST_CHARACTERS // 2
    return text if len(text) <= MOST_CHARACTERS else f"{text[:half]} ... {text[-half:]}"

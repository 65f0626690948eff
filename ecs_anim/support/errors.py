"""Errors that are the user's to fix, each told in one line."""

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Self

from ecs_anim.support.terminal import printable

FULL = (errno.ENOSPC, errno.EDQUOT)  # what a system says where no space is left


class InputError(Exception):
    """Wrong input: a file, a scene key, an option or a machine without OpenGL.

    The message is one line that names the place, the rule and the fix. An error with several problems names the first
    one and counts the others; `problems` has a line for each. Control characters of names and of files are escapes, so
    that a traceback or a log cannot change a terminal. The command line prints all problems and ends with exit code 2.
    Library users catch this class.
    """

    def __init__(self, message: str, *more: str) -> None:
        self.problems = tuple(map(_one_line, (message, *more)))
        count = f" (and {len(more)} more)" if more else ""
        super().__init__(self.problems[0] + count)


class UnknownName(InputError, KeyError):
    """A name or an id that is not there. It is a KeyError too, but reads as one line without quotes."""

    __str__ = Exception.__str__


class UnknownRow(InputError, IndexError):
    """A row that a crowd does not have, or what selects no rows at all. It is an IndexError too."""


class Faults:
    """Collect the input errors of independent items, and raise them as one error at the end of the `with` block.

    with Faults() as faults:
        for path in paths:
            with faults.kept():
                read(path)
    """

    def __init__(self) -> None:
        self._found: list[InputError] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep an InputError of one item for the end."""
        try:
            yield
        except InputError as error:
            self._found.append(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is not None or not self._found:
            return
        if len(self._found) == 1:
            raise self._found[0]
        raise InputError(*(problem for found in self._found for problem in found.problems)) from self._found[0]


class InputWarning(UserWarning):
    """Input that is usable and not quite right, such as a model whose picture is missing. The message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


def nearest(name: str, known: Iterable[str]) -> str:
    """' did you mean X?;' for the nearest of the known names, or nothing."""
    close = difflib.get_close_matches(name, list(known), 1, 0.6)
    return f" did you mean {close[0]!r}?" if close else ""


def not_among(problem: str, name: str, known: Iterable[str], listing: str) -> str:
    """The message on a name that is not there, with the nearest right name and all names.

    Such as "the crowd has no motion 'wlak'; did you mean 'walk'? it has: idle, walk".
    """
    names = list(known)
    return f"{problem} {name!r};{nearest(name, names)} {listing}: {', '.join(names) or 'none'}"


def _one_line(message: str) -> str:
    """Return the message with single spaces for white space, and escapes for control characters."""
    return printable(" ".join(message.split()))

"""Errors that the user can fix. Each problem has a message of one line."""

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Self

from ecs_anim.support.terminal import printable

FULL = (errno.ENOSPC, errno.EDQUOT)  # error numbers of a full disk


class InputError(Exception):
    """Wrong input, such as a faulty file, a wrong scene key or option, or a machine without OpenGL.

    The message is one line with the place, the rule and the fix. For several problems, the message has the first
    problem and the number of other problems. `problems` has a line for each problem. Control characters in names and
    files become escapes, so a traceback or a log cannot change a terminal. The command line prints all problems and
    ends with exit code 2. Library users catch this class.
    """

    def __init__(self, message: str, *more: str) -> None:
        self.problems = tuple(map(_one_line, (message, *more)))
        count = f" (and {len(more)} more)" if more else ""
        super().__init__(self.problems[0] + count)


class UnknownName(InputError, KeyError):
    """An unknown name or id. The error is a KeyError too, but its text is one line without quotes."""

    __str__ = Exception.__str__


class UnknownRow(InputError, IndexError):
    """An invalid selection of rows, such as a row that a crowd does not have. The error is an IndexError too."""


class Faults:
    """Collect the input errors of independent items, and raise all of them as one error at the end of the `with` block.

    with Faults() as faults:
        for path in paths:
            with faults.kept():
                read(path)
    """

    def __init__(self) -> None:
        self._found: list[InputError] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep an InputError from the `with` block of one item until the end of all items."""
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
    """Input with a defect that is still usable, such as a model with a missing picture. The message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return " did you mean 'X'?" with the name in `known` that is most similar to `name`, or "" if none is similar."""
    close = difflib.get_close_matches(name, list(known), 1, 0.6)
    return f" did you mean {close[0]!r}?" if close else ""


def not_among(problem: str, name: str, known: Iterable[str], listing: str) -> str:
    """Return the message for the unknown name `name`, with the most similar name and all names in `known`.

    Example: "the crowd has no motion 'wlak'; did you mean 'walk'? it has: idle, walk".
    """
    names = list(known)
    return f"{problem} {name!r};{nearest(name, names)} {listing}: {', '.join(names) or 'none'}"


def _one_line(message: str) -> str:
    """Return the message with one space in place of each white space, and escapes in place of control characters."""
    return printable(" ".join(message.split()))

"""Errors whose causes the user can correct. The message of each error has one line."""

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Self

from ecs_anim.support.terminal import printable

FULL = (errno.ENOSPC, errno.EDQUOT)  # error numbers of a full disk


class InputError(Exception):
    """Error for wrong input, such as a faulty file, a wrong scene key or option, or a machine without OpenGL.

    The message is one line that states the place, the rule and the fix. If the input has several problems, the message
    states the first problem and the number of other problems. `problems` contains one line for each problem. Escape
    sequences replace control characters from names and files, so tracebacks and logs cannot change a terminal. The
    command line prints all problems and ends with exit code 2. A Python program can catch InputError.
    """

    def __init__(self, message: str, *more: str) -> None:
        self.problems = tuple(map(_one_line, (message, *more)))
        count = f" (and {len(more)} more)" if more else ""
        super().__init__(self.problems[0] + count)


class UnknownName(InputError, KeyError):
    """Error for an unknown name or id. An `UnknownName` is also a KeyError, but its text is one line without quotes."""

    __str__ = Exception.__str__


class UnknownRow(InputError, IndexError):
    """Error for an invalid selection of rows, such as the number of a row that does not exist. An `UnknownRow` is also
    an IndexError.
    """


class Faults:
    """Collector of the InputErrors of independent items. At the end of the outer `with` block, the collector raises one
    InputError for all items.

    with Faults() as faults:
        for path in paths:
            with faults.kept():
                read(path)
    """

    def __init__(self) -> None:
        self._found: list[InputError] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Catch an InputError in the `with` block of one item.

        The outer `with` block raises the caught InputErrors as one error after the last item.
        """
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
    """A warning for usable input with a defect, such as a model with a missing picture. The message has one line."""

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return " did you mean 'X'?". X is the name in `known` that is most similar to `name`. Without a similar name,
    return "".
    """
    close = difflib.get_close_matches(name, list(known), 1, 0.6)
    return f" did you mean {close[0]!r}?" if close else ""


def not_among(problem: str, name: str, known: Iterable[str], listing: str) -> str:
    """Return the message for the unknown name `name`, with the most similar name and all names in `known`.

    Example: "the crowd has no motion 'wlak'; did you mean 'walk'? it has: idle, walk".
    """
    names = list(known)
    return f"{problem} {name!r};{nearest(name, names)} {listing}: {', '.join(names) or 'none'}"


def _one_line(message: str) -> str:
    """Return the message as one line.

    One space replaces each run of white space, and escapes replace control characters.
    """
    return printable(" ".join(message.split()))

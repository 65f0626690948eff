"""Errors that are the user's to fix, each told in one line."""

import difflib
import errno
from collections.abc import Iterable

FULL = (errno.ENOSPC, errno.EDQUOT)  # what a system says where no space is left


class InputError(Exception):
    """Wrong input: a file, a scene key, an option or a machine without OpenGL.

    The message is one line that names the place, the rule and the fix. The command line prints it and
    leaves with exit code 2; library users catch this one class.
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class UnknownName(InputError, KeyError):
    """A name or an id that is not there. It is a KeyError too, but reads as one line without quotes."""

    __str__ = Exception.__str__


class UnknownRow(InputError, IndexError):
    """A row that a crowd does not have, or what selects no rows at all. It is an IndexError too."""


class InputWarning(UserWarning):
    """Input that is usable and not quite right, such as a model whose picture is missing. The message is one line."""


def nearest(name: str, known: Iterable[str]) -> str:
    """' did you mean X?;' for the nearest of the known names, or nothing."""
    close = difflib.get_close_matches(name, list(known), 1, 0.6)
    return f" did you mean {close[0]!r}?" if close else ""

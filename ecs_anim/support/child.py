"""Child processes that read files. A damaged file can crash a library, and a crash ends only the child process."""

import os
import subprocess
import sys
from typing import NoReturn

CODE = (
    "import sys; count = int(sys.argv[2]); sys.path[:] = sys.argv[3 + count:];"
    " from pkgutil import resolve_name; resolve_name(sys.argv[1])(*sys.argv[3:3 + count])"
)
REFUSED = 3  # exit code of a child that writes the reason to standard output


def called_in_child(function: str, *arguments: str, data: bytes = b"") -> tuple[int, bytes]:
    """Call a function ("module:name") in a child process, with `data` as its standard input.

    Return the exit code and the standard output of the child process. The function ends with `answer`. The exit code is
    1 after an exception, and negative or another number after a crash.
    """
    command = [sys.executable, "-P", "-c", CODE, function, str(len(arguments)), *arguments, *sys.path]
    ended = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return ended.returncode, ended.stdout


def answer(data: bytes, code: int = 0) -> NoReturn:
    """Send `data` to the parent process, and end this process at once, because libraries can crash at the usual end."""
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
    os._exit(code)


def refuse(reason: str) -> NoReturn:
    """Send the reason for rejecting a file to the parent process, and end this process."""
    answer(reason.encode("utf-8"), REFUSED)

"""A lock for a folder with results. At most one process can hold the lock at a time."""

import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import told

LOCK = ".lock"  # name of the lock file, which exists only while the folder is locked
FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
HOLDER = re.compile(rb"process \d{1,10} on [\w.-]{1,80}")  # text of the lock file


@contextmanager
def folder_locked(folder: Path) -> Iterator[None]:
    """Lock a folder for a `with` block.

    The operating system releases the lock when the process ends or is killed. Raises InputError if another process
    holds the lock, or if the program cannot write the lock file.
    """
    path = folder / LOCK
    with told(path):
        number = _locked_file(path)
    if number is None:
        raise InputError(
            f"{folder}: {_holder(path)} is writing into this folder. Wait until this process"
            " ends, or name another folder."
        )
    try:
        with told(path):
            os.truncate(number, 0)
            os.write(number, f"process {os.getpid()} on {platform.node()}".encode())
        yield
    finally:
        path.unlink(missing_ok=True)  # the file must be removed before `close` releases the lock
        os.close(number)


def _locked_file(path: Path) -> int | None:
    """Open and lock the file at `path`. Return None if another process holds the lock.

    If another process removes the file before the function locks the file, the function opens the file again.
    """
    while True:
        number = os.open(path, FLAGS, 0o666)
        try:
            if not _lock(number):
                os.close(number)
                return None
            if _is_file(path, number):
                return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _is_file(path: Path, number: int) -> bool:
    """Return whether the file at `path` is still the open file with the descriptor `number`."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(number))
    except FileNotFoundError:
        return False


def _lock(number: int) -> bool:
    """Lock the open file with the descriptor `number`, without waiting.

    If another process holds the lock, return False.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _holder(path: Path) -> str:
    """Return a text that names the process that holds the lock `path`.

    If the lock file is readable, its text is the name. Otherwise, the text is "another process".
    """
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return "another process"
    try:
        said = os.read(number, 100)
    finally:
        os.close(number)
    return f"another {said.decode()}" if HOLDER.fullmatch(said) else "another process"

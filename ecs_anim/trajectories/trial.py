"""Test of a file in a child process. A damaged file can crash the library that reads the file.

The child process reads every row with the function of the reader. The memory and the processor time of the child
process are limited. A crash ends only the child process. The parent process opens the file only after the child process
has read the whole file.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

from ecs_anim.support.budgets import limit
from ecs_anim.support.child import REFUSED, answer, called_in_child, refuse
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.support.limits import lower_limits
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.source import TRAJECTORIES, Source

Read = Callable[[Path, ReadOptions], Source]

ATTEMPT = "ecs_anim.trajectories.trial:attempt"
CHUNKS = 5  # the memory of the child can hold this number of chunks, because a chunk is decoded in parts and copied
SLOWEST = 5  # [s] of processor time for each block of rows
BUSIEST = 100  # [s], waiting time for each block on a busy machine
MOST_KNOWN = 64  # most files with a remembered result


def tried(read: Read, path: Path, options: ReadOptions, library: str) -> Source:
    """Return the source for a file.

    First, a child process reads the whole file with `read`. Then, this process calls `read`.

    `library` is the module that can crash. Raises InputError if the child process cannot read the file. A program with
    embedded Python cannot start a child process, so the function then opens the file directly.
    """
    if Path(sys.executable or "").name.startswith("python"):
        with opened(path, TRAJECTORIES) as file:
            status = os.fstat(file.stream.fileno())
        version = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        _require_sound(f"{read.__module__}:{read.__name__}", path, json.dumps(asdict(options)), library, version)
    return read(path, options)


@lru_cache(MOST_KNOWN)
def _require_sound(reader: str, path: Path, options: str, library: str, version: tuple[int, ...]) -> None:
    """Raise InputError if a child process cannot read a file because of wrong input, a crash or a time limit.

    For other errors in the child process, the parent process raises the same error later.
    """
    code, told = called_in_child(ATTEMPT, reader, str(path), options, library)
    if code == REFUSED:
        raise InputError(told.decode("utf-8"))
    if code not in (0, 1):  # 1: an exception; the parent process raises the same exception
        raise InputError(
            f"{path}: the file is damaged, because {library} crashes or hangs when it reads the file. Fetch or"
            " write the file again."
        )


def attempt(reader: str, path: str, options: str, library: str) -> None:
    """Read a file in this process (the child process), and end the process."""
    read: Read = resolve_name(reader)
    import_module(library)
    limited()
    try:
        for _ in read(Path(path), ReadOptions(**json.loads(options))).rows():
            lower_limits(None, SLOWEST, BUSIEST)
    except InputError as error:
        refuse(str(error))
    except MemoryError:
        refuse(f"{path}: {library} needs too much memory for a block of rows. Write smaller chunks or row groups.")
    answer(b"")


def limited() -> None:
    """Limit the memory of this process, and the time for the first block of rows."""
    lower_limits(CHUNKS * limit("chunk_bytes"), SLOWEST, BUSIEST)

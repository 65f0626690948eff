"""Processes that are forked from a process with imports and compiled kernels. A cold start would take a second."""

import atexit
import multiprocessing
import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

SECONDS = 600  # time after which a process counts as hung, on a busy machine
FILES = ("out", "err")


def run_forked(run: Callable[..., None], *arguments: object) -> subprocess.CompletedProcess[str]:
    """Call a function in a forked process. Return the exit code of the process and its two output streams."""
    with tempfile.TemporaryDirectory() as folder:
        process = _forks().Process(target=_with_streams, args=(folder, run, *arguments))
        process.start()
        process.join(SECONDS)
        code = process.exitcode
        if code is None:
            process.kill()
            raise subprocess.TimeoutExpired([str(argument) for argument in arguments], SECONDS)
        out, err = ((Path(folder) / name).read_text() for name in FILES)
    return subprocess.CompletedProcess(arguments, code, out, err)


@cache
def _forks() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.helpers.preloaded"])
    return context


def _with_streams(folder: str, run: Callable[..., None], *arguments: object) -> None:
    """Call a function whose output streams are files. Then run the exit functions of the interpreter."""
    for number, name in enumerate(FILES, start=1):
        os.dup2(os.open(Path(folder) / name, os.O_WRONLY | os.O_CREAT), number)
    try:
        run(*arguments)
    finally:
        atexit._run_exitfuncs()  # processes of multiprocessing do not call the exit functions

"""`ecs-anim` as a process of its own, forked from one that has all imports behind it: a cold start takes a second.

What a cold start is like is tested where that matters; environment variables that are given are for such a one.
"""

import atexit
import multiprocessing
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

PRELOADED = (  # nothing of OpenGL, which does not survive a fork
    "tests.helpers.command",
    "ecs_anim.cli",
    "ecs_anim.commands.outcome",
    "ecs_anim.profiling.measure",
    "ecs_anim.scenes.build",
    "ecs_anim.systems.schedule",
)
SECONDS = 300
FILES = ("out", "err")


def ecs_anim(*arguments: object, cwd: object = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, as on a machine without a display."""
    kept = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    words = [*map(str, arguments)]
    return _cold(words, cwd, kept | environment) if environment else _warm(words, cwd, kept)


def _cold(words: list[str], cwd: object, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from ecs_anim.cli import main; main()", *words],
        capture_output=True,
        text=True,
        cwd=cwd,  # type: ignore[call-overload]
        env=environment,
        timeout=SECONDS,
        check=False,
    )


def _warm(words: list[str], cwd: object, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        where = str(cwd or Path.cwd())
        process = _forks().Process(target=_run, args=(words, where, environment, folder))
        process.start()
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(words, SECONDS)
        out, err = ((Path(folder) / name).read_text() for name in FILES)
    return subprocess.CompletedProcess(words, process.exitcode, out, err)


@cache
def _forks() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED])
    return context


def _run(words: list[str], where: str, environment: dict[str, str], folder: str) -> None:
    """In the forked process: what a cold start would find, then the command, then what the interpreter's end does."""
    from ecs_anim.cli import main

    os.chdir(where)
    os.environ.clear()
    os.environ.update(environment)
    for number, name in enumerate(FILES, start=1):
        os.dup2(os.open(Path(folder) / name, os.O_WRONLY | os.O_CREAT), number)
    sys.argv = ["ecs-anim", *words]
    try:
        main()
    finally:
        atexit._run_exitfuncs()  # multiprocessing's processes end without

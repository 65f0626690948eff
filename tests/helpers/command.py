"""The command `ecs-anim` in a separate process. With environment variables, the process starts cold.

Otherwise it is forked.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.helpers.forks import SECONDS, run_forked


def ecs_anim(*arguments: object, cwd: object = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, as on a machine without a display."""
    kept = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    words = [*map(str, arguments)]
    return _cold(words, cwd, kept | environment) if environment else _forked(words, cwd, kept)


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


def _forked(words: list[str], cwd: object, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return run_forked(_run, words, str(cwd or Path.cwd()), environment)


def _run(words: list[str], where: str, environment: dict[str, str]) -> None:
    """Run the command in the state of a cold start."""
    from ecs_anim.cli import main

    os.chdir(where)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["ecs-anim", *words]
    main()

"""The command line on a full disk."""

import subprocess
import sys
from pathlib import Path


def on_a_full_disk(arguments: list[str], limit: int, cwd: Path) -> tuple[int, list[str]]:
    """Return the exit code and the lines of a process that can write at most `limit` bytes into a file.

    With -B, Python does not cache compiled modules. Otherwise, truncated modules would break all other tests.
    """
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "from ecs_anim.cli import main; main()"
    )
    words = [sys.executable, "-B", "-c", code, *arguments]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stderr.splitlines() if "compiling" not in line]

"""The command line where the disk is full."""

import subprocess
import sys
from pathlib import Path


def on_a_full_disk(arguments: list[str], limit: int, cwd: Path) -> tuple[int, list[str]]:
    """Exit code and lines of a process that may write no more than `limit` bytes into a file.

    Python keeps no compiled modules meanwhile (-B): those would be cut short, too, and would fail in every other test.
    """
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "from ecs_anim.cli import main; main()"
    )
    words = [sys.executable, "-B", "-c", code, *arguments]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stderr.splitlines() if "compiling" not in line]

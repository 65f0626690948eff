"""Hostile recordings from ../shared/cases: one line, exit code 2, and little memory, on the command line."""

import subprocess
import sys
from itertools import cycle

import pytest

from tests.helpers import SHARED

CASES = SHARED / "cases" / "hostile"
KINDS = {".h5", ".parquet", ".sqlite", ".csv", ".dat", ".xml"}
FOUND = [path for path in sorted(CASES.glob("*")) if path.suffix in KINDS or path.name == "quote_petrack.txt"]
# Each file is inspected, and read in one of the other ways.
WAYS = [
    pair for path, way in zip(FOUND, cycle(("walk", "report", "check"))) for pair in ((path, "inspect"), (path, way))
]
# Files that only look hostile.
SOUND = ("plain.h5", "rowid_far.sqlite")
MOST_MEGABYTES = 500
CHILD = """
import resource, subprocess, sys
ended = subprocess.run([sys.executable, "-c", "from ecs_anim.cli import main; main()", *sys.argv[1:]],
    stdin=subprocess.DEVNULL, capture_output=True, text=True)
print(ended.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
print(ended.stderr, end="")
"""
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases, small files that attack, is not here")


def ended(*arguments):
    """Exit code, megabytes at most, and lines of standard error."""
    told = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, timeout=300, check=True
    )
    first, *lines = told.stdout.splitlines()
    return (*map(int, first.split()), lines)


@pytest.mark.exhaustive
@needs_cases
@pytest.mark.skipif(sys.platform != "linux", reason="kilobytes of Linux")
@pytest.mark.parametrize(("path", "way"), [pytest.param(*pair, id=f"{pair[0].name}-{pair[1]}") for pair in WAYS])
def test_a_hostile_recording_is_one_line(tmp_path, path, way):
    scene = tmp_path / "x.toml"
    scene.write_text(
        f'[rigs.a]\nmodel = "mannequin"\n[[crowds]]\nrig = "a"\nbody = {{}}\n[crowds.trajectories]\nfile = \'{path}\'\n'
    )
    arguments = {
        "inspect": ["inspect", path],
        "walk": ["walk", path, "--out", tmp_path / "x.png", "--size", "160x90"],
        "report": ["walk", path, "--report", "--seconds", "1"],
        "check": ["check", scene],
    }[way]
    code, megabytes, lines = ended(*map(str, arguments))
    assert code == (0 if path.name in SOUND else 2), lines
    if code:
        assert len(lines) == 1
        assert lines[0].startswith("ecs-anim: ")
        assert path.name in lines[0]
        assert not list(tmp_path.glob("*.png"))
    assert megabytes < MOST_MEGABYTES

"""Trials: what crashes, hangs or fills a child process is an error of one line in the parent."""

import os
import subprocess
import sys

import numpy as np
import pytest

from ecs_anim.support import child
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, trial
from ecs_anim.trajectories.formats import source_of
from ecs_anim.trajectories.trial import tried
from tests.builders.trajectory_files import wanderers, write_csv

OPTIONS = ReadOptions("m", 25.0)
needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")


@pytest.fixture(autouse=True)
def trials(monkeypatch):
    """Start real processes, with a second of processor time for each block."""
    quick = "from ecs_anim.trajectories import trial; trial.SLOWEST = 1; "
    monkeypatch.setattr(child, "CODE", child.CODE.replace("from pkgutil", f"{quick}from pkgutil"))
    monkeypatch.setattr(trial, "called_in_child", child.called_in_child)


@pytest.fixture
def path(tmp_path):
    write_csv(tmp_path / "x.csv", wanderers(np.random.default_rng(0)))
    return tmp_path / "x.csv"


@pytest.fixture
def read_as(tmp_path, monkeypatch):
    """Give a reader of some code to the child; in the parent it returns "read"."""
    monkeypatch.syspath_prepend(tmp_path)

    def made(body: str):
        (tmp_path / "odd_reader.py").write_text(
            "import os, time\n"
            "from ecs_anim.support.errors import InputError\n"
            "class Source:\n"
            "    def rows(self):\n"
            f"        {body}\n"
            "        yield None\n"
            "def read(path, options):\n"
            f"    return Source() if os.getpid() != {os.getpid()} else 'read'\n"
        )
        sys.modules.pop("odd_reader", None)
        import odd_reader

        return odd_reader.read

    return made


@pytest.mark.exhaustive
def test_what_a_child_reads_the_parent_reads(path, read_as):
    assert tried(read_as("pass"), path, OPTIONS, "json") == "read"
    assert tried(source_of, path, OPTIONS, "json").path == path


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "body",
    [
        "os.abort()",
        "os.kill(os.getpid(), 11)",
        pytest.param("while True: pass", marks=needs_limits),
        "os._exit(9)",
    ],
)
def test_a_child_that_ends_early_is_an_error(path, read_as, body):
    with pytest.raises(InputError, match=r"x\.csv: the file is damaged, because json crashes or hangs"):
        tried(read_as(body), path, OPTIONS, "json")


def test_errors_of_a_child_are_the_parents(path, read_as):
    with pytest.raises(InputError, match="^x: line 3: \u00e9, and \\\\x1b$"):
        tried(read_as("raise InputError('x: line 3: \u00e9, and \\x1b')"), path, OPTIONS, "json")


@pytest.mark.exhaustive
def test_bugs_of_a_child_are_left_to_the_parent(path, read_as):
    assert tried(read_as("raise KeyError"), path, OPTIONS, "json") == "read"


@pytest.mark.exhaustive
@needs_limits
def test_a_file_that_needs_too_much_memory_is_refused(path, read_as):
    with pytest.raises(InputError, match=r"x\.csv: json needs too much memory for a block of rows"):
        tried(read_as("bytearray(2 << 30)"), path, OPTIONS, "json")


@pytest.mark.exhaustive
@needs_limits
def test_memory_of_a_child_is_limited():
    code = "from ecs_anim.trajectories.trial import limited; limited(); bytearray({})"
    for megabytes, ends in ((64, 0), (1000, 1)):
        ended = subprocess.run(
            [sys.executable, "-c", code.format(megabytes << 20)], stderr=subprocess.PIPE, check=False
        )
        assert (ended.returncode, b"MemoryError" in ended.stderr) == (ends, bool(ends))


@pytest.mark.exhaustive
@needs_limits
def test_hard_limits_of_the_parent_stay_in_force():
    """Raising a hard limit needs privileges; the parent read the file unprotected after that error."""
    code = (
        "import resource\n"
        "from ecs_anim.trajectories.trial import limited\n"
        "resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (50, 50))\n"
        "limited()\n"
        "memory, seconds = resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CPU)\n"
        "assert memory[0] < memory[1] == 6 << 30\n"
        "assert seconds[0] < seconds[1] == 50\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_file_is_tried_once_until_it_changes(path, monkeypatch):
    calls = []
    monkeypatch.setattr(trial, "called_in_child", lambda *_: calls.append(1) or (0, b""))
    for _ in range(2):
        tried(source_of, path, OPTIONS, "json")
    assert len(calls) == 1
    path.write_text(path.read_text() + "1,999,1,1\n")
    tried(source_of, path, OPTIONS, "json")
    tried(source_of, path, ReadOptions("cm", 25.0), "json")
    assert len(calls) == 3


def test_a_program_that_contains_python_tries_nothing(path, monkeypatch):
    monkeypatch.setattr(trial, "called_in_child", lambda *_: pytest.fail("started"))
    monkeypatch.setattr(sys, "executable", "/opt/crowd_tool")
    assert tried(source_of, path, OPTIONS, "json").path == path

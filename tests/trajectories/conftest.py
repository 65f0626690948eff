"""Fixtures of the readers' tests."""

import os
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

from ecs_anim.trajectories import trial
from tests.helpers.forks import run_forked


@pytest.fixture(autouse=True)
def trials(monkeypatch):
    """Fork the processes that try files from one that holds the libraries. `test_trial.py` starts real processes."""
    monkeypatch.setattr(
        trial, "subprocess", SimpleNamespace(run=_run, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)
    )


def _run(command, **_):
    done = run_forked(_attempt, dict(os.environ), *command[command.index(trial.CHILD) + 1 :])
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.encode())


def _attempt(environment, reader, path, options, library, *folders):
    os.environ.update(environment)
    sys.path[:] = folders
    import_module("ecs_anim.trajectories.trial").attempt(reader, path, options, library)

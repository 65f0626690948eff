"""Fixtures of the readers' tests."""

import os
import sys

import pytest

from ecs_anim.trajectories import trial
from tests.helpers.forks import run_forked


@pytest.fixture(autouse=True)
def trials(monkeypatch):
    """Fork the processes that try files from one that holds the libraries. `test_trial.py` starts real processes."""
    monkeypatch.setattr(trial, "called_in_child", _forked)


def _forked(_, *arguments):
    done = run_forked(_attempt, dict(os.environ), sys.path, *arguments)
    return done.returncode, done.stdout.encode()


def _attempt(environment, folders, *arguments):
    os.environ.update(environment)
    sys.path[:] = folders
    trial.attempt(*arguments)

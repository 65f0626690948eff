"""Progress of long work without a terminal: a line now and then, and none for short work."""

import sys

import pytest

from ecs_anim.support import progress
from ecs_anim.support.progress import frames_with_progress


@pytest.fixture
def seconds(monkeypatch, capsys):
    """A clock that the test moves on; standard error is no terminal."""
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    assert not sys.stderr.isatty()
    return now


def test_long_work_tells_now_and_then_how_long_it_may_take(seconds, capsys):
    for _ in frames_with_progress(100, "drawing"):
        seconds[0] += 1.0
    assert capsys.readouterr().err.splitlines() == [
        "drawing: 30 of 100 frames, about 70 s left",
        "drawing: 60 of 100 frames, about 40 s left",
        "drawing: 90 of 100 frames, about 10 s left",
    ]


def test_what_is_done_soon_is_silent(seconds, capsys):
    for _ in frames_with_progress(100, "drawing"):
        seconds[0] += 0.2
    assert capsys.readouterr().err == ""


def test_the_last_frame_tells_nothing(seconds, capsys):
    for _ in frames_with_progress(1, "drawing"):
        seconds[0] += 99.0
    assert capsys.readouterr().err == ""

"""Progress of long work without a terminal: a line now and then, and none for short work."""

import sys

import pytest

from ecs_anim.support import progress
from ecs_anim.support.progress import ChangingLine, frames_with_progress


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


def seen_on_a_terminal(written: str) -> list[str]:
    """Return what a terminal shows after each piece of output: a carriage return goes back to the first column."""
    shown, line = [], ""
    for text in written.split("\r")[1:]:
        line = text + line[len(text) :]
        shown.append(line.rstrip())
    return shown


def test_a_notebook_shows_each_text_in_place_of_the_text_before(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    line = ChangingLine()
    line.show("compiling: 9 of 10 kernel modules")
    line.show("done")
    line.clear()
    assert seen_on_a_terminal(capsys.readouterr().err) == ["compiling: 9 of 10 kernel modules", "done", "", ""]


def test_a_log_has_no_changing_lines(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    line = ChangingLine()
    line.show("compiling")
    line.clear()
    assert capsys.readouterr().err == ""

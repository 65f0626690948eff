"""Text that reaches a terminal contains no control sequences."""

import io
import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from ecs_anim.support.console import Console
from ecs_anim.support.terminal import MOST_CHARACTERS, print_json, print_line, print_note, printable

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, bidi overrides and the like, halves of pairs, ends of lines
NAME = "\x1b[31m\u202e[/b] :smile: \x9b2J\x07\nforged"


@pytest.mark.exhaustive
@given(st.text(st.characters(exclude_categories=())))
def test_nothing_that_acts_is_left(text):
    shown = printable(text)
    assert not {unicodedata.category(char) for char in shown} & ACTING


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_what_is_visible_stays(text):
    assert printable(text) == text


def test_escapes_are_pythons():
    assert printable("a\x1b\n\u202e\udcff 中文") == r"a\x1b\n\u202e\udcff 中文"


@pytest.mark.parametrize(("put", "stream"), [(print_line, "out"), (print_note, "err")])
def test_a_line_is_one_line(put, stream, capsys):
    put(NAME)
    shown = getattr(capsys.readouterr(), stream)
    assert shown.endswith("\n")
    assert shown[:-1].isprintable()
    assert "[/b] :smile:" in shown


def test_json_keeps_its_escapes(capsys):
    print_json({"name": NAME})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {"name": NAME}
    assert shown.replace("\n", "").isprintable()


def test_a_note_of_a_whole_file_is_shortened(capsys):
    print_note("begin " + 100_000 * "x" + " end")
    shown = capsys.readouterr().err
    assert shown.startswith("begin xxx")
    assert shown.endswith("xxx end\n")
    assert len(shown) < MOST_CHARACTERS + 10


def test_tables_show_names_as_they_are(capsys):
    table = Table(title=NAME)
    table.add_column(NAME)
    table.add_row(NAME)
    Console().print(table)
    Console().print(NAME)
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert shown.count(r"\x1b[31m\u202e[/b] :smile: \x9b2J\x07") == 4
    assert shown.count("forged") == 4


class Full(io.StringIO):
    """A stream that takes nothing."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_note_that_nobody_can_read_is_dropped(monkeypatch, tmp_path):
    with open(tmp_path / "x", "w") as file:
        stream = Full()
        stream.fileno = file.fileno
        monkeypatch.setattr(sys, "stderr", stream)
        print_note("lost")
    assert (tmp_path / "x").read_text() == ""

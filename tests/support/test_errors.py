"""Messages of errors and warnings: one printable line, also if a file or a name contains control characters."""

import pickle
import sys
import traceback
import warnings

import pytest

from ecs_anim.support.errors import InputError, InputWarning, UnknownName, UnknownRow
from ecs_anim.support.files import MissingFile
from ecs_anim.trajectories import load

KINDS = [InputError, InputWarning, MissingFile, UnknownName, UnknownRow]
HOSTILE = "x\x1b[2J\x1b]0;title\x07\u202e\x9b1m\x7f\r\n\u2028\0\udcff"


@pytest.mark.parametrize("kind", KINDS)
def test_control_characters_are_escapes(kind):
    text = str(kind(f"{HOSTILE}: no such\tfile"))
    assert text.isprintable()
    assert text == r"x\x1b[2J\x1b]0;title\x07\u202e\x9b1m\x7f \x00\udcff: no such file"


@pytest.mark.parametrize("kind", KINDS)
def test_visible_characters_stay(kind):
    assert str(kind("中文/é 😀.csv: line 1")) == "中文/é 😀.csv: line 1"


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_travels_between_processes_stays_the_same(kind):
    error = kind(HOSTILE)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))


def test_a_traceback_of_a_hostile_name_is_printable(tmp_path):
    try:
        load(f"{tmp_path}/a\x1b[2Jb.csv")
    except InputError:
        shown = traceback.format_exception(*sys.exc_info())
    assert shown[-1].rstrip("\n").isprintable()
    assert r"a\x1b[2Jb.csv" in shown[-1]


def test_a_warning_of_a_hostile_name_is_printable():
    with pytest.warns(InputWarning) as told:
        warnings.warn(HOSTILE, InputWarning, stacklevel=1)
    assert str(told[0].message).isprintable()

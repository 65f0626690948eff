"""Comments of text files: the frame rate and the unit that they tell, and what is asked for where they tell neither."""

import pytest

from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.trajectories import ReadOptions, recording
from ecs_anim.trajectories.comments import told_rate, told_units

TAKEN = ("unit = 'mm' replaces 'cm'", "rate = 16 replaces 25")
ROWS = [f"{person} {frame} {frame * 5.2} {person * 90.0} 170" for person in (1, 2) for frame in range(9)]


def opened(path, comments, names="", **options):
    rows = [row.replace(" ", ",") for row in ROWS] if names else ROWS
    path.write_text("\n".join([*(f"# {comment}" for comment in comments), *([names] if names else []), *rows, ""]))
    return recording(path, ReadOptions(**options))


def test_what_is_taken_in_place_of_what_the_file_says_is_told(tmp_path):
    with pytest.warns(InputWarning) as told:
        own = opened(tmp_path / "x", ["framerate: 25", "unit: cm"], unit="mm", rate=16.0)
    notes = [f"{text}, the value of the file or its format" for text in TAKEN]
    assert list(own.notes) == notes
    assert [str(warning.message) for warning in told] == [
        f"{tmp_path / 'x'}: {note}. To use the value of the file or of its format, leave out {note.split()[0]}."
        for note in notes
    ]


def test_what_agrees_with_the_file_is_not_told(tmp_path, recwarn):
    assert opened(tmp_path / "x", ["framerate: 25", "unit: cm"], unit="cm", rate=25.0).notes == ()
    assert opened(tmp_path / "y", [], unit="cm", rate=16.0).notes == ()
    assert not list(recwarn)


def question(path, comments, names="", **options):
    with pytest.raises(InputError) as told:
        opened(path, comments, names, **options)
    text = str(told.value)
    assert "\n" not in text
    assert str(path) in text
    return text


@pytest.mark.parametrize(
    ("comment", "rate"),
    [
        ("framerate: 25 fps", 25.0),
        ("framerate: 16", 16.0),
        ("frame rate = 12.5, of camera 3", 12.5),
        ('"framerate": 25,', 25.0),
        ("fps: 25fps", 25.0),
        ("framerate: 30000/1001", 30000 / 1001),
        ("framerate: 1e1", 10.0),
        ("framerate: 1e9", 1e9),
        ("fps: 0.1e2", 10.0),
        ("framerate: .5", 0.5),
        ("framerate: 25 per second", 25.0),
        ("framerate: 25 fps 640x480", 25.0),
    ],
)
def test_a_rate_is_the_whole_number(tmp_path, comment, rate):
    assert opened(tmp_path / "x", [comment], unit="cm").scale.rate == rate


@pytest.mark.parametrize(
    "comments",
    [
        ["framerate: -5"],
        ["framerate: 12,5"],
        ["framerate: 0"],
        ["framerate: 25/0"],
        ["framerate: 1e999"],
        ["framerate: 25-30"],
        ["framerate: 25 per minute"],
        ["framerate: 25 frames per minute"],
        ["framerate: 25/min"],
        ["filmed at 25 fps 640 times"],
        ["framerate: 25", "framerate: 10"],
        ["framerate: 25, fps: 10"],
    ],
)
def test_a_rate_that_is_none_or_is_contradicted_is_asked_for(tmp_path, comments):
    assert "the file does not state its frame rate" in question(tmp_path / "x", comments, unit="cm")
    assert opened(tmp_path / "x", comments, unit="cm", rate=25.0).scale.rate == 25


def test_a_rate_may_be_told_twice(tmp_path):
    assert opened(tmp_path / "x", ["framerate: 25 fps", "fps: 25.0"], unit="cm").scale.rate == 25


@pytest.mark.parametrize(
    ("comments", "unit"),
    [
        (["id frame x/m y/m z/m"], "m"),
        (["id frame x/cm y/cm z/m"], "cm"),
        (["head heights z/cm, x/m y/m"], "m"),
        (["positions in metres, heights in cm", "id frame x y z"], "m"),
        (["ID FR X Y Z (in cm)"], "cm"),
        (["x, y and z in millimeters"], "mm"),
        (["id frame x [m] y [m] z [m]"], "m"),
        (["unit: cm", "id frame x y z"], "cm"),
        (["unit: cm", "id frame x/cm y/cm z/cm"], "cm"),
    ],
)
def test_a_unit_is_that_of_x_and_y(tmp_path, comments, unit):
    assert opened(tmp_path / "x", comments, rate=25.0).scale.unit == unit


@pytest.mark.parametrize(
    ("comments", "names"),
    [
        (["all heights in cm", "id frame x y z"], ""),
        (["head heights z/cm"], ""),
        (["x/m/s: a velocity"], ""),
        (["id frame x/cm y/m z/m"], ""),
        (["x in m y in cm"], ""),
        (["unit: m", "id frame x/cm y/cm z/cm"], ""),
        (["unit: cm"], "id,frame,x_m,y_m,z"),
        (["unit: cm"], "id,frame,x_m,y_cm,z"),
        ([], "id,frame,x_m,y_cm,z"),
    ],
)
def test_a_unit_of_something_else_or_one_that_is_contradicted_is_asked_for(tmp_path, comments, names):
    assert "the file does not state its unit" in question(tmp_path / "x", comments, names, rate=25.0)
    assert opened(tmp_path / "x", comments, names, rate=25.0, unit="cm").scale.unit == "cm"


def test_axes_of_two_units_are_asked_about_where_somebody_names_the_columns(tmp_path):
    columns = "id=id frame=frame x=x_m y=y_cm"
    text = question(tmp_path / "x", [], "id,frame,x_m,y_cm,z", rate=25.0, columns=columns)
    assert "the file does not state its unit" in text


@pytest.mark.parametrize("word", ["x ", "x, ", "positions ", ",", " ", "fps -1 ,", "framerate: ", "1"])
def test_long_comments_are_gone_through_once(word):
    """Thousands of beginnings of what might tell something: without bounds, each would go through all that follows."""
    text = "x framerate: " + word * (30_000 // len(word))
    assert (told_rate([text]), told_units([text])) == (None, frozenset())

"""Files of trajectories: every format gives back what independent code wrote, whole and a window at a time."""

import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, load, recording
from ecs_anim.trajectories.store import PIECE
from tests.builders.trajectory_files import (
    FORMATS,
    SQUARE,
    wanderers,
    write_csv,
    write_hdf5,
    write_ndjson,
    write_obsmat,
    write_parquet,
    write_petrack,
    write_sqlite,
    write_trajnet,
)


def as_tuples(own):
    """(id, time, x, y) of samples; "ped7" counts as 7."""
    ids = [int(own.names[number].removeprefix("ped")) if own.names else number for number in own.ids.tolist()]
    people = [ids[row] for row in own.people]
    return sorted(zip(people, own.times.tolist(), *own.xy.T.tolist(), strict=True))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_every_format_gives_back_what_was_written(tmp_path, name, seed):
    """Whatever the file is called."""
    own = FORMATS[name]
    samples = wanderers(np.random.default_rng(seed), stride=own.stride)
    own.write(tmp_path / "crowd.dat", samples)
    opened = recording(tmp_path / "crowd.dat", ReadOptions(**own.asked))
    assert (opened.format, opened.is_simulated) == (own.name, own.is_simulated)
    wanted = sorted((i, f / 25, x, y) for f, i, x, y in samples)
    got = as_tuples(opened.whole())
    assert [row[0] for row in got] == [row[0] for row in wanted]
    np.testing.assert_allclose(got, wanted, rtol=1e-7, atol=1e-9)
    people = [int(opened.person(number).removeprefix("ped")) for number in opened.ids.tolist()]
    np.testing.assert_allclose(opened.first, [min(t for j, t, _, _ in wanted if j == i) for i in people])
    if own.heading is None:
        assert opened.whole().heading_vectors is None
    else:
        np.testing.assert_allclose(opened.whole().heading_vectors, len(got) * [own.heading], atol=1e-12)
    low, high = opened.bounds
    np.testing.assert_allclose([*low, *high], [*np.min(wanted, axis=0)[2:], *np.max(wanted, axis=0)[2:]], rtol=1e-6)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seconds", [0.1, 0.37, 100.0])
def test_windows_hold_each_sample_once_and_only_their_own(tmp_path, name, seconds):
    own = FORMATS[name]
    own.write(tmp_path / "x", wanderers(np.random.default_rng(7), 20, 100, own.stride))
    opened = recording(tmp_path / "x", ReadOptions(**own.asked))
    start, pieces = opened.span[0], []
    for k, window in enumerate(opened.windows(seconds)):
        assert np.all(window.times >= start + k * seconds - 1e-9)
        assert np.all(window.times < start + (k + 1) * seconds + 1e-9)
        pieces += as_tuples(window)
    assert sorted(pieces) == as_tuples(opened.whole())


@pytest.mark.parametrize("order", ["by time", "by person", "shuffled"])
def test_rows_may_come_in_any_order(tmp_path, order, monkeypatch):
    """More rows than a slab, and more than a hundred pieces; the copy of the rows is on the disk."""
    monkeypatch.setattr("ecs_anim.trajectories.store.IN_MEMORY", 10_000)
    rng = np.random.default_rng(3)
    samples = [(f, i, float(i + f / 50), float(rng.normal())) for f in range(300) for i in range(60)]
    if order == "by person":
        samples.sort(key=lambda own: (own[1], own[0]))
    elif order == "shuffled":
        random.Random(5).shuffle(samples)
    write_csv(tmp_path / "x", samples)
    opened = recording(tmp_path / "x", ReadOptions(rate=25))
    assert opened.index.row_count > 100 * PIECE
    got = as_tuples(opened.between(2.0, 3.0))
    assert got == sorted((i, f / 25, x, y) for f, i, x, y in samples if 50 <= f < 75)
    assert opened.whole().sample_count == len(samples)


def test_sqlite_files_bring_headings_and_geometry_as_it_changes(tmp_path):
    samples = wanderers(np.random.default_rng(1))
    write_sqlite(tmp_path / "x", samples, 2)
    own = load(tmp_path / "x")
    assert np.all(own.heading_vectors == [0.0, 1.0])
    np.testing.assert_allclose(own.headings, np.pi / 2)
    changes = [(wall.time, wall.wkt) for wall in own.walls]
    assert changes == [(0.0, SQUARE), (0.4, SQUARE.replace("8", "9")), (0.8, SQUARE)]
    write_sqlite(tmp_path / "y", samples, 3)
    assert load(tmp_path / "y").heading_vectors is None
    write_sqlite(tmp_path / "z", samples, 1)
    assert [wall.wkt for wall in load(tmp_path / "z").walls] == [SQUARE]


def test_files_of_the_archive_bring_walls(tmp_path):
    write_hdf5(tmp_path / "x", wanderers(np.random.default_rng(1)))
    assert [(wall.time, wall.wkt) for wall in recording(tmp_path / "x").walls] == [(-np.inf, SQUARE)]


@pytest.mark.parametrize(
    ("axes", "east", "north"), [("x y", 2, 3), ("x -y", 2, -3), ("y x", 3, 2), ("-y x", -3, 2), ("-x -y", -2, -3)]
)
def test_axes_turn_positions_headings_and_walls_alike(tmp_path, axes, east, north):
    write_sqlite(tmp_path / "x", [(0, 1, 2.0, 3.0), (1, 1, 2.0, 3.0)])
    own = load(tmp_path / "x", ReadOptions(axes=axes, unit="cm"))
    np.testing.assert_allclose(own.xy[0], [east / 100, north / 100])
    turned = {2: (0, 1), -2: (0, -1), 3: (1, 1), -3: (1, -1)}
    heading = [turned[axis][1] * (0.0, 1.0)[turned[axis][0]] for axis in (east, north)]
    np.testing.assert_array_equal(own.heading_vectors[0], heading)
    corner = [turned[axis][1] * (0.08, 0.0)[turned[axis][0]] + 0.0 for axis in (east, north)]
    assert own.walls[0].wkt.split("(( ")[-1].split(", ")[1] == f"{corner[0]:g} {corner[1]:g}"


@pytest.mark.parametrize(("unit", "metres"), [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("ft", 0.3048), ("in", 0.0254)])
def test_units_scale_positions(tmp_path, unit, metres):
    write_csv(tmp_path / "x", [(0, 1, 2.0, 3.0), (1, 1, 2.5, 3.0)], "id,frame,x,y")
    np.testing.assert_allclose(load(tmp_path / "x", ReadOptions(unit, 25)).xy[0], [2 * metres, 3 * metres])


@pytest.mark.parametrize(
    "names",
    [
        "id,frame,x/m,y/m",
        "ID,Frame,X [m],Y [m]",
        "ped_id,frame_id,pos_x (m),pos_y (m)",
        "personID,FR,x_m,y_m",
        "p,f,px/m,py/m",
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_usual_names_of_columns_are_known_and_what_was_taken_for_what_is_told(tmp_path, names, delimiter):
    write_csv(tmp_path / "x", [(0, 4, 2.0, 3.0), (1, 4, 2.1, 3.0)], names, delimiter)
    opened = recording(tmp_path / "x", ReadOptions(rate=25))
    assert as_tuples(opened.whole()) == [(4, 0.0, 2.0, 3.0), (4, 0.04, 2.1, 3.0)]
    assert opened.scale.unit == "m"
    plain = {"id", "ID"} >= {names.split(",")[0]}
    assert bool(opened.notes) != plain or "x/m" in names or "X [m]" in names


@pytest.mark.exhaustive
def test_columns_may_be_named_by_order_or_by_name(tmp_path):
    write_csv(tmp_path / "x", [(0, 4, 2.0, 3.0), (1, 4, 2.1, 3.0)], "who,when,east,north")
    for columns in ("id frame x y", "id=who frame=when x=east y=north"):
        assert load(tmp_path / "x", ReadOptions("m", 25, columns)).ids.tolist() == [4]
    swapped = load(tmp_path / "x", ReadOptions("m", 25, "frame=who id=when x=east y=north"))
    assert swapped.ids.tolist() == [0, 1]
    with pytest.raises(
        InputError, match=r"x: the file has no column 'easy'; did you mean 'east'\? columns are: who, when, east, north"
    ):
        load(tmp_path / "x", ReadOptions("m", 25, "id=who frame=when x=easy y=north"))
    write_parquet(tmp_path / "p", [(0, 4, 2.0, 3.0), (1, 4, 2.1, 3.0)])
    assert load(tmp_path / "p", ReadOptions("m", 25, "id=frame frame=person_id x=x_m y=y_m")).ids.tolist() == [0, 1]


@pytest.mark.parametrize("names", [("x_m", "x_cm"), ("x_m", "x_m"), ("x", "X [cm]")])
def test_two_columns_that_may_be_x_are_asked_about(tmp_path, names):
    (tmp_path / "x").write_text(f"id,frame,{','.join(names)},y_m\n4,0,2,3,5\n4,1,2,3,5\n")
    text = message(tmp_path / "x", rate=25)
    assert f"several columns can have the role x: {', '.join(names)}. Set columns = " in text
    assert load(tmp_path / "x", ReadOptions("m", 25, "id frame - x y")).xy[0].tolist() == [3, 5]


def test_columns_of_one_name_are_told_by_their_order(tmp_path):
    (tmp_path / "x").write_text("id,frame,x_m,x_m,y_m\n4,0,2,3,5\n")
    text = message(tmp_path / "x", rate=25, columns="id=id frame=frame x=x_m y=y_m")
    assert "2 columns of the file have the same name 'x_m'. Set columns = " in text


@pytest.mark.exhaustive
def test_parquet_columns_that_may_both_be_x_are_asked_about(tmp_path):
    parquet.write_table(pa.table({"id": [1], "frame": [0], "x_m": [0.0], "x_cm": [0.0], "y_m": [0.0]}), tmp_path / "x")
    assert "several columns can have the role x: x_m, x_cm. Set columns = " in message(tmp_path / "x", rate=25)
    named = recording(tmp_path / "x", ReadOptions(None, 25, "id=id frame=frame x=x_m y=y_m"))
    assert named.scale.unit == "m"


def test_groups_and_times_of_tables(tmp_path):
    (tmp_path / "x").write_text("id,time [ms],x_m,y_m,group\n1,500,0,0,7\n1,1000,1,0,7\n2,500,5,5,-1\n")
    own = load(tmp_path / "x")
    assert own.groups.tolist() == [7, 7, -1]
    assert own.times.tolist() == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_ends_of_lines_marks_blank_lines_and_comments(tmp_path, end, mark):
    lines = ["# framerate: 10", "# id frame x/m y/m z/m", "", "1 0 1.0 2.0 1.7", "", "# between", "1 1 1.5 2.0 1.7"]
    (tmp_path / "x").write_bytes((mark + end.join(lines)).encode())
    assert as_tuples(load(tmp_path / "x")) == [(1, 0.0, 1.0, 2.0), (1, 0.1, 1.5, 2.0)]


@pytest.mark.exhaustive
@given(
    st.dictionaries(
        st.tuples(st.integers(-(10**11), 10**11), st.integers(-(2**52), 2**52)),
        st.tuples(*[st.floats(-1e6, 1e6, allow_subnormal=False)] * 2),
        min_size=1,
        max_size=40,
    )
)
@settings(max_examples=60)
def test_any_numbers_come_back_to_the_last_bit(tmp_path_factory, samples):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    write_csv(path, [(frame, person, x, y) for (frame, person), (x, y) in samples.items()])
    got = load(path, ReadOptions(rate=1))
    wanted = sorted((person, float(frame), x, y) for (frame, person), (x, y) in samples.items())
    assert as_tuples(got) == wanted


# Options that are required


def message(path, **options):
    with pytest.raises(InputError) as told:
        recording(path, ReadOptions(**options))
    return str(told.value)


def walk(metres_a_frame, unit=1.0):
    """Return rows of 60 people that walk to the east, 5 apart."""
    return [(f, i, f * metres_a_frame / unit, 5.0 * i) for f in range(20) for i in range(60)]


@pytest.mark.parametrize(
    ("unit", "metres", "speed"), [("cm", 0.01, "134"), ("m", 1.0, "1.34"), ("mm", 1e-3, "1.34e+03")]
)
def test_a_missing_unit_is_asked_for_with_what_speeds_suggest(tmp_path, unit, metres, speed):
    write_csv(tmp_path / "x", walk(1.34 / 25, metres), "id,frame,x,y")
    text = message(tmp_path / "x", rate=25)
    word = {"cm": "centimetres", "m": "metres", "mm": "millimetres"}[unit]
    assert f"the file does not state its unit (60 people, median speed {speed} units per second)." in text
    assert f"The best guess is {word}. Set unit" in text
    assert f"Set unit = '{unit}' (on the command line: --unit {unit})" in text


def test_a_missing_rate_is_asked_for(tmp_path):
    write_csv(tmp_path / "x", walk(1.3 / 25))
    text = message(tmp_path / "x")
    assert (
        "the file does not state its frame rate (60 people, median move 0.052 units in 1 frame). "
        "The best guess is about 25 frames per second" in text
    )
    assert "Set rate = 25 (on the command line: --sample-rate 25)" in text


def test_both_are_asked_for_at_once(tmp_path):
    write_csv(tmp_path / "x", walk(1.3 / 16, 0.01), "id,frame,x,y")
    text = message(tmp_path / "x")
    assert "does not state its unit or its frame rate" in text
    assert text.endswith("Set unit = 'cm' and rate = 16 (on the command line: --unit cm --sample-rate 16).")


def test_people_who_do_not_move_suggest_nothing(tmp_path):
    write_csv(tmp_path / "x", [(0, 1, 0.0, 0.0), (1, 1, 0.0, 0.0)], "id,frame,x,y")
    assert "1 person without motion" in message(tmp_path / "x")


def test_an_archive_file_without_a_rate_is_asked_for_it(tmp_path):
    write_hdf5(tmp_path / "x", walk(1.3 / 25), fps=None)
    assert "the file does not state its frame rate" in message(tmp_path / "x")


def test_frame_first_and_person_first_are_told_apart_or_asked_for(tmp_path):
    write_trajnet(tmp_path / "frame_first", [(10 * f, i, x, y) for f, i, x, y in walk(0.52)])
    assert recording(tmp_path / "frame_first").format == "TrajNet++ text"
    (tmp_path / "id_first").write_text("".join(f"{i} {f} {x} {y}\n" for f, i, x, y in walk(0.05)))
    opened = recording(tmp_path / "id_first", ReadOptions("m", 25))
    assert len(opened.ids) == 60
    assert "people would jump" in opened.notes[0]
    (tmp_path / "neither").write_text("0 0 0 0\n0 1 1 0\n1 0 0 1\n1 1 1 1\n")
    assert "have two possible orders: frame id x y, and id frame x y. Set columns =" in message(tmp_path / "neither")
    assert recording(tmp_path / "neither", ReadOptions("m", 25, "frame id x y")).ids.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("fps", "stride", "rate"), [(None, 10, 25.0), (None, 6, 15.0), (2.5, 10, 25.0), (5.0, 3, 15.0)]
)
def test_sampled_files_have_the_rate_of_their_definition_or_their_own(tmp_path, fps, stride, rate):
    write_ndjson(tmp_path / "x", wanderers(np.random.default_rng(2), stride=stride), fps)
    assert recording(tmp_path / "x").scale.rate == rate


def test_velocities_that_say_another_rate_than_the_definition_are_believed(tmp_path):
    samples = wanderers(np.random.default_rng(2), stride=10)
    write_obsmat(tmp_path / "x", samples, rate=50.0)
    assert "the file does not state its frame rate" in message(tmp_path / "x")
    write_obsmat(tmp_path / "y", samples, rate=25.0)
    assert recording(tmp_path / "y").scale.rate == 25.0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"unit": "meter"},
            "unit: the value must be one of m, cm, mm, ft, in, or a multiple such as '0.02 m' (got 'meter')",
        ),
        ({"rate": 0.0}, "rate: the number of frames per second must be above 0 and at most 1e+09 (got 0.0)"),
        ({"rate": float("nan")}, "rate: the number of frames per second must be"),
        ({"axes": "x x"}, "axes: the option must name the axes of the file that point east and north"),
        ({"axes": "x --y"}, "axes: the option must name"),
        ({"axes": ""}, "axes: the option must name"),
    ],
)
def test_options_that_cannot_be_are_told(options, text):
    with pytest.raises(InputError) as told:
        ReadOptions(**options)
    assert text in str(told.value)


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ("id frame x", "must name id, x, y, and either frame or time"),
        ("id frame time x y", "either frame or time"),
        ("id id frame x y", "the option names id twice"),
        ("id fram x y", "did you mean 'frame'?"),
        ("id frame x y heading_x", "the option must name both heading_x and heading_y"),
        ("id frame x y - - group", "a row must have at least 7 fields, one for each named column (got 5)"),
    ],
)
def test_columns_that_cannot_be_are_told(tmp_path, columns, text):
    write_petrack(tmp_path / "x", walk(0.05))
    assert text in message(tmp_path / "x", columns=columns)


@pytest.mark.parametrize(("comment", "is_simulated"), [("# Simulated by hand", True), ("# not simulated", False)])
def test_comments_say_that_positions_are_simulated(tmp_path, comment, is_simulated):
    rows = [f"{person},{k},{k / 10},{person}" for person in (1, 2) for k in range(9)]
    (tmp_path / "x").write_text("\n".join([comment, "# framerate: 12.5", "id,frame,x_m,y_m", *rows, ""]))
    found = recording(tmp_path / "x")
    assert (found.is_simulated, found.span) == (is_simulated, (0.0, 8 / 12.5))


@pytest.mark.parametrize(("rate", "told"), [("20", None), ("-1", "framerate must be a finite"), ("a", "framerate")])
def test_metadata_of_parquet_tell_the_rate(tmp_path, rate, told):
    columns = {"id": [1, 1, 1], "frame": [0, 1, 2], "x_m": [0.0, 0.1, 0.2], "y_m": [0.0, 0.0, 0.0]}
    table = pa.table(columns).replace_schema_metadata({"framerate": rate})
    parquet.write_table(table, tmp_path / "x")
    if told:
        with pytest.raises(InputError, match=told):
            recording(tmp_path / "x")
        return
    found = recording(tmp_path / "x")
    assert (found.is_simulated, found.span) == (False, (0.0, 0.1))

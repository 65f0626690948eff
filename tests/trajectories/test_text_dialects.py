"""Tables of text as programs and spreadsheets write them: separators, decimal signs, ids, times and gaps."""

import csv
import io
from datetime import UTC, datetime, timedelta

import h5py
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, load, recording
from ecs_anim.trajectories.dialect import dialect_of
from ecs_anim.trajectories.moments import calendar_of

PEOPLE = [
    (person, frame, 0.125 * frame - person, 1000.5 * person + frame / 8) for person in (3, 7) for frame in range(9)
]


def write(path, rows, delimiter=",", names=("id", "frame", "x_m", "y_m"), **options):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n", **options).writerows([names, *rows])
    path.write_text(text.getvalue(), "utf-8")


def comma(value):
    return str(value).replace(".", ",")


def samples(own):
    """(id, time, x, y) of samples."""
    return list(zip(own.ids[own.people].tolist(), own.times.tolist(), *own.xy.T.tolist(), strict=True))


def expect(own, rate=1.0):
    assert samples(own) == [(person, frame / rate, x, y) for person, frame, x, y in PEOPLE]


@pytest.mark.parametrize("delimiter", [";", "\t", " ", ","])
@pytest.mark.parametrize("names", [("id", "frame", "x_m", "y_m"), ("ID", "Frame", "X [m]", "Y [m]")])
def test_decimal_commas_are_read_where_fields_are_told_apart(tmp_path, delimiter, names):
    """Commas that separate too need quotes about numbers."""
    rows = [(person, frame, comma(x), comma(y)) for person, frame, x, y in PEOPLE]
    quoting = csv.QUOTE_ALL if delimiter in (",", " ") else csv.QUOTE_MINIMAL
    write(tmp_path / "x", rows, delimiter, names, quoting=quoting)
    expect(load(tmp_path / "x", ReadOptions(rate=1)))


def test_decimal_commas_between_spaces_without_names(tmp_path):
    text = "# framerate: 1\n# id frame x/m y/m z/m\n"
    text += "".join(f"{person} {frame} {comma(x)} {comma(y)} 1,7\n" for person, frame, x, y in PEOPLE)
    (tmp_path / "x").write_text(text)
    expect(load(tmp_path / "x"))


@pytest.mark.parametrize(
    ("fields", "decimal", "thousands"),
    [
        ("1;0;1.234,5;0,25", ",", "."),
        ("1;0;1,234.5;0.25", ".", ","),
        ("1;0;1,234;0.25", ".", ","),
        ("1;0;1.234;0,25", ",", "."),
        ("1;0;1,234;0,25", ",", ""),
        ("1;0;1.234;0.25", ".", ""),
        ("1;0;1,5;0.25", ".", ""),
    ],
)
def test_signs_of_numbers(fields, decimal, thousands):
    found = dialect_of(["id;frame;x;y", fields])
    assert (found.delimiter, found.decimal, found.thousands) == (";", decimal, thousands)


def test_signs_between_thousands(tmp_path):
    rows = [
        (person, frame, comma(x), f"{y:,.3f}".translate(str.maketrans(",.", ".,"))) for person, frame, x, y in PEOPLE
    ]
    assert rows[5][3] == "3.002,125"
    write(tmp_path / "x", rows, ";")
    expect(load(tmp_path / "x", ReadOptions(rate=1)))
    write(tmp_path / "y", [(p, f, x, f"{y:,.3f}".replace(",", "'")) for p, f, x, y in PEOPLE], ";")
    expect(load(tmp_path / "y", ReadOptions(rate=1)))


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\nid;frame;x_m;y_m\n{}",
        "My export\nDate: today\nframerate: 1\n\nid;frame;x_m;y_m\n{}",
        "% framerate: 1\n% made by hand\nid;frame;x_m;y_m\n{}",
        "// a comment\nid;frame;x;y\n-;-;m;m\n{}",
        '"ID";"Frame";"X_m";"Y_m"\r\n{}',
    ],
)
def test_lines_before_the_rows(tmp_path, text):
    rows = "\n".join(f"{person};{frame};{x};{y};" for person, frame, x, y in PEOPLE)
    (tmp_path / "x").write_text(text.format(rows), newline="")
    expect(load(tmp_path / "x", ReadOptions(rate=1)))


def test_a_header_of_fewer_columns_than_rows_is_refused(tmp_path):
    """Decimal commas between commas, or names of rows in front: numbers would be taken for others."""
    (tmp_path / "x").write_text("id,frame,x_m,y_m\n" + "".join(f"1,{k},0,{k},5,25\n" for k in range(9)))
    with pytest.raises(InputError, match="line 2: a row must have 4 fields, as many as the header .got 6"):
        recording(tmp_path / "x", ReadOptions(rate=1))
    opened = recording(tmp_path / "x", ReadOptions(rate=1, unit="m", columns="id frame - x - y"))
    assert opened.whole().xy[3].tolist() == [3, 25]


def test_lines_that_end_in_carriage_returns_alone_are_told(tmp_path):
    (tmp_path / "x").write_bytes(b"id,frame,x_m,y_m\r1,0,1,2\r1,1,1,2\r")
    with pytest.raises(InputError, match="line must end in a line feed .got only carriage returns"):
        recording(tmp_path / "x", ReadOptions(rate=1))


# Ids


def test_ids_of_any_text_are_kept(tmp_path):
    ids = {3: "3f2a-000b", 7: "Ann, the 7th"}
    write(tmp_path / "x", [(ids[person], *rest) for person, *rest in PEOPLE])
    opened = recording(tmp_path / "x", ReadOptions(rate=1))
    own = opened.whole()
    assert own.ids.tolist() == [0, 1]
    assert opened.names == own.names == tuple(ids.values())
    assert [own.names[k] for k in own.people] == [ids[person] for person, *_ in PEOPLE]
    np.testing.assert_array_equal(own.xy, [row[2:] for row in PEOPLE])
    late = opened.between(3.0, 4.0)
    assert (late.names, late.ids.tolist()) == (tuple(ids.values()), [0, 1])


def test_whole_numbers_of_64_bits_are_kept(tmp_path):
    first = 2**53
    write(tmp_path / "x", [(first + person, *rest) for person, *rest in PEOPLE])
    opened = recording(tmp_path / "x", ReadOptions(rate=1))
    assert opened.whole().ids.tolist() == [first + 3, first + 7]
    assert opened.names == ()


def test_numbers_of_more_than_64_bits_are_names(tmp_path):
    first = 2**64
    write(tmp_path / "x", [(first + person, *rest) for person, *rest in PEOPLE])
    assert recording(tmp_path / "x", ReadOptions(rate=1)).names == (str(first + 3), str(first + 7))


def test_a_person_without_an_id_is_an_error(tmp_path):
    write(tmp_path / "x", [("a", 0, 1, 2), ("", 1, 1, 2)])
    with pytest.raises(InputError, match=r"line 3: id must be a number or a name \(got ''\)"):
        recording(tmp_path / "x", ReadOptions(rate=1))


def test_a_sample_that_is_there_twice_is_named_by_its_id(tmp_path):
    write(tmp_path / "x", [("ped one", 0, 1, 2), ("ped one", 0, 1, 3)])
    with pytest.raises(InputError, match="person ped one has frame 0 twice"):
        load(tmp_path / "x", ReadOptions(rate=1))


# Times


@pytest.mark.parametrize("zone", ["Z", "+02:00", ""])
def test_dates_with_times_are_seconds_from_the_first_row_on(tmp_path, zone):
    start = datetime(2024, 12, 31, 23, 59, 58, tzinfo=UTC)
    shown = {frame: (start + timedelta(seconds=frame)).strftime("%Y-%m-%dT%H:%M:%S.000") + zone for frame in range(9)}
    write(tmp_path / "x", [(p, shown[f], x, y) for p, f, x, y in PEOPLE], names=("id", "time", "x_m", "y_m"))
    opened = recording(tmp_path / "x")
    expect(opened.whole())
    assert any(note.startswith("times are relative to the first row, 2024-12-31T2") for note in opened.notes)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12:00:05.25", 43205.25),
        ("00:01:02,5", 62.5),
        ("1:02", 62.0),
        ("1:00:00:01", 86401.0),
        ("2024-05-01 00:00:00", 0.0),
        ("2024/05/01 10:00", 0.0),
        ("01.05.2024 10:00:00", 0.0),
    ],
)
def test_moments(text, seconds):
    assert calendar_of(text).seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "12", "1.5", "20240501", "soon", "12:61:99:1:1", "nan"])
def test_what_is_no_moment(text):
    assert calendar_of(text) is None


def test_a_time_of_another_kind_is_named(tmp_path):
    names = ("id", "time", "x_m", "y_m")
    write(tmp_path / "x", [(1, "2024-05-01T12:00:00Z", 1, 2), (1, "2024-05-01T12:00:01", 1, 2)], names=names)
    with pytest.raises(
        InputError,
        match=r"line 3: time must be a time as in the first row: either all times or no times of the "
        "file must have a time zone",
    ):
        recording(tmp_path / "x")
    write(tmp_path / "x", [(1, "12:00:00", 1, 2), (1, "noon", 1, 2)], names=names)
    with pytest.raises(
        InputError, match=r"line 3: time must be .* must be a clock time, such as 12:30:05 \(got 'noon'\)"
    ):
        recording(tmp_path / "x")


# Gaps


@pytest.mark.parametrize("word", ["", "nan", "NaN", "NA", "null", "None", "-"])
def test_missing_positions_are_gaps(tmp_path, word):
    """A row with one of x and y missing holds no position; the row is counted."""
    rows = [(p, f, word if f in (3, 4) else x, word if f == 4 else y) for p, f, x, y in PEOPLE]
    write(tmp_path / "x", rows)
    opened = recording(tmp_path / "x", ReadOptions(rate=1))
    wanted = [(p, float(f), x, y) for p, f, x, y in PEOPLE if f not in (3, 4)]
    assert samples(opened.whole()) == wanted
    assert samples(opened.between(2.0, 6.0)) == [row for row in wanted if 2 <= row[1] < 6]
    assert (opened.index.unseen, opened.index.row_count) == (4, 14)
    assert any("4 rows have no position" in note for note in opened.notes)


def test_a_file_without_any_position_is_told(tmp_path):
    write(tmp_path / "x", [(1, k, "nan", 2) for k in range(5)])
    with pytest.raises(InputError, match="a file of trajectories must contain at least one row with a position"):
        recording(tmp_path / "x", ReadOptions(rate=1))


# Parquet and HDF5


@pytest.mark.exhaustive
def test_parquet_has_texts_floors_gaps_and_whole_numbers_too(tmp_path):
    first, frames = 2**53, list(range(20))
    for name, ids in (("x", 10 * ["ann"] + 10 * ["bob"]), ("y", 10 * [first + 1] + 10 * [first + 2])):
        xs = [None if k == 3 else 0.1 * k for k in frames]
        columns = {"id": ids, "frame": frames, "x_m": xs, "y_m": frames, "z_m": 10 * [0.0] + 10 * [4.0]}
        parquet.write_table(pa.table(columns), tmp_path / name)
    opened = recording(tmp_path / "x", ReadOptions(rate=1))
    assert (opened.names, opened.index.unseen) == (("ann", "bob"), 1)
    assert opened.whole().heights.tolist() == 9 * [0.0] + 10 * [4.0]
    assert recording(tmp_path / "x", ReadOptions(rate=1, level="4")).whole().sample_count == 10
    assert recording(tmp_path / "y", ReadOptions(rate=1, level="4")).ids.tolist() == [first + 2]
    columns = {
        "id": [1, 1],
        "frame": [0, 1],
        "x_m": [0.0, 0.1],
        "y_m": [0, 0],
        "level": ["up", "up"],
        "speed": ["a", "b"],
    }
    parquet.write_table(pa.table(columns), tmp_path / "z")
    assert recording(tmp_path / "z", ReadOptions(rate=1)).whole().sample_count == 2


def test_hdf5_has_floors_and_whole_numbers_too(tmp_path):
    kind = np.dtype([("id", "<i8"), ("frame", "<i8"), ("x", "<f8"), ("y", "<f8"), ("z", "<f8")])
    rows = [(2**53 + 1 + (k > 9), k, 0.1 * k, 0.0, 4.0 * (k > 9)) for k in range(20)]
    with h5py.File(tmp_path / "x", "w") as file:
        file.create_dataset("trajectory", data=np.array(rows, kind)).attrs["fps"] = 10.0
    own = load(tmp_path / "x", ReadOptions(level="0"))
    assert (own.ids.tolist(), own.sample_count) == ([2**53 + 1], 10)

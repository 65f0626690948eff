"""Broken files of trajectories: one line with file, line or row, person and frame; never a traceback."""

import csv
import json
import os
import sqlite3
import sys
from contextlib import suppress

import h5py
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, load, read_walls, recording
from tests.builders.trajectory_files import (
    FORMATS,
    wanderers,
    write_csv,
    write_hdf5,
    write_ndjson,
    write_parquet,
    write_petrack,
    write_sqlite,
    write_vadere,
)

SAMPLES = wanderers(np.random.default_rng(0))


def message(path, **options):
    """The line that loading a file ends in."""
    with pytest.raises(InputError) as told:
        load(path, ReadOptions(**options))
    text = str(told.value)
    assert "\n" not in text
    assert str(path) in text
    return text


def petrack(path, line, new):
    """A file of three header lines, with one line in place of another."""
    write_petrack(path, SAMPLES)
    lines = path.read_text().splitlines()
    lines[line - 1] = new
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("new", "text"),
    [
        ("1 7 -inf 2.0 1.7", "line 9: person 1, frame 7: x must be a finite number (got -inf)"),
        ("1 nan 1.0 2.0 1.7", "line 9: person 1: frame must be a whole number (got nan)"),
        ("nan 7 1.0 2.0 1.7", "line 9: frame 7: id must be a whole number (got nan)"),
        ("1 7 1.0 inf 1.7", "line 9: person 1, frame 7: y must be a finite number (got inf)"),
        ("1 7 1.0 1e10 1.7", "line 9: person 1, frame 7: y must be a finite number from -1e+09 to 1e+09 (got 1e+10)"),
        ("1 7.5 1.0 2.0 1.7", "line 9: person 1: frame must be a whole number (got 7.5)"),
        ("1.5 7 1.0 2.0 1.7", "line 9: frame 7: id must be a whole number (got 1.5)"),
        ("1e300 7 1.0 2.0 1.7", "id must be a whole number from -9.0072e+15 to 9.0072e+15 (got 1e+300)"),
        ("1 7 1.0 two 1.7", "line 9: y must be a number (got 'two')"),
        ("1 7 1,5 2.0 1.7", "line 9: x must be a number (got '1,5')"),
        ("1 7 1.0", "line 9: the line must have 4 columns, because y is column 4 (got 3 columns)"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, new, text):
    petrack(tmp_path / "x.txt", 9, new)
    assert text in message(tmp_path / "x.txt")


def test_a_wrong_line_far_into_a_file_is_named(tmp_path):
    lines = ["# framerate: 25", "# id frame x/m y/m z/m"]
    lines += [f"{k % 100} {k // 100} 1.0 2.0 1.7" for k in range(50_000)]
    lines[40_000] = "5 399 inf 2.0 1.7"
    (tmp_path / "x").write_text("\n".join(lines))
    assert "line 40001: person 5, frame 399: x must be" in message(tmp_path / "x")


QUOTED = "id,frame,x_m,y_m,note\n1,1,0,0,a\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (QUOTED + '1,2,0.1,0,"b\n1,3,0.2,0,c"\n1,4,0.3,0,d\n', 3),  # the field ends on the next line
        (QUOTED + '1,2,0.1,0,"b\n1,3,0.2,0,c\n1,4,0.3,0,d\n', 3),  # the field never ends
        (QUOTED + '1,2,0.1,0,b\n1,3,0.2,0,"c\n', 4),  # on the last line
        (QUOTED + '"1,2,0.1,0,b\n1,3,0.2,0,c\n', 3),
        ('# framerate: 25\n# id frame x/m y/m z/m\n1 1 0 0 1.7\n1 2 0.1 0 "1.7\n1 3 0.2 0 1.7\n', 4),
        ("#\n" + "1 1 0 0 1\n" * 20_000 + '1 2 0 0 "1\n' + "1 3 0 0 1\n" * 20_000, 20_002),
    ],
)
def test_a_quoted_field_that_takes_in_other_lines_is_named(tmp_path, content, line):
    (tmp_path / "x").write_text(content)
    assert f"line {line}: a quoted field must end on its line" in message(tmp_path / "x", rate=25, unit="m")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
def test_quoted_fields_are_one_column_each_with_every_delimiter(tmp_path, delimiter):
    rows = [[1, frame, f'gate {delimiter} "{frame}"', frame / 10, 2, "an 8' 2\" door"] for frame in range(50)]
    with (tmp_path / "x").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([["id", "frame", "the note", "x_m", "y_m", "end"], *rows])
    read = load(tmp_path / "x", ReadOptions(rate=1))
    assert read.sample_count == len(rows)
    assert np.allclose(read.xy, [(row[3], 2) for row in rows])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("row", ["1 2 1e308 0", "1e308 2 0 0", "1 1e308 0 0", "1 2 0 -1e308", "1 2 1e999 0"])
@pytest.mark.parametrize("width", [4, 8])
def test_huge_numbers_are_named_without_warnings_of_numpy(tmp_path, row, width):
    rows = [f"{10 * frame} 1 {frame} 0" for frame in range(9)]
    rows.insert(4, row)
    (tmp_path / "x").write_text("".join(line + (width - 4) * f" {line.split()[-1]}" + "\n" for line in rows))
    assert "line 5: " in message(tmp_path / "x")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("times", "text"),
    [
        ([0, 1, 9e15, 9e15 + 1], "all times must be within 1e+11 s of 0 (got times from 0 s to 9e+15 s)"),
        ([-9e15, 0, 1], "got times from -9e+15 s to 1 s"),
        ([k * 1e-300 for k in range(20)], "lines 2 and 3: two samples of person 1 must be at least"),
        ([0, 1, 1 + 1e-12, 2], "lines 3 and 4: two samples of person 1 must be at least"),
    ],
)
def test_times_that_are_not_told_apart_are_named(tmp_path, times, text):
    (tmp_path / "x").write_text("id,time,x_m,y_m\n" + "".join(f"1,{time!r},{k},0\n" for k, time in enumerate(times)))
    assert text in message(tmp_path / "x")


def test_far_and_close_times_are_read(tmp_path):
    times = [1.7e9 + k / 50 for k in range(9)] + [1.7e9 + 1, 1.7e9 + 1.000001]
    (tmp_path / "x").write_text("id,time,x_m,y_m\n" + "".join(f"1,{time!r},{k},0\n" for k, time in enumerate(times)))
    assert load(tmp_path / "x").times.tolist() == times


def test_an_empty_field_of_a_table_is_named(tmp_path):
    write_csv(tmp_path / "x", SAMPLES)
    lines = (tmp_path / "x").read_text().splitlines()
    lines[4] = "1,,3,4"
    (tmp_path / "x").write_text("\n".join(lines))
    assert "line 5: frame must be a number (got '')" in message(tmp_path / "x", rate=25)
    lines[4] = ",2,3,4"
    (tmp_path / "x").write_text("\n".join(lines))
    assert "line 5: id must be a number (got '')" in message(tmp_path / "x", rate=25)


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"vadere", "sqlite1", "sqlite3"}))
def test_a_frame_that_somebody_has_twice_is_named_wherever_the_rows_are(tmp_path, name):
    own = FORMATS[name]
    samples = wanderers(np.random.default_rng(4), 5, 60, own.stride)
    frame, person, x, y = samples[len(samples) // 2]
    own.write(tmp_path / "x", [*samples, (frame, person, x + 1, y)])
    text = message(tmp_path / "x", **own.asked)
    timed = name in ("pathfinder", "sumo", "viswalk", "crowdit")
    tick, value = ("time", frame / 25) if timed else ("frame", frame)
    assert f"person {'ped' if name == 'sumo' else ''}{person} has {tick} {value:.17g} twice. Remove one" in text
    assert ("rows" if name in ("sqlite2", "hdf5", "parquet") else "lines") in text


def test_footsteps_that_do_not_meet_are_told(tmp_path):
    write_vadere(tmp_path / "x", [(0, 1, 0.0, 0.0), (10, 1, 0.5, 0.0), (20, 1, 1.0, 0.0)])
    good = (tmp_path / "x").read_text()
    assert load(tmp_path / "x").sample_count == 3
    (tmp_path / "x").write_text(good.replace("1 0.4 0.8 0.5 ", "1 0.4 0.8 0.7 "))
    assert "lines 2 and 3: person 1 has time 0.40000000000000002 twice" in message(tmp_path / "x")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b"# framerate: 25\n", "a file of trajectories must contain rows"),
        (b"id,frame,x,y\n", "a file of trajectories must contain rows"),
        (
            b"id,frame,right,up\n1,2,3,4\n",
            "cannot find id, time, x and y in the columns id, frame, right, up. Set columns = ",
        ),
        (b"1 2\n3 4\n", "a table of 2 columns without names is not a known format"),
        (b"1 2 3 4 5 6\n", "a table of 6 columns without names is not a known format"),
        (b"hello world\nhow are you\nfine thanks\n", "this is text of an unknown type, not a file of trajectories"),
        (b"\x00\x01\x02\x03" * 100, "a binary file of an unknown type"),
        (
            b"id,frame,x_m,y_m\n" + b"1,2,3,4\n" * 40_000 + b"\0",
            "the file must be a text file or have a known format (byte 320017 is zero, so the file is not text)",
        ),
        ("id frame x y\n1 2 3 4\n".encode("utf-16"), "Save the file as UTF-8"),
        (b"1 2 3 4 5\n" + b"1" * 600_000, "line 2 must be at most"),
        (b"<geometry/>", "this is a plan of JuPedSim as XML, not a file of trajectories"),
        (b'{"track": {"f": 1, "p": 1, "x": 0}}\n', '"y" of "track", the y, must be a number (got None)'),
        (b'{"track": {"f": 1, "p": 1, "x": "a", "y": 2}}\n', "the x, must be a number (got 'a')"),
        (b'{"track": {"f": 1, "p": 1, "x": 1e999, "y": 2}}\n', "x must be a finite number (got inf)"),
        (b'{"track": 7}\n', "must be a number"),
        (
            b'{"track": {"f": ' + b"9" * 5000 + b"}}\n",
            "line 1: a number is too long, or brackets are nested too deeply",
        ),
        (b'{"track": ' + b"[" * 30_000 + b"\n", "line 1: a number is too long, or brackets are nested too deeply"),
        (b'{"other": 7}\n', "this is a JSON file, not a file of trajectories"),
        (b'{"track": {"f": 1,\n', "line 1: the line must be valid JSON"),
        (b'{"asset": {"version": "2.0"}}', "this is a glTF model, not a file of trajectories"),
        (b"[" * 100_000, "this is a JSON file, not a file of trajectories"),
        (b"SQLite format 3\0" + b"rubbish" * 100, "cannot read the database"),
        (b"\x89HDF\r\n\x1a\n" + b"rubbish" * 100, "the file is damaged or incomplete"),
        (b"PAR1" + b"rubbish" * 100, "the file is damaged or incomplete"),
    ],
)
def test_what_is_no_such_file_is_told(tmp_path, content, text):
    (tmp_path / "x").write_bytes(content)
    assert text in message(tmp_path / "x", rate=25, unit="m")


def test_a_file_without_rows_is_not_asked_about_its_unit(tmp_path):
    (tmp_path / "x").write_text("id,frame,x,y\n")
    assert message(tmp_path / "x").endswith("x: a file of trajectories must contain rows")


def test_files_that_are_none_are_told(tmp_path):
    assert "no such file" in message(tmp_path / "gone")
    assert "folder" in message(tmp_path)


def test_json_lines_tell_the_line(tmp_path):
    write_ndjson(tmp_path / "x", SAMPLES)
    lines = (tmp_path / "x").read_text().splitlines()
    lines[6] = json.dumps({"track": {"f": 3, "p": 9, "x": float("inf"), "y": 0}})
    (tmp_path / "x").write_text("\n".join(lines))
    assert "line 7: person 9, frame 3: x must be a finite number (got inf)" in message(tmp_path / "x")
    (tmp_path / "x").write_text("\n".join([*lines[:6], lines[5][:20]]))
    assert "line 7: the line must be valid JSON" in message(tmp_path / "x")


# Databases


def changed(path, *statements):
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("UPDATE trajectory_data SET pos_x = 'far' WHERE rowid = 7", "row 7: pos_x must be a number (got 'far')"),
        ("UPDATE trajectory_data SET pos_y = 9e99 WHERE rowid = 7", "row 7: person"),
        (
            "UPDATE metadata SET value = '4' WHERE key = 'version'",
            "version of a JuPedSim file must be 1 to 3 (got '4')",
        ),
        ("UPDATE metadata SET value = 'x' WHERE key = 'version'", "must be 1 to 3 (got 'x')"),
        ("UPDATE metadata SET value = '-1' WHERE key = 'fps'", "fps must be a finite number above 0 (got '-1')"),
        ("UPDATE metadata SET value = 'nan' WHERE key = 'fps'", "fps must be a finite number above 0"),
        ("DELETE FROM metadata WHERE key = 'fps'", "the file does not state its frame rate"),
        (
            "ALTER TABLE trajectory_data RENAME COLUMN pos_x TO px",
            "needs the column 'pos_x' (got the columns frame, id, px",
        ),
        ("DROP TABLE trajectory_data", "a JuPedSim database must have a table trajectory_data"),
        ("DELETE FROM trajectory_data", "a file of trajectories must contain rows"),
    ],
)
def test_databases_that_hold_something_else_are_told(tmp_path, statement, text):
    write_sqlite(tmp_path / "x", SAMPLES)
    changed(tmp_path / "x", statement)
    assert text in message(tmp_path / "x")


ENDLESS = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n)"
TWICE = "INSERT INTO trajectory_data SELECT * FROM trajectory_data"


@pytest.mark.parametrize(
    ("statements", "text"),
    [
        (
            ["UPDATE trajectory_data SET pos_x = zeroblob(50000000) WHERE rowid = 7"],
            "a value in the file is too long for a number",
        ),
        (
            ["UPDATE trajectory_data SET pos_x = 'x' || hex(zeroblob(5000)) WHERE rowid = 7"],
            "a value in the file is too long for",
        ),
        (
            ["UPDATE trajectory_data SET pos_x = x'00ff' WHERE rowid = 7"],
            r"row 7: pos_x must be a number (got b'\x00\x",
        ),
        (
            ["UPDATE geometry SET wkt = zeroblob(50000000)"],
            "a value in the file is too long for a number or an outline",
        ),
        (["UPDATE geometry SET wkt = x'00'"], "table geometry: the column wkt must be text (got b'"),
        (
            ["UPDATE frame_data SET frame = 'a' WHERE frame = 10"],
            "frame_data: each frame must be a whole number (got 'a')",
        ),
        (["UPDATE metadata SET value = x'ff' WHERE key = 'version'"], "must be 1 to 3 (got b'"),
        (["ALTER TABLE trajectory_data ADD rowid"], "trajectory_data must not have a column rowid"),
        (
            ["ALTER TABLE trajectory_data RENAME TO t", "CREATE VIEW trajectory_data AS SELECT * FROM t"],
            "must have a table trajectory_data",
        ),
        (
            [
                "ALTER TABLE geometry RENAME TO t",
                f"CREATE VIEW geometry AS {ENDLESS} SELECT k AS hash, 'a' AS wkt FROM n",
            ],
            "",
        ),
    ],
)
def test_databases_that_attack_are_told(tmp_path, statements, text):
    write_sqlite(tmp_path / "x", SAMPLES)
    changed(tmp_path / "x", *statements)
    if text:
        assert text in message(tmp_path / "x")
    else:  # what is no table is not read
        assert load(tmp_path / "x").walls == ()


@pytest.mark.parametrize("disguise", [True, False])
def test_code_of_a_database_is_never_run(tmp_path, disguise):
    """A view that calls itself a table, and without end; a column that SQLite would compute."""
    write_sqlite(tmp_path / "x", SAMPLES)
    view = f"CREATE VIEW trajectory_data AS {ENDLESS} SELECT k AS frame, 1 AS id, 0.0 AS pos_x, 0.0 AS pos_y FROM n"
    column = "CREATE TABLE trajectory_data(frame, id, pos_y, pos_x AS (length(hex(zeroblob(90000000)))) STORED)"
    changed(tmp_path / "x", "DROP TABLE trajectory_data", view if disguise else column)
    if disguise:
        changed(tmp_path / "x", "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET type = 'table', rootpage = 3")
    assert "malformed" in (text := message(tmp_path / "x")) or "needs the column 'pos_x'" in text


def test_an_answer_that_takes_too_long_ends(tmp_path, monkeypatch):
    write_sqlite(tmp_path / "x", SAMPLES)
    changed(tmp_path / "x", *[TWICE] * 10)
    monkeypatch.setattr("ecs_anim.trajectories.sqlite_access.SLOWEST", 0.0)
    assert "a query takes longer than 0 s. Write the recording again" in message(tmp_path / "x")


def test_a_null_is_no_frame(tmp_path):
    with sqlite3.connect(tmp_path / "x") as db:
        db.execute("CREATE TABLE trajectory_data(frame, id, pos_x, pos_y)")
        db.execute("INSERT INTO trajectory_data VALUES (NULL, 1, 0, 2)")
    db.close()
    assert "row 1: person 1: frame must be a whole number (got nan)" in message(tmp_path / "x", rate=25)


def test_a_database_that_somebody_writes_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("ecs_anim.trajectories.sqlite_access.PATIENCE", 0.05)
    write_sqlite(tmp_path / "x", SAMPLES)
    writer = sqlite3.connect(tmp_path / "x", isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    assert "cannot read the database: database is locked" in message(tmp_path / "x")
    writer.execute("ROLLBACK")
    writer.close()
    assert load(tmp_path / "x").sample_count == len(SAMPLES)


def test_a_database_with_a_write_ahead_log_is_read_and_nothing_is_left_beside_it(tmp_path):
    write_sqlite(tmp_path / "x", SAMPLES)
    changed(tmp_path / "x", "PRAGMA journal_mode = WAL")
    assert load(tmp_path / "x").sample_count == len(SAMPLES)
    assert os.listdir(tmp_path) == ["x"]
    with sqlite3.connect(tmp_path / "x") as writer:
        writer.execute("DELETE FROM trajectory_data WHERE rowid = (SELECT max(rowid) FROM trajectory_data)")
        writer.commit()
        assert load(tmp_path / "x").sample_count == len(SAMPLES) - 1
    writer.close()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_databases_that_are_cut_short_are_told(tmp_path, share):
    write_sqlite(tmp_path / "x", SAMPLES)
    data = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(data[: int(share * len(data))])
    assert "cannot read the database" in message(tmp_path / "x")


# HDF5 and Parquet


def test_archives_without_what_they_need_are_told(tmp_path):
    with h5py.File(tmp_path / "x", "w") as file:
        file["other"] = np.zeros(3)
    assert "must have a data set 'trajectory'" in message(tmp_path / "x")
    with h5py.File(tmp_path / "x", "w") as file:
        file["trajectory"] = np.zeros((3, 5))
    assert "needs the column 'id' (got the columns none)" in message(tmp_path / "x")
    write_hdf5(tmp_path / "x", [*SAMPLES, (0, 99, float("inf"), 0.0)])
    assert f"row {len(SAMPLES) + 1}: person 99, frame 0: x must be a finite number" in message(tmp_path / "x")
    with h5py.File(tmp_path / "x", "a") as file:
        file["trajectory"].attrs["fps"] = "many"
    assert "fps of trajectory must be a finite number above 0" in message(tmp_path / "x")


ROW = np.dtype([("id", "i4"), ("frame", "i4"), ("x", "f8"), ("y", "f8")])


def archive(path, **options):
    """A file of the archive whose data set is created with options."""
    with h5py.File(path, "w") as file:
        usual = {} if "data" in options else {"shape": (64,), "dtype": ROW}
        data = file.create_dataset("trajectory", **(usual | options))
        data.attrs["fps"] = 25.0


def test_rows_in_other_files_are_never_read(tmp_path):
    (tmp_path / "secret").write_bytes(np.ones(64, ROW).tobytes())
    os.mkfifo(tmp_path / "pipe")
    for name in ("secret", "pipe"):
        archive(tmp_path / "x", external=[(str(tmp_path / name), 0, 64 * ROW.itemsize)])
        assert "trajectory must not refer to other files" in message(tmp_path / "x")
    write_hdf5(tmp_path / "good", SAMPLES)
    layout = h5py.VirtualLayout((64,), ROW)
    layout[:] = h5py.VirtualSource(tmp_path / "good", "trajectory", (64,))
    with h5py.File(tmp_path / "x", "w", libver="latest") as file:
        file.create_virtual_dataset("trajectory", layout)
    assert "trajectory must not refer to other files" in message(tmp_path / "x")


@pytest.mark.parametrize("link", [h5py.ExternalLink("good", "trajectory"), h5py.SoftLink("/loop"), h5py.SoftLink("/a")])
def test_links_are_not_followed(tmp_path, link):
    write_hdf5(tmp_path / "good", SAMPLES)
    with h5py.File(tmp_path / "x", "w") as file:
        file["trajectory"], file["loop"] = link, h5py.SoftLink("/trajectory")
    assert "trajectory must be a data set, not a link" in message(tmp_path / "x")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"shape": (10**12,), "chunks": (10**6,)}, "1,000,000,000,000 rows in "),
        ({"shape": (4000,), "chunks": (1000,)}, "trajectory has 4,000 rows, but some of these rows were never written"),
        ({"shape": (4000,)}, "trajectory has 4,000 rows, but some of these rows were never written"),
        (
            {"shape": (20,), "dtype": [*ROW.descr, ("w", "V90000000")], "chunks": (1,)},
            "bytes of chunk, but the limit is 67,108,864",
        ),
        (
            {"shape": (4000,), "chunks": (4_000_000,), "maxshape": (None,)},
            "96,000,000 bytes of chunk, but the limit is 67,108,864",
        ),
        ({"shape": (8, 8)}, "the data set 'trajectory' must have one dimension (got the shape (8, 8))"),
        ({"dtype": [("id", "S4"), *ROW.descr[1:]]}, "column id of trajectory must contain real numbers (got |S4)"),
        ({"dtype": [*ROW.descr[:2], ("x", "c16"), ("y", "f8")]}, "must contain real numbers (got complex128)"),
        (
            {"dtype": [*ROW.descr[:2], ("x", "f8", (3,)), ("y", "f8")]},
            "must contain real numbers (got ('<f8', (3,)))",
        ),
    ],
)
def test_archives_that_attack_are_told(tmp_path, options, text):
    archive(tmp_path / "x", **options)
    assert text in message(tmp_path / "x")


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("error")
def test_attributes_that_are_no_numbers_and_no_text_are_told(tmp_path):
    for name, value, text in (
        ("fps", np.array([25.0, 30.0]), "fps of trajectory must be a finite number above 0 (got array"),
        ("wkt_geometry", np.array([1, 2, 3]), "wkt_geometry must be text (got array"),
        ("wkt_geometry", 20_000_000 * b"a", "wkt_geometry: 20,000,000 bytes of walls, but the limit is 16,777,216"),
    ):
        write_hdf5(tmp_path / "x", SAMPLES)
        with h5py.File(tmp_path / "x", "a", libver="latest") as file:
            del file.attrs["wkt_geometry"]
            file["trajectory"].attrs[name] = value
        assert text in message(tmp_path / "x")
    write_hdf5(tmp_path / "x", SAMPLES, fps=np.array([25.0]))
    assert load(tmp_path / "x").sample_count == len(SAMPLES)


def test_an_outline_of_a_million_digits_takes_no_time(tmp_path):
    write_hdf5(tmp_path / "x", SAMPLES)
    with h5py.File(tmp_path / "x", "a") as file:
        file.attrs["wkt_geometry"] = "POINT (" + "1" * 1_000_000 + "x 1.5 2.5)"
    assert load(tmp_path / "x").walls[0].wkt.endswith("x 1.5 2.5)")


def test_a_huge_attribute_is_not_read(tmp_path):
    with h5py.File(tmp_path / "x", "w", libver="latest") as file:
        file["trajectory"] = np.ones(64, ROW)
        file.attrs["wkt_geometry"] = np.bytes_(2_000_000 * b"a")
    assert "attribute wkt_geometry has 2,000,000 bytes, and the limit is 1,048,576 bytes" in message(tmp_path / "x")


def test_filters_of_plug_ins_are_not_loaded(tmp_path):
    archive(tmp_path / "x", data=np.ones(64, ROW), chunks=(64,), compression="lzf")
    data = (tmp_path / "x").read_bytes()
    lzf, other = (number.to_bytes(2, "little") for number in (32000, 32001))
    assert data.count(lzf) == 1
    (tmp_path / "x").write_bytes(data.replace(lzf, other))
    assert "trajectory needs the HDF5 plug-in of filter 32001" in message(tmp_path / "x")


@pytest.mark.parametrize("compression", [None, "gzip", "lzf"])
@pytest.mark.parametrize("chunks", [None, True, (7,), (5000,)])
def test_archives_are_read_however_they_are_stored(tmp_path, compression, chunks):
    rows = np.zeros(5000, ROW)
    rows["frame"], rows["x"] = np.arange(5000), np.random.default_rng(0).random(5000)
    if compression and chunks is None:
        chunks = True
    archive(tmp_path / "x", data=rows, chunks=chunks, compression=compression)
    assert np.array_equal(load(tmp_path / "x").xy[:, 0], rows["x"])


def table(count, **columns):
    return pa.table(
        {"id": np.ones(count, int), "frame": np.arange(count), "x_m": np.zeros(count), "y_m": np.zeros(count)} | columns
    )


@pytest.mark.exhaustive
def test_kilobytes_that_would_become_gigabytes_are_told(tmp_path):
    columns = {"frame": np.zeros(5_000_000)}
    parquet.write_table(table(5_000_000, **columns), tmp_path / "x", compression="zstd", data_page_size=1 << 26)
    text = message(tmp_path / "x", rate=25)
    assert "x: 5,000,000 rows in " in text
    assert (
        "rows for each byte, but the limit is 16. Write the recording again, or raise ECS_ANIM_LIMIT_ROW_DENSITY"
        in text
    )


@pytest.mark.exhaustive
def test_pages_that_do_not_fit_into_memory_are_told(tmp_path, monkeypatch):
    count = 2_000_000
    noise = np.random.default_rng(0).random(count)
    whole = {"row_group_size": count, "data_page_size": 1 << 30, "write_batch_size": count, "use_dictionary": False}
    parquet.write_table(table(count, x_m=noise, y_m=noise), tmp_path / "x", compression="zstd", **whole)
    monkeypatch.setenv("ECS_ANIM_LIMIT_CHUNK_BYTES", "5000000")
    assert "one of the row groups or pages of the file does not fit into memory. Write the file with" in message(
        tmp_path / "x"
    )
    monkeypatch.delenv("ECS_ANIM_LIMIT_CHUNK_BYTES")
    assert load(tmp_path / "x", ReadOptions(rate=25)).sample_count == count


@pytest.mark.exhaustive
def test_row_groups_are_read_in_parts_and_any_part_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("ecs_anim.trajectories.parquet.AT_ONCE", 64)
    east = np.random.default_rng(0).random(1000)
    parquet.write_table(table(1000, x_m=east), tmp_path / "x", row_group_size=300)
    opened = recording(tmp_path / "x", ReadOptions(rate=10))
    assert np.array_equal(opened.whole().xy[:, 0], east)
    for start, stop in ((0, 1), (29.9, 30.1), (63, 65), (99.9, 200)):
        part = opened.between(start, stop)
        assert np.array_equal(part.xy[:, 0], east[round(start * 10) : round(stop * 10)])


@pytest.mark.parametrize("name", ["hdf5", "parquet"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
def test_binary_files_that_are_cut_short_are_told(tmp_path, name, share):
    FORMATS[name].write(tmp_path / "x", SAMPLES)
    data = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(data[: max(8, int(share * len(data)))])
    assert "the file is damaged or incomplete" in message(tmp_path / "x", rate=25)


@pytest.mark.exhaustive
def test_parquet_files_that_hold_something_else_are_told(tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "x")
    assert "cannot find id, time, x and y in the columns a. Set columns = " in message(tmp_path / "x")
    parquet.write_table(pa.table({"id": ["a"], "frame": ["b"], "x_m": [0.0], "y_m": [0.0]}), tmp_path / "x")
    assert "column 'frame', the frame, must contain numbers (got string)" in message(tmp_path / "x", rate=1)
    parquet.write_table(
        pa.table({"id": [1], "frame": pa.array([None], pa.int64()), "x_m": [0.0], "y_m": [0.0]}), tmp_path / "x"
    )
    assert "column 'frame', the frame, must have a value in each row (got 1 empty values)" in message(
        tmp_path / "x", rate=1
    )


@pytest.mark.parametrize(("name", "module", "extra"), [("hdf5", "h5py", "hdf5"), ("parquet", "pyarrow", "parquet")])
def test_what_is_to_be_installed_is_told(tmp_path, monkeypatch, name, module, extra):
    FORMATS[name].write(tmp_path / "x", SAMPLES)
    monkeypatch.setitem(sys.modules, module, None)
    assert f"pip install 'ecs-anim[{extra}]'" in message(tmp_path / "x")


# Any damage


@pytest.mark.exhaustive
@example("hdf5", 99, "flip")  # crashes HDF5's library
@example("hdf5", 3204, "flip")  # keeps it for ever
@example("sqlite2", 361, "flip")  # SQLite's message is no text
@given(st.sampled_from(sorted(FORMATS)), st.integers(0, 2**32), st.sampled_from(["flip", "cut", "drop", "double"]))
def test_damaged_files_are_read_or_told_in_one_line(tmp_path_factory, name, seed, way):
    """Whatever is done to the bytes."""
    own, rng = FORMATS[name], np.random.default_rng(seed)
    path = tmp_path_factory.getbasetemp() / f"damaged_{name}"
    path.unlink(missing_ok=True)
    own.write(path, SAMPLES)
    data = bytearray(path.read_bytes())
    at = int(rng.integers(len(data)))
    match way:
        case "flip":
            for place in rng.integers(len(data), size=5):
                data[place] = int(rng.integers(256))
        case "cut":
            del data[at:]
        case "drop":
            del data[at : at + 20]
        case "double":
            data[at:at] = data[at : at + 50]
    path.write_bytes(data)
    _read_or_told(path)


@pytest.mark.exhaustive
@given(st.text(max_size=300))
@settings(max_examples=200)
def test_any_text_is_read_or_told_in_one_line(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    _read_or_told(path)


def _read_or_told(path):
    """InputError is a line by itself; anything else fails the test."""
    with suppress(InputError):
        own = load(path, ReadOptions("m", 25.0))
        assert np.isfinite(own.xy).all()
        assert np.all((np.diff(own.times) > 0) | (np.diff(own.people) > 0))


# Limits


def test_limits_are_told(tmp_path, monkeypatch):
    write_csv(tmp_path / "x", SAMPLES)
    monkeypatch.setenv("ECS_ANIM_LIMIT_TRAJECTORY_PEOPLE", "4")
    assert "5 people, but the limit is 4. Use a file with fewer people" in message(tmp_path / "x", rate=25)
    monkeypatch.delenv("ECS_ANIM_LIMIT_TRAJECTORY_PEOPLE")
    monkeypatch.setenv("ECS_ANIM_LIMIT_TRAJECTORY_BYTES", "100")
    assert "bytes of trajectories, but the limit is 100" in message(tmp_path / "x", rate=25)


def test_more_samples_than_memory_holds_are_told_before_they_are_read(tmp_path, monkeypatch):
    write_csv(tmp_path / "x", SAMPLES)
    opened = recording(tmp_path / "x", ReadOptions(rate=25))
    monkeypatch.setattr("ecs_anim.support.budgets.LITTLE", 100)
    monkeypatch.setattr("ecs_anim.support.budgets.available_bytes", lambda: 1000)
    with pytest.raises(InputError, match=r"samples take .* of memory, .* Read the samples in windows"):
        opened.whole()


def test_a_file_can_change_after_it_was_opened(tmp_path):
    write_csv(tmp_path / "x", SAMPLES)
    opened = recording(tmp_path / "x", ReadOptions(rate=25))
    (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:200])
    assert opened.whole().sample_count == len(SAMPLES)


def test_a_row_can_have_the_last_row_number_of_a_database(tmp_path):
    write_sqlite(tmp_path / "x", SAMPLES)
    changed(tmp_path / "x", "UPDATE trajectory_data SET rowid = 9223372036854775807 WHERE rowid = 5")
    assert load(tmp_path / "x").sample_count == len(SAMPLES)


def test_no_space_for_the_copy_of_rows_is_told(tmp_path, monkeypatch):
    write_csv(tmp_path / "x", SAMPLES)
    monkeypatch.setattr("ecs_anim.trajectories.store.IN_MEMORY", 100)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    assert "cannot copy the rows of this file to the folder" in (text := message(tmp_path / "x", rate=25))
    assert "set TMPDIR to another folder" in text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<geometry>", "the file must be XML"),
        ("<other/>", "the file must begin with a <geometry> element in m, cm or mm (got a <other> element in 'm')"),
        ("<geometry unit='mile'/>", "in 'mile'"),
        ("<geometry/>", "must contain at least one polygon"),
        ("<geometry><polygon/></geometry>", "at least two vertices (got 0)"),
        ("<geometry><polygon><vertex px='1'/></polygon></geometry>", "px and py of a vertex must be numbers"),
        ("<geometry><polygon><vertex px='nan' py='1'/></polygon></geometry>", "px and py of a vertex must be numbers"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><geometry>&b;</geometry>", "must not declare a document type or entities"),
    ],
)
def test_walls_that_are_none_are_told(tmp_path, content, text):
    (tmp_path / "x").write_text(content)
    with pytest.raises(InputError) as told:
        read_walls(tmp_path / "x")
    assert text in str(told.value)


def test_parquet_columns_beyond_the_last_are_told(tmp_path):
    write_parquet(tmp_path / "x", SAMPLES)
    assert "names more columns than the file has (5 columns)" in message(tmp_path / "x", columns="id frame x - - - y")

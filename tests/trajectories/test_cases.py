"""Files of ../shared/cases/trajectories: numbers and messages against the files as the csv module reads them."""

import csv
import re
from datetime import datetime

import numpy as np
import pytest

from ecs_anim.scenes.walked import busiest
from ecs_anim.trajectories import ReadOptions, recording
from tests.helpers import SHARED
from tests.trajectories.test_trajectory_files import message

CASES = SHARED / "cases" / "trajectories"
if not CASES.is_dir():
    pytest.skip(f"{CASES}, small files that fell once, is not here", allow_module_level=True)


def rows_of(name, delimiter=",", skip=0):
    """The table's rows as dictionaries of texts."""
    lines = (CASES / name).read_text("utf-8").splitlines()[skip:]
    return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter=delimiter))


def number(text):
    return float(text.replace(",", ".") or "nan")


def wanted(rows, person, tick, x, y):
    """(id, tick, x, y) of rows, without those that hold no position."""
    found = [(row[person], number(row[tick]), number(row[x]), number(row[y])) for row in rows]
    return sorted(row for row in found if np.isfinite(row[2:]).all())


def got(own):
    names = [own.names[number] if own.names else str(number) for number in own.ids.tolist()]
    people = [names[row] for row in own.people]
    return sorted(zip(people, own.times.tolist(), *own.xy.T.tolist(), strict=True))


def same(found, expected):
    assert [row[0] for row in found] == [row[0] for row in expected]
    np.testing.assert_allclose([row[1:] for row in found], [row[1:] for row in expected], atol=1e-9)


PLAIN = ("id", "time_s", "x_m", "y_m")


@pytest.mark.parametrize(
    ("name", "columns", "rate"),
    [
        ("blink_midway.csv", ("id", "frame", "x_m", "y_m"), 10),
        ("all_absent_midway.csv", ("id", "frame", "x_m", "y_m"), 10),
        ("reused_ids.csv", PLAIN, 1),
        ("nan.csv", PLAIN, 1),
        ("nan_only.csv", PLAIN, 1),
        ("z_levels.csv", PLAIN, 1),
        ("utm.csv", PLAIN, 1),
        ("uuid.csv", ("track_id", "timestamp", "x_m", "y_m"), 1),
        ("crowdit.csv", ("pedID", "time", "posX", "posY"), 1),
        ("ind.csv", ("trackId", "frame", "xCenter", "yCenter"), 10),
    ],
)
def test_tables_are_read_without_options(name, columns, rate):
    rows = rows_of(name)
    expected = [(person, tick / rate, x, y) for person, tick, x, y in wanted(rows, *columns)]
    opened = recording(CASES / name)
    same(got(opened.whole()), expected)
    assert opened.index.unseen == len(rows) - len(expected)


@pytest.mark.parametrize(("name", "delimiter"), [("decimal_comma.csv", ";"), ("vy_ids_64bit.csv", ",")])
def test_tables_that_lack_a_rate_are_read_with_one(name, delimiter):
    assert re.search(r"the file does not state its frame rate .* Set rate = (10|20) ", message(CASES / name))
    expected = [(p, t / 10, x, y) for p, t, x, y in wanted(rows_of(name, delimiter), "id", "frame", "x_m", "y_m")]
    same(got(recording(CASES / name, ReadOptions(rate=10)).whole()), expected)


def test_iso_times_are_seconds():
    rows = rows_of("iso_time.csv")
    first = datetime.fromisoformat(rows[0]["time"])
    for row in rows:
        row["time"] = str((datetime.fromisoformat(row["time"]) - first).total_seconds())
    same(got(recording(CASES / "iso_time.csv").whole()), wanted(rows, "id", "time", "x_m", "y_m"))


@pytest.mark.parametrize(("level", "height"), [("0", 0.02), ("3.5", 3.5)])
def test_floors_of_pathfinder(level, height):
    rows = [row for row in rows_of("levels_pathfinder.csv") if row["t"] != "s" and float(row["z"]) == height]
    opened = recording(CASES / "levels_pathfinder.csv", ReadOptions(level=level))
    assert [(floor.name, floor.samples) for floor in opened.floors] == [("0.0", 80), ("3.5", 40)]
    same(got(opened.whole()), wanted(rows, "id", "t", "x", "y"))


def test_viswalk():
    rows = rows_of("viswalk.pp", ";", skip=3)
    expected = wanted(rows, "NO", "$PEDESTRIAN:SIMSEC", "COORDCENTX", "COORDCENTY")
    own = recording(CASES / "viswalk.pp").whole()
    same(got(own), expected)
    assert np.all(own.heading_vectors == [1, 0])


def test_sumo():
    """By a regular expression in place of a parser of XML."""
    expected, time = [], 0.0
    for found in re.finditer(
        r'time="([\d.]+)"|id="(\w+)" x="([-\d.]+)" y="([-\d.]+)"', (CASES / "sumo_fcd.xml").read_text()
    ):
        if found[1]:
            time = float(found[1])
        else:
            expected.append((found[2], time, float(found[3]), float(found[4])))
    own = recording(CASES / "sumo_fcd.xml").whole()
    same(got(own), sorted(expected))
    np.testing.assert_allclose(own.heading_vectors, len(expected) * [[1, 0]], atol=1e-12)


def test_mot():
    rows = [list(map(float, line.split(","))) for line in (CASES / "mot.txt").read_text().splitlines()]
    expected = sorted((str(int(i)), f / 10, 0.02 * (x + w / 2), -0.02 * (y + h)) for f, i, x, y, w, h, *_ in rows)
    same(got(recording(CASES / "mot.txt", ReadOptions("0.02 m", 10)).whole()), expected)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("empty.txt", "the file is empty"),
        ("headers_only.txt", "a file of trajectories must contain rows"),
        ("wide_pneuma.csv", "a pNEUMA table"),
        ("latlon.csv", "from_crs(4326, 32632"),
        ("mot.txt", "positions are pixels of a picture"),
    ],
)
def test_what_is_not_read_has_its_reason(name, text):
    assert text in message(CASES / name)


@pytest.mark.parametrize("name", ["blink_midway.csv", "reused_ids.csv", "all_absent_midway.csv"])
def test_the_busiest_moment_has_everybody(name):
    opened = recording(CASES / name)
    moment = busiest(opened)
    assert len(opened.between(moment - 0.05, moment + 0.05).ids) == 5

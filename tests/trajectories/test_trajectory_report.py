"""Reports of trajectories, and `ecs-anim inspect` of such files, as a user meets it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ecs_anim.commands.trajectories import describe_recording
from ecs_anim.support.files import file_type
from ecs_anim.trajectories import ReadOptions, recording, report
from tests.builders.trajectory_files import FORMATS, wanderers, write_csv, write_petrack, write_sqlite, write_trajnet
from tests.helpers import EXHAUSTIVE
from tests.test_cli import assert_one_line, ecs_anim

DOCS = Path(__file__).parents[2] / "docs" / "trajectories.md"


def walks(frames, people=3, metres=0.05):
    return [(f, i, f * metres, 3.0 * i) for f in range(frames) for i in range(people)]


@pytest.fixture
def long_windows(monkeypatch):
    """Windows of a second, so that people go on from one to the next."""
    monkeypatch.setattr("ecs_anim.trajectories.file_report.AT_ONCE", 1)


@pytest.mark.usefixtures("long_windows")
def test_a_report_tells_people_times_speeds_gaps_and_jumps(tmp_path):
    samples = [own for own in walks(200) if not (own[1] == 1 and 60 <= own[0] < 90)]
    samples = [(f, i, x, y + 2.0 * (i == 2 and f >= 150)) for f, i, x, y in samples]
    write_petrack(tmp_path / "x", samples)
    found = report(recording(tmp_path / "x"))
    assert (found.people, found.samples, found.unit, found.rate) == (3, 570, "m", 25)
    assert (found.start, found.end) == (0.0, 7.96)
    assert found.samples_a_second == pytest.approx(25)
    np.testing.assert_allclose([*found.low, *found.high], [0, 0, 9.95, 8])
    assert found.median_speed == pytest.approx(1.25, abs=1e-3)
    assert found.slow_share == 0
    assert [(g.id, round(g.start, 9), round(g.seconds, 9)) for g in found.gaps] == [(1, 2.36, 1.24)]
    assert [(j.id, round(j.time, 9), round(j.metres, 6)) for j in found.jumps] == [
        (2, 6.0, round(np.hypot(2, 0.05), 6))
    ]
    assert (found.gap_count, found.jump_count) == (1, 1)


@pytest.mark.usefixtures("long_windows")
@pytest.mark.parametrize("name", FORMATS)
def test_reports_agree_with_plain_numpy(tmp_path, name):
    own = FORMATS[name]
    samples = wanderers(np.random.default_rng(8), 9, 80, own.stride)
    own.write(tmp_path / "x", samples)
    found = report(recording(tmp_path / "x", ReadOptions(**own.asked)))
    rows = np.array(sorted((i, f, x, y) for f, i, x, y in samples))
    steps = np.diff(rows, axis=0)[np.diff(rows[:, 0]) == 0]
    speeds = np.hypot(steps[:, 2], steps[:, 3]) / steps[:, 1] * 25
    assert (found.people, found.samples) == (9, len(samples))
    assert found.median_speed == pytest.approx(np.median(speeds), abs=2e-3)
    assert found.slow_share == pytest.approx(np.mean(speeds < 0.3), abs=0.02)
    assert found.headings == (own.heading is not None)


def test_a_report_lists_the_first_gaps_and_counts_all(tmp_path, monkeypatch):
    monkeypatch.setattr("ecs_anim.trajectories.file_report.LISTED", 4)
    write_petrack(tmp_path / "x", [own for own in walks(300) if own[0] % 10 < 7])
    found = report(recording(tmp_path / "x"))
    assert (found.gap_count, len(found.gaps)) == (3 * 29, 4)


@pytest.mark.parametrize("name", FORMATS)
def test_inspect_tells_trajectories_by_content(tmp_path, name):
    FORMATS[name].write(tmp_path / "people.glb", wanderers(np.random.default_rng(1), stride=FORMATS[name].stride))
    assert file_type(tmp_path / "people.glb").family == "trajectories"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'{"asset": {}, "scenes": [{}], "scene": 0}',
        b"glTF\2\0",
        b"<svg/>",
        b"# a\n",
        b"some words\nand more\n",
    ],
)
def test_inspect_does_not_take_others_for_them(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    assert file_type(tmp_path / "x").family != "trajectories"
    assert file_type(tmp_path).family == "folder"


def test_inspect_shows_what_a_report_tells(tmp_path):
    write_sqlite(tmp_path / "people.db", walks(60))
    shown = ecs_anim("inspect", tmp_path / "people.db", "--json", "--roots")
    assert shown.returncode == 0, shown.stderr
    facts = json.loads(shown.stdout)
    wanted = describe_recording(report(recording(tmp_path / "people.db")))
    assert {key: facts[key] for key in wanted} == json.loads(json.dumps(wanted))
    assert facts["roots"]["stretches"] == 3
    assert facts["roots"]["head_distance"] < 0.01
    table = " ".join(ecs_anim("inspect", tmp_path / "people.db", "--axes", "x -y").stdout.split())
    for part in ("JuPedSim SQLite, version 2", "people 3", "POLYGON", "from the definition of JuPedSim", "-6.0"):
        assert part in table


def test_wrong_input_is_told_in_one_line(tmp_path):
    write_csv(tmp_path / "people.csv", walks(60), "id,frame,x,y")
    asked = "Set unit = 'm' and rate = 25 (on the command line: --unit m --sample-rate 25)"
    assert_one_line(ecs_anim("inspect", tmp_path / "people.csv"), "people.csv", asked)
    assert_one_line(ecs_anim("inspect", tmp_path / "people.csv", "--clip", "walk"), "--clip", "need a model")
    assert_one_line(ecs_anim("inspect", tmp_path / "people.csv", "--unit", "ell"), "must be one of m, cm")
    assert_one_line(ecs_anim("inspect", "mannequin", "--sample-rate", "25"), "mannequin", "need a file of trajectories")
    write_trajnet(tmp_path / "cut.txt", [*walks(60, metres=0.5), (61, 1, 0.0, float("inf"))])
    told = ecs_anim("inspect", tmp_path / "cut.txt", "--unit", "m", "--sample-rate", "25")
    assert_one_line(told, "line 181", "person 1", "frame 61", "y must be")


MEASURE = """
import resource, sys
from ecs_anim.trajectories import ReadOptions, recording
from ecs_anim.trajectories.store import PIECE
own = recording(sys.argv[1], ReadOptions(rate=25))
count = 0
for k in range(0, 60, 5):
    window = own.between(k, k + 1)
    count += window.sample_count
size = 16 * own.index.row_count // PIECE
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, size, count)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
@EXHAUSTIVE
def test_memory_does_not_grow_with_the_file_but_by_its_index(tmp_path):
    """A file of 2 MB and one of 20: what is more is the index, twice at most while it is put together."""
    peaks, sizes = [], []
    for name, frames in (("short", 1600), ("long", 16000)):
        with (tmp_path / name).open("w") as file:
            file.write("id,frame,x_m,y_m\n")
            for frame in range(frames):
                file.writelines(f"{k},{frame},{0.001 * frame:.4f},{k:.4f}\n" for k in range(40))
        measured = subprocess.run([sys.executable, "-c", MEASURE, tmp_path / name], capture_output=True, text=True)
        peak, size, count = map(int, measured.stdout.split())
        assert count == 12 * 25 * 40
        peaks.append(peak)
        sizes.append(size)
    assert peaks[1] - peaks[0] < 2 * sizes[1] + 3_000_000


def test_the_page_names_every_option_and_extra():
    text = DOCS.read_text("utf-8")
    for word in ("unit", "sample-rate", "columns", "axes", "roots"):
        assert f"--{word}" in text
    for extra in ("hdf5", "parquet"):
        assert f"`{extra}` extra" in text

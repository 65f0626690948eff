"""Forged snapshots: each is refused in one line, or the world goes on from it."""

import subprocess
import sys

import numpy as np
import pytest

import ecs_anim as ea
from tests.hostile.runner import Report, run_cases
from tests.hostile.snapshots import CHANGES, Snapshot, few_cases, load_and_step, read_forgeable

MAIN = "from ecs_anim.cli import main; main()"
FEW, ALL = 18, 200  # cases


def attack(cases, prepare) -> Report:
    return run_cases("tests.hostile.snapshots:attempt", cases, prepare_path=f"tests.hostile.snapshots:{prepare}")


def require_sound(report, case_count):
    assert not report.failures, str(report)
    assert report.outcomes.total() == case_count
    ends = {outcome.split()[1] for outcome in report.outcomes}
    assert ends == {"accepted", "refused"}, "some changes mean nothing, most are faults"


def test_some_forged_snapshots():
    require_sound(attack(few_cases(FEW), "prepare_few"), FEW)


@pytest.mark.exhaustive
def test_all_forged_snapshots():
    report = attack(range(ALL), "prepare")
    print(report)
    require_sound(report, ALL)
    assert {outcome.split()[0] for outcome in report.outcomes} == {change.__name__ for change in CHANGES}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "controllers.npz"
    with ea.load_scene("controllers", actors=5, threads=1) as world:
        for _ in range(5):
            world.step(1 / 60)
        world.save(path)
    return path


def forged(snapshot: Snapshot, path):
    path.write_bytes(snapshot.packed())
    return path


def crowd_of(snapshot):
    return next(name.partition(".")[0] for name in snapshot.arrays if name.endswith("Controller.state"))


CASES = [
    ("Playback.motion", 2**31 - 1, "must be 0 to 3"),
    ("Playback.motion", -1, "must be 0 to 3"),
    ("Playback.slot_count", 0, "must be 1 to 4"),
    ("Playback.slot_count", 5, "must be 1 to 4"),
    ("Controller.state", 99, "must be 0 to"),
    ("Palette.source", 5, "must be -1 to 4"),
    ("Transforms.rotation", 2.0, "must be unit quaternions"),
    ("Transforms.scale", 0.0, "must be 1.17549e-38 to 1e+09 (got 0.0)"),
    ("Transforms.translation", np.nan, "(got nan)"),
    ("Parameters.value", np.inf, "(got inf)"),
    ("Crowd.index.ids", 0, "must be 1 to"),
    ("Crowd.index.ids", 2, "Crowd.index ids must be unique"),
]


@pytest.mark.parametrize(("column", "value", "rule"), CASES)
def test_the_line_names_file_member_and_rule(column, value, rule, saved, tmp_path):
    snapshot = read_forgeable(saved)
    name = f"{crowd_of(snapshot)}.{column}"
    snapshot.arrays[name][...] = value
    told = load_and_step(forged(snapshot, tmp_path / "forged.npz"), "controllers")
    assert told.startswith(f"{tmp_path}/forged.npz: {name.removesuffix('.' + name.split('.')[-1])}")
    assert rule in told
    assert told.endswith(". Save the snapshot again.")


def test_what_is_not_forged_is_taken(saved, tmp_path):
    assert load_and_step(forged(read_forgeable(saved), tmp_path / "same.npz"), "controllers") == ""


def test_facts_of_the_header(saved, tmp_path):
    def told_of(change):
        snapshot = read_forgeable(saved)
        change(snapshot.header)
        return load_and_step(forged(snapshot, tmp_path / "forged.npz"), "controllers")

    def cue(header, fired):
        header["values"] |= {name: fired for name in header["values"] if name.endswith("fired")}

    assert "header: the item origin of the snapshot's header is missing, unknown or of the wrong type" in told_of(
        lambda header: header.update(origin=7)
    )
    assert "the seed in the header must be 0 or more" in told_of(lambda header: header["origin"].update(seed=-1))
    assert "actors in the header must be 1 to 5" in told_of(lambda header: header["origin"].update(actors=10**9))
    assert "time in the header of the snapshot must be 0 to 1e+12" in told_of(
        lambda header: header.update(time=float("nan"))
    )
    assert "frame number in the header of the snapshot must be 0 to" in told_of(lambda header: header.update(frame=-1))
    assert "times at the time of the snapshot" in told_of(lambda header: header.update(time=1e9))
    assert "must have the same type" in told_of(
        lambda header: header["values"].update({"0.Stage.camera.distance": "far"})
    )
    assert "Save the snapshot again" in told_of(
        lambda header: header["values"].update({"0.Stage.camera.distance": -1.0})
    )


@pytest.mark.exhaustive
def test_the_command_line_tells_one_line_and_leaves_with_2(saved, tmp_path):
    snapshot = read_forgeable(saved)
    snapshot.arrays[f"{crowd_of(snapshot)}.Playback.motion"][...] = 2**31 - 1
    path = forged(snapshot, tmp_path / "forged.npz")
    command = [sys.executable, "-c", MAIN, "run", "controllers", "--no-draw", "--from-snapshot", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1
    assert "Playback.motion must be 0 to 3" in ended.stderr


def test_the_line_names_type_and_shape(saved, tmp_path):
    def told_of(name, change):
        snapshot = read_forgeable(saved)
        key = next(key for key in snapshot.arrays if key.endswith(name))
        snapshot.arrays[key] = change(snapshot.arrays[key])
        return load_and_step(forged(snapshot, tmp_path / "forged.npz"), "controllers")

    assert "must be an array of float32 [5], as in this world (got >f4 [5])" in told_of(
        "scale", lambda a: a.astype(">f4")
    )
    assert "must be an array of float32 [5], as in this world (got float64 [5])" in told_of(
        "scale", lambda a: a.astype("f8")
    )
    assert "must be an array of int32 [5, 4], as in this world (got int32 [6, 4])" in told_of(
        "motion", lambda a: np.tile(a[:1], (6, 1))
    )
    assert "must be an array of float32 [3], as in this world (got float32 [6])" in told_of(
        "target", lambda a: np.tile(a, 2)
    )
    assert "linear skinning must have 3 rows per entry (got 2)" in told_of("made", lambda a: a[:, :, :2])


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_numbers_without_end_make_no_line_without_end(number, saved, tmp_path):
    def spoiled(*way):
        snapshot = read_forgeable(saved)
        owner = snapshot.header
        for key in way[:-1]:
            owner = owner[key]
        owner[way[-1]] = number
        return load_and_step(forged(snapshot, tmp_path / "forged.npz"), "controllers")

    crowd = crowd_of(read_forgeable(saved))
    for way in [("frame",), ("time",), ("origin", "actors"), ("format",), ("values", f"{crowd}.Crowd.actor_count")]:
        assert spoiled(*way)  # load_and_step holds the line's length

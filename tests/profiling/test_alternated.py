"""Two sides in alternated runs: medians and quartiles by the standard library's, sides that do not touch each other."""

import json
import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ecs_anim as ea
from ecs_anim.commands.profile import profile_scene
from ecs_anim.profiling.alternated import Side, _turns, as_data, measure_alternated, ratios
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.profiling.report import Frame, PassFigures, Report, SystemFigures
from ecs_anim.scenes.loader import read_scene
from ecs_anim.support.errors import InputError
from ecs_anim.support.timings import Timings
from tests.commands.test_profile import OPTIONS

COUNT = 12
MILLISECONDS = st.floats(0.001, 1e4)


def side_of(frames, systems, label="a"):
    """A report of frames [ms], of which half is processor time. The system "sky" is a pass."""
    spent = {name: np.array(ms) for name, ms in systems.items()}
    passes = tuple(PassFigures(name, ms, None, np.zeros(len(ms), int)) for name, ms in spent.items() if name == "sky")
    return Report(
        scene=label,
        threads=2,
        actors=3,
        joints=1,
        actor_joints=3,
        frames=tuple(Frame(0, int(1e6 * ms), int(5e5 * ms), Timings()) for ms in frames),
        systems=tuple(SystemFigures(name, ms, ms * 2, None) for name, ms in spent.items() if name != "sky"),
        passes=passes,
        bytes_per_actor=0.0,
        peak_memory_mb=None,
        poses_hash="",
        renderer=None,
        pass_clock=None,
        size=None,
    )


@given(st.lists(st.tuples(MILLISECONDS, MILLISECONDS), min_size=2, max_size=40))
def test_ratios_are_those_of_the_standard_library(pairs):
    now, before = (np.array(own) for own in zip(*pairs, strict=True))
    low, middle, high = statistics.quantiles([a / b for a, b in pairs], n=4, method="inclusive")
    assert ratios(now, before) == pytest.approx({"median": middle, "p25": low, "p75": high}, rel=1e-6, abs=1e-4)


def test_what_took_no_time_has_no_ratio():
    assert ratios(np.ones(3), np.array([1.0, 0.0, 1.0])) is None


def test_medians_are_of_each_side_and_ratios_of_frames_beside_each_other():
    """Where the machine slows down in the middle, the ratio of medians would be another."""
    first = side_of([1.0, 2.0, 30.0], {"sampling": [1.0, 3.0, 8.0], "sky": [1.0, 1.0, 1.0]})
    second = side_of([2.0, 1.0, 10.0], {"sampling": [2.0, 2.0, 2.0], "morphs": [1.0, 1.0, 1.0]}, "b")
    data = as_data(first, second)
    assert data["frame"]["median_ms"] == [2.0, 2.0]
    assert data["frame"]["cpu_ms"] == [1.0, 1.0]
    assert data["frame"]["ratio"]["median"] == 2.0  # of 0.5, 2, 3
    sampling, morphs = data["systems"]
    assert (sampling["median_ms"], sampling["cpu_ms"], sampling["ratio"]["median"]) == ([3.0, 2.0], [6.0, 4.0], 1.5)
    assert (morphs["median_ms"], morphs["ratio"]) == ([None, 1.0], None)
    assert [row["name"] for row in data["passes"]] == ["sky"]


@pytest.mark.parametrize("count", [1, 4, 7, 16, 41])
def test_turns_give_each_side_as_many_frames_and_each_the_first_word(count):
    order = list(_turns(count))
    assert order.count(0) == order.count(1) == count
    begins = [order[k] for k in range(0, len(order), 8)]
    assert begins == [k % 2 for k in range(len(begins))]


def test_sides_are_as_they_would_be_alone():
    sides = (Side("throng", read_scene("throng"), actors=COUNT), Side("blend", read_scene("blend")))
    data = as_data(*measure_alternated(sides, threads=1, frames=5, warmup=2, size=None))
    for run, actors in zip(data["runs"], (COUNT, None), strict=True):
        with ea.load_scene(run["scene"], actors=actors, threads=1) as alone:
            for _ in range(7):
                alone.step(1 / 60)
            assert run["poses_hash"] == poses_hash(alone)
    assert data["frames"] == 5


@pytest.mark.exhaustive
def test_pictures_have_their_passes():
    sides = (Side("throng", read_scene("throng"), actors=5), Side("throng", read_scene("throng"), actors=9))
    for side in measure_alternated(sides, threads=1, frames=3, warmup=1, size=(32, 18)):
        (draw,) = [own for own in side.systems if own.name == "draw"]
        parts = np.sum([own.wall_ms for own in side.passes], axis=0)
        assert (parts <= draw.wall_ms).all()


class TestCommand:
    def test_a_scene_and_a_snapshot_of_it(self, tmp_path, capsys):
        saved = tmp_path / "later.npz"
        with ea.load_scene("throng", actors=COUNT) as world:
            for _ in range(3):
                world.step(1 / 60)
            world.save(saved)
        out = tmp_path / "out.json"
        profile_scene(replace(OPTIONS, actors=(), against=saved, from_snapshot=saved, json_path=str(out)))
        data = json.loads(out.read_text())
        assert [run["actors"] for run in data["runs"]] == [COUNT, COUNT]
        assert data["runs"][0]["poses_hash"] == data["runs"][1]["poses_hash"]
        assert "quartiles" in capsys.readouterr().out

    def test_only_a_threshold_that_was_asked_for_ends_with_1(self, capsys):
        options = replace(OPTIONS, actors=[3], against=Path("throng"), threshold=None)
        profile_scene(options)
        with pytest.raises(SystemExit) as stopped:
            profile_scene(replace(options, threshold=1e-9))
        assert stopped.value.code == 1
        assert "slower than throng: frame" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"trace_path": Path("x.json")}, "--trace"),
            ({"plot_path": Path("x.png")}, "--plot"),
            ({"against": Path("missing.toml")}, "missing.toml"),
            ({"against": Path("missing.npz")}, "missing.npz"),
        ],
    )
    def test_what_cannot_be_is_told_in_a_line(self, tmp_path, monkeypatch, change, said):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError, match=said) as refused:
            profile_scene(replace(OPTIONS, actors=(), **({"against": Path("throng")} | change)))
        assert "\n" not in str(refused.value)
        assert list(tmp_path.iterdir()) == []

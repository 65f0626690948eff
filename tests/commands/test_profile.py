"""The profiler: its figures agree with each other, its trace with its figures, its ratios with its baseline."""

import json
from collections import defaultdict
from dataclasses import replace
from functools import partial
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from ecs_anim.commands.profile import ProfileOptions, profile_scene
from ecs_anim.gl.device.pass_timer import PassTimer
from ecs_anim.profiling.against import compare, read_baseline, slower, verdict
from ecs_anim.profiling.allocations import count_allocations
from ecs_anim.profiling.measure import measure
from ecs_anim.profiling.plot import OTHERS, spread_out, sweep_lines
from ecs_anim.profiling.report import GPU_CLOCK, SystemFigures, as_json
from ecs_anim.profiling.table import print_table
from ecs_anim.profiling.trace import FRAMES, GPU, WAITED_FOR, trace_events
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.schedule import CHUNK_SIZE
from tests.helpers import EXHAUSTIVE, FEW
from tests.helpers.command import ecs_anim

ACTORS = FEW or 2500  # two chunks

OPTIONS = ProfileOptions(
    scene="throng",
    frames=4,
    warmup=1,
    actors=[ACTORS],
    no_draw=True,
    size=(64, 36),
    seed=None,
    threads=2,
    json_path=None,
    trace_path=None,
    plot_path=None,
    against=None,
    threshold=1e6,
    compare_crowd_options=False,
    allow_code=False,
    from_frame=None,
    from_snapshot=None,
)


def measured(scene="throng", actors=ACTORS, size=None, frames=4):
    return measure(
        read_scene(scene),
        scene,
        actors=actors,
        seed=None,
        threads=2,
        frames=frames,
        warmup=1,
        size=size,
        keeps_spans=True,
    )


@pytest.fixture(scope="module")
def simulated():
    """A report of a crowd that is not drawn."""
    return measured()


@pytest.fixture(scope="module")
def drawn():
    """A report with pictures."""
    return measured(actors=12, size=(64, 36))


def tracks(report):
    """The events of a trace by track, and the tracks' names."""
    events, names = defaultdict(list), {}
    for event in trace_events([report]):
        assert {"name", "ph", "ts", "dur", "pid", "tid"} <= set(event)
        if event["ph"] == "X":
            events[event["tid"]].append(event)
        elif event["name"] == "thread_name":
            names[event["tid"]] = event["args"]["name"]
    return events, names


class TestFigures:
    def test_percentiles_rise(self, simulated):
        data = as_json(simulated)
        for own, unit in [(data["frame_ms"], ""), *((system, "_ms") for system in data["systems"])]:
            assert own[f"median{unit}"] <= own[f"p95{unit}"] <= own[f"p99{unit}"] <= own[f"max{unit}"]
        assert data["frame_ms"]["max"] == pytest.approx(simulated.frame_ms.max(), abs=1e-5)

    def test_means_add_up_where_a_system_runs_in_some_frames_only(self, simulated):
        own = [
            SystemFigures(name, np.array(ms), np.array(ms), None)
            for name, ms in (("a", [2.0, 2.0, 2.0]), ("b", [0.0, 0.0, 6.0]))
        ]
        rows = as_json(replace(simulated, systems=tuple(own)))["systems"]
        assert [(row["mean_ms"], row["median_ms"], row["share"]) for row in rows] == [(2.0, 2.0, 0.5), (2.0, 0.0, 0.5)]

    def test_shares_are_of_the_whole(self, simulated, drawn):
        for report in (simulated, drawn):
            assert sum(system["share"] for system in as_json(report)["systems"]) == pytest.approx(1, abs=1e-3)

    def test_time_is_told_by_actor_and_joint(self, simulated):
        data = as_json(simulated)
        for system in data["systems"]:
            expected = 1e6 * system["median_ms"] / (data["actors"] * data["joints"])
            assert system["ns_per_actor_joint"] == pytest.approx(expected, rel=0.01, abs=1e-3)

    def test_passes_make_up_the_drawing(self, drawn):
        (draw,) = [system for system in drawn.systems if system.name == "draw"]
        spent = np.sum([own.wall_ms for own in drawn.passes], axis=0)
        pictures = [frame.passes for frame in drawn.frames]
        assert spent == pytest.approx([(own[-1].end_ns - own[0].begin_ns) / 1e6 for own in pictures])
        assert (spent <= draw.wall_ms).all()
        assert [own.name for own in drawn.passes][:3] == ["gather", "cull and pose", "shadow map"]
        assert {"upload", "ground", "crowds", "sky", "resolve"} <= {own.name for own in drawn.passes}

    def test_uploads_are_the_palettes(self, drawn):
        """Twice: for the sun's map and for the picture; the mannequin's skin has 22 entries of 48 bytes."""
        data = as_json(drawn)
        assert data["upload"]["bytes"] == 2 * 12 * 22 * 48
        assert data["upload"]["mb_per_s"] > 0

    def test_nothing_is_said_of_what_was_not_drawn(self, simulated):
        data = as_json(simulated)
        assert data["passes"] == []
        assert data["pass_clock"] is data["upload"] is data["size"] is data["allocations"]["draw"] is None

    @EXHAUSTIVE
    def test_where_the_gpu_has_a_clock_its_times_are_told(self, monkeypatch, capsys):
        """Software renderers answer timer queries, if not truly."""
        monkeypatch.setattr("ecs_anim.profiling.canvas.PassTimer", partial(PassTimer, on_gpu=True))
        report = measured(actors=5, size=(64, 36), frames=3)
        data = as_json(report)
        whole = [sum(own.gpu_ns for own in frame.passes) / 1e6 for frame in report.frames]
        assert data["pass_clock"] == GPU_CLOCK
        assert data["systems"][-1]["gpu_ms"] == pytest.approx(np.median(whole), abs=1e-4)
        assert all(own["gpu_ms"] >= 0 for own in data["passes"])
        assert all(system["gpu_ms"] is None for system in data["systems"][:-1])
        print_table(report)
        assert "gpu" in capsys.readouterr().out
        events, names = tracks(report)
        (tid,) = [tid for tid, name in names.items() if name == GPU]
        spent = sum(event["dur"] for event in events[tid])
        assert spent == pytest.approx(1e3 * sum(whole))


class TestAllocations:
    def test_steps_keep_no_array(self, simulated):
        step = simulated.step_allocations
        assert step.kept_arrays == 0
        assert step.kept_bytes == pytest.approx(0, abs=8)

    @EXHAUSTIVE
    @pytest.mark.skipif(FEW is not None, reason="uncompiled kernels take memory")
    def test_steps_take_nothing_by_the_actor(self):
        """More actors take less than one number each. With threads, their share of the chunks would be random."""

        def peak(actors):
            with load_scene("throng", actors=actors, threads=1) as world:
                world.step(1 / 60)  # memory that is kept for all steps
                return count_allocations(lambda: world.step(1 / 60)).peak_bytes

        few, many = CHUNK_SIZE, 2 * CHUNK_SIZE  # a chunk takes memory by its actors
        assert peak(many) - peak(few) < 4 * (many - few)

    def test_what_is_kept_and_what_is_let_go_are_told_apart(self):
        kept = []
        own = count_allocations(lambda: kept.append(np.zeros(1000)))
        assert (own.kept_bytes, own.kept_arrays) == (8000, 1)
        passing = count_allocations(lambda: np.zeros(1000).sum())
        assert (passing.kept_bytes, passing.kept_arrays) == (0, 0)
        assert 8000 <= passing.peak_bytes < 16000


class TestTrace:
    def test_runs_on_one_track_do_not_overlap(self, simulated, drawn):
        for report in (simulated, drawn):
            for events in tracks(report)[0].values():
                ordered = sorted(events, key=lambda event: event["ts"])
                for before, after in pairwise(ordered):
                    assert before["ts"] + before["dur"] <= after["ts"] + 1e-3  # a nanosecond

    def test_runs_add_up_to_the_cpu_time_that_is_reported(self, simulated, drawn):
        for report in (simulated, drawn):
            events, names = tracks(report)
            spent = defaultdict(float)
            for tid, own in events.items():
                for event in own if tid != FRAMES and names[tid] != WAITED_FOR else ():
                    spent[event["name"]] += event["dur"]
            assert spent == pytest.approx({own.name: 1e3 * own.cpu_ms.sum() for own in report.systems})

    def test_every_actor_is_in_some_chunk(self, simulated):
        sampled = [e for own in tracks(simulated)[0].values() for e in own if e["name"] == "sampling"]
        assert sum(event["args"]["actors"] for event in sampled) == ACTORS * len(simulated.frames)
        assert len(sampled) == len(simulated.frames) * simulated.threads, "a chunk for each"

    def test_frames_hold_all_that_ran_in_them(self, simulated, drawn):
        for report in (simulated, drawn):
            events, names = tracks(report)
            assert names[FRAMES] == "frames"
            frames = events[FRAMES]
            assert len(frames) == len(report.frames)
            for event in (e for tid, own in events.items() if tid != FRAMES for e in own):
                around = [
                    f for f in frames if f["ts"] <= event["ts"] and event["ts"] + event["dur"] <= f["ts"] + f["dur"]
                ]
                assert len(around) == 1, event

    def test_passes_have_a_track_that_says_what_its_times_are(self, drawn):
        events, names = tracks(drawn)
        (tid,) = [tid for tid, name in names.items() if name in (WAITED_FOR, "GPU")]
        assert [event["name"] for event in events[tid]] == [own.name for frame in drawn.frames for own in frame.passes]

    def test_long_runs_keep_their_first_frames_only(self, monkeypatch):
        monkeypatch.setattr("ecs_anim.profiling.measure.MOST_SPANS", 1)
        assert [frame.timings.spans == [] for frame in measured(actors=5, frames=3).frames] == [False, True, True]


class TestAgainst:
    def run(self, ms=(10.0, 6.0, 0.1), names=("sampling", "layers"), actors=100, scene="throng", size=None):
        systems = [{"name": name, "median_ms": own} for name, own in zip(names, ms[1:], strict=True)]
        return {"scene": scene, "actors": actors, "size": size, "frame_ms": {"median": ms[0]}, "systems": systems}

    def test_ratios_are_of_medians(self):
        ratios = compare(self.run((12.0, 9.0, 0.2)), self.run())
        assert [(own.name, own.ratio) for own in ratios] == [("frame", 1.2), ("sampling", 1.5), ("layers", 2.0)]
        assert verdict(ratios, 1.25) == "sampling 1.50"  # layers are noise

    def test_the_threshold_is_allowed(self):
        ratios = compare(self.run((12.5, 6.0, 0.1)), self.run())
        assert slower(ratios, 1.25) == []
        assert [own.name for own in slower(ratios, 1.24)] == ["frame"]

    def test_systems_that_come_or_go_have_no_ratio(self):
        ratios = compare(self.run(names=("sampling", "morphs")), self.run())
        assert [(own.name, own.ratio) for own in ratios][2:] == [("morphs", None), ("layers", None)]
        assert verdict(ratios, 1.0) == ""

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"scene": "grid"}, "must be a profile of the scene 'throng' .got 'grid'."),
            (
                {"actors": 99},
                "the baseline has no run with 100 actors. Use the numbers of actors in the baseline: --actors 99",
            ),
            ({"size": [64, 48]}, "this run needs a baseline with no pictures .got a baseline with pictures of 64x48."),
        ],
    )
    def test_other_work_is_refused(self, tmp_path, change, said):
        path = tmp_path / "base.json"
        path.write_text(json.dumps(self.run(**change)))
        with pytest.raises(InputError, match=said):
            read_baseline(path, "throng", [100], None)

    @pytest.mark.parametrize("text", ["3", "[]x", '{"actors": 3}', '[{"scene": 3}]', '{"frame_ms": 1}'])
    def test_what_is_no_profile_is_refused(self, tmp_path, text):
        path = tmp_path / "base.json"
        path.write_text(text)
        with pytest.raises(InputError, match="the file must contain the results of a profile"):
            read_baseline(path, "throng", [100], None)

    @EXHAUSTIVE
    def test_the_command_exits_with_1_where_it_is_slower(self, tmp_path, capsys):
        path, out = tmp_path / "base.json", tmp_path / "now.json"
        profile_scene(replace(OPTIONS, json_path=str(path)))
        base = json.loads(path.read_text())
        profile_scene(replace(OPTIONS, against=path, json_path=str(out)))
        assert json.loads(out.read_text())["against"]["slower"] == []
        path.write_text(json.dumps(base | {"frame_ms": {"median": base["frame_ms"]["median"] / 1e7}}))
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            profile_scene(replace(OPTIONS, against=path, json_path=str(out)))
        assert stopped.value.code == 1
        told = capsys.readouterr()
        (line,) = told.err.splitlines()
        assert line.startswith(f"ecs-anim: slower than {path}: {ACTORS:,} actors: frame ")
        assert "against" in told.out
        assert json.loads(out.read_text())["against"]["slower"] == ["frame"]  # written all the same


class TestPlot:
    def test_a_sweep_has_a_line_for_each_large_system_and_one_for_the_rest(self, simulated):
        def run(*spent):
            systems = [SystemFigures(f"s{k}", np.full(4, ms), np.full(4, ms), None) for k, ms in enumerate(spent)]
            return replace(simulated, systems=tuple(systems))

        lines = sweep_lines([run(0.01, 2, 0.02, 3), run(0.02, 4, 9, 5)])
        assert [(line.name, line.ms) for line in lines] == [
            ("s1", [2, 4]),
            ("s2", [0.02, 9]),
            ("s3", [3, 5]),
            (OTHERS, [0.01, 0.02]),
        ]
        many = sweep_lines([run(*range(1, 13))])
        assert [line.ms for line in many] == [[6], [7], [8], [9], [10], [11], [12], [1 + 2 + 3 + 4 + 5]]
        assert len({line.color for line in many}) == len(many)

    def test_passes_stand_for_the_drawing(self, drawn):
        lines = sweep_lines([drawn, drawn])
        parts = [own for own in drawn.systems if own.name != "draw"] + list(drawn.passes)
        assert sum(line.ms[0] for line in lines) == pytest.approx(sum(np.median(own.wall_ms) for own in parts))
        assert "draw" not in {line.name for line in lines}
        assert "crowds" in {line.name for line in lines}

    def test_labels_stand_apart_and_in_order(self):
        heights = [0.1, 0.11, 0.12, 0.5, 0.9, 0.9]
        spread = spread_out(heights, 0.05)
        assert np.diff(spread).min() >= 0.05 - 1e-9
        assert spread[:3] == pytest.approx([0.06, 0.11, 0.16])
        assert spread[3] == 0.5

    @EXHAUSTIVE
    def test_both_kinds_are_drawn(self, tmp_path):
        profile_scene(replace(OPTIONS, actors=[5, 20], plot_path=tmp_path / "sweep.png"))
        picture = np.asarray(Image.open(tmp_path / "sweep.png").convert("RGB"))
        assert {(0, 114, 178), (213, 94, 0)} <= {tuple(color) for color in picture.reshape(-1, 3)[::3].tolist()}
        profile_scene(replace(OPTIONS, plot_path=tmp_path / "bars.svg"))
        assert ElementTree.parse(tmp_path / "bars.svg").getroot().tag.endswith("svg")
        assert "sampling" in (tmp_path / "bars.svg").read_text()


class TestCommand:
    @EXHAUSTIVE
    def test_all_files_together_and_nothing_but_json_on_standard_output(self, tmp_path):
        trace, plot = tmp_path / "t.json", tmp_path / "p.png"
        counts = ("--actors", "10", "--actors", "20", "--frames", 3, "--warmup", 1, "--no-draw")
        result = ecs_anim("profile", "throng", *counts, "--json", "-", "--trace", trace, "--plot", plot)
        assert result.returncode == 0, result.stderr
        assert [report["actors"] for report in json.loads(result.stdout)] == [10, 20]
        events = json.loads(trace.read_text())["traceEvents"]
        assert {event["pid"] for event in events} == {1, 2}
        assert Image.open(plot).size[0] > 500

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"json_path": "missing/x.json"}, "missing"),
            ({"trace_path": "missing/x.json"}, "missing"),
            ({"plot_path": "missing/x.png"}, "missing"),
            ({"plot_path": "x.pdf"}, "pdf"),
            ({"against": "missing.json"}, "cannot read the baseline"),
            ({"trace_path": "."}, "must name a regular file"),
            ({"compare_crowd_options": True, "trace_path": "x.json"}, "--compare-crowd-options"),
        ],
    )
    def test_bad_paths_are_refused_before_anything_is_measured(self, tmp_path, monkeypatch, change, said):
        monkeypatch.setattr("ecs_anim.commands.profile.measure", lambda *_, **__: pytest.fail("measured"))
        paths = {key: tmp_path / value if key.endswith(("path", "against")) else value for key, value in change.items()}
        with pytest.raises(InputError, match=said) as refused:
            profile_scene(replace(OPTIONS, **paths))
        assert "\n" not in str(refused.value)
        assert list(tmp_path.iterdir()) == []

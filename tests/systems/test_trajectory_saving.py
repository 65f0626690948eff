"""Trajectories of worlds: what is in the files, as csv, sqlite3, pyarrow and PedPy read them, is where actors were."""

import contextlib
import csv
import sqlite3
import subprocess
import sys
import tracemalloc
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import shapely
from pyarrow import parquet

import ecs_anim as ea
from ecs_anim.ecs.world import World
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.trajectory_saving import require_rate
from ecs_anim.trajectories import load, recording
from ecs_anim.trajectories.frames import Frame
from ecs_anim.trajectories.writer import writer_for
from tests.helpers import EXHAUSTIVE, some
from tests.helpers.full_disk import on_a_full_disk
from tests.test_cli import assert_one_line, ecs_anim

SCENE = """
seed = 3
[rigs.people]
model = "mannequin"
[[crowds]]
name = "walkers"
rig = "people"
count = 3
layout = { kind = "grid", spacing = 2.0 }
body = {}
[[crowds]]
name = "others"
rig = "people"
count = 2
layout = { kind = "grid", spacing = 2.0, center = [9.0, -5.0] }
clips = [{ name = "walk" }]
locomotion = {}
"""
HALL = "POLYGON ((-9 -9, 20 -9, 20 9, -9 9, -9 -9), (1 1, 1 2, 2 2, 2 1, 1 1))"
ENDINGS = (".sqlite", ".csv", ".parquet")
Row = tuple[int, int, float, float, float, float]  # frame, id, x, y, direction


def rows_of(path: Path) -> list[Row]:
    """Read the rows of a file, by frame and person, with code that shares nothing with the writers."""
    match path.suffix:
        case ".sqlite":
            with sqlite3.connect(path) as db:
                names = "frame, id, pos_x, pos_y, ori_x, ori_y"
                found = db.execute(f"SELECT {names} FROM trajectory_data ORDER BY frame, id").fetchall()
                assert {type(value) for row in found for value in row[:2]} == {int}
        case ".csv":
            with path.open(newline="") as file:
                lines = csv.DictReader(line for line in file if not line.startswith("#"))
                names = ("x_m", "y_m", "ori_x", "ori_y")
                found = [(int(row["frame"]), int(row["id"]), *(float(row[own]) for own in names)) for row in lines]
        case _:
            table = parquet.read_table(path)
            assert [str(kind) for kind in table.schema.types] == ["int64", "int64", *["double"] * 4]
            found = list(
                zip(*(table[own].to_pylist() for own in ("frame", "id", "x_m", "y_m", "ori_x", "ori_y")), strict=True)
            )
    return sorted(found)


def seen(world: ea.World, frame: int) -> list[Row]:
    """Everybody now, as the crowds' handles say."""
    return [
        (frame, int(i), x, y, np.cos(heading), np.sin(heading))
        for crowd in ea.crowds(world)
        for i, (x, y), heading in zip(crowd.ids, crowd.positions, crowd.headings, strict=True)
    ]


def come_and_go(world: ea.World, frame: int) -> None:
    """Move, remove and add walkers at certain frames, as a user of the world might do."""
    walkers = ea.crowd(world, "walkers")
    if frame == 1:
        walkers.set_velocity(ea.ALL, [[1.0, 0.0], [0.0, 1.2], [-0.5, -0.5]])
    if frame == 4:
        walkers.remove(ids=[2])
    if frame == 6:
        walkers.add(2, positions=[[5.0, 5.0], [6.0, 5.0]], headings=[0.0, np.pi / 2])


@pytest.mark.parametrize("ending", ENDINGS)
def test_everybody_is_written_where_they_are(tmp_path, ending):
    """Every sixth step, by ids that stay, with where they look; also while they come and go."""
    path, expected = tmp_path / f"people{ending}", []
    with ea.load_scene(SCENE, threads=1) as world, ea.save_trajectories(world, path):
        expected += seen(world, 0)
        for step in range(1, 61):
            world.step(1 / 60)
            if step % 6 == 0:
                expected += seen(world, step // 6)
                come_and_go(world, step // 6)
        assert not path.exists()
    np.testing.assert_allclose(rows_of(path), sorted(expected), rtol=0, atol=1e-6)
    assert {row[1] for row in rows_of(path)} == {1, 2, 3, 4, 5, 6, 7}
    assert {row[0] for row in rows_of(path) if row[1] == 2} == {0, 1, 2, 3, 4}
    assert {row[0] for row in rows_of(path) if row[1] == 6} == {7, 8, 9, 10}
    assert [own.name for own in tmp_path.iterdir()] == [path.name]


def test_directions_are_those_of_the_compass(tmp_path):
    """An actor that goes east faces x. An actor that goes north faces y."""
    with ea.load_scene(SCENE, threads=1) as world:
        ea.crowd(world, "walkers").set_velocity(ea.ALL, [[1.0, 0.0], [0.0, 1.2], [-1.0, 0.0]])
        with ea.save_trajectories(world, tmp_path / "x.csv", crowds=["walkers"]):
            world.skip(120, 1 / 60)
    rows = np.array(rows_of(tmp_path / "x.csv"))
    first, last = rows[rows[:, 0] == 0], rows[rows[:, 0] == 20]
    np.testing.assert_allclose(last[:, 4:], [[1, 0], [0, 1], [-1, 0]], atol=0.05)
    moved = last[:, 2:4] - first[:, 2:4]
    assert moved[0, 0] > 1.5
    assert moved[1, 1] > 1.5
    assert moved[2, 0] < -1.5


@EXHAUSTIVE
@pytest.mark.parametrize("ending", ENDINGS)
def test_our_reader_asks_for_nothing(tmp_path, ending):
    path = tmp_path / f"x{ending}"
    with ea.load_scene(SCENE, threads=1) as world, ea.save_trajectories(world, path, sample_rate=20):
        world.skip(60, 1 / 60)
        last = seen(world, 20)
    found = recording(path)
    assert found.is_simulated
    assert found.span == (0.0, 1.0)
    people = found.whole()
    assert people.ids.tolist() == [1, 2, 3, 4, 5]
    ends = people.starts[1:] - 1
    np.testing.assert_allclose(people.xy[ends], [row[2:4] for row in last], atol=1e-6)
    np.testing.assert_allclose(people.heading_vectors[ends], [row[4:] for row in last], atol=1e-5)


def test_a_skip_writes_what_steps_write(tmp_path):
    for name, skips in (("steps.csv", False), ("skip.csv", True)):
        with ea.load_scene(SCENE, threads=1) as world, ea.save_trajectories(world, tmp_path / name):
            if skips:
                world.skip(90, 1 / 60)
            for _ in range(0 if skips else 90):
                world.step(1 / 60)
    assert (tmp_path / "steps.csv").read_bytes() == (tmp_path / "skip.csv").read_bytes()


@EXHAUSTIVE
def test_the_time_of_the_file_is_the_world_s(tmp_path):
    """Frames of worlds that have gone on for long; the next one that is due comes first."""
    with ea.load_scene(SCENE, threads=1) as world:
        world.skip(901, 1 / 60)
        with ea.save_trajectories(world, tmp_path / "x.csv") as saved:
            world.skip(60, 1 / 60)
    assert sorted({row[0] for row in rows_of(tmp_path / "x.csv")}) == list(range(151, 161))
    assert (saved.frames, saved.samples, saved.sample_rate) == (10, 50, 10.0)


@pytest.mark.parametrize(("steps", "rate"), [(60, 10.0), (25, 25 / 3), (24, 8.0), (7, 7.0), (1000, 10.0)])
def test_the_usual_rate_fits_the_steps(tmp_path, steps, rate):
    with (
        ea.load_scene(f"frame_rate = {steps}\n{SCENE}", threads=1) as world,
        ea.save_trajectories(world, tmp_path / "x.csv") as saved,
    ):
        world.skip(2 * steps, 1 / steps)
    assert saved.sample_rate == pytest.approx(rate)
    assert recording(tmp_path / "x.csv").scale.rate == saved.sample_rate
    assert saved.frames == 1 + int(2 * rate + 1e-9)


def test_people_of_a_recording_are_there_when_they_were(tmp_path):
    """Actors come and go in the world as in the file, and in the saved file as well."""
    spans = {3: (0.5, 2.0), 8: (1.0, 3.0), 5: (0.0, 1.5)}
    lines = [
        f"{i},{k / 10:.1f},{k / 10 - a:.3f},{i}" for i, (a, b) in spans.items() for k in range(31) if a <= k / 10 <= b
    ]
    (tmp_path / "in.csv").write_text("\n".join(["id,time_s,x_m,y_m", *lines, ""]))
    scene = SCENE.split("[[crowds]]")[0] + (
        '[[crowds]]\nname = "people"\nrig = "people"\nbody = {}\n'
        f'trajectories = {{ file = "{tmp_path}/in.csv", smooth_seconds = 0.0 }}\n'
    )
    with ea.load_scene(scene, threads=1) as world, ea.save_trajectories(world, tmp_path / "out.csv"):
        world.skip(240, 1 / 60)
    wanted, found = load(tmp_path / "in.csv"), load(tmp_path / "out.csv")
    got = sorted((found.times[a], found.times[b - 1]) for a, b in zip(found.starts, found.starts[1:], strict=False))
    np.testing.assert_allclose(got, sorted(spans.values()))
    by_point = {(round(t, 1), round(y)): x for t, (x, y) in zip(wanted.times, wanted.xy, strict=True)}
    for time, (x, y) in zip(found.times, found.xy, strict=True):
        assert x == pytest.approx(by_point[round(time, 1), round(y)], abs=0.005)


def outline_of(path: Path) -> shapely.Geometry:
    with sqlite3.connect(path) as db:
        (wkt,) = db.execute(
            "SELECT wkt FROM geometry JOIN frame_data ON hash = geometry_hash WHERE frame = 0"
        ).fetchone()
    return shapely.from_wkt(wkt)


def test_walls_go_with_jupedsim_s_files(tmp_path):
    text = f'walls = {{ wkt = "{HALL}" }}\n{SCENE}'
    with ea.load_scene(text, threads=1) as world, ea.save_trajectories(world, tmp_path / "x.sqlite"):
        world.skip(30, 1 / 60)
    assert shapely.symmetric_difference(outline_of(tmp_path / "x.sqlite"), shapely.from_wkt(HALL)).area < 1e-4
    (own,) = recording(tmp_path / "x.sqlite").walls
    assert shapely.equals(shapely.from_wkt(own.wkt), outline_of(tmp_path / "x.sqlite"))


@pytest.mark.filterwarnings("ignore:.*begin in a wall")
def test_obstacles_stand_in_a_box_round_everybody(tmp_path):
    square = "POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0))"
    text = f'walls = {{ wkt = "{square}", polygons = "obstacles" }}\n{SCENE}'
    with ea.load_scene(text, threads=1) as world, ea.save_trajectories(world, tmp_path / "x.sqlite"):
        world.skip(30, 1 / 60)
    area = outline_of(tmp_path / "x.sqlite")
    xy = np.array(rows_of(tmp_path / "x.sqlite"))[:, 2:4]
    low, high = np.minimum(xy.min(axis=0), 0) - 1, np.maximum(xy.max(axis=0), (4, 3)) + 1
    np.testing.assert_allclose(area.bounds, [*low, *high], atol=1e-5)
    assert area.area == pytest.approx(np.prod(high - low) - 12, rel=1e-5)


def test_walls_that_change_are_told_from_then_on(tmp_path):
    with ea.load_scene(f'walls = {{ wkt = "{HALL}" }}\n{SCENE}', threads=1) as world:
        from ecs_anim.walls.build import walls_from_text

        with ea.save_trajectories(world, tmp_path / "x.sqlite"):
            world.skip(30, 1 / 60)
            stage_of(world).walls = walls_from_text("POLYGON ((-20 -20, 20 -20, 20 20, -20 20, -20 -20))")
            world.skip(30, 1 / 60)
    first, second = recording(tmp_path / "x.sqlite").walls
    assert (first.time, second.time) == (0.0, pytest.approx(0.6))
    assert shapely.from_wkt(second.wkt).area == pytest.approx(1600)


@EXHAUSTIVE
def test_pedpy_reads_what_is_written(tmp_path):
    """Compare with PedPy 1.2 or newer: positions, frame rate, walkable area, and the speed that was set."""
    pedpy = pytest.importorskip("pedpy", reason="PedPy, which analyses trajectories, is not installed")
    path = tmp_path / "x.sqlite"
    with ea.load_scene(f'walls = {{ wkt = "{HALL}" }}\n{SCENE}', threads=1) as world:
        walkers = ea.crowd(world, "walkers")
        walkers.place(ea.ALL, [[-8.0, -8.0], [-8.0, -6.0], [-8.0, -4.0]])
        walkers.set_velocity(ea.ALL, [[1.2, 0.0], [0.9, 0.0], [0.4, 0.0]])
        world.skip(120, 1 / 60)
        with ea.save_trajectories(world, path, crowds=["walkers"]):
            world.skip(240, 1 / 60)
    found = pedpy.load_trajectory_from_jupedsim_sqlite(trajectory_file=path)
    assert found.frame_rate == 10.0
    own = found.data.sort_values(["frame", "id"])[["frame", "id", "x", "y"]].to_numpy()
    np.testing.assert_allclose(own, np.array(rows_of(path))[:, :4])
    speeds = pedpy.compute_individual_speed(
        traj_data=found, frame_step=5, speed_calculation=pedpy.SpeedCalculation.BORDER_SINGLE_SIDED
    )
    np.testing.assert_allclose(speeds.groupby("id").speed.mean(), [1.2, 0.9, 0.4], rtol=0.02)
    area = pedpy.load_walkable_area_from_jupedsim_sqlite(trajectory_file=path)
    assert area.area == pytest.approx(shapely.from_wkt(HALL).area, rel=1e-5)


@pytest.mark.parametrize("walls", ["", f'walls = {{ wkt = "{HALL}" }}\n'])
def test_jupedsim_reads_what_is_written(tmp_path, walls):
    """Frames, agents, bounds and the geometry, where the scene has walls."""
    jps = pytest.importorskip("jupedsim", reason="JuPedSim, whose own reader is asked, is not installed")
    path = tmp_path / "x.sqlite"
    with ea.load_scene(walls + SCENE, threads=1) as world, ea.save_trajectories(world, path):
        world.skip(60, 1 / 60)
    found, rows = jps.Recording(str(path)), np.array(rows_of(path))
    assert (found.num_frames, found.fps, found.frame(10).agents[0].id) == (11, 10.0, 1)
    agents = [(own.id, *own.position, *own.orientation) for own in found.frame(10).agents]
    np.testing.assert_allclose(agents, rows[rows[:, 0] == 10][:, 1:])
    bounds = found.bounds()
    np.testing.assert_allclose([bounds.xmin, bounds.ymin], rows[:, 2:4].min(axis=0))
    np.testing.assert_allclose([bounds.xmax, bounds.ymax], rows[:, 2:4].max(axis=0))
    assert found.geometry().area == pytest.approx(shapely.from_wkt(HALL).area if walls else 0.0, rel=1e-5)
    assert len(recording(path).walls) == bool(walls)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), FileNotFoundError(2, "mine"), KeyboardInterrupt()])
def test_what_fails_meanwhile_is_the_caller_s_and_no_file_is_there(tmp_path, ending, error):
    def fail() -> None:
        with ea.load_scene(SCENE, threads=1) as world, ea.save_trajectories(world, tmp_path / f"x{ending}"):
            world.skip(60, 1 / 60)
            raise error

    with pytest.raises(type(error)) as raised:
        fail()
    assert raised.value is error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_was_there_stays_until_another_is_complete(tmp_path, ending):
    path = tmp_path / f"x{ending}"
    path.write_bytes(b"older")
    with ea.load_scene(SCENE, threads=1) as world:
        with pytest.raises(ea.InputError, match=r"frame 1 needs a time step at 0\.04 s.*Choose a rate"):  # noqa: SIM117
            with ea.save_trajectories(world, path, sample_rate=25):
                world.skip(60, 1 / 60)
        assert path.read_bytes() == b"older"
        with ea.save_trajectories(world, path, sample_rate=30):
            world.skip(60, 1 / 60)
    assert len(rows_of(path)) == 5 * 30
    assert [own.name for own in tmp_path.iterdir()] == [path.name]


def test_worlds_and_crowds_with_nobody_are_told(tmp_path):
    with ea.load_scene(SCENE, threads=1) as world:
        ea.crowd(world, "others").remove(ea.ALL)
        with (
            pytest.raises(ea.InputError, match=r"no actor was present until 0\.5 s"),
            ea.save_trajectories(world, tmp_path / "x.csv", crowds=["others"]),
        ):
            world.skip(30, 1 / 60)
        with pytest.raises(ea.InputError, match="no crowd 'walker'; did you mean 'walkers'"):
            ea.save_trajectories(world, tmp_path / "x.csv", crowds=["walker"])
        with pytest.raises(ValueError, match="the list of crowds must not be empty"):
            ea.save_trajectories(world, tmp_path / "x.csv", crowds=[])
        with World(world._schedule) as empty:
            empty.create(stage_of(world))
            with pytest.raises(ea.InputError, match="a file of trajectories needs a crowd"):
                ea.save_trajectories(empty, tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere/x.csv", "does not exist"),
        ("folder.csv", "must name a regular file or a new file"),
        ("x.txt", "must end in one of .sqlite, .csv, .parquet"),
        ("x", "must end in one of .sqlite, .csv, .parquet"),
    ],
)
def test_names_that_cannot_be_are_told_before_anything_runs(tmp_path, name, said):
    (tmp_path / "folder.csv").mkdir()
    done = ecs_anim("run", "crossing", "--actors", 4, "--frames", 2, "--save-trajectories", name, cwd=tmp_path)
    assert_one_line(done, name, said)
    assert [own.name for own in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--sample-rate 10", "Add --save-trajectories FILE"),
        ("--trajectory-crowd eastward", "Add --save-trajectories FILE"),
        ("--save-trajectories x.csv --sample-rate 25", "Choose a rate"),
        ("--save-trajectories x.csv --sample-rate 120", "Choose a rate"),
        ("--save-trajectories x.csv --sample-rate 0", "--sample-rate"),
        ("--save-trajectories x.csv --sample-rate nan", "--sample-rate"),
        ("--save-trajectories x.csv --sample-rate 1e9", "--sample-rate"),
        ("--save-trajectories x.csv --trajectory-crowd eastwrd", "did you mean 'eastward'"),
        ("--save-trajectories x.csv --clock", "Add --out"),
        ("--save-trajectories x.csv --speed 2", "Add --out"),
        ("--save-trajectories x.csv --no-draw --pass ids", "--no-draw"),
    ],
)
@EXHAUSTIVE
def test_options_that_do_not_fit_are_one_line_and_leave_nothing(tmp_path, options, said):
    assert_one_line(ecs_anim("run", "crossing", "--actors", 4, "--frames", 9, *options.split(), cwd=tmp_path), said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", some(ENDINGS, ".sqlite"))
@EXHAUSTIVE
def test_the_command_writes_without_opengl_and_walk_takes_it(tmp_path, ending):
    """Round: a scene, its file, and a scene of the file; people are at the same places at the same times."""
    options = f"--actors 8 --frames 180 --save-trajectories x{ending}"
    code = (
        "import sys; sys.modules['pyglet'] = None\n"
        f"sys.argv = ['ecs-anim', 'run', 'crossing', *'{options}'.split()]\n"
        "from ecs_anim.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"wrote x{ending}: 31 frames, 10 per second, 248 positions" in done.stderr
    walk = f"walk x{ending} --save-scene x.toml --out x.png --size 32x32"
    assert ecs_anim(*walk.split(), cwd=tmp_path).returncode == 0
    with (
        ea.load_scene("crossing", actors=8, threads=1) as first,
        ea.load_scene(tmp_path / "x.toml", threads=1) as second,
    ):
        for world in (first, second):
            world.skip(120, 1 / 60)
        wanted = np.concatenate([own.positions for own in ea.crowds(first)])
        got = ea.crowd(second, "people").positions
    far = np.linalg.norm(wanted[:, None] - got[None], axis=-1)
    assert far.min(axis=1).max() < 0.01  # between the file's points, a tenth of a second apart, goes a spline


@EXHAUSTIVE
def test_a_film_and_its_trajectories(tmp_path):
    options = "--actors 4 --frames 30 --size 48x32 --out x.gif --save-trajectories x.csv --sample-rate 30"
    done = ecs_anim("run", "crossing", *options.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(own.name for own in tmp_path.iterdir()) == ["x.csv", "x.gif"]
    assert [row[0] for row in rows_of(tmp_path / "x.csv")] == [k for k in range(16) for _ in range(4)]


@EXHAUSTIVE
@pytest.mark.parametrize("ending", some(ENDINGS, ".sqlite"))
def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path, ending):
    words = f"run throng --actors 400 --frames 90 --save-trajectories x{ending}".split()
    code, lines = on_a_full_disk(words, 1 << 16, tmp_path)
    assert (code, len(lines)) == (2, 1), lines
    assert f"x{ending}: cannot write the file (" in lines[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", some(ENDINGS, ".sqlite"))
@EXHAUSTIVE
def test_memory_stays_however_long_it_lasts(tmp_path, ending):
    def peak(frames: int) -> int:
        tracemalloc.start()
        with writer_for(tmp_path / f"x{ending}", 10.0) as writer:
            for frame in range(frames):
                writer.write(Frame(frame, np.arange(1000), np.ones((1000, 2)), np.ones((1000, 2))))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)  # imports
    assert peak(400) < 1.2 * peak(100) + 1_000_000


def test_rows_are_in_order_of_frames_and_people(tmp_path):
    with ea.load_scene(SCENE, threads=1) as world, ea.save_trajectories(world, tmp_path / "x.csv"):
        world.skip(12, 1 / 60)
    with (tmp_path / "x.csv").open() as file:
        order = [tuple(map(int, line.split(",")[:2])) for line in file.readlines()[3:]]
    assert order == [(i, frame) for frame, i in product(range(3), range(1, 6))]


@pytest.mark.parametrize("rate", [0.5, 7.0, 10.0, 60.0, 25.0, 120.0, 30.0001, 59.0])
@pytest.mark.parametrize("first", [0, 1, 7])
def test_rates_are_refused_beforehand_as_they_are_meanwhile(tmp_path, rate, first):
    frames, told = range(first, first + 150), []
    with ea.load_scene(SCENE, threads=1) as world:
        steps_a_second = stage_of(world).frame_rate
        world.skip(first, 1 / steps_a_second)
        with contextlib.suppress(ea.InputError):
            require_rate("job", rate, steps_a_second, frames)
            told.append("may be")
        with contextlib.suppress(ea.InputError), ea.save_trajectories(world, tmp_path / "x.csv", sample_rate=rate):
            world.skip(len(frames) - 1, 1 / steps_a_second)
        told += ["was"] * (tmp_path / "x.csv").exists()
    assert len(told) in (0, 2)

"""Farms: against worlds that are stepped by hand; by one worker, by several, killed, late, and on Dask."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.farm.folder import FarmFolder
from ecs_anim.farm.job import job_of
from ecs_anim.farm.plan import plan_of
from ecs_anim.farm.report import draw_farm
from ecs_anim.farm.table import rows_of
from ecs_anim.farm.trial import require_worlds
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.profiling.validation.feet import measure_feet, watch_feet
from ecs_anim.scenes.loader import parse_toml, read_scene
from ecs_anim.support.pictures import png_bytes
from tests.helpers import EXHAUSTIVE
from tests.helpers.command import ecs_anim
from tests.helpers.gl import context_fixture  # noqa: F401
from tests.test_cli import assert_one_line

COUNTS, SEEDS, FRAMES = (2, 5), (1, 7), range(1, 7)
SCENE = """
seed = 4
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = {count}
layout = {{ kind = "scatter", radius = 1.6, min_distance = 0.5 }}
clips = [{{ name = "walk" }}, {{ name = "idle" }}]
locomotion = {{ area_radius = 2.0 }}
grounding = {{}}
[vary]
"light.sun_azimuth_degrees" = [0.0, 360.0]
"""
JOB = """
scene = "room.toml"
frames_per_task = 4
[ranges]
frames = [1, 7]
seeds = [1, 7]
"crowds.people.count" = [2, 5]
[make]
pictures = { size = [48, 32] }
video = { size = [48, 32], ending = "gif" }
trajectories = { sample_rate = 20.0 }
dataset = { size = [32, 24], passes = ["rgb", "depth"], formats = ["coco", "jsonl"] }
measures = ["feet", "density", "profile"]
"""
FEW = 'scene = "room.toml"\nframes_per_task = 2\nranges.frames = [0, 12]\nmake.pictures = { size = [32, 24] }\n'


@pytest.fixture(name="home", scope="module")
def home_fixture(tmp_path_factory):
    """A folder with a scene and its jobs."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "room.toml").write_text(SCENE.format(count=3))
    (folder / "job.toml").write_text(JOB)
    (folder / "few.toml").write_text(FEW)
    return folder


def serial(job, out, **options):
    """By one thread of this process."""
    with ThreadPoolExecutor(1) as executor:
        return ea.farm.run(job, out, executor=executor, **options)


@pytest.fixture(name="made", scope="module")
def made_fixture(home, tmp_path_factory):
    out = tmp_path_factory.mktemp("made") / "out"
    outcome = serial(home / "job.toml", out)
    assert (outcome.folder, outcome.failed) == (out, {})
    return out


@pytest.fixture(name="few", scope="module")
def few_fixture(home, tmp_path_factory):
    out = tmp_path_factory.mktemp("few") / "out"
    serial(home / "few.toml", out)
    return out


def manifest_of(out):
    return json.loads((out / "manifest.json").read_text())


def contents(out):
    """All bytes of a farm, but for what tells of time and of machines."""
    found = {}
    for path in out.rglob("*"):
        name = path.relative_to(out).as_posix()
        if path.is_file() and path.name not in ("profile.json", "results.parquet", "task.json"):
            found[name] = path.read_bytes()
    manifest = json.loads(found.pop("manifest.json"))
    for task in manifest["tasks"].values():
        for name in ("seconds", "machine"):
            del task[name]
        if task["kind"] == "profile":
            del task["figures"]
    return found | {"manifest.json": manifest}


def runs_of(out):
    """Each run's seed and count, and the folders of its tasks by kind."""
    manifest = manifest_of(out)
    for run in manifest["runs"]:
        tasks = {}
        for key in run["tasks"]:
            tasks.setdefault(manifest["tasks"][key]["kind"], []).append(out / "tasks" / key)
        yield run, run["seed"], run["values"]["crowds.people.count"], tasks


def world_of(seed, count):
    return ea.load_scene(SCENE.format(count=count), seed=seed, threads=1)


# Results, compared with worlds that are stepped by hand


def test_runs_are_all_combinations(made):
    assert [(seed, count) for _, seed, count, _ in runs_of(made)] == [(s, c) for c in COUNTS for s in SEEDS]


@EXHAUSTIVE
def test_pictures_are_those_of_a_world_that_is_stepped(made):
    for _, seed, count, tasks in runs_of(made):
        names = [[path.name for path in sorted((task / "camera").iterdir())] for task in tasks["pictures"]]
        assert names == [[f"{frame:06d}.png" for frame in piece] for piece in (FRAMES[:4], FRAMES[4:])]
        with world_of(seed, count) as world:
            for frame in FRAMES:
                world.step(1 / 60)
                task = tasks["pictures"][frame > 4]
                assert (task / f"camera/{frame:06d}.png").read_bytes() == png_bytes(ea.render(world, (48, 32)))


@EXHAUSTIVE
def test_films_are_those_of_a_world_that_is_filmed(made, tmp_path):
    for run, seed, count, _ in runs_of(made):
        with world_of(seed, count) as world:
            ea.video(world, len(FRAMES) / 60, tmp_path / "x.gif", size=(48, 32), fps=30)
        (name,) = run["videos"]
        assert (made / name).read_bytes() == (tmp_path / "x.gif").read_bytes()


@EXHAUSTIVE
def test_an_mp4_shows_what_a_run_s_shows(home, tmp_path):
    """To the byte, in another process."""
    av = pytest.importorskip("av", reason="need the video extra")

    def frames(path):
        with av.open(str(path)) as film:
            assert film.streams.video[0].average_rate == 60
            return np.array([frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)], np.int16)

    job = {"scene": str(home / "room.toml"), "ranges": {"frames": [1, 13]}, "frames_per_task": 5}
    serial(job | {"make": {"video": {"size": [48, 32]}}}, tmp_path / "out")
    done = ecs_anim("run", home / "room.toml", "--out", tmp_path / "x.mp4", "--frames", "12", "--size", "48x32")
    assert done.returncode == 0
    (name,) = manifest_of(tmp_path / "out")["runs"][0]["videos"]
    own, wanted = frames(tmp_path / "out" / name), frames(tmp_path / "x.mp4")
    assert own.shape == wanted.shape == (12, 32, 48, 3)
    assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "x.mp4").read_bytes()
    assert np.abs(own[1:] - own[:-1]).max() > 20


def test_trajectories_are_those_that_a_world_saves(made, tmp_path):
    for _, seed, count, tasks in runs_of(made):
        with world_of(seed, count) as world:
            world.step(1 / 60)
            with ea.save_trajectories(world, tmp_path / "x.csv", sample_rate=20.0):
                for _ in FRAMES[1:]:
                    world.step(1 / 60)
        (task,) = tasks["trajectories"]
        assert (task / "trajectories.csv").read_bytes() == (tmp_path / "x.csv").read_bytes()


@EXHAUSTIVE
def test_data_sets_are_those_of_the_command(made, tmp_path):
    for number, count in enumerate(COUNTS):
        scene = tmp_path / f"{count}/room.toml"
        scene.parent.mkdir()
        scene.write_text(SCENE.format(count=count))
        options = {"passes": ["rgb", "depth"], "formats": ["coco", "jsonl"], "size": (32, 24)}
        whole = ea.save_dataset(scene, tmp_path / f"{count}/set", seeds=SEEDS, frames=FRAMES, **options)
        own = made / manifest_of(made)["datasets"][number]
        names = {path.relative_to(own) for path in own.rglob("*") if path.is_file()}
        assert names == {path.relative_to(whole) for path in whole.rglob("*") if path.is_file()}
        assert all((own / name).read_bytes() == (whole / name).read_bytes() for name in names)


def test_measures_are_those_of_a_world_that_is_watched(made):
    pyarrow = pytest.importorskip("pyarrow.parquet", reason="needs the parquet extra")
    rows = pyarrow.read_table(made / "results.parquet").to_pylist()
    for run, seed, count, tasks in runs_of(made):
        own = {row["kind"]: row for row in rows if row["run"] == run["number"]}
        assert {(row["seed"], row["crowds.people.count"]) for row in own.values()} == {(seed, count)}
        with world_of(seed, count) as world:
            world.step(1 / 60)
            watch_feet(world)
            (feet,) = measure_feet(world, len(FRAMES))
            assert feet["skate_p95"] == own["feet"]["feet.people.skate_p95"]
            assert feet["planted_samples"] == own["feet"]["feet.people.planted_samples"]
        with world_of(seed, count) as world:
            world.step(1 / 60)
            points = ea.crowd(world, "people").positions
            near = (np.linalg.norm(points[:, None] - points, axis=-1) <= 1.0).sum(axis=1)
            assert own["density"]["density.mean"] == pytest.approx(near.mean() / np.pi, abs=1e-5)
            for _ in FRAMES:
                world.step(1 / 60)
            poses = json.loads((tasks["profile"][0] / "poses.json").read_text())
            assert poses == {"poses_hash": poses_hash(world)}
        assert own["profile"]["profile.frame_ms_median"] > 0


def test_the_manifest_knows_every_file_who_made_it_and_what_drew_it(made, context):
    for key, task in manifest_of(made)["tasks"].items():
        folder = made / "tasks" / key
        assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == {
            *task["files"],
            "task.json",
        }
        for name, digest in task["files"].items():
            told = task["kind"] != "states" and name != "profile.json"
            assert digest == (sha256((folder / name).read_bytes()).hexdigest() if told else None)
        drawn = task["kind"] in ("pictures", "dataset")
        assert task["renderer"] == (context.capabilities.renderer if drawn else None)
        assert task["machine"]["name"]


@EXHAUSTIVE
def test_pictures_of_crowds_that_the_gpu_poses_do_not_show_where_a_film_was_cut(tmp_path):
    crowd = {"rig": "people", "count": 200, "layout": {"kind": "scatter", "radius": 20.0}, "clips": [{"name": "run"}]}
    crowd |= {"path": "auto", "level": "auto", "near_actors": {"count": 5}}
    scene = {"rigs": {"people": {"model": "mannequin"}}, "camera": {"distance": 45.0}, "crowds": [crowd]}
    job = {"scene": scene, "ranges": {"frames": [0, 7]}, "make": {"pictures": {"size": [160, 90]}}}
    drawn = []
    for name, count in (("whole", 7), ("cut", 3)):
        serial(job | {"frames_per_task": count}, tmp_path / name)
        drawn.append({path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.png")})
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == len({*drawn[0].values()}) == 7


# By whomever, and however often they are killed: the same bytes


@EXHAUSTIVE
def test_two_processes_make_the_same_bytes(home, made, tmp_path):
    done = ecs_anim("farm", home / "job.toml", "--out", tmp_path / "out", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "out") == contents(made)


def begun(out, count=1):
    """Wait until so many tasks are done, and one more has begun."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        names = [path.name for path in (out / "tasks").iterdir()] if (out / "tasks").is_dir() else []
        if sum(name[0] != "." for name in names) >= count and any(name[0] == "." for name in names):
            return
        time.sleep(0.005)
    raise AssertionError(names)


def command(*words):
    return [sys.executable, "-c", "from ecs_anim.cli import main; main()", *map(str, words)]


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def is_worker(pid):
    return "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()


@EXHAUSTIVE
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks at processes as Linux shows them")
def test_a_worker_that_is_killed_costs_its_task(home, few, tmp_path):
    out = tmp_path / "out"
    words = command("farm", home / "few.toml", "--out", out, "--workers", "1")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        begun(out)
        (worker,) = [pid for pid in children(process.pid) if is_worker(pid)]
        os.kill(worker, signal.SIGKILL)
        _, told = process.communicate(timeout=200)
    assert process.returncode == 0, told
    assert contents(out) == contents(few)


@EXHAUSTIVE
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks at processes as Linux shows them")
def test_a_farm_that_is_killed_leaves_no_worker_and_goes_on(home, few, tmp_path):
    out = tmp_path / "out"
    words = command("farm", home / "few.toml", "--out", out, "--workers", "2")
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        begun(out, 2)
        workers = [pid for pid in children(process.pid) if is_worker(pid)]
        process.kill()
    assert workers
    until = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() and "Z" not in state_of(pid) for pid in workers):
        assert time.monotonic() < until
        time.sleep(0.05)
    done = {path: os.stat(path).st_mtime_ns for path in (out / "tasks").glob("[!.]*")}
    assert done
    assert not (out / "manifest.json").exists()
    assert ecs_anim("farm", home / "few.toml", "--out", out, "--workers", "1").returncode == 0
    assert contents(out) == contents(few)
    assert {path: os.stat(path).st_mtime_ns for path in done} == done  # were not done again


def state_of(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


@EXHAUSTIVE
def test_nothing_is_done_twice_and_a_larger_job_goes_on_from_a_smaller_one(home, few, tmp_path):
    out = tmp_path / "out"
    small = {"scene": str(home / "room.toml"), "frames_per_task": 2, "make": {"pictures": {"size": [32, 24]}}}
    assert serial(small | {"ranges": {"frames": [0, 4]}}, out).tasks == 3
    before = {path: os.stat(path).st_mtime_ns for path in out.glob("tasks/*")}
    assert serial(home / "few.toml", out).tasks == 7
    assert {path: os.stat(path).st_mtime_ns for path in before} == before
    wanted = contents(few)
    assert {name: contents(out)[name] for name in wanted} == wanted
    (picture,) = out.glob("tasks/*/camera/000003.png")
    picture.unlink()
    serial(home / "few.toml", out)
    assert {name: contents(out)[name] for name in wanted} == wanted


@EXHAUSTIVE
@pytest.mark.parametrize("name", ["camera/000003.png", "frame_000000002.npz", "camera/rgb/000001.png", "labels.jsonl"])
def test_files_that_are_not_as_they_were_made_are_made_again(home, tmp_path, name):
    """Damaged files of the right size are made again too. Other files stay as they are."""
    job = {"scene": str(home / "room.toml"), "frames_per_task": 2, "ranges": {"frames": [0, 4]}}
    job["make"] = {"pictures": {"size": [32, 24]}, "dataset": {"size": [32, 24], "passes": ["rgb"]}}
    out = tmp_path / "out"
    serial(job, out)
    wanted, before = comparable(out), {path: os.stat(path).st_mtime_ns for path in out.glob("tasks/*/task.json")}
    (damaged,), (last,) = out.glob(f"*/*/{name}"), out.glob("tasks/*/camera/000003.png")
    whole = damaged.read_bytes()
    for data in (b"x\n", bytes([whole[0] ^ 1]) + whole[1:]):
        damaged.write_bytes(data)
        if name.endswith(".npz"):  # a state, which is made again for tasks that begin from it
            last.unlink()
        serial(job, out)
        assert comparable(out) == wanted
        assert damaged.read_bytes()[:1] == whole[:1]
    again = [path for path, time in before.items() if os.stat(path).st_mtime_ns != time]
    assert len(again) == (2 if name.endswith(".npz") else 1)


def test_films_have_digests_and_are_made_again_where_they_are_damaged(home, tmp_path):
    job = {"scene": str(home / "room.toml"), "ranges": {"frames": [0, 4]}}
    job["make"] = {"pictures": {"size": [32, 24]}, "video": {"size": [32, 24], "ending": "gif"}}
    out = tmp_path / "out"
    serial(job, out)
    (film,) = out.glob("videos/*.gif")
    whole, time = film.read_bytes(), os.stat(film).st_mtime_ns
    name = f"videos/{film.name}"
    assert manifest_of(out)["videos"] == {name: sha256(whole).hexdigest()}
    assert manifest_of(out)["runs"][0]["videos"] == [name]
    serial(job, out)
    assert os.stat(film).st_mtime_ns == time, "as it was made"
    film.write_bytes(whole[:-9] + bytes(9))
    serial(job, out)
    assert film.read_bytes() == whole
    (out / "manifest.json").write_text("none")
    serial(job, out)
    assert manifest_of(out)["videos"] == {name: sha256(whole).hexdigest()}


def comparable(out):
    return {name: data for name, data in contents(out).items() if not name.endswith(".npz")}


# Dask


@pytest.fixture(name="scheduler")
def scheduler_fixture(tmp_path):
    """A scheduler of its own: its address, its process, and a function that starts a worker."""
    pytest.importorskip("distributed", reason="needs the farm extra")
    dask = [sys.executable, "-m", "dask"]
    log = tmp_path / "scheduler.log"
    processes = []

    def start(*words):
        with log.open("a") as file:
            processes.append(subprocess.Popen([*dask, *words], stdout=file, stderr=file, cwd=tmp_path))
        return processes[-1]

    start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    until = time.monotonic() + 60
    while not (found := re.search(r"Scheduler at:\s+(tcp://127\.0\.0\.1:\d+)", log.read_text())):
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.05)
    address = found[1]
    yield address, processes[0], lambda: start("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    for process in processes:
        process.kill()
        process.wait()


@EXHAUSTIVE
def test_dask_s_workers_make_the_same_bytes(home, made, tmp_path, scheduler):
    address, _, start = scheduler
    start(), start()
    done = ecs_anim("farm", home / "job.toml", "--out", tmp_path / "out", "--dask", address)
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "out") == contents(made)


@EXHAUSTIVE
def test_of_dask_s_workers_one_may_be_killed_and_one_come_late(home, few, tmp_path, scheduler):
    (address, _, start), out = scheduler, tmp_path / "out"
    first = start()
    words = command("farm", home / "few.toml", "--out", out, "--dask", address)
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        begun(out)
        first.kill()
        start()
        _, told = process.communicate(timeout=200)
    assert process.returncode == 0, told
    assert contents(out) == contents(few)


@EXHAUSTIVE
@pytest.mark.parametrize("when", ["before the first task is done", "later"])
def test_a_scheduler_that_is_killed_is_told_in_a_line_and_the_job_goes_on_later(home, few, tmp_path, scheduler, when):
    (address, process, start), out = scheduler, tmp_path / "out"
    if when == "later":
        start()
    words = command("farm", home / "few.toml", "--out", out, "--dask", address)
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as farm:
        if when == "later":
            begun(out)
        until = time.monotonic() + 60
        while not (out / "tasks").is_dir() and time.monotonic() < until:
            time.sleep(0.05)
        process.kill()
        _, told = farm.communicate(timeout=100)
    assert farm.returncode == 2
    assert "the Dask scheduler no longer answers" in told.splitlines()[-1]
    assert "Traceback" not in told
    assert ecs_anim("farm", home / "few.toml", "--out", out, "--workers", "1").returncode == 0
    assert contents(out) == contents(few)


@EXHAUSTIVE
@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("tcp://127.0.0.1:9", ["no Dask scheduler answers at this address", "dask scheduler"]),
        ("no-address", ["tcp://HOST:PORT"]),
    ],
)
def test_addresses_where_nobody_is_are_told(home, tmp_path, address, parts, monkeypatch):
    pytest.importorskip("distributed", reason="needs the farm extra")
    monkeypatch.setattr("ecs_anim.farm.engines.SECONDS", 1)
    with pytest.raises(ea.InputError) as told:
        ea.farm.run(home / "few.toml", tmp_path / "out", dask=address)
    assert all(part in str(told.value) for part in parts)
    assert not (tmp_path / "out").exists()


# Failures

FAULTY = """
from pathlib import Path
class Faulty:
    name = "faulty"
    def run(self, world, dt):
        if world.origin["seed"] == 2 and world.frame > 2:
            with (Path(__file__).parent / "tries").open("a") as file:
                file.write("x")
            raise RuntimeError("out of luck")
"""


@EXHAUSTIVE
def test_a_task_that_fails_three_times_is_told_with_its_log_and_the_others_go_on(tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY)
    system = '[[systems]]\nmodule = "faulty.py"\nsystem = "Faulty"\nafter = "chunks"\n'
    (tmp_path / "room.toml").write_text(SCENE.format(count=2) + system)
    job = 'scene = "room.toml"\nranges = { frames = [0, 20], seeds = [1, 2, 3] }\nmake.measures = ["density"]\n'
    (tmp_path / "job.toml").write_text(job)
    words = ("farm", tmp_path / "job.toml", "--out", tmp_path / "out", "--workers", "1")
    assert_one_line(ecs_anim(*words), "--allow-code")
    assert not (tmp_path / "out").exists()
    done = ecs_anim(*words, "--allow-code")
    assert done.returncode == 1
    assert (tmp_path / "tries").read_text() == "xxx"
    (log,) = (tmp_path / "out/failed").iterdir()
    assert f"ecs-anim: task {log.stem}, density of seed 2, frames 0 to 19, failed. Read its log: {log}" in done.stderr
    assert "out of luck" in log.read_text()
    manifest = manifest_of(tmp_path / "out")
    assert {task["seed"] for task in manifest["tasks"].values()} == {1, 3}
    assert manifest["failed"] == {log.stem: "RuntimeError: out of luck"}


@EXHAUSTIVE
def test_wrong_input_of_a_task_is_told_in_a_line_and_not_tried_again(tmp_path):
    refusing = FAULTY.replace("RuntimeError(", "InputError(").replace(
        "import Path", "import Path\nfrom ecs_anim import InputError"
    )
    (tmp_path / "faulty.py").write_text(refusing)
    system = '[[systems]]\nmodule = "faulty.py"\nsystem = "Faulty"\nafter = "chunks"\n'
    (tmp_path / "room.toml").write_text(SCENE.format(count=2) + system)
    job = 'scene = "room.toml"\nranges = { frames = [0, 20], seeds = [1, 2] }\nmake.measures = ["density"]\n'
    (tmp_path / "job.toml").write_text(job)
    done = ecs_anim("farm", tmp_path / "job.toml", "--out", tmp_path / "out", "--workers", "1", "--allow-code")
    assert done.returncode == 2
    assert (tmp_path / "tries").read_text() == "x"
    (log,) = (tmp_path / "out/failed").iterdir()
    assert f"ecs-anim: task {log.stem}, density of seed 2, frames 0 to 19, failed: out of luck\n" in done.stderr
    assert log.read_text() == "out of luck\n"


def test_each_value_is_tried_once(home, monkeypatch, tmp_path):
    tried = []
    monkeypatch.setattr("ecs_anim.farm.trial._fault", lambda scene, seed, code: tried.append(scene) or "")
    ranges = {"seeds": [1, 2], "crowds.people.count": [2, 3, 4], "crowds.people.layout.radius": [1.6, 1.7]}
    plan = plan_of(job_of({"scene": str(home / "room.toml"), "ranges": ranges, "make": {"trajectories": {}}}))
    require_worlds(plan, plan.tasks, allow_code=False)
    crowds = [scene.model.crowds[0] for scene in tried]
    assert [(crowd.count, crowd.layout.radius) for crowd in crowds] == [(2, 1.6), (2, 1.7), (3, 1.6), (4, 1.6)]
    require_worlds(plan, {}, allow_code=False)
    assert len(tried) == 4


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('scene = "rom.toml"', ["job.toml: scene: ", "rom.toml: the scene file does not exist"]),
        ("x = 1", ["job.toml: x: unknown key"]),
        ('scene = "room.toml"', ["job.toml: make: the job must have at least one output", "measures"]),
        ('ranges."crowds.poeple.count" = [2]', ['ranges."crowds.poeple.count"', "'poeple'", "people"]),
        ('ranges."crowds.people.cuont" = [2]', ["crowds[0].cuont", "did you mean 'count'"]),
        ('ranges."crowds.people.count" = [0]', ['job.toml: ranges."crowds.people.count": crowds[0].count']),
        ('ranges."crowds.people.count" = 2', ["crowds.people.count"]),
        ("ranges.frames = [5, 5]", ["ranges.frames", "[0, 240, 30]"]),
        ("ranges.seeds = [1, 1]", ["ranges.seeds", "each value of a list must occur only once"]),
        (
            'ranges."crowds.people.count" = [3, 3]',
            ["job.toml: ranges.crowds.people.count", "each value of a list must occur only once"],
        ),
        (
            'ranges.cameras = ["camera", "camera"]',
            ["job.toml: ranges.cameras", "each value of a list must occur only once"],
        ),
        (
            'make.measures = ["density", "density"]',
            ["job.toml: make.measures", "each value of a list must occur only once"],
        ),
        (
            'make.dataset.passes = ["rgb", "rgb"]',
            ["job.toml: make.dataset.passes", "each value of a list must occur only once"],
        ),
        ('ranges.cameras = ["door"]', ["job.toml: ranges.cameras: no camera 'door'"]),
        ('make.measures = ["foot"]', ["make.measures[0]", "feet"]),
        ("make.pictures.size = [0, 3]", ["make.pictures.size"]),
        (
            "make.video.size = [63, 35]",
            ["job.toml: make.video.size: an MP4 film must have an even", "63x35", "Use the size 64x36"],
        ),
        ('make.video = { ending = "gif", fps = 60 }', ["at most 50 frames per second"]),
        ('ranges."crowds.people.grounding" = [false]', ["crowds[0].grounding"]),
        (
            "make.flow = { door = [[1, 2], [1, 2]] }",
            ["make.flow.door", "the two points of the measuring line"],
        ),
        ("make.flow = { door = [[1, 2]] }", ["make.flow.door"]),
        (
            "make.trajectories.sample_rate = 7.0",
            ["make.trajectories.sample_rate: frame 1 needs a time step", "Choose a rate"],
        ),
        (
            'ranges."rigs.people.model" = ["mannequin", "no.glb"]',
            ["ranges.\"rigs.people.model\" = 'no.glb'", "no file"],
        ),
        (
            'ranges."crowds.people.layout.radius" = [1.6, 0.1]',
            ['layout.radius" = 0.1: crowds[0].layout', "do not fit into a circle"],
        ),
        ("[[", ["job.toml: not valid TOML"]),
    ],
    ids=str,
)
def test_jobs_that_cannot_be_are_told_before_anything_is_sent(home, tmp_path, text, parts):
    (tmp_path / "room.toml").write_text((home / "room.toml").read_text())
    usual = {"scene": 'scene = "room.toml"', "make": 'make.measures = ["density"]'}
    lines = [line for key, line in usual.items() if not text.startswith(key) and text != usual["scene"]]
    (tmp_path / "job.toml").write_text("\n".join([*lines, text]) + "\n")
    assert_one_line(ecs_anim("farm", tmp_path / "job.toml", "--out", tmp_path / "out"), *parts)
    assert not (tmp_path / "out").exists()


def test_feet_are_measured_of_those_who_have_grounding(tmp_path):
    scene = SCENE.format(count=2).replace("grounding = {}", "")
    (tmp_path / "room.toml").write_text(scene)
    job = {"scene": str(tmp_path / "room.toml"), "make": {"measures": ["feet"]}}
    with pytest.raises(ea.InputError, match="the measure 'feet' needs a crowd with `grounding`"):
        ea.farm.run(job, tmp_path / "out")


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("full", ["the folder must be empty or the folder of a farm"]),
        ("full/file", ["the path must be a folder"]),
        ("nowhere/out", ["does not exist", "Make the folder"]),
    ],
)
def test_folders_that_are_taken_or_cannot_be(home, tmp_path, where, parts):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("mine")
    assert_one_line(ecs_anim("farm", home / "few.toml", "--out", tmp_path / where), *parts)
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "file"]


# Plans, keys, plots


WALKERS = """
frame_rate = 60
[rigs.people]
model = "mannequin"
[[crowds]]
name = "east"
rig = "people"
count = 9
layout = { kind = "grid", columns = 3, spacing = 1.0, center = [-5.0, 0.0] }
heading_degrees = 0.0
clips = [{ name = "walk" }]
locomotion = {}
[[crowds]]
name = "west"
rig = "people"
count = 1
layout = { kind = "grid", center = [5.0, 1.0] }
heading_degrees = 180.0
clips = [{ name = "walk" }]
locomotion = {}
"""


@EXHAUSTIVE
def test_flow_is_counted_over_lines_by_the_way_that_people_go(tmp_path):
    """People start on x = -6, -5 and -4, and from the east on 5. Beside the short line there is one row of three."""
    flow = {"door": [[0.0, -3.0], [0.0, 3.0]], "window": [[0.0, 1.5], [0.0, -0.5]], "wall": [[-20.0, 4.0], [20.0, 4.0]]}
    job = ea.farm.Job(parse_toml(WALKERS, "walkers"), ranges={"frames": [0, 300]}, make={"flow": flow})
    with ea.load_scene(WALKERS) as world:
        before = ea.crowd(world, "east").positions[:, 0].min()
        for _ in range(299):
            world.step(1 / 60)
        gone = ea.crowd(world, "east").positions[:, 0].min() - before
    serial(job, tmp_path / "out")
    (task,) = manifest_of(tmp_path / "out")["tasks"].values()
    figures = task["figures"]
    assert gone > 6
    assert (figures["flow.door.people"], figures["flow.door.people_back"]) == (9, 1)
    # From south to north, the right is the east; the window goes from north to south.
    assert (figures["flow.window.people"], figures["flow.window.people_back"]) == (1, 6)
    assert (figures["flow.wall.people"], figures["flow.wall.per_second"]) == (0, 0)
    speed = gone / (299 / 60)
    assert figures["flow.door.per_second"] == pytest.approx(9 / (2.0 / speed), rel=0.1)
    assert figures["flow.door.per_metre_and_second"] == pytest.approx(figures["flow.door.per_second"] / 6, abs=1e-4)


@EXHAUSTIVE
def test_the_plan_is_told_and_nothing_is_written(home, tmp_path):
    done = ecs_anim("farm", home / "job.toml", "--out", tmp_path / "out", "--plan", "--workers", "3")
    first, second = done.stdout.splitlines()
    counted = "4 states, 8 pictures, 4 dataset, 4 feet, 4 density, 4 profile, 4 trajectories"
    assert first == f"4 runs, 32 tasks: {counted}"
    assert re.fullmatch(r"about \d+ (s|min) with 3 workers, estimated from the first frames of the first run", second)
    assert not (tmp_path / "out").exists()


@EXHAUSTIVE
def test_what_is_done_is_not_planned_again(home, made):
    done = ecs_anim("farm", home / "job.toml", "--out", made, "--plan")
    assert done.stdout.endswith(" (32 are finished)\n")


def test_keys_tell_contents(home, tmp_path):
    """Another name or folder keeps the key. Another file, seed, frame or value changes it."""
    scene = SCENE.format(count=3) + '[walls]\nfile = "hall.wkt"\n'

    def keys(folder, name="room", wall="LINESTRING (30 0, 40 0)", **changes):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "hall.wkt").write_text(wall)
        (tmp_path / folder / f"{name}.toml").write_text(scene)
        job = {"scene": str(tmp_path / folder / f"{name}.toml"), "make": {"pictures": {}}, "frames_per_task": 200}
        return [*plan_of(job_of(job | changes)).tasks]

    first = keys("a")
    assert len(first) == 1
    assert keys("b", "hall") == first
    others = [
        keys("a", wall="LINESTRING (31 0, 40 0)"),
        keys("a", ranges={"seeds": [5]}),
        keys("a", ranges={"frames": [0, 121]}),
        keys("a", ranges={"crowds.people.count": [4]}),
        keys("a", make={"pictures": {"size": [8, 8]}}),
        keys("a", make={"trajectories": {}}),
    ]
    assert len({*first, *(key for own in others for key in own)}) == 1 + len(others)


def test_a_worker_that_sees_other_files_says_so(tmp_path):
    (tmp_path / "hall.wkt").write_text("LINESTRING (30 0, 40 0)")
    (tmp_path / "room.toml").write_text(SCENE.format(count=2) + '[walls]\nfile = "hall.wkt"\n')

    class Elsewhere(ThreadPoolExecutor):
        def submit(self, *given, **named):
            (tmp_path / "hall.wkt").write_text("LINESTRING (31 0, 40 0)")
            return super().submit(*given, **named)

    job = {"scene": str(tmp_path / "room.toml"), "ranges": {"frames": [0, 2]}, "make": {"measures": ["density"]}}
    with Elsewhere(1) as executor:
        (log,) = ea.farm.run(job, tmp_path / "out", executor=executor).failed.values()
    assert "this machine lacks the file, or the file has changed since the job started" in log.read_text()


@EXHAUSTIVE
def test_a_plot_shows_each_run_by_its_parameter(home, made):
    plan = plan_of(job_of(home / "job.toml"))
    rows = rows_of(plan, FarmFolder(made))
    figure = draw_farm(plan, rows)
    titles = [axes.get_title("left") for axes in figure.axes]
    density = figure.axes[titles.index("density, mean [1/m²]")]
    assert density.get_xlabel() or figure.axes[-1].get_xlabel() == "crowds.people.count"
    wanted = {(row["crowds.people.count"], row["density.mean"]) for row in rows if row["kind"] == "density"}
    assert {tuple(point) for point in density.lines[0].get_xydata()} == wanted
    done = ecs_anim("farm", home / "job.toml", "--out", made, "--report")
    assert done.returncode == 0
    assert (made / "report.png").read_bytes().startswith(b"\x89PNG")
    (made / "report.png").unlink()


def test_a_report_needs_something_to_plot(home, tmp_path):
    assert_one_line(ecs_anim("farm", home / "few.toml", "--out", tmp_path / "out", "--report"), "make.measures")


# From Python


def mean_position(world):
    return ea.crowd(world, "people").positions.mean(axis=0).tolist()


@EXHAUSTIVE
def test_a_function_is_called_with_each_run_s_world(home):
    job = {"scene": str(home / "room.toml")}
    job["ranges"] = {"seeds": [*SEEDS], "frames": [3, 4], "crowds.people.count": [*COUNTS]}
    with ThreadPoolExecutor(2) as executor:
        found = ea.farm.map(mean_position, job, executor=executor)
    assert ea.farm.map(mean_position, job) == found  # by processes
    for (count, seed), value in zip(((c, s) for c in COUNTS for s in SEEDS), found, strict=True):
        with world_of(seed, count) as world:
            for _ in range(3):
                world.step(1 / 60)
            assert mean_position(world) == value


def test_scenes_may_stand_in_the_job(tmp_path):
    scene = {"rigs": {"a": {"model": "ball"}}, "crowds": [{"rig": "a", "clips": [{"name": "rest"}]}]}
    job = {"scene": scene, "ranges": {"frames": [0, 2]}, "make": {"trajectories": {}}}
    assert serial(job, tmp_path / "out").failed == {}
    with pytest.raises(ea.InputError, match=r"^<dict>: scene: crowds\[0\]\.rgi: unknown key"):
        ea.farm.run({"scene": {**scene, "crowds": [{"rgi": "a"}]}, "make": {"trajectories": {}}}, tmp_path / "out")


def test_read_scene_is_what_a_shipped_name_means(tmp_path):
    assert job_of('scene = "throng"\nmake.trajectories = {}\n').scene.model == read_scene("throng").model

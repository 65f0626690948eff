"""`ecs-anim report` writes the analysis of a scene or of a recording as one HTML page."""

import hashlib
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ecs_anim.analysis.egress import EgressRun
from ecs_anim.analysis.flows import Line
from ecs_anim.analysis.page import report_page
from ecs_anim.analysis.samples import Samples, samples_of
from ecs_anim.analysis.stairs import stair_crossings
from ecs_anim.analysis.study import Run, Study
from ecs_anim.commands.evacuating import evacuated
from ecs_anim.commands.outputs import write_json
from ecs_anim.commands.plan import Plan, each_given, file_output, read_planned, require_ending
from ecs_anim.commands.report_player import MEGABYTES, player_of
from ecs_anim.commands.sources import family_of
from ecs_anim.commands.walk import WalkOptions, scene_of_recording
from ecs_anim.ecs.world import World
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.exit_names import exit_names
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.walls import PLAN
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import read_text
from ecs_anim.support.pictures import complete_file
from ecs_anim.support.plotting import check_plot_library
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.support.terminal import print_note
from ecs_anim.systems.egress import (
    MOST_SECONDS,
    Egress,
    EgressRecorder,
    Until,
    require_egress_format,
    write_egress,
)
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.trajectory_saving import save_trajectories
from ecs_anim.trajectories import ReadOptions, Recording, recording
from ecs_anim.walls.build import walls_from_text
from ecs_anim.walls.plan import PlanOptions
from ecs_anim.walls.walls import Walls

if TYPE_CHECKING:  # this module imports shapely
    from ecs_anim.storeys.building import Building

SECONDS = 60.0  # default duration of a run
OPTIONS = {"rate": "--sample-rate"}  # options of `ReadOptions` whose names differ from the argument
PROGRAMS = ("ecs-anim", "numpy", "shapely", "matplotlib")


@dataclass(frozen=True)
class ReportOptions:
    """The options of `ecs-anim report`."""

    source: str
    out: Path
    reading: dict[str, Any] = field(default_factory=dict)  # arguments of `ReadOptions`
    walls: Path | None = None
    seconds: float | None = None
    seeds: range | None = None
    actors: int | None = None
    until: Until | None = None
    lines: tuple[tuple[str, Line], ...] = ()
    egress: Path | None = None
    player: bool = True
    player_megabytes: float | None = None
    json_path: str | None = None
    threads: int | None = None
    allow_code: bool = False

    @property
    def outputs(self) -> Plan:
        """Return the plan of the command: the files that it writes, and the rules that its options break."""
        html = (lambda path: require_ending(path, (".html", ".htm"), "a report is an .html file. Name another file."),)
        return Plan(
            outputs=(
                *file_output("--out", self.out, *html, check_plot_library),
                *file_output("--egress", self.egress, require_egress_format),
                *file_output("--json", self.json_path),
            ),
            problems=_same_names(self.lines),
        )


def write_report(options: ReportOptions) -> None:
    """Execute `ecs-anim report`. Raises InputError for wrong input."""
    is_recording = family_of(options.source) == "trajectories"
    study = _recorded(options, Path(options.source)) if is_recording else _simulated(options)
    page = report_page(study)
    with complete_file(options.out) as file:
        file.write(page.encode())
    print_note(f"wrote {options.out}")
    if options.json_path is not None:
        write_json([_figures(own) for run in study.runs for own in (run, *run.floors)], options.json_path)


def _figures(run: Run) -> dict[str, Any]:
    floor = {"floor": run.floor} if run.floor else {}
    return {"seed": run.seed, **floor, **run.summary, "digest": run.digest}


def _recorded(options: ReportOptions, path: Path) -> Study:
    """Return the measurements of a report (a study) on a trajectory file."""
    given: dict[str, object] = {
        "--seconds": options.seconds,
        "--until": options.until,
        "--seeds": options.seeds,
        "--actors": options.actors,
        "--egress": options.egress,
    }
    problems = each_given(given, "{option} applies to scenes only. Leave out {option}, or name a scene")
    plan = options.outputs
    inputs = (path,) if options.walls is None else (path, options.walls)
    Plan(inputs, plan.outputs, (*plan.problems, *problems)).check()
    reading = ReadOptions(**options.reading)
    walls = None if options.walls is None else _walls(options.walls, reading)
    found = recording(path, reading)
    if not (found.has_heights and found.floors):
        runs = [_recorded_run(found, walls, options, "")]
    else:
        runs = [_recorded_run(found.on_floor(own.name), walls, options, own.name) for own in found.floors]
    player = None
    if options.player:
        scene = scene_of_recording(WalkOptions(path, options.reading, walls=options.walls))
        people = samples_of(found, walls=walls)
        player = player_of(scene, people, options.player_megabytes or MEGABYTES, threads=options.threads)
    return Study(path.name, "", runs, _command(), _versions(), player)


def _recorded_run(found: Recording, walls: Walls | None, options: ReportOptions, floor: str) -> Run:
    """Return the people of a recording, or of one floor of a recording."""
    people = samples_of(found, walls=walls)
    return Run(None, people, _digest(people), dict(options.lines), floor=floor)


def _walls(path: Path, reading: ReadOptions) -> Walls:
    """Return the walls of a plan. Raises an InputError that names the path."""
    try:
        return walls_from_text(read_text(path, PLAN), options=PlanOptions(origin=reading.origin or (0.0, 0.0)))
    except InputError as error:
        raise InputError(*(problem.replace("plan:", f"{path}:", 1) for problem in error.problems)) from None


def _simulated(options: ReportOptions) -> Study:
    """Return the measurements of a report (a study) on a scene, with one run for each seed."""
    plan = options.outputs
    problems = each_given(
        {"--walls": options.walls} | {OPTIONS.get(name, f"--{name}"): value for name, value in options.reading.items()},
        "{option} applies to recordings only. Leave out {option}, or name a trajectory file",
    )
    scene = read_planned(Plan((), plan.outputs, (*plan.problems, *problems)), options.source)
    if options.egress is not None and not any(own.steering and own.steering.leave for own in scene.model.crowds):
        raise InputError(
            f"{scene.label}: --egress: no crowd leaves the scene. Add leave = true to the steering of a crowd."
        )
    runs = list[Run]()
    for seed in options.seeds or (None,):
        runs.append(_run(scene, seed, options, has_maps=not runs))
        if options.egress is not None:  # after each run, so that an interruption loses only the present run
            _write_egress(options.egress, runs)
    player = None
    if options.player:
        loading = {"seed": runs[0].seed, **_loading(options)}
        player = player_of(scene, runs[0].people, options.player_megabytes or MEGABYTES, **loading)
    return Study(scene.model.title or scene.label, "", runs, _command(), _versions(), player)


def _run(scene: SceneFile, seed: int | None, options: ReportOptions, *, has_maps: bool) -> Run:
    """Simulate the scene with one seed, and return its people. If `seed` is None, use the seed in the scene file."""
    seed = scene.model.seed if seed is None else seed
    with tempfile.TemporaryDirectory() as folder, load_scene(scene, seed=seed, **_loading(options)) as world:
        building: Building | None = stage_of(world).building
        path = Path(folder) / ("people.csv" if building else "people.sqlite")
        with save_trajectories(world, path):
            found = _simulate(world, scene, seed, options)
        saved = recording(path)
        people = samples_of(saved, end=world.time)
        floors = _floors(saved, building, world.time, seed, options) if building else ()
    egress = None if found is None else EgressRun(seed, found)
    run = Run(seed, people, _digest(people), {} if floors else dict(options.lines), egress, has_maps=has_maps)
    if building is None:
        return run
    stairs = stair_crossings([own.people for own in floors], building)
    return replace(run, floors=[replace(own, has_maps=has_maps) for own in floors], stairs=stairs)


def _floors(saved: Recording, building: "Building", end: float, seed: int, options: ReportOptions) -> list[Run]:
    """Return the people of each storey on which people were present. `end` [s] is the end of the run."""
    found = []
    for storey, name in enumerate(building.storey_names):
        if name in saved.levels:
            on_floor = saved.on_floor(name) if len(saved.levels) > 1 else saved
            people = samples_of(on_floor, end=end, area=building.storey_area(storey).wkt)
            found.append(Run(seed, people, _digest(people), dict(options.lines), floor=name))
    return found


def _simulate(world: World, scene: SceneFile, seed: int, options: ReportOptions) -> list[Egress] | None:
    """Advance the world to the end of the run. Return the actors that left the scene. If no crowd has the key `leave`,
    return None.
    """
    if options.until:
        return evacuated(world, scene, options.seconds or MOST_SECONDS, seed=seed)
    rate, recorder = stage_of(world).frame_rate, EgressRecorder(exit_names(scene.model))
    recorder.take(world)
    for _ in frames_with_progress(round((options.seconds or SECONDS) * rate), f"seed {seed}: simulating"):
        world.step(1 / rate, posed=False)
        recorder.take(world)
    return recorder.found if recorder.records(world) else None


def _write_egress(path: Path, runs: Sequence[Run]) -> None:
    """Write the egress times of `runs` as one table."""
    left = [run.egress for run in runs if run.egress is not None]
    found = [own for run in left for own in run.found]
    write_egress(path, found, [run.seed for run in left for _ in run.found])
    print_note(f"wrote {path}: {len(found)} egress times of {len(left)} run{'' if len(left) == 1 else 's'}")


def _loading(options: ReportOptions) -> dict[str, Any]:
    """Return the arguments of `load_scene` that the options of the user set."""
    return {"actors": options.actors, "threads": options.threads, "allow_code": options.allow_code}


def _digest(people: Samples) -> str:
    """Return the SHA-256 of the ids, times and positions of all people."""
    found = hashlib.sha256("\n".join(people.ids).encode())
    for column in (people.people, people.frames, people.xy):
        found.update(column.astype(column.dtype.newbyteorder("<")).tobytes())
    return found.hexdigest()


def _same_names(lines: tuple[tuple[str, Line], ...]) -> tuple[str, ...]:
    names = [name for name, _ in lines]
    again = sorted({name for name in names if names.count(name) > 1})
    return tuple(
        f"--line: each line must have a different name (got {name!r} twice). Rename one line" for name in again
    )


def _command() -> str:
    return shlex.join(["ecs-anim", *sys.argv[1:]])


def _versions() -> Mapping[str, str]:
    return {"Python": ".".join(map(str, sys.version_info[:3]))} | {name: version(name) for name in PROGRAMS}

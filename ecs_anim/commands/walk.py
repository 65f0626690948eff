"""`ecs-anim walk`: people of a file of trajectories, walking; no scene file is needed."""

import json
import os
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ecs_anim.commands.tables import print_tables
from ecs_anim.commands.window import show_in_window
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import display_available
from ecs_anim.profiling.walking_report import walking_report
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.kernels import import_kernels
from ecs_anim.scenes.loader import SceneFile, parse_scene
from ecs_anim.scenes.recordings import read_recorded
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.walked import View, WalkedScene
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import complete_file, frame_rate_for, require_output, require_writable
from ecs_anim.support.terminal import print_json, print_note
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.filming import Pace, film
from ecs_anim.systems.queries import stage_of
from ecs_anim.trajectories import ReadOptions, Recording, recording

FOLLOWED_FROM = 5.0  # [m]
MOST_REPORTED = 60.0  # [s] that a report is of, where nothing else is said
PICTURED = 0.5  # of the file, after which its picture is taken where nothing else is said


@dataclass(frozen=True)
class WalkOptions:
    """The command's options."""

    file: Path
    unit: str | None
    rate: float | None
    columns: str | None
    axes: str | None
    rig: str
    walls: Path | None
    out: Path | None
    size: tuple[int, int]  # [pixels]
    start: float | None  # [s] of the file
    seconds: float | None
    camera: View
    follow: int | None  # id of a person
    save_scene: Path | None
    report: bool
    json_path: str | None
    threads: int | None


@dataclass
class FollowPerson(Forgetful):
    """A world system that keeps the camera on one actor."""

    row: int
    name: ClassVar[str] = "follow_person"

    def run(self, world: World, dt: float) -> None:
        """Move the camera's target; `dt` is none of its business."""
        camera = stage_of(world).camera
        _, (transforms,) = next(world.query(Transforms))
        x, _, z = transforms.translation[self.row]
        camera.target, camera.distance = np.array([x, 0.9, z], np.float32), FOLLOWED_FROM


def walk_file(options: WalkOptions) -> None:
    """Run the command. Raises InputError."""
    _require_places(options)
    axes = {} if options.axes is None else {"axes": options.axes}
    found = recording(options.file, ReadOptions(options.unit, options.rate, options.columns, **axes))
    if options.save_scene:
        _save(options, found)
    scene = parse_scene(_text(options, found, Path.cwd()), str(options.file), Path.cwd())
    import_kernels(scene.model)
    if options.report:
        _report(options, scene, found)
        if options.out is None:
            return
    with _open(options, scene) as world:
        _show(options, world, found)


def _require_places(options: WalkOptions) -> None:
    if options.json_path is not None and not options.report:
        raise InputError("--json is for figures: give --report with it")
    if options.save_scene:
        if options.save_scene.suffix != ".toml":
            raise InputError(f"{options.save_scene}: a scene file ends in .toml, such as walk.toml")
        require_writable(options.save_scene)
    if options.out:
        require_output(options.out)
    if options.json_path not in (None, "-"):
        require_writable(Path(str(options.json_path)))


def _text(options: WalkOptions, found: Recording, folder: Path) -> str:
    """The scene file, its paths from a folder."""

    def path(file: Path) -> str:
        return os.path.relpath(file, folder).replace(os.sep, "/")

    rig = path(Path(options.rig)) if Path(options.rig).suffix else options.rig
    walls = path(options.walls) if options.walls else None
    read = options.unit, options.rate, options.columns, options.axes
    return WalkedScene(path(options.file), rig, walls, *read, options.camera).text(found)


def _save(options: WalkOptions, found: Recording) -> None:
    assert options.save_scene is not None
    with complete_file(options.save_scene) as file:
        file.write(_text(options, found, options.save_scene.parent).encode("utf-8"))
    print_note(f"wrote {options.save_scene}")


def _open(options: WalkOptions, scene: SceneFile) -> World:
    """The world, its camera on whoever is followed."""
    systems = [] if options.follow is None else [(FollowPerson(_row_of(options.follow, scene)), "before", "dispatch")]
    return load_scene(scene, threads=options.threads, systems=systems)  # type: ignore[arg-type]


def _row_of(person: int, scene: SceneFile) -> int:
    """The actor who is somebody first. Raises InputError."""
    model = scene.model.crowds[0].trajectories
    assert model is not None
    people = read_recorded(model, scene.folder, SceneKey(scene.label, "crowds[0].trajectories")).people
    rows = np.flatnonzero(people == person)
    if not len(rows):
        text = f"{scene.label} has nobody of this id; ids are {people.min()} to {people.max()}"
        raise InputError(f"--follow {person}: {text}")
    return int(rows[0])


def _span(options: WalkOptions, found: Recording, usual: float) -> tuple[float, float]:
    """From when of the scene [s], and for how long, within the file. Raises InputError."""
    begin, end = found.span
    start = begin + usual * (end - begin) if options.start is None else options.start
    if not begin <= start <= end:
        raise InputError(f"--from {start:g}: {options.file} has people from {begin:g} s to {end:g} s")
    return start - begin, min(options.seconds or end - start, end - start)


def _show(options: WalkOptions, world: World, found: Recording) -> None:
    """A picture, a film, or a window."""
    if options.out is None and display_available():
        start, _ = _span(options, found, 0.0)
        world.skip(round(start * stage_of(world).frame_rate), 1 / stage_of(world).frame_rate)
        show_in_window(world, options.size, None)
        return
    path = options.out or Path(f"{options.file.stem}.png")
    is_film = path.suffix.lower() != ".png"
    start, seconds = _span(options, found, 0.0 if is_film else PICTURED)
    rate = stage_of(world).frame_rate
    world.skip(round(start * rate), 1 / rate)
    length = seconds if is_film or options.seconds else 1 / rate
    pace = Pace.of(max(Fraction(length), Fraction(1, rate)), frame_rate_for(path, rate), 1.0, rate)
    film(world, pace, path, size=options.size, clock=True)
    print_note(f"wrote {path}")


def _report(options: WalkOptions, scene: SceneFile, found: Recording) -> None:
    """Figures, as a table or as JSON."""
    start, seconds = _span(replace(options, seconds=options.seconds or MOST_REPORTED), found, 0.0)
    figures = {
        "people": len(found.ids),
        "seconds": round(seconds, 4),
        "format": found.format,
        "assumed": list(found.notes),
        "report": walking_report(scene, start, seconds),
    }
    match options.json_path:
        case None:
            _print(figures)
        case "-":
            print_json(figures)
        case path:
            with complete_file(Path(path)) as file:
                file.write((json.dumps(figures, indent=2) + "\n").encode("ascii"))
            print_note(f"wrote {path}")


def _print(figures: dict[str, Any]) -> None:
    """Each way of walking under its name, and its classes of speed."""
    tables: dict[str, Any] = {"walking": {key: figures[key] for key in ("people", "seconds", "format")}}
    for name, own in figures["report"].items():
        tables[name] = {key: value for key, value in own.items() if key != "classes"}
        tables[f"steps, {name}"] = [{"from": row["from"], **row} for row in own["classes"] if row["person_seconds"]]
    print_tables(tables)

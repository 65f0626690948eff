"""`ecs-anim walk` shows the people in a trajectory file. The command needs no scene file."""

import os
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ecs_anim.commands.outputs import tell_pictures, write_json
from ecs_anim.commands.plan import Plan, each_given, file_output, picture_output, plot_output, require_ending
from ecs_anim.commands.tables import print_tables
from ecs_anim.commands.walk_pictures import SPEEDS, Clocked, FollowPerson, Tint, overlay_of
from ecs_anim.commands.window import show_in_window
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import display_available
from ecs_anim.profiling.validation.walking_plot import draw_walking
from ecs_anim.profiling.validation.walking_report import walking_report
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile, parse_scene
from ecs_anim.scenes.recordings import read_recorded
from ecs_anim.scenes.rigs import MODEL_NAMES
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.walked import View, WalkedScene, busiest, middle_of, require_presence, walked_camera, walked_people
from ecs_anim.support.budgets import require
from ecs_anim.support.errors import InputError, nearest
from ecs_anim.support.pictures import complete_file, frame_rate_for
from ecs_anim.support.plotting import save_plot
from ecs_anim.support.terminal import print_note
from ecs_anim.systems.chunk import Side
from ecs_anim.systems.filming import Addition, Pace, film
from ecs_anim.systems.placement import System
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.speed_tints import TintBySpeed
from ecs_anim.trajectories import ReadOptions, Recording, recording
from ecs_anim.trajectories.columns import shown as listed

MOST_REPORTED = 60.0  # [s], default time span of a report


@dataclass(frozen=True)
class WalkOptions:
    """The options of `ecs-anim walk`."""

    file: Path
    reading: dict[str, Any] = field(default_factory=dict)  # arguments of `ReadOptions`
    rig: str = "mannequin"
    walls: Path | None = None
    out: Path | None = None
    fps: int | None = None  # [1/s]; None = the rate of the file format and the scene
    size: tuple[int, int] = (1280, 720)  # [pixels]
    start: float | None = None  # [s], time in the file
    seconds: float | None = None
    camera: View = "side"
    follow: str | None = None  # id of a person
    tint: Tint = "id"
    save_scene: Path | None = None
    report: bool = False
    json_path: str | None = None
    plot_path: Path | None = None
    threads: int | None = None

    @property
    def read(self) -> ReadOptions:
        """The options for reading the trajectory file."""
        return ReadOptions(**self.reading)


class Shown(NamedTuple):
    """The time span of the trajectory file that the command shows."""

    begin: float  # [s], time in the file
    end: float  # [s], time in the file; a picture shows only the end
    is_film: bool  # true also for a window and a report

    @property
    def framed(self) -> tuple[float, float]:
        """Return the time span [s] for which the camera must show all people."""
        return (self.begin if self.is_film else self.end), self.end


def walk_file(options: WalkOptions) -> None:
    """Execute `ecs-anim walk`. Raises InputError for wrong input."""
    plan_of(options).check()
    found = recording(options.file, options.read)
    shown = _shown(options, found)
    scene = parse_scene(_text(options, found, shown, Path.cwd()), str(options.file), Path.cwd())
    if not shown.is_film and options.start is not None:
        require_presence(found, shown.end)
    figures = _figures(options, scene, found) if options.report else None
    if options.out or (figures is None and (display_available() or not options.save_scene)):
        with _open(options, scene, found) as world:
            _save(options, found, shown)
            _show(options, world, shown, found)
    else:
        _save(options, found, shown)
    if figures is not None:
        _tell(options, figures)


def scene_of_recording(options: WalkOptions) -> SceneFile:
    """Return a scene that shows the people of a recording, from its first to its last sample. Raises InputError for
    wrong input.
    """
    path = options.file
    found = recording(path, options.read)
    begin, seconds = _span(options, found, None)
    return parse_scene(_text(options, found, Shown(begin, begin + seconds, True), Path.cwd()), str(path), Path.cwd())


def plan_of(options: WalkOptions) -> Plan:
    """Return the plan of the command: its inputs and outputs, and the rules that its options break."""
    is_scene = partial(
        require_ending, endings=(".toml",), problem="the name of a scene file must end in .toml, such as walk.toml"
    )
    pictures = () if options.out is None else picture_output(options.out, options.size, options.fps)
    outputs = (
        *pictures,
        *file_output("--save-scene", options.save_scene, is_scene),
        *file_output("--json", options.json_path),
        *plot_output(options.plot_path),
    )
    figures = {} if options.report else {"--json": options.json_path, "--plot": options.plot_path}
    films = {} if options.out else {"--fps": options.fps}
    problems = (
        *each_given(figures, "{option} needs figures. Add --report"),
        *each_given(films, "{option} needs a film. Add --out"),
    )
    inputs: tuple[Path | str, ...] = (options.file, options.rig, *([] if options.walls is None else [options.walls]))
    return Plan(inputs, outputs, problems)


def _text(options: WalkOptions, found: Recording, shown: Shown, folder: Path) -> str:
    """Return the text of a scene file that shows the people. Paths in the text are relative to `folder`."""

    def path(file: Path) -> str:
        return os.path.relpath(file, folder).replace(os.sep, "/")

    rig = options.rig if options.rig in MODEL_NAMES else path(Path(options.rig))
    walls = path(options.walls) if options.walls else None
    camera = walked_camera(found, options.camera, *shown.framed, options.size[0] / options.size[1])
    outline = found.walls[0].wkt if found.walls else None
    return WalkedScene(path(options.file), rig, walls, outline, options.read, camera).text()


def _save(options: WalkOptions, found: Recording, shown: Shown) -> None:
    if options.save_scene is None:
        return
    with complete_file(options.save_scene) as file:
        file.write(_text(options, found, shown, options.save_scene.parent).encode("utf-8"))
    left_out = {"--tint speed": options.tint == "speed", "--follow": options.follow is not None}
    names = " and ".join(name for name, given in left_out.items() if given)
    print_note(
        f"wrote {options.save_scene}"
        + (f" without {names}, because these options apply only to this run" if names else "")
    )


def _open(options: WalkOptions, scene: SceneFile, found: Recording) -> World:
    """Return the world of the scene. If the user gave --follow, the camera follows a person."""
    systems: list[tuple[System, Side, str]] = []
    if options.follow is not None:
        systems.append((FollowPerson(_row_of(_followed(options.follow, found), scene)), "before", "dispatch"))
    if options.tint == "speed":
        systems.append((TintBySpeed(tuple(SPEEDS), tuple(SPEEDS.values())), "before", "dispatch"))
    return load_scene(scene, threads=options.threads, systems=systems)


def _followed(person: str, found: Recording) -> int:
    number = found.number_of(person)
    if number is not None:
        return number
    names = found.names
    known, hint = listed(names) if names else f"{found.ids.min()} to {found.ids.max()}", nearest(person, names)
    raise InputError(f"--follow {person}: {found.path} has no person with this id;{hint} choose one of the ids {known}")


def _row_of(person: int, scene: SceneFile) -> int:
    """Return the row of the first actor that shows the person `person`. Raises InputError if no actor shows this
    person.
    """
    model = scene.model.crowds[0].trajectories
    assert model is not None
    people = read_recorded(model, scene.folder, SceneKey(scene.label, "crowds[0].trajectories")).people
    rows = np.flatnonzero(people == person)
    if not len(rows):
        raise InputError(
            f"{scene.label}: the person of --follow must have at least two samples (got one sample). Name another"
            " person with --follow."
        )
    return int(rows[0])


def _shown(options: WalkOptions, found: Recording) -> Shown:
    """Return the time span to show.

    If the user gave no time, a picture shows the time at which the most people are present.

    Raises InputError.
    """
    out = options.out
    is_film = options.report or display_available() if out is None else out.suffix.lower() != ".png"
    if not is_film and options.start is None and options.seconds is None:
        moment = busiest(found) if options.follow is None else middle_of(_followed(options.follow, found), found)
        return Shown(moment, moment, is_film)
    begin, seconds = _span(options, found, None if is_film else options.seconds or 0.0)
    return Shown(begin, begin + seconds, is_film)


def _span(options: WalkOptions, found: Recording, usual: float | None) -> tuple[float, float]:
    """Return the start [s] and the duration [s] of the time span to show. Raises InputError if the start is outside the
    file.

    The start is a time of the trajectory file. `usual` is the default duration [s]. If `usual` is None, the default
    time span ends with the file.
    """
    first, last = found.span
    begin = first if options.start is None else options.start
    if not first <= begin <= last:
        raise InputError(
            f"--from must be {first:g} s to {last:g} s, the time range of {options.file} (got {begin:g} s)."
            " Choose a time in this range."
        )
    seconds = usual if options.seconds is None else options.seconds
    return begin, last - begin if seconds is None else min(seconds, last - begin)


def _show(options: WalkOptions, world: World, shown: Shown, found: Recording) -> None:
    rate = stage_of(world).frame_rate
    first, last = (round((time - found.span[0]) * rate) for time in (shown.begin, shown.end))
    if options.out is None and shown.is_film:
        _skip(world, first, rate, options.file)
        show_in_window(world, options.size, None)
        return
    path = options.out or Path(f"{options.file.stem}.png")
    _skip(world, first if shown.is_film else max(last - 1, 0), rate, options.file)
    length = Fraction(max(last - first, 1) if shown.is_film else 1, rate)
    pace = Pace.of(length, options.fps or frame_rate_for(path, rate), 1.0, rate)
    film(world, pace, path, size=options.size, addition=_addition(options, world, shown, found))
    tell_pictures(path, asked=options.out is not None)


def _skip(world: World, steps: int, rate: int, path: Path) -> None:
    """Advance the world by `steps` time steps. Raises InputError if the number of time steps exceeds the budget."""
    require("steps", steps, f"{path}: to {steps / rate:.6g} s after its first sample", "cut the file")
    world.skip(steps, 1 / rate)


def _addition(options: WalkOptions, world: World, shown: Shown, found: Recording) -> Addition:
    """Return the overlay with a clock and a legend.

    If the camera follows a person, the function does not know where bodies are in the picture, so the legend can cover
    bodies.
    """
    people = walked_people(found, *shown.framed) if options.follow is None else np.zeros((0, 2, 3))
    clock = Clocked(found.span[0], shown.end)
    return overlay_of(options.tint, options.rig, clock, stage_of(world), options.size, people, found.names)


def _figures(options: WalkOptions, scene: SceneFile, found: Recording) -> dict[str, Any]:
    begin, seconds = _span(options, found, MOST_REPORTED)
    return {
        "people": len(found.ids),
        "seconds": round(seconds, 4),
        "format": found.format,
        "assumed": list(found.notes),
        "report": walking_report(scene, begin - found.span[0], seconds),
    }


def _tell(options: WalkOptions, figures: dict[str, Any]) -> None:
    if options.plot_path:
        title = f"{options.file.name}: how {figures['people']} people walk"
        save_plot(draw_walking(figures["report"], title), options.plot_path)
        print_note(f"wrote {options.plot_path}")
    if options.json_path is None:
        _print(figures)
        return
    write_json(figures, options.json_path)
    if options.json_path != "-":
        print_note(f"wrote {options.json_path}")


def _print(figures: dict[str, Any]) -> None:
    tables: dict[str, Any] = {"walking": {key: figures[key] for key in ("people", "seconds", "format")}}
    for name, own in figures["report"].items():
        tables[name] = {key: value for key, value in own.items() if key != "classes"}
        tables[f"steps, {name}"] = [{"from": row["from"], **row} for row in own["classes"] if row["person_seconds"]]
    tables["notes"] = [{"note": note} for note in figures["assumed"]]
    print_tables(tables)

"""`ecs-anim profile`: figures of a scene, as a table and as JSON."""

import json
from dataclasses import dataclass
from pathlib import Path

import click

from ecs_anim.errors import InputError
from ecs_anim.pictures import told
from ecs_anim.profiling.measure import measure
from ecs_anim.profiling.report import Report, as_json, print_table
from ecs_anim.scenes.loader import SceneFile, read_scene


@dataclass(frozen=True)
class ProfileOptions:
    """The command's options."""

    scene: str
    frames: int
    warmup: int
    actors: list[int] | None
    no_draw: bool
    size: tuple[int, int]  # [pixels]
    seed: int | None
    threads: int | None
    json_path: str | None
    compare_crowd_options: bool
    allow_code: bool


def profile_scene(options: ProfileOptions) -> None:
    """Run the command. Raises InputError."""
    if options.json_path and options.json_path != "-" and not Path(options.json_path).parent.is_dir():
        raise InputError(f"{options.json_path}: there is no such folder; make it, or name another place")
    scene = read_scene(options.scene)
    if options.compare_crowd_options:
        _compare(scene, options)
        return
    counts: list[int | None] = [*options.actors] if options.actors else [None]
    reports = [
        measure(
            scene,
            options.scene,
            actors=count,
            seed=options.seed,
            threads=options.threads,
            frames=options.frames,
            warmup=options.warmup,
            size=None if options.no_draw else options.size,
            allow_code=options.allow_code,
        )
        for count in counts
    ]
    if options.json_path != "-":
        for report in reports:
            print_table(report)
    if options.json_path:
        _write_json(reports, options.json_path)


def _compare(scene: SceneFile, options: ProfileOptions) -> None:
    """The crowds of a scene, drawn with one option after the other."""
    if options.no_draw:
        raise InputError("--compare-crowd-options compares what is drawn; leave out --no-draw")
    from ecs_anim.profiling.crowd_options import as_data, compare_options, print_options

    counts: list[int | None] = [*options.actors] if options.actors else [None]
    all_figures = []
    for count in counts:
        figures = compare_options(
            scene,
            actors=count,
            seed=options.seed,
            threads=options.threads,
            rounds=options.frames,
            size=options.size,
        )
        all_figures.append(as_data(figures))
        if options.json_path != "-":
            print_options(figures, f"{options.scene}: {count or 'its'} actors, {options.frames} rounds")
    if options.json_path:
        _write(all_figures[0] if len(counts) == 1 else all_figures, options.json_path)


def _write_json(reports: list[Report], path: str) -> None:
    """One object for one count, a list for several."""
    data = [as_json(report) for report in reports]
    _write(data[0] if len(data) == 1 else data, path)


def _write(data: object, path: str) -> None:
    text = json.dumps(data, indent=2)
    if path == "-":
        click.echo(text)
    else:
        with told(Path(path)):
            Path(path).write_text(text + "\n", "utf-8")

"""`ecs-anim profile`: figures of a scene, as a table and as JSON."""

import json
from dataclasses import dataclass
from pathlib import Path

import click

from ecs_anim.errors import InputError
from ecs_anim.pictures import told
from ecs_anim.profiling.measure import measure
from ecs_anim.profiling.report import Report, as_json, print_table
from ecs_anim.scenes.loader import read_scene


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
    allow_code: bool


def profile_scene(options: ProfileOptions) -> None:
    """Run the command. Raises InputError."""
    if options.json_path and options.json_path != "-" and not Path(options.json_path).parent.is_dir():
        raise InputError(f"{options.json_path}: there is no such folder; make it, or name another place")
    scene = read_scene(options.scene)
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


def _write_json(reports: list[Report], path: str) -> None:
    """One object for one count, a list for several."""
    data = [as_json(report) for report in reports]
    text = json.dumps(data[0] if len(data) == 1 else data, indent=2)
    if path == "-":
        click.echo(text)
    else:
        with told(Path(path)):
            Path(path).write_text(text + "\n", "utf-8")

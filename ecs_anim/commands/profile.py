"""`ecs-anim profile`: figures of a scene, as a table, as JSON, as a trace, as a plot, and against a baseline."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecs_anim.profiling.against import (
    Data,
    compare,
    print_ratios,
    ratios_as_json,
    read_baseline,
    require_actors,
    verdict,
)
from ecs_anim.profiling.measure import measure
from ecs_anim.profiling.plot import plot_reports
from ecs_anim.profiling.plotting import check_plot_path
from ecs_anim.profiling.report import Report, as_json
from ecs_anim.profiling.table import print_table
from ecs_anim.profiling.trace import write_trace
from ecs_anim.scenes.loader import SceneFile, read_scene
from ecs_anim.scenes.starting import Start
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import complete_file, require_writable
from ecs_anim.support.terminal import print_json, print_note

FRAMES, ROUNDS = 120, 15  # measured frames, and pictures with each option of a crowd


@dataclass(frozen=True)
class ProfileOptions:
    """The command's options."""

    scene: str
    frames: int | None  # None = FRAMES, or ROUNDS
    warmup: int
    actors: list[int] | None
    no_draw: bool
    from_frame: int | None
    from_snapshot: Path | None
    size: tuple[int, int]  # [pixels]
    seed: int | None
    threads: int | None
    json_path: str | None
    trace_path: Path | None
    plot_path: Path | None
    against: Path | None
    threshold: float
    compare_crowd_options: bool
    allow_code: bool

    @property
    def prints(self) -> bool:
        """Whether tables go to standard output, which JSON has for itself."""
        return self.json_path != "-"

    @property
    def drawn_size(self) -> tuple[int, int] | None:
        """Of the pictures [pixel], None = nothing is drawn."""
        return None if self.no_draw else self.size


def profile_scene(options: ProfileOptions) -> None:
    """Run the command. Raises InputError; exits with 1 where the run is slower than its baseline allows."""
    _check_paths(options)
    scene = read_scene(options.scene)
    if options.compare_crowd_options:
        _compare_crowds(scene, options)
        return
    counts = options.actors or [sum(crowd.count for crowd in scene.model.crowds)]
    known = counts if options.from_snapshot is None else []  # of actors: a snapshot may hold others
    baseline = read_baseline(options.against, options.scene, known, options.drawn_size) if options.against else {}
    reports = [_measure(scene, options, count if options.actors else None) for count in counts]
    data = [as_json(report) for report in reports]
    if options.prints:
        for report in reports:
            print_table(report)
    beyond = _hold_against(data, baseline, options) if baseline else []
    if options.json_path:
        _write_json(data[0] if len(data) == 1 else data, options.json_path)
    _write_pictures(reports, options)
    if beyond:
        print_note(f"ecs-anim: slower than {options.against}: {'; '.join(beyond)}")
        sys.exit(1)


def _check_paths(options: ProfileOptions) -> None:
    """All files that shall be written, before anything is measured."""
    if options.compare_crowd_options and (options.trace_path or options.plot_path or options.against):
        raise InputError("--compare-crowd-options has no --trace, --plot or --against; leave them out")
    if options.compare_crowd_options and (options.from_frame is not None or options.from_snapshot):
        raise InputError(
            "--compare-crowd-options begins at the first frame; leave out --from-frame and --from-snapshot"
        )
    for path in (options.json_path, options.trace_path, options.plot_path):
        if path and path != "-":
            require_writable(Path(path))
    if options.plot_path:
        check_plot_path(options.plot_path)


def _measure(scene: SceneFile, options: ProfileOptions, actors: int | None) -> Report:
    return measure(
        scene,
        options.scene,
        actors=actors,
        seed=options.seed,
        threads=options.threads,
        frames=options.frames or FRAMES,
        warmup=options.warmup,
        size=options.drawn_size,
        allow_code=options.allow_code,
        keeps_spans=options.trace_path is not None,
        start=Start(options.from_frame, options.from_snapshot),
    )


def _hold_against(data: list[dict[str, Any]], baseline: dict[int, Data], options: ProfileOptions) -> list[str]:
    """Print ratios and add them to the figures; returns what is slower than allowed, in words."""
    from ecs_anim.support.console import Console

    beyond = []
    for run in data:
        require_actors(baseline, [run["actors"]], options.against)
        ratios = compare(run, baseline[run["actors"]])
        title = f"{run['scene']}, {run['actors']:,} actors, against {options.against}"
        print_ratios(ratios, title, options.threshold, Console(stderr=not options.prints))
        run["against"] = ratios_as_json(ratios, Path(str(options.against)), options.threshold)
        if words := verdict(ratios, options.threshold):
            beyond.append(f"{run['actors']:,} actors: {words} (allowed {options.threshold:g})")
    return beyond


def _write_pictures(reports: list[Report], options: ProfileOptions) -> None:
    if options.trace_path:
        shown = write_trace(reports, options.trace_path)
        total = sum(len(report.frames) for report in reports)
        which = "all" if shown == total else f"the first {shown} of"
        print_note(f"wrote {options.trace_path}: {which} {total} frames; ui.perfetto.dev opens it")
    if options.plot_path:
        plot_reports(reports, options.plot_path)
        print_note(f"wrote {options.plot_path}")


def _compare_crowds(scene: SceneFile, options: ProfileOptions) -> None:
    """The crowds of a scene, drawn with one option after the other."""
    if options.no_draw:
        raise InputError("--compare-crowd-options compares what is drawn; leave out --no-draw")
    from ecs_anim.profiling.crowd_options import as_data, compare_options, print_options

    data = []
    counts: list[int | None] = [*options.actors] if options.actors else [None]
    for count in counts:
        figures = compare_options(
            scene,
            actors=count,
            seed=options.seed,
            threads=options.threads,
            rounds=options.frames or ROUNDS,
            size=options.size,
        )
        if options.prints:
            print_options(figures, f"{options.scene}: {count or 'its'} actors, {options.frames or ROUNDS} rounds")
        data.append(as_data(figures))
    if options.json_path:
        _write_json(data[0] if len(data) == 1 else data, options.json_path)


def _write_json(data: object, path: str) -> None:
    if path == "-":
        print_json(data)
    else:
        with complete_file(Path(path)) as partial:
            partial.write(f"{json.dumps(data, indent=2)}\n".encode())

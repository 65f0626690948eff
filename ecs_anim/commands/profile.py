"""`ecs-anim profile` measures a scene.

The command writes a table, JSON, a trace or a plot. The command can also compare these measurements with a baseline.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecs_anim.commands.outputs import write_json
from ecs_anim.commands.plan import Plan, each_given, file_output, plot_output, read_planned
from ecs_anim.profiling.against import (
    Data,
    compare,
    print_ratios,
    ratios_as_json,
    read_baseline,
    require_actors,
    verdict,
)
from ecs_anim.profiling.alternated import Side, as_data, measure_alternated
from ecs_anim.profiling.measure import measure
from ecs_anim.profiling.plot import plot_reports
from ecs_anim.profiling.report import Report, as_json
from ecs_anim.profiling.table import print_compared, print_table
from ecs_anim.profiling.trace import write_trace
from ecs_anim.scenes.loader import SceneFile, read_scene
from ecs_anim.scenes.shipped import shipped_checks, shipped_scenes
from ecs_anim.scenes.starting import Start
from ecs_anim.support.files import file_type
from ecs_anim.support.known_types import Family
from ecs_anim.support.terminal import print_note

FRAMES, ROUNDS = 120, 15  # default numbers of measured frames, and of pictures for each crowd option
THRESHOLD = 1.25  # default limit of ratios to a baseline
SCENE = ".toml"  # file ending by which a missing scene file is recognized


@dataclass(frozen=True)
class ProfileOptions:
    """The options of `ecs-anim profile`."""

    scene: str
    frames: int | None  # None = FRAMES or ROUNDS
    warmup: int
    actors: tuple[int, ...]  # empty = the scene's number
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
    threshold: float | None  # None = THRESHOLD, or no limit for two sides that are measured in turns
    compare_crowd_options: bool
    allow_code: bool

    @property
    def counts(self) -> list[int | None]:
        """The numbers of actors for which the command measures the scene. None means the number in the scene file."""
        return [*self.actors] if self.actors else [None]

    @property
    def prints(self) -> bool:
        """True if the command prints tables. The command prints no tables if JSON goes to standard output."""
        return self.json_path != "-"

    @property
    def drawn_size(self) -> tuple[int, int] | None:
        """The size of the pictures [pixel], or None if the command draws no pictures."""
        return None if self.no_draw else self.size

    @property
    def other_scene(self) -> str | None:
        """The second scene of a comparison, or None. The command measures both scenes alternately."""
        name = str(self.against)
        is_scene = name in (*shipped_scenes(), *shipped_checks()) or self._against_family in ("scene", "toml")
        return name if self.against and is_scene else None

    @property
    def other_snapshot(self) -> Path | None:
        """The second snapshot of a comparison, or None. The command measures both runs alternately."""
        return self.against if self._against_family == "snapshot" else None

    @property
    def _against_family(self) -> Family | None:
        """The family of file types of `ProfileOptions.against`, or None without a comparison file.

        If the file does not exist and its name ends in .toml, its family is "scene".
        """
        if self.against is None or os.path.isfile(self.against):
            return None if self.against is None else file_type(self.against).family
        return "scene" if self.against.suffix == SCENE else None

    @property
    def alternates(self) -> bool:
        """True if the command measures two scenes or snapshots alternately."""
        return bool(self.other_scene or self.other_snapshot)


def profile_scene(options: ProfileOptions) -> None:
    """Execute `ecs-anim profile`. Raises InputError for wrong input. The exit code is 1 if the run is slower than the
    threshold allows.
    """
    scene = read_planned(plan_of(options), options.scene)
    if options.compare_crowd_options:
        _compare_crowds(scene, options)
        return
    if options.alternates:
        _alternate(scene, options)
        return
    counts = list(options.actors) or [sum(crowd.count for crowd in scene.model.crowds)]
    known = counts if options.from_snapshot is None else []  # actor numbers; a snapshot can have another number
    baseline = read_baseline(options.against, options.scene, known, options.drawn_size) if options.against else {}
    reports = [_measure(scene, options, count if options.actors else None) for count in counts]
    data = [as_json(report) for report in reports]
    if options.prints:
        for report in reports:
            print_table(report)
    beyond = _hold_against(data, baseline, options) if baseline else []
    _write_json(data, options)
    _write_pictures(reports, options)
    _exit_where_slower(beyond, options)


def plan_of(options: ProfileOptions) -> Plan:
    """Return the plan of the command: its outputs, and the rules that its options break."""
    trace = file_output("--trace", options.trace_path)
    outputs = (*file_output("--json", options.json_path), *trace, *plot_output(options.plot_path))
    return Plan(outputs=outputs, problems=tuple(_problems(options)))


def _problems(options: ProfileOptions) -> Iterator[str]:
    """Yield an error line for each option that conflicts with another option."""
    pictures = {"--trace": options.trace_path, "--plot": options.plot_path}
    starts = {"--from-frame": options.from_frame, "--from-snapshot": options.from_snapshot}
    if options.compare_crowd_options:
        excluded = pictures | {"--against": options.against}
        yield from each_given(excluded, "--compare-crowd-options must not be given with {option}. Leave out {option}")
        yield from each_given(
            starts, "--compare-crowd-options starts at the first frame, so {option} has no effect. Leave out {option}"
        )
        no_draw = {"--no-draw": options.no_draw}
        yield from each_given(
            no_draw, "--compare-crowd-options needs pictures, but {option} draws none. Leave out {option}"
        )
    elif options.alternates:
        yield from each_given(
            pictures, "{option} must not be given if --against names a scene or a snapshot. Leave out {option}"
        )


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
    """Print the ratios of frame times to the baseline, and add the ratios to `data`.

    Return an error text for each ratio above the limit.
    """

    beyond = []
    for run in data:
        require_actors(baseline, [run["actors"]], options.against)
        ratios = compare(run, baseline[run["actors"]])
        title = f"{run['scene']}, {run['actors']:,} actors, against {options.against}"
        threshold = options.threshold or THRESHOLD
        print_ratios(ratios, title, threshold, stderr=not options.prints)
        run["against"] = ratios_as_json(ratios, Path(str(options.against)), threshold)
        if words := verdict(ratios, threshold):
            beyond.append(f"{run['actors']:,} actors: {words} (allowed {threshold:g})")
    return beyond


def _alternate(scene: SceneFile, options: ProfileOptions) -> None:
    other = read_scene(options.other_scene) if options.other_scene else scene
    labels = [f"{options.scene}, {path}" if path else name for name, path in _starts(options)]
    starts = [Start(options.from_frame, path) for _, path in _starts(options)]
    data, beyond = [], []
    for count in options.counts:
        sides = [Side(*own, count, options.seed) for own in zip(labels, (scene, other), starts, strict=True)]
        reports = measure_alternated(
            (sides[0], sides[1]),
            threads=options.threads,
            frames=options.frames or FRAMES,
            warmup=options.warmup,
            size=options.drawn_size,
            allow_code=options.allow_code,
        )
        data.append(as_data(*reports))
        print_compared(data[-1], stderr=not options.prints)
        ratio = data[-1]["frame"]["ratio"]["median"]
        if options.threshold and ratio > options.threshold:
            beyond.append(f"frame {ratio:.2f} (allowed {options.threshold:g})")
    _write_json(data, options)
    _exit_where_slower(beyond, options)


def _starts(options: ProfileOptions) -> tuple[tuple[str, Path | None], tuple[str, Path | None]]:
    """For each of the two compared runs, return the name of the scene and the snapshot (None = no snapshot)."""
    return (options.scene, options.from_snapshot), (options.other_scene or options.scene, options.other_snapshot)


def _exit_where_slower(beyond: Sequence[str], options: ProfileOptions) -> None:
    if beyond:
        print_note(f"ecs-anim: slower than {options.against}: {'; '.join(beyond)}")
        sys.exit(1)


def _write_json(data: list[Any], options: ProfileOptions) -> None:
    """Write the figures of one run as JSON. If the command measured several runs, write a list of their figures."""
    if options.json_path:
        write_json(data[0] if len(data) == 1 else data, options.json_path)


def _write_pictures(reports: list[Report], options: ProfileOptions) -> None:
    if options.trace_path:
        shown = write_trace(reports, options.trace_path)
        total = sum(len(report.frames) for report in reports)
        which = "all" if shown == total else f"the first {shown} of"
        print_note(f"wrote {options.trace_path}: {which} {total} frames. Open the file in ui.perfetto.dev")
    if options.plot_path:
        plot_reports(reports, options.plot_path)
        print_note(f"wrote {options.plot_path}")


def _compare_crowds(scene: SceneFile, options: ProfileOptions) -> None:
    from ecs_anim.profiling.crowd_options import as_data, compare_options, print_options

    data = []
    for count in options.counts:
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
    _write_json(data, options)

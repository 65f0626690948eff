"""`ecs-anim run` shows a scene in a window or writes files.

This module imports a rarely used module only when a command needs this module.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from time import perf_counter

from ecs_anim.commands.duration import Duration
from ecs_anim.commands.evacuating import evacuated
from ecs_anim.commands.outputs import tell_pictures
from ecs_anim.commands.plan import Outputs, Plan, each_given, file_output, pass_outputs, picture_output, read_planned
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import display_available
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.shipped import scenes_beside
from ecs_anim.scenes.starting import Start, open_world, skipping_text
from ecs_anim.support.clock import with_clock
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import frame_rate_for
from ecs_anim.support.progress import frames_with_progress, progress_told
from ecs_anim.support.terminal import print_line, print_note
from ecs_anim.systems.egress import (
    MOST_SECONDS,
    Until,
    egress_summary,
    require_egress_format,
    write_egress,
)
from ecs_anim.systems.filming import Pace, film
from ecs_anim.systems.following import follow_camera
from ecs_anim.systems.overlays import Floor
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.systems.rendering import size_of
from ecs_anim.view.follow import Follow
from ecs_anim.view.label_passes import BY_NAME, LabelPass
from ecs_anim.view.overlay_names import FloorKind, OverlayName
from ecs_anim.view.pass_files import pass_paths

HEADLESS_FRAMES = 120
LEAVE_OUT = "Leave out one of these options"
# two options that exclude each other (fields of RunOptions), and the reason with the fix
CONFLICTS = (
    ("camera", "follow", f"which uses its own camera. {LEAVE_OUT}"),
    ("overlays", "passes", f"because overlays would change the exact numbers of passes. {LEAVE_OUT}"),
    ("floor", "passes", f"because the floor map would change the exact numbers of passes. {LEAVE_OUT}"),
    (
        "clock",
        "passes",
        "because a clock would change the exact numbers of passes. The JSON file of each pass contains the time",
    ),
)


@dataclass(frozen=True)
class RunOptions:
    """The options of `ecs-anim run`."""

    scene: str
    frames: int | None = None
    seconds: float | None = None
    headless: bool = False
    size: tuple[int, int] | None = None  # [pixels]; None = the camera's size
    camera: str | None = None  # name of a scene camera; None = the default camera
    follow: tuple[str, int | None] | None = None  # crowd and actor id to follow; the id None = the first actor
    behind: bool = False
    overlays: tuple[OverlayName, ...] = ()
    floor: FloorKind | None = None
    storeys: range | None = None  # numbers of the storeys to draw; None = all storeys
    out: Path | None = None
    speed: float | None = None  # None = 1
    fps: int | None = None  # [1/s]; None = the rate of the file format and the scene
    clock: bool = False
    actors: int | None = None
    seed: int | None = None
    no_draw: bool = False
    passes: tuple[str, ...] = ()  # names of label passes; empty = a picture
    from_frame: int | None = None
    from_snapshot: Path | None = None
    until: Until | None = None
    egress: Path | None = None
    save: Path | None = None
    save_trajectories: Path | None = None
    sample_rate: float | None = None  # [1/s]
    trajectory_crowds: tuple[str, ...] = ()  # names; empty = all crowds
    threads: int | None = None
    allow_code: bool = False

    @property
    def duration(self) -> Duration:
        """The length of the run."""
        return Duration(self.frames, self.seconds)

    @property
    def only_trajectories(self) -> bool:
        """True if the user requests only trajectories. The command then draws no pictures."""
        return self.save_trajectories is not None and self.out is None and not self.passes

    @property
    def pictures(self) -> Path | None:
        """The path of the pictures or label passes, or None if the command writes neither."""
        if self.no_draw or self.only_trajectories or self.until:
            return None
        if not (self.passes or self.headless or self.out or not display_available()):
            return None
        name = Path(self.scene).stem
        if self.out is None and len(self.passes) == 1:
            return Path(f"{name}_{self.passes[0]}{BY_NAME[self.passes[0]].ending}")
        return self.out or Path(f"{name}.png")

    @property
    def pass_paths(self) -> Mapping[LabelPass, Path]:
        """The path of each label pass."""
        return pass_paths(self.pictures, [BY_NAME[name] for name in self.passes]) if self.pictures else {}


def run_scene(options: RunOptions) -> None:
    """Execute `ecs-anim run`. Raises InputError for wrong input."""
    scene = read_planned(plan_of(options), options.scene)
    with _open(options, scene) as world, _saving_trajectories(world, options):
        _show_storeys(world, options.storeys)
        if options.until:
            _empty(world, options, scene)
        else:
            with _camera(world, options) as camera:
                _run(world, options, options.duration.steps(stage_of(world).frame_rate), camera)
        if options.save:
            world.save(options.save)
            print_note(f"wrote {options.save}: frame {world.frame}")


def plan_of(options: RunOptions) -> Plan:
    """Return the plan of the command: its outputs, and the rules that its options break."""
    trajectories = file_output("--save-trajectories", options.save_trajectories, _require_trajectory_format)
    egress = file_output("--egress", options.egress, require_egress_format)
    outputs = (*file_output("--save", options.save), *trajectories, *egress, *_picture_outputs(options))
    return Plan(outputs=outputs, problems=(*options.duration.problems, *_problems(options)))


def _picture_outputs(options: RunOptions) -> Outputs:
    if options.pictures is None:
        return ()
    if options.passes:
        return pass_outputs(options.pass_paths, options.size, options.fps)
    return picture_output(options.pictures, options.size, options.fps)


def _problems(options: RunOptions) -> Iterator[str]:
    """Yield an error line for each option that conflicts with another option."""
    yield from _unused_picture_options(options)
    for first, second, reason in CONFLICTS:
        if getattr(options, first) and getattr(options, second):
            yield f"{_option(first)} must not be given with {_option(second)}, {reason}"
    if options.behind and not options.follow:
        yield "--behind needs an actor. Add --follow CROWD:ID"
    if options.floor and "density" in options.overlays:
        yield (
            "--floor must not be given with --overlay density, because the density would cover the floor map. Leave "
            "out one of these options"
        )
    if not options.until:
        egress = {"--egress": options.egress}
        yield from each_given(egress, "{option} needs the egress times of all actors. Add --until empty")
    if not options.save_trajectories:
        of_trajectories = {"--sample-rate": options.sample_rate, "--trajectory-crowd": options.trajectory_crowds}
        yield from each_given(of_trajectories, "{option} needs trajectories. Add --save-trajectories FILE")


def _option(field: str) -> str:
    """Return the option of a field. Fields of options that users can repeat have plural names."""
    return "--" + {"overlays": "overlay", "passes": "pass"}.get(field, field)


def _unused_picture_options(options: RunOptions) -> Iterator[str]:
    """Yield an error line for each option of pictures or films if the command makes no pictures or no film."""
    fps, floor = {"--fps": options.fps}, {"--floor": options.floor}
    of_pictures: dict[str, object] = {
        "--pass": options.passes,
        "--out": options.out,
        "--camera": options.camera,
        "--follow": options.follow,
        "--overlay": options.overlays,
        **floor,
        "--storeys": options.storeys,
        "--size": options.size,
        "--speed": options.speed,
        "--clock": options.clock,
        **fps,
    }
    if options.until:
        starts = {"--from-frame": options.from_frame, "--from-snapshot": options.from_snapshot}
        no_pictures = "{option} needs pictures, but --until draws no pictures. Leave out one of these options"
        late_start = "{option} must not be given with --until, because --until starts at the first frame"
        yield from (*each_given(of_pictures, no_pictures), *each_given(starts, late_start))
    elif options.no_draw:
        rule = "{option} needs pictures, but --no-draw draws no pictures. Leave out one of these options"
        yield from each_given(of_pictures, rule)
    elif options.only_trajectories:
        rule = "{option} needs pictures, but --save-trajectories without --out draws no pictures. Add --out"
        yield from each_given(of_pictures, rule)
    elif options.pictures is None:
        yield from each_given(fps, "{option} needs a film. Add --out")
        yield from each_given(floor, "{option} needs pictures. Add --out")


def _run(world: World, options: RunOptions, steps: int | None, camera: str | None) -> None:
    """Step the world, and show or write the requested outputs. `camera` is the name of the camera.

    If the user gave no duration, `steps` is None.
    """
    if options.only_trajectories:
        _skip_ahead(world, steps or HEADLESS_FRAMES)
    elif options.no_draw:
        _simulate(world, steps or HEADLESS_FRAMES)
    elif options.pictures is None:
        from ecs_anim.commands.window import SceneMenu, show_in_window

        size = size_of(world, camera, options.size)
        menu = SceneMenu(scenes_beside(options.scene), partial(_load, options), str(Path(options.scene)))
        show_in_window(world, size, steps, options.speed or 1.0, camera, options.overlays, menu=menu)
    else:
        _draw_to_files(world, options, options.pictures, steps or HEADLESS_FRAMES, camera)


def _floor(world: World, kind: FloorKind | None) -> AbstractContextManager[Floor | None]:
    """Return a map of the kind `kind` on the floor, or None if `kind` is None."""
    if kind is None:
        return nullcontext()
    from ecs_anim.analysis.floor import FloorMap

    return FloorMap(world, kind)


def _draw_to_files(world: World, options: RunOptions, path: Path, steps: int, camera: str | None) -> None:
    """Simulate `steps` time steps, and write label passes or pictures. `camera` is the name of the camera."""
    size = size_of(world, camera, options.size)
    frame_rate = stage_of(world).frame_rate
    fps = options.fps or frame_rate_for(path, frame_rate)
    pace = Pace.of(Fraction(steps, frame_rate), fps, options.speed or 1.0, frame_rate)
    if options.passes:
        from ecs_anim.commands.passes import write_passes

        write_passes(world, options.pass_paths, size, pace, camera)
        return
    addition = with_clock if options.clock else None
    with _floor(world, options.floor) as floor:
        film(world, pace, path, size=size, addition=addition, camera=camera, overlays=options.overlays, floor=floor)
    tell_pictures(path, asked=options.headless or options.out is not None)


def _show_storeys(world: World, storeys: range | None) -> None:
    """Hide all storeys that are not in `storeys` in pictures and windows. Raises InputError if the scene has no such
    storey.
    """
    stage = stage_of(world)
    if storeys is None:
        return
    if not stage.storeys:
        text = "--storeys needs a scene with [[levels]], or a recording with several floors. Leave out --storeys."
        raise InputError(text)
    if storeys.start >= len(stage.storeys):
        most = len(stage.storeys) - 1
        raise InputError(
            f"--storeys: the number of a storey must be 0 to {most} (got {storeys.start}). Name other storeys."
        )
    stage.shown_storeys = storeys


@contextmanager
def _camera(world: World, options: RunOptions) -> Iterator[str | None]:
    """Yield the name of the requested camera. During the `with` block, the camera can follow an actor."""
    if options.follow is None:
        yield options.camera
        return
    crowd, actor_id = options.follow
    with follow_camera(world, Follow(crowd, actor_id, azimuth_from="heading" if options.behind else "north")) as name:
        yield name


@contextmanager
def _saving_trajectories(world: World, options: RunOptions) -> Iterator[None]:
    path = options.save_trajectories
    if path is None:
        yield
        return
    from ecs_anim.systems.trajectory_saving import save_trajectories

    crowds = options.trajectory_crowds or None
    with save_trajectories(world, path, sample_rate=options.sample_rate, crowds=crowds) as saved:
        yield
    print_note(f"wrote {path}: {saved.frames} frames, {saved.sample_rate:g} per second, {saved.samples} positions")


def _open(options: RunOptions, scene: SceneFile) -> World:
    world = open_world(
        scene,
        Start(options.from_frame, options.from_snapshot),
        actors=options.actors,
        seed=options.seed,
        threads=options.threads,
        allow_code=options.allow_code,
    )
    if options.from_frame is not None:
        print_note(f"ecs-anim: {skipping_text(world)}")
    return world


def _load(options: RunOptions, name: str) -> World:
    """Load a scene that the user has chosen in the window.

    Options that change the scene, such as --actors, do not apply to this scene, because the user gave them for the
    first scene.
    """
    return load_scene(name, threads=options.threads, allow_code=options.allow_code)


def _simulate(world: World, steps: int) -> None:
    """Simulate `steps` time steps with poses, and print the computing time per time step."""
    begin = perf_counter()
    dt = 1 / stage_of(world).frame_rate
    for _ in frames_with_progress(steps, "simulating"):
        world.step(dt)
    spent = perf_counter() - begin
    print_note(f"{actor_count(world)} actors, {steps} frames in {spent:.2f} s ({1000 * spent / steps:.2f} ms a frame)")


def _skip_ahead(world: World, steps: int) -> None:
    """Simulate `steps` time steps. To save time, the world computes only the poses on which later poses depend."""
    with progress_told(steps, "simulating") as advance:
        world.skip(steps, 1 / stage_of(world).frame_rate, advance)


def _empty(world: World, options: RunOptions, scene: SceneFile) -> None:
    """Simulate until all actors have left, write the table of egress times, and print a summary."""
    rate = stage_of(world).frame_rate
    steps = options.duration.steps(rate) or round(MOST_SECONDS * rate)
    found = evacuated(world, scene, steps / rate)
    for name, figures in egress_summary(found):
        times = f"mean {figures['mean_s']:.1f} s, 95 % {figures['p95_s']:.1f} s, last {figures['last_s']:.1f} s"
        print_line(f"{name}: {figures['people']} actors, {times}")
    if options.egress:
        write_egress(options.egress, found)
        print_note(f"wrote {options.egress}: {len(found)} actors")


def _require_trajectory_format(path: Path) -> None:
    """Raise InputError if the program cannot write trajectories to a file with the ending of `path`."""
    from ecs_anim.trajectories.writer import require_trajectory_format

    require_trajectory_format(path)

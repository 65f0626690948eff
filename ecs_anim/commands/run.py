"""`ecs-anim run`: a scene in a window, or headless to files. Rarely used modules are imported late."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import perf_counter

from ecs_anim.commands.outputs import files_of, require_apart, tell_pictures
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import display_available
from ecs_anim.scenes.loader import SceneFile, read_scene
from ecs_anim.scenes.starting import Start, open_world, skipping_text
from ecs_anim.support.clock import with_clock
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import (
    frame_rate_for,
    require_film_rate,
    require_film_size,
    require_output,
    require_writable,
)
from ecs_anim.support.progress import frames_with_progress, progress_told
from ecs_anim.support.terminal import print_note
from ecs_anim.systems.filming import Pace, film
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.systems.rendering import size_of
from ecs_anim.view.label_passes import BY_NAME, LabelPass

HEADLESS_FRAMES = 120


@dataclass(frozen=True)
class RunOptions:
    """The command's options."""

    scene: str
    frames: int | None
    headless: bool
    size: tuple[int, int] | None  # [pixels]; None = as large as the camera says
    camera: str | None  # name of one of the scene's; None = its own
    out: Path | None
    speed: float | None  # None = 1
    fps: int | None  # [1/s]; None = as the file and the scene have it
    clock: bool
    actors: int | None
    seed: int | None
    no_draw: bool
    passes: tuple[str, ...]  # names of label passes; none = a picture
    from_frame: int | None
    from_snapshot: Path | None
    save: Path | None
    save_trajectories: Path | None
    sample_rate: float | None  # [1/s]
    trajectory_crowds: tuple[str, ...]  # names; none = all
    threads: int | None
    allow_code: bool

    @property
    def only_trajectories(self) -> bool:
        """Whether nothing is to be drawn because trajectories alone are asked for."""
        return self.save_trajectories is not None and self.out is None and not self.passes

    @property
    def pass_kinds(self) -> tuple[LabelPass, ...]:
        """Return the label passes."""
        return tuple(BY_NAME[option] for option in self.passes)

    @property
    def draws_files(self) -> bool:
        """Whether pictures go to files, not to a window."""
        return self.headless or self.out is not None or not display_available()


def run_scene(options: RunOptions) -> None:
    """Run the command. Raises InputError."""
    _require_drawing(options)
    _require_trajectories(options)
    if options.out:
        _require_place(options.out, options.pass_kinds)
        if options.size:
            require_film_size(options.out, options.size, "--size")
    if options.fps:
        require_film_rate(options.out, options.fps, "--fps")
    if options.save:
        require_writable(options.save)
    scene = read_scene(options.scene)
    require_apart(_written(options), files_of(scene, options.scene))
    with _open(options, scene) as world, _saving_trajectories(world, options):
        size = size_of(world, options.camera, options.size)
        if options.only_trajectories:
            _skip_ahead(world, options)
        elif options.no_draw:
            _simulate(world, options)
        elif options.passes:
            from ecs_anim.commands.passes import write_passes

            path = _path_of_passes(options)
            write_passes(world, options.pass_kinds, path, size, _pace(world, options, path), options.camera)
        elif options.draws_files:
            _draw_to_files(world, options)
        else:
            from ecs_anim.commands.window import show_in_window

            show_in_window(world, size, options.frames, options.speed or 1.0, options.camera)
        if options.save:
            world.save(options.save)
            print_note(f"wrote {options.save}: frame {world.frame}")


def _require_place(path: Path, kinds: Sequence[LabelPass]) -> None:
    """Raise InputError where pictures, or passes, cannot go."""
    if not (kinds and path.suffix):
        require_output(path)
        return
    from ecs_anim.commands.passes import pass_paths
    from ecs_anim.view.pass_files import require_pass_output

    for kind, own in pass_paths(path, kinds).items():
        require_pass_output(own, kind)


def _written(options: RunOptions) -> dict[str, Path | None]:
    """All files that shall be written, by their options."""
    found = {"--save": options.save, "--save-trajectories": options.save_trajectories}
    if options.no_draw or options.only_trajectories:
        return found
    if options.passes:
        from ecs_anim.commands.passes import pass_paths

        paths = pass_paths(_path_of_passes(options), options.pass_kinds)
        return found | {f"--pass {kind.name}": path for kind, path in paths.items()}
    return found | ({"--out": _path_of_pictures(options)} if options.draws_files else {})


def _path_of_pictures(options: RunOptions) -> Path:
    return options.out or Path(f"{Path(options.scene).stem}.png")


def _path_of_passes(options: RunOptions) -> Path:
    kind, *more = options.pass_kinds
    if options.out or more:
        return _path_of_pictures(options)
    return Path(f"{Path(options.scene).stem}_{kind.name}{kind.ending}")


def _require_drawing(options: RunOptions) -> None:
    """Raise InputError where there is no picture for an option that is about them."""
    asked = {"--pass": options.passes, "--out": options.out, "--camera": options.camera, "--size": options.size}
    of_films = {"--speed": options.speed, "--clock": options.clock, "--fps": options.fps}
    for option, given in (asked | of_films).items():
        if given and options.no_draw:
            raise InputError(f"{option} is about pictures, and --no-draw draws none; give one of them")
        if given and options.only_trajectories:
            raise InputError(f"{option} is about pictures, and --save-trajectories alone draws none; add --out")
    if options.clock and options.passes:
        raise InputError("--clock: the pixels of --pass are exact numbers, and the JSON has the time; leave it out")


def _require_trajectories(options: RunOptions) -> None:
    """Raise InputError where trajectories cannot be written, and for what is said of none."""
    if options.save_trajectories:
        from ecs_anim.trajectories.writer import require_trajectory_file

        require_trajectory_file(options.save_trajectories)
        return
    asked = {"--sample-rate": options.sample_rate, "--trajectory-crowd": options.trajectory_crowds}
    for option, given in asked.items():
        if given:
            raise InputError(f"{option} is about trajectories: give --save-trajectories FILE with it")


@contextmanager
def _saving_trajectories(world: World, options: RunOptions) -> Iterator[None]:
    """Write trajectories meanwhile, where they are asked for."""
    path = options.save_trajectories
    if path is None:
        yield
        return
    from ecs_anim.systems.trajectory_saving import save_trajectories

    crowds = options.trajectory_crowds or None
    with save_trajectories(world, path, rate=options.sample_rate, crowds=crowds) as saved:
        yield
    print_note(f"wrote {path}: {saved.frames} frames, {saved.rate:g} a second, {saved.samples} positions")


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


def _simulate(world: World, options: RunOptions) -> None:
    begin = perf_counter()
    dt = 1 / stage_of(world).frame_rate
    frames = options.frames or HEADLESS_FRAMES
    for _ in frames_with_progress(frames, "simulating"):
        world.step(dt)
    spent = perf_counter() - begin
    print_note(
        f"{actor_count(world)} actors, {frames} frames in {spent:.2f} s ({1000 * spent / frames:.2f} ms a frame)"
    )


def _skip_ahead(world: World, options: RunOptions) -> None:
    """Simulate without poses, but for those that later ones need."""
    frames = options.frames or HEADLESS_FRAMES
    with progress_told(frames, "simulating") as advance:
        world.skip(frames, 1 / stage_of(world).frame_rate, advance)


def _pace(world: World, options: RunOptions, path: Path) -> Pace:
    """Return the pace for the time of --frames steps, at the film rate, or at the highest rate of the file."""
    frame_rate = stage_of(world).frame_rate
    seconds = Fraction(options.frames or HEADLESS_FRAMES, frame_rate)
    rate = options.fps or frame_rate_for(path, frame_rate)
    return Pace.of(seconds, rate, options.speed or 1.0, frame_rate)


def _draw_to_files(world: World, options: RunOptions) -> None:
    path = _path_of_pictures(options)
    overlay = with_clock if options.clock else None
    film(world, _pace(world, options, path), path, size=options.size, overlay=overlay, camera=options.camera)
    tell_pictures(path, asked=options.headless or options.out is not None)

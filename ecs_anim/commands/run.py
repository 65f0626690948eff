"""`ecs-anim run`: a scene in a window, or headless to files."""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from ecs_anim.commands.passes import write_passes
from ecs_anim.commands.window import show_in_window
from ecs_anim.errors import InputError
from ecs_anim.gl.context import display_available, open_headless
from ecs_anim.gl.renderer import Renderer
from ecs_anim.passes import PassName
from ecs_anim.pictures import open_sink, require_output, require_place
from ecs_anim.progress import frames_with_progress
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.starting import Start, open_world, skipping_text
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.terminal import print_note
from ecs_anim.world import World

HEADLESS_FRAMES = 120


@dataclass(frozen=True)
class RunOptions:
    """The command's options."""

    scene: str
    frames: int | None
    headless: bool
    size: tuple[int, int]  # [pixels]
    out: Path | None
    actors: int | None
    seed: int | None
    no_draw: bool
    pass_name: PassName | None
    from_frame: int | None
    from_snapshot: Path | None
    save: Path | None
    threads: int | None
    allow_code: bool


def run_scene(options: RunOptions) -> None:
    """Run the command. Raises InputError."""
    for drawn, option in ((options.pass_name, "--pass"), (options.out, "--out")):
        if drawn and options.no_draw:
            raise InputError(f"{option} draws and --no-draw does not; give one of them")
    if options.out:
        require_output(options.out)
    if options.save:
        require_place(options.save)
    with _open(options) as world:
        if options.no_draw:
            _simulate(world, options)
        elif options.pass_name:
            path = options.out or Path(f"{Path(options.scene).stem}_{options.pass_name}.png")
            write_passes(world, options.pass_name, path, options.size, options.frames or HEADLESS_FRAMES)
        elif options.headless or options.out or not display_available():
            _draw_to_files(world, options)
        else:
            show_in_window(world, options.size, options.frames)
        if options.save:
            world.save(options.save)
            print_note(f"wrote {options.save}: frame {world.frame}")


def _open(options: RunOptions) -> World:
    world = open_world(
        read_scene(options.scene),
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


def _draw_to_files(world: World, options: RunOptions) -> None:
    path = options.out or Path(f"{Path(options.scene).stem}.png")
    stage = stage_of(world)
    frames = options.frames or HEADLESS_FRAMES
    with (
        open_sink(path, stage.frame_rate, *options.size, frames) as sink,
        open_headless() as context,
        Renderer(context) as renderer,
        renderer.target(*options.size) as target,
    ):
        drawing = DrawWorld(renderer)
        for frame in frames_with_progress(frames, "drawing" if sink.every_frame else "simulating"):
            world.step(1 / stage.frame_rate)
            if sink.every_frame or frame == frames - 1:
                drawing.draw(world, target)
                sink.write(target.read_pixels())
    print_note(f"wrote {path}")

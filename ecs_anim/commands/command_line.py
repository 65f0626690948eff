"""The `ecs-anim` command: options and help only; the work is in the modules beside this one."""

from pathlib import Path
from typing import Any

import click

from ecs_anim.commands.export_command import export
from ecs_anim.commands.farm_command import farm
from ecs_anim.commands.model_commands import bake, inspect, retarget
from ecs_anim.commands.parameters import (
    ACTORS,
    ALLOW_CODE,
    COUNTS,
    FILE,
    FILM_RATE,
    FILM_RATE_HELP,
    FRAME_NUMBERS,
    FRAMES,
    FROM_FRAME,
    FROM_SNAPSHOT,
    NAME,
    PERSON,
    PICTURE_SIZE,
    PIXELS,
    SEED,
    SEEDS,
    SIZE,
    STEPS,
    THREADS,
    WALK_CAMERA,
    FiniteRange,
    FollowingCommand,
    WholeSentences,
    names,
    reading,
    take_reading,
)
from ecs_anim.support.errors import InputError
from ecs_anim.view.label_passes import BY_OPTION, NAMES

DATASET_FORMATS = ("coco", "mot", "jsonl")
MOST_SPEED = 1000.0  # a window takes a tenth of a second times this in one step


@click.group(cls=WholeSentences, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="ecs-anim", prog_name="ecs-anim")
def cli() -> None:
    """Simulate, draw and measure large crowds of animated characters.

    SCENE is the path of a scene file (TOML) or the name of a scene that ships: plaza, single, grid,
    blend, crossfade, additive, locomotion, directions, controllers, hills, foot_course, look_at, ik_chains,
    twist, morph, materials, stadium, march, festival, gallery,
    corner, bottleneck, streets, crossing, rooms, evacuation, station, marathon, throng.
    """


cli.add_command(inspect)
cli.add_command(bake)
cli.add_command(retarget)
cli.add_command(farm)
cli.add_command(export)


@cli.command()
@click.argument("scene", type=NAME, default="plaza")
@click.option("--frames", type=FRAMES, metavar="N", help="Stop after N steps; default: 120 headless, else never.")
@click.option("--headless", is_flag=True, help="Draw without a window (the default where there is no display).")
@PICTURE_SIZE
@click.option("--camera", type=NAME, metavar="NAME", help="One of the scene's [[cameras]]; default: its [camera].")
@click.option(
    "--out",
    type=FILE,
    metavar="PATH",
    help="PATH.png: the last frame. PATH.mp4, PATH.gif: a video. Anything without an ending: a folder of PNGs.",
)
@click.option(
    "--speed",
    type=FiniteRange(0, MOST_SPEED, min_open=True),
    metavar="X",
    help="Show the world X times as fast as it is, at most 1000; 0.25 is slow motion, in smaller steps.",
)
@click.option("--film-rate", "--rate", "film_rate", type=FILM_RATE, metavar="HZ", help=FILM_RATE_HELP)
@click.option("--clock", is_flag=True, help="Draw the world's time into the pictures that are written.")
@click.option(
    "--pass",
    "passes",
    multiple=True,
    type=click.Choice([*BY_OPTION]),
    help="Draw numbers in place of colours, exact and unsmoothed, with a JSON beside each file; can be given again for"
    " others, rgb among them: then x.png is x_id.png and so on, and a folder has a folder for each. "
    + " ".join(f"{option}: {kind.code}." for option, kind in BY_OPTION.items()),
)
@ACTORS
@SEED
@click.option("--no-draw", is_flag=True, help="Simulate only; needs no OpenGL.")
@FROM_FRAME
@FROM_SNAPSHOT
@click.option("--save", type=FILE, metavar="FILE", help="Write a snapshot when the run ends.")
@click.option(
    "--save-trajectories",
    type=FILE,
    metavar="FILE",
    help="Write where everybody is to FILE.sqlite (JuPedSim's, which PedPy reads), .csv or .parquet (the 'parquet'"
    " extra); without --out and --pass nothing is drawn, which needs no OpenGL.",
)
@click.option(
    "--trajectory-rate",
    type=FiniteRange(0.001, 1000),
    metavar="HZ",
    help="Frames a second in that file, a whole number of steps apart; default: 10, or the next lower rate that fits.",
)
@click.option(
    "--trajectory-crowd",
    "trajectory_crowds",
    multiple=True,
    metavar="NAME",
    help="Write this crowd only; may be given again for others.",
)
@THREADS
@ALLOW_CODE
def run(**options: object) -> None:
    """Run SCENE in a window, or headless to PNG, a folder of PNGs, MP4, or GIF."""
    from ecs_anim.commands.run import RunOptions, run_scene

    run_scene(RunOptions(**options))  # type: ignore[arg-type]


@cli.command()
@click.argument("scene", type=NAME)
@click.option("--out", type=FILE, required=True, metavar="DIR", help="A folder: a new one, or one to go on with.")
@click.option("--seeds", type=SEEDS, help="Seeds A to B - 1, such as 0:100, or a single one; default: the scene's own.")
@click.option(
    "--frames",
    type=FRAME_NUMBERS,
    default="0:120",
    show_default=True,
    help="Frames A to B - 1 of each seed, or each STEP-th, such as 0:600:30; N is 0:N. Frame K is K steps after the"
    " scene's first.",
)
@click.option("--cameras", type=names(), help="Of the scene's [[cameras]]; default: all, or its [camera].")
@click.option(
    "--passes",
    type=names(NAMES),
    default=",".join(NAMES),
    show_default=True,
    help="What to write of each picture. PNGs, but .npz of float32 for depth [m] and flow [pixel].",
)
@click.option(
    "--format",
    "formats",
    type=names(DATASET_FORMATS),
    default=",".join(DATASET_FORMATS),
    show_default=True,
    help="coco: instances and keypoints. mot: tracks of each camera. jsonl: a line with all of it for each picture.",
)
@click.option("--size", type=PIXELS, help="Of all pictures; default: as large as each camera says.")
@ACTORS
@THREADS
@ALLOW_CODE
def dataset(**options: Any) -> None:
    """Write pictures of SCENE, for each seed, frame and camera, with labels: a data set for learning to see.

    Stopped, it goes on where it was when the same command is given again, and ends in the same files.
    docs/datasets.md says which file holds what.
    """
    from ecs_anim.commands.dataset import write_dataset

    write_dataset(**options)


@cli.command()
@click.argument("scene", type=NAME, default="plaza")
@click.option("--frames", type=FRAMES, metavar="N", help="Measured frames; default: 120, or 15 to compare options.")
@click.option("--warmup", type=STEPS, default=10, show_default=True, metavar="N", help="Frames before.")
@click.option("--actors", type=COUNTS, help="Numbers of actors to measure, one after the other.")
@click.option("--no-draw", is_flag=True, help="Measure the simulation only; needs no OpenGL.")
@FROM_FRAME
@FROM_SNAPSHOT
@SIZE
@SEED
@THREADS
@click.option("--json", "json_path", type=NAME, metavar="PATH", help="Write the figures as JSON; - is standard output.")
@click.option(
    "--trace",
    "trace_path",
    type=FILE,
    metavar="PATH",
    help="Write every system's runs, thread by thread, for ui.perfetto.dev.",
)
@click.option(
    "--plot",
    "plot_path",
    type=FILE,
    metavar="PATH",
    help="Draw time per system against actors to PATH.png or PATH.svg (the 'plot' extra).",
)
@click.option(
    "--against",
    type=FILE,
    metavar="PATH|SCENE",
    help="Compare with figures that --json wrote; or, in alternated runs, with another scene or a snapshot (.npz)."
    " Exit code 1 where the run is slower than --threshold allows.",
)
@click.option(
    "--threshold",
    type=FiniteRange(min=0, min_open=True),
    metavar="RATIO",
    help="What --against allows, of the frame; of figures of --json also of each system that takes a twentieth of it,"
    " and 1.25 by default.",
)
@click.option(
    "--compare-crowd-options",
    is_flag=True,
    help="Instead, draw the crowds with each option of a bake in turn: its gain and its error.",
)
@ALLOW_CODE
def profile(**options: object) -> None:
    """Time each system of SCENE, frame by frame. docs/profiling.md says what each figure means."""
    from ecs_anim.commands.profile import ProfileOptions, profile_scene

    profile_scene(ProfileOptions(**options))  # type: ignore[arg-type]


@cli.command()
@click.argument("scene", type=NAME, default="hills")
@click.option("--frames", type=FRAMES, default=300, show_default=True, metavar="N", help="Steps to watch.")
@ACTORS
@SEED
@THREADS
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@ALLOW_CODE
def feet(**options: Any) -> None:
    """Measure how the feet of SCENE stand: skate, penetration, hover, knees; with grounding and without."""
    from ecs_anim.commands.feet import compare_feet

    compare_feet(**options)


@cli.command(cls=FollowingCommand)
@click.argument("file", type=FILE)
@reading
@click.option("--rig", type=NAME, default="mannequin", show_default=True, metavar="MODEL", help="Who walks.")
@click.option("--walls", type=FILE, metavar="FILE", help="A plan of walls: WKT, GeoJSON, JuPedSim's XML.")
@click.option(
    "--out",
    type=FILE,
    metavar="PATH",
    help="PATH.png: a picture. PATH.mp4, PATH.gif: a video. Anything without an ending: a folder of PNGs.",
)
@click.option("--film-rate", type=FILM_RATE, metavar="HZ", help=FILM_RATE_HELP)
@SIZE
@click.option(
    "--from",
    "start",
    type=FiniteRange(),
    metavar="SECONDS",
    help="When to begin, by the file's time; any is at once. Default: its start; of a picture, when most are there.",
)
@click.option("--seconds", type=FiniteRange(min=0, min_open=True), metavar="N", help="How long; default: to the end.")
@click.option(
    "--camera",
    type=WALK_CAMERA,
    default="side",
    show_default=True,
    help="Where from: side or top, framed on who is there in the time that is shown; or 'follow ID', from the side.",
)
@click.option("--follow", type=PERSON, metavar="ID", help="Keep the camera on this person, from the top too.")
@click.option(
    "--tint",
    type=click.Choice(["id", "speed"]),
    default="id",
    show_default=True,
    help="What people's colours tell; the picture says which is which.",
)
@click.option("--save-scene", type=FILE, metavar="PATH", help="Write the scene that is run to PATH.toml.")
@click.option(
    "--report",
    is_flag=True,
    help="Measure steps, slides, knees and turns: of clips alone on raw and on smoothed paths, and of bodies;"
    " of the first minute, unless --from or --seconds says otherwise.",
)
@click.option("--json", "json_path", type=NAME, metavar="PATH", help="Write the report as JSON; - is standard output.")
@click.option(
    "--plot",
    "plot_path",
    type=FILE,
    metavar="PATH",
    help="Draw the report to PATH.png or PATH.svg (the 'plot' extra): slides, cadence, step lengths, distances.",
)
@THREADS
def walk(camera: tuple[Any, str | None], follow: str | None, **options: Any) -> None:
    """Show people of FILE walking as they were recorded or simulated, in a window or to --out.

    FILE holds trajectories in any of the formats of docs/trajectories.md. Feet step and stand; people come
    and go as the file has it.
    """
    from ecs_anim.commands.walk import WalkOptions, walk_file

    view, person = camera
    if follow is not None and person not in (None, follow):
        raise InputError(f"--camera 'follow {person}' and --follow {follow}: give one of them")
    followed = person if follow is None else follow
    walk_file(WalkOptions(camera=view, follow=followed, reading=take_reading(options), **options))


@cli.command()
@click.argument("checks", nargs=-1, type=NAME, metavar="[CHECK]...")
@SEED
@click.option("--json", "json_path", type=click.Choice(["-"]), help="Print the findings as JSON.")
@click.option(
    "--plot",
    "plot_folder",
    type=FILE,
    metavar="DIR",
    help="Draw speeds by density and flows by width to DIR/validation.png (the 'plot' extra).",
)
@click.option(
    "--recorded",
    "recorded_folder",
    type=FILE,
    metavar="DIR",
    help="Draw what people did in the plot, too: all files of trajectories in DIR that say their unit and rate.",
)
def validate(**options: Any) -> None:
    """Check crowds that steer against published answers; exit code 1 where one does not hold. docs/validation.md."""
    from ecs_anim.commands.validate import validate as run_checks

    run_checks(**options)


@cli.command()
@click.argument("scenes", type=NAME, nargs=-1, required=True, metavar="SCENE...")
@ALLOW_CODE
def check(scenes: tuple[str, ...], allow_code: bool) -> None:
    """Validate scenes, their rigs and clips, without running them."""
    from ecs_anim.commands.check import check_scenes

    check_scenes(scenes, allow_code)


@cli.command()
@click.argument("scenes", type=NAME, nargs=-1, metavar="[SCENE...]")
def warmup(scenes: tuple[str, ...]) -> None:
    """Compile all kernels ahead, or what some scenes need: a first run compiles them otherwise."""
    from ecs_anim.commands.warmup import warm_up

    warm_up(scenes)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def scenes(as_json: bool) -> None:
    """List the scenes that ship: name, number of actors, what it shows."""
    from ecs_anim.commands.scenes import list_scenes

    list_scenes(as_json)


@cli.command()
@click.argument("path", type=FILE, metavar="SCENE.toml")
@click.option("--like", type=NAME, metavar="NAME", help="Copy this scene that ships; default: a small one, explained.")
def new(path: Path, like: str | None) -> None:
    """Write a scene file to go on from, and tell the commands that check and run it. Nothing is replaced."""
    from ecs_anim.commands.new import write_scene

    write_scene(path, like)


@cli.command()
def schema() -> None:
    """Print the JSON Schema of scene files, for editors."""
    from ecs_anim.commands.check import print_schema

    print_schema()

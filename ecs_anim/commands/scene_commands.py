"""Options and help of the commands that run a scene. Other modules of `ecs_anim.commands` execute the commands."""

from typing import Any

import click

from ecs_anim.commands.completion import scenes_and_files
from ecs_anim.commands.help import Command, option, repeated_option
from ecs_anim.commands.parameters import ACTOR, ACTOR_COUNT, FILE, FRAMES, NAME, SEEDS, STEPS, Number, OneOf
from ecs_anim.commands.shared_options import (
    ACTORS,
    ALLOW_CODE,
    FPS,
    FROM_FRAME,
    FROM_SNAPSHOT,
    JSON_FLAG,
    PICTURE_SIZE,
    SEED,
    SIZE,
    THREADS,
    duration,
)
from ecs_anim.view.label_passes import BY_NAME
from ecs_anim.view.overlay_names import FLOORS, OVERLAYS

MOST_SPEED = 1000.0  # in one step, a window advances up to a tenth of a second times this factor


@click.command(
    cls=Command,
    examples=(
        "ecs-anim run plaza",
        "ecs-anim run throng --actors 500 --seconds 4 --out walk.mp4",
        "ecs-anim run station --headless --frames 60 --camera hall --pass depth --pass ids --out hall",
    ),
)
@click.argument("scene", type=NAME, default="plaza", shell_complete=scenes_and_files)
@ACTORS
@SEED
@FROM_FRAME
@FROM_SNAPSHOT
@duration("120 without a window, no limit with a window")
@option(
    "--speed",
    group="Time",
    type=Number(above=0, most=MOST_SPEED),
    metavar="X",
    help="Show the world X times as fast, at most 1000. 0.25 is slow motion with smaller time steps.",
)
@option(
    "--headless", group="Pictures", is_flag=True, help="Draw without a window. This is the default without a display."
)
@option("--no-draw", group="Pictures", is_flag=True, help="Simulate only, without OpenGL.")
@PICTURE_SIZE
@option(
    "--camera", group="Pictures", type=NAME, metavar="NAME", help="Draw with one of [[cameras]]. Default: [camera]."
)
@option(
    "--follow",
    group="Pictures",
    type=ACTOR,
    help="Follow an actor, in the direction of [camera] and from a distance of 6 m. Default of ID: the first actor."
    " A click in the window shows the id of an actor.",
)
@option("--behind", group="Pictures", is_flag=True, help="With --follow: stay behind the actor.")
@repeated_option(
    "--overlay",
    "overlays",
    group="Pictures",
    type=OneOf(OVERLAYS),
    help="Draw skeletons, the paths of the last 4 seconds, lines to goals, or the density of people on the ground; can"
    " be repeated. Keys of the window show and hide overlays.",
)
@option(
    "--floor",
    group="Pictures",
    type=OneOf(FLOORS),
    help="Draw a map of the time so far on the floor, as in a report: the mean density, or the levels of service.",
)
@option(
    "--storeys",
    group="Pictures",
    type=SEEDS,
    metavar="A:B",
    help="Draw only the storeys A to B - 1 of a building, such as 0:1 for the lowest storey.",
)
@FPS
@option("--clock", group="Pictures", is_flag=True, help="Draw the world's time into the written pictures.")
@repeated_option(
    "--pass",
    "passes",
    group="Labels",
    type=OneOf([*BY_NAME]),
    help="Write exact numbers in place of colours, and a JSON file beside each picture. Can be repeated. With --pass"
    " ids, x.png becomes x_ids.png. A folder contains one folder for each pass. "
    + " ".join(f"{name}: {kind.code}." for name, kind in BY_NAME.items()),
)
@option(
    "--out",
    group="Output",
    type=FILE,
    metavar="PATH",
    help="Write pictures. PATH.png: the last frame. PATH.mp4, PATH.gif: a film. A PATH without an ending: a folder of"
    " PNG files.",
)
@option(
    "--until",
    group="Time",
    type=OneOf(["empty"]),
    help="empty: simulate without pictures until all actors of the crowds with `leave` have left. --seconds sets the"
    " longest time. Default: 3600.",
)
@option(
    "--egress",
    group="Output",
    type=FILE,
    metavar="FILE",
    help="With --until empty: write egress time, exit and pre-movement time of each actor to FILE.csv or .parquet (the"
    " 'parquet' extra).",
)
@option("--save", group="Output", type=FILE, metavar="FILE", help="Write a snapshot at the end of the run.")
@option(
    "--save-trajectories",
    group="Output",
    type=FILE,
    metavar="FILE",
    help="Write the positions of all actors to FILE.sqlite (the format of JuPedSim and PedPy), .csv or .parquet (the"
    " 'parquet' extra). Without --out and --pass, nothing is drawn, and OpenGL is not needed.",
)
@option(
    "--sample-rate",
    group="Output",
    type=Number(0.001, 1000),
    metavar="HZ",
    help="Set the samples per second of trajectories. The time between two samples must be a whole number of time"
    " steps. Default: 10, or the next lower rate that fits.",
)
@repeated_option(
    "--trajectory-crowd",
    "trajectory_crowds",
    group="Output",
    metavar="NAME",
    help="Write the trajectories of this crowd only; can be repeated.",
)
@THREADS
@ALLOW_CODE
def run(**options: object) -> None:
    """Run SCENE in a window, or write pictures to a PNG, a folder of PNGs, an MP4 or a GIF."""
    from ecs_anim.commands.run import RunOptions, run_scene

    run_scene(RunOptions(**options))  # type: ignore[arg-type]  # click converts each value to its field's type


@click.command(
    cls=Command,
    examples=(
        "ecs-anim profile throng --actors 1000 --actors 10000 --no-draw",
        "ecs-anim profile plaza --no-draw --json plaza.json",
        "ecs-anim profile throng --trace throng.trace.json --plot throng.svg",
    ),
)
@click.argument("scene", type=NAME, default="plaza", shell_complete=scenes_and_files)
@repeated_option(
    "--actors",
    group="Input",
    type=ACTOR_COUNT,
    metavar="N",
    help="Measure with N actors in place of the scene's number; can be repeated.",
)
@SEED
@FROM_FRAME
@FROM_SNAPSHOT
@option(
    "--frames",
    group="Time",
    type=FRAMES,
    metavar="N",
    help="Measure N frames; default: 120, or 15 with --compare-crowd-options.",
)
@option(
    "--warmup",
    group="Time",
    type=STEPS,
    default=10,
    show_default=True,
    metavar="N",
    help="Run N frames before the measured frames.",
)
@option("--no-draw", group="Pictures", is_flag=True, help="Measure the simulation only, without OpenGL.")
@SIZE
@option(
    "--against",
    group="Figures",
    type=FILE,
    metavar="PATH|SCENE",
    help="Compare with figures that --json wrote, or run in turns with another scene or a snapshot (.npz). The exit"
    " code is 1 if the run is slower than --threshold allows.",
)
@option(
    "--threshold",
    group="Figures",
    type=Number(above=0),
    metavar="RATIO",
    help="Allow this ratio of frame times with --against. With figures of --json, the default is 1.25, and the"
    " ratio also applies to each system that takes at least a twentieth of the frame.",
)
@option(
    "--compare-crowd-options",
    group="Figures",
    is_flag=True,
    help="Draw the crowds with each option of a bake in turn, and print the gain and the error of each.",
)
@option(
    "--json",
    "json_path",
    group="Output",
    type=NAME,
    metavar="PATH",
    help="Write the figures as JSON; - is standard output.",
)
@option(
    "--trace",
    "trace_path",
    group="Output",
    type=FILE,
    metavar="PATH",
    help="Write each system's runs, thread by thread, for ui.perfetto.dev.",
)
@option(
    "--plot",
    "plot_path",
    group="Output",
    type=FILE,
    metavar="PATH",
    help="Draw time per system against actors to PATH.png or PATH.svg (the 'plot' extra).",
)
@THREADS
@ALLOW_CODE
def profile(**options: object) -> None:
    """Measure the time of each system of SCENE in each frame.

    docs/profiling.md explains the figures.
    """
    from ecs_anim.commands.profile import ProfileOptions, profile_scene

    profile_scene(ProfileOptions(**options))  # type: ignore[arg-type]  # click converts each value to its field's type


@click.command(
    cls=Command,
    examples=(
        "ecs-anim feet",
        "ecs-anim feet foot_course --seconds 10",
        "ecs-anim feet hills --actors 20 --json",
    ),
)
@click.argument("scene", type=NAME, default="hills", shell_complete=scenes_and_files)
@ACTORS
@SEED
@duration("300")
@JSON_FLAG
@THREADS
@ALLOW_CODE
def feet(**options: Any) -> None:
    """Measure foot errors of SCENE, with and without grounding: skate, penetration, hover and knees."""
    from ecs_anim.commands.feet import compare_feet

    compare_feet(**options)

"""Options and help of the commands that run a scene. Other modules of `ecs_anim.commands` execute the commands."""

from typing import Any

import click

from ecs_anim.commands.completion import scenes_and_files
from ecs_anim.commands.help import FIGURES, INPUT, LABELS, OUTPUT, PICTURES, TIME, command
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


@command(
    "ecs-anim run plaza",
    "ecs-anim run throng --actors 500 --seconds 4 --out walk.mp4",
    "ecs-anim run station --headless --frames 60 --camera hall --pass depth --pass ids --out hall",
)
@click.argument("scene", type=NAME, default="plaza", shell_complete=scenes_and_files)
@ACTORS
@SEED
@FROM_FRAME
@FROM_SNAPSHOT
@duration("120 without a window; with a window, the run has no limit")
@TIME.option(
    "--speed X",
    Number(above=0, most=MOST_SPEED),
    "Show the world X times as fast, at most 1000. 0.25 is slow motion with smaller time steps.",
)
@PICTURES.flag("--headless", "Draw without a window. This is the default without a display.")
@PICTURES.flag("--no-draw", "Simulate without drawing and without OpenGL.")
@PICTURE_SIZE
@PICTURES.option("--camera NAME", NAME, "Draw with this camera of [[cameras]]. Default: [camera].")
@PICTURES.option(
    "--follow",
    ACTOR,
    "Follow an actor, in the direction of [camera] and from a distance of 6 m. Default of ID: the first actor. A click"
    " in the window shows the id of an actor.",
)
@PICTURES.flag("--behind", "With --follow: keep the camera behind the actor.")
@PICTURES.repeated(
    "--overlay",
    OneOf(OVERLAYS),
    "Draw skeletons, the paths of the last 4 seconds, lines to goals, or the density of people on the ground; can be"
    " repeated. Keys of the window show and hide overlays.",
    into="overlays",
)
@PICTURES.option(
    "--floor",
    OneOf(FLOORS),
    "Draw a map on the floor, as in a report: the mean density since the start of the run, or the levels of service.",
)
@PICTURES.option(
    "--storeys A:B", SEEDS, "Draw only the storeys A to B - 1 of a building, such as 0:1 for the lowest storey."
)
@FPS
@PICTURES.flag("--clock", "Draw the world's time into the written pictures.")
@LABELS.repeated(
    "--pass PASS",
    OneOf([*BY_NAME]),
    "Write exact numbers in place of colours, and a JSON file beside each picture. Can be repeated. With --pass"
    " ids, x.png becomes x_ids.png. A folder contains one folder for each pass. "
    + " ".join(f"{name}: {kind.code}." for name, kind in BY_NAME.items()),
    into="passes",
)
@OUTPUT.option(
    "--out PATH",
    FILE,
    "Write pictures. PATH.png: only the last frame. PATH.mp4, PATH.gif: a film. A PATH without an ending: a folder "
    "of PNG files.",
)
@TIME.option(
    "--until",
    OneOf(["empty"]),
    "empty: simulate without pictures until all actors of the crowds with `leave` have left. --seconds sets the"
    " longest time. Default: 3600.",
)
@OUTPUT.option(
    "--egress FILE",
    FILE,
    "With --until empty: write egress time, exit and pre-movement time of each actor to FILE.csv or .parquet (the"
    " 'parquet' extra).",
)
@OUTPUT.option("--save FILE", FILE, "Write a snapshot at the end of the run.")
@OUTPUT.option(
    "--save-trajectories FILE",
    FILE,
    "Write the positions of all actors to FILE.sqlite (the format of JuPedSim and PedPy), .csv or .parquet (the "
    "'parquet' extra). Without --out and --pass, the command draws no pictures and needs no OpenGL.",
)
@OUTPUT.option(
    "--sample-rate HZ",
    Number(0.001, 1000),
    "Set the samples per second of trajectories. The time between two samples must be a whole number of time steps."
    " Default: 10, or the next lower rate that fits.",
)
@OUTPUT.repeated(
    "--trajectory-crowd NAME",
    str,
    "Write the trajectories of this crowd only; can be repeated.",
    into="trajectory_crowds",
)
@THREADS
@ALLOW_CODE
def run(**options: object) -> None:
    """Run SCENE in a window, or write pictures to a PNG, a folder of PNGs, an MP4 or a GIF."""
    from ecs_anim.commands.run import RunOptions, run_scene

    run_scene(RunOptions(**options))  # type: ignore[arg-type]  # click converts each value to its field's type


@command(
    "ecs-anim profile throng --actors 1000 --actors 10000 --no-draw",
    "ecs-anim profile plaza --no-draw --json plaza.json",
    "ecs-anim profile throng --trace throng.trace.json --plot throng.svg",
)
@click.argument("scene", type=NAME, default="plaza", shell_complete=scenes_and_files)
@INPUT.repeated("--actors N", ACTOR_COUNT, "Measure with N actors in place of the scene's number; can be repeated.")
@SEED
@FROM_FRAME
@FROM_SNAPSHOT
@TIME.option("--frames N", FRAMES, "Measure N frames; default: 120, or 15 with --compare-crowd-options.")
@TIME.option("--warmup N", STEPS, "Run N frames before the measured frames.", default=10)
@PICTURES.flag("--no-draw", "Measure only the simulation, without drawing and without OpenGL.")
@SIZE
@FIGURES.option(
    "--against PATH|SCENE",
    FILE,
    "Compare with figures that --json wrote, or run in turns with another scene or a snapshot (.npz). The exit code is"
    " 1 if the run is slower than --threshold allows.",
)
@FIGURES.option(
    "--threshold RATIO",
    Number(above=0),
    "With --against: allow this ratio of frame times. If --against names figures of --json, the default is 1.25, "
    "and the ratio also applies to each system that takes at least a twentieth of the frame.",
)
@FIGURES.flag(
    "--compare-crowd-options",
    "Draw the crowds with each bake option in turn, and print the gain and the error of each option.",
)
@OUTPUT.option("--json PATH", NAME, "Write the figures as JSON; - is standard output.", into="json_path")
@OUTPUT.option(
    "--trace PATH",
    FILE,
    "Write the start and the duration of each run of each system, by thread, for ui.perfetto.dev.",
    into="trace_path",
)
@OUTPUT.option(
    "--plot PATH",
    FILE,
    "Draw time per system against actors to PATH.png or PATH.svg (the 'plot' extra).",
    into="plot_path",
)
@THREADS
@ALLOW_CODE
def profile(**options: object) -> None:
    """Measure the time of each system of SCENE in each frame.

    docs/profiling.md explains the figures.
    """
    from ecs_anim.commands.profile import ProfileOptions, profile_scene

    profile_scene(ProfileOptions(**options))  # type: ignore[arg-type]  # click converts each value to its field's type


@command("ecs-anim feet", "ecs-anim feet foot_course --seconds 10", "ecs-anim feet hills --actors 20 --json")
@click.argument("scene", type=NAME, default="hills", shell_complete=scenes_and_files)
@ACTORS
@SEED
@duration("300")
@JSON_FLAG
@THREADS
@ALLOW_CODE
def feet(**options: Any) -> None:
    """Measure the foot errors of SCENE with and without grounding: skate, penetration, hover and knees."""
    from ecs_anim.commands.feet import compare_feet

    compare_feet(**options)

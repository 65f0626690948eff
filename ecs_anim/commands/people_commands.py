"""Options and help of the commands about recorded people. Other modules of `ecs_anim.commands` execute the commands."""

from typing import Any

import click

from ecs_anim.commands.completion import scenes_and_files
from ecs_anim.commands.help import Command, option, repeated_option
from ecs_anim.commands.parameters import FILE, LINE, NAME, PERSON, SEEDS, Number, OneOf
from ecs_anim.commands.shared_options import ACTORS, ALLOW_CODE, FPS, SEED, SIZE, THREADS, reading, take_reading


@click.command(
    cls=Command,
    examples=(
        "ecs-anim walk people.csv --unit cm",
        "ecs-anim walk people.csv --from 1 --seconds 10 --camera top --out people.mp4",
        "ecs-anim walk people.csv --report --json people.json",
    ),
)
@click.argument("file", type=FILE)
@option(
    "--rig",
    group="Input",
    type=NAME,
    default="mannequin",
    show_default=True,
    metavar="MODEL",
    help="Show the people with this model.",
)
@option("--walls", group="Input", type=FILE, metavar="FILE", help="Read a plan of walls: WKT, GeoJSON, JuPedSim's XML.")
@reading
@option(
    "--from",
    "start",
    group="Time",
    type=Number(),
    metavar="SECONDS",
    help="Begin at this time of the file. Default: its start, or for one picture the time with the most people.",
)
@option(
    "--seconds",
    group="Time",
    type=Number(above=0),
    metavar="N",
    help="Show N seconds. Default: until the end of the file.",
)
@SIZE
@option(
    "--camera",
    group="Pictures",
    type=OneOf(["side", "top"]),
    default="side",
    show_default=True,
    help="Look from the side or the top, with all people of the shown time in view.",
)
@option(
    "--follow",
    group="Pictures",
    type=PERSON,
    metavar="ID",
    help="Move the camera with this person.",
)
@FPS
@option(
    "--tint",
    group="Pictures",
    type=OneOf(["id", "speed"]),
    default="id",
    show_default=True,
    help="Colour people by id or speed. The picture has a legend.",
)
@option(
    "--report",
    group="Figures",
    is_flag=True,
    help="Measure steps, slides, knees and turns of three methods: clips on raw paths, clips on smoothed paths, and"
    " bodies. Default: the first minute. --from and --seconds choose another time.",
)
@option(
    "--out",
    group="Output",
    type=FILE,
    metavar="PATH",
    help="Write pictures. PATH.png: one picture. PATH.mp4, PATH.gif: a film. A PATH without an ending: a folder of PNG"
    " files.",
)
@option("--save-scene", group="Output", type=FILE, metavar="PATH", help="Write the scene of these people to PATH.toml.")
@option(
    "--json",
    "json_path",
    group="Output",
    type=NAME,
    metavar="PATH",
    help="Write the report as JSON; - is standard output.",
)
@option(
    "--plot",
    "plot_path",
    group="Output",
    type=FILE,
    metavar="PATH",
    help="Draw the report to PATH.png or PATH.svg (the 'plot' extra): slides, cadence, step lengths, distances.",
)
@THREADS
def walk(**options: Any) -> None:
    """Show the recorded or simulated people of a trajectory file as walking bodies, in a window or in pictures.

    docs/trajectories.md lists the formats of FILE. The feet of the bodies do not slide. A body is visible only while
    its person is in the file.
    """
    from ecs_anim.commands.walk import WalkOptions, walk_file

    walk_file(WalkOptions(reading=take_reading(options), **options))


@click.command(
    cls=Command,
    examples=(
        "ecs-anim report people.csv --unit m --out people.html",
        "ecs-anim report bottleneck --line door=-0.6,0:0.6,0 --out bottleneck.html",
        "ecs-anim report evacuation --seconds 120 --seeds 1:6 --out evacuation.html",
    ),
)
@click.argument("source", type=NAME, metavar="SCENE|RECORDING", shell_complete=scenes_and_files)
@ACTORS
@option(
    "--seeds",
    group="Input",
    type=SEEDS,
    help="Run the scene with the seeds A to B - 1, such as 1:6, or one seed; default: the scene's own.",
)
@option("--walls", group="Input", type=FILE, metavar="FILE", help="Recordings: read a plan of walls.")
@reading
@option(
    "--seconds",
    group="Time",
    type=Number(above=0),
    metavar="N",
    help="Simulate N seconds of the scene. Default: 60.",
)
@option(
    "--until",
    group="Time",
    type=OneOf(["empty"]),
    help="empty: simulate until all actors of the crowds with `leave` have left. --seconds sets the longest time."
    " Default: 3600.",
)
@repeated_option(
    "--line",
    "lines",
    group="Figures",
    type=LINE,
    help="Measure the flow over the line between two plan points [m].",
)
@option(
    "--no-player",
    "player",
    group="Figures",
    flag_value=False,
    default=True,
    help="Leave out the player, which shows the first run in 3D.",
)
@option(
    "--player-megabytes",
    group="Figures",
    type=Number(above=0),
    metavar="N",
    help="Leave out a player that is larger than N MB. Default: 20.",
)
@option("--out", group="Output", type=FILE, metavar="PATH", required=True, help="Write the page to PATH.html.")
@option(
    "--egress",
    group="Output",
    type=FILE,
    metavar="FILE",
    help="Write the egress time of each actor in each run to FILE.csv or .parquet (the 'parquet' extra).",
)
@option(
    "--json",
    "json_path",
    group="Output",
    type=NAME,
    metavar="PATH",
    help="Write the figures of each run as JSON; - is standard output.",
)
@THREADS
@ALLOW_CODE
def report(**options: Any) -> None:
    """Write densities, levels of service, speeds, flows and egress times of a crowd as one HTML page.

    SCENE is a scene, and RECORDING is a trajectory file. The page needs no network. The command needs the 'plot' extra.
    docs/reports.md explains the figures.
    """
    from ecs_anim.commands.report import ReportOptions, write_report

    write_report(ReportOptions(reading=take_reading(options), **options))


@click.command(
    cls=Command,
    examples=(
        "ecs-anim validate",
        "ecs-anim validate --list",
        "ecs-anim validate density --plot plots",
    ),
)
@click.argument("checks", nargs=-1, type=NAME, metavar="[CHECK]...")
@SEED
@option(
    "--recorded",
    "recorded_folder",
    group="Input",
    type=FILE,
    metavar="DIR",
    help="Also plot recorded people: all files of trajectories in DIR that state their unit and rate.",
)
@option("--list", "is_list", is_flag=True, group="Output", help="List the checks and their sources; run none.")
@option("--json", "json_path", group="Output", type=OneOf(["-"]), help="Print the findings as JSON.")
@option(
    "--plot",
    "plot_folder",
    group="Output",
    type=FILE,
    metavar="DIR",
    help="Draw speeds by density and flows by width to DIR/validation.png (the 'plot' extra).",
)
def validate(**options: Any) -> None:
    """Compare steered crowds with published results.

    The exit code is 1 if a result differs. docs/validation.md lists the checks.
    """
    from ecs_anim.commands.validate import validate as run_checks

    run_checks(**options)

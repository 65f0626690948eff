"""Options and help of the commands about recorded people. Other modules of `ecs_anim.commands` execute the commands."""

from typing import Any

import click

from ecs_anim.commands.completion import scenes_and_files
from ecs_anim.commands.help import FIGURES, INPUT, OUTPUT, PICTURES, TIME, command
from ecs_anim.commands.parameters import FILE, LINE, NAME, PERSON, SEEDS, Number, OneOf
from ecs_anim.commands.shared_options import ACTORS, ALLOW_CODE, FPS, SEED, SIZE, THREADS, reading, take_reading


@command(
    "ecs-anim walk people.csv --unit cm",
    "ecs-anim walk people.csv --from 1 --seconds 10 --camera top --out people.mp4",
    "ecs-anim walk people.csv --report --json people.json",
)
@click.argument("file", type=FILE)
@INPUT.option("--rig MODEL", NAME, "Show the people with this model.", default="mannequin")
@INPUT.option("--walls FILE", FILE, "Read a plan of walls: WKT, GeoJSON, JuPedSim's XML.")
@reading
@TIME.option(
    "--from SECONDS",
    Number(),
    "Begin at this time of the file. Default: the start of the file, or for one picture the time with the most people.",
    into="start",
)
@TIME.option("--seconds N", Number(above=0), "Show N seconds. Default: until the end of the file.")
@SIZE
@PICTURES.option(
    "--camera",
    OneOf(["side", "top"]),
    "Look from the side or the top, with all people of the shown time in view.",
    default="side",
)
@PICTURES.option("--follow ID", PERSON, "Move the camera with this person.")
@FPS
@PICTURES.option("--tint", OneOf(["id", "speed"]), "Colour people by id or speed, and show a legend.", default="id")
@FIGURES.flag(
    "--report",
    "Measure steps, foot slides, knees and turns for three methods: clips on raw paths, clips on smoothed paths, "
    "and bodies. Default: the first minute. --from and --seconds choose another time.",
)
@OUTPUT.option(
    "--out PATH",
    FILE,
    "Write pictures. PATH.png: one picture. PATH.mp4, PATH.gif: a film. A PATH without an ending: a folder of PNG"
    " files.",
)
@OUTPUT.option("--save-scene PATH", FILE, "Write the scene of these people to PATH.toml.")
@OUTPUT.option("--json PATH", NAME, "Write the report as JSON; - is standard output.", into="json_path")
@OUTPUT.option(
    "--plot PATH",
    FILE,
    "Draw the report to PATH.png or PATH.svg (the 'plot' extra): slides, cadence, step lengths, distances.",
    into="plot_path",
)
@THREADS
def walk(**options: Any) -> None:
    """Show the recorded or simulated people of a trajectory file as walking bodies, in a window or in pictures.

    docs/trajectories.md lists the formats of FILE. The feet of the bodies do not slide. A body is visible only while
    its person is in the file.
    """
    from ecs_anim.commands.walk import WalkOptions, walk_file

    walk_file(WalkOptions(reading=take_reading(options), **options))


@command(
    "ecs-anim report people.csv --unit m --out people.html",
    "ecs-anim report bottleneck --line door=-0.6,0:0.6,0 --out bottleneck.html",
    "ecs-anim report evacuation --seconds 120 --seeds 1:6 --out evacuation.html",
)
@click.argument("source", type=NAME, metavar="SCENE|RECORDING", shell_complete=scenes_and_files)
@ACTORS
@INPUT.option(
    "--seeds", SEEDS, "Run the scene with the seeds A to B - 1, such as 1:6, or one seed; default: the scene's own."
)
@INPUT.option("--walls FILE", FILE, "Recordings: read a plan of walls.")
@reading
@TIME.option("--seconds N", Number(above=0), "Simulate N seconds of the scene. Default: 60.")
@TIME.option(
    "--until",
    OneOf(["empty"]),
    "empty: simulate until all actors of the crowds with `leave` have left. --seconds sets the longest time. Default:"
    " 3600.",
)
@FIGURES.repeated("--line", LINE, "Measure the flow over the line between two plan points [m].", into="lines")
@FIGURES.flag(
    "--no-player",
    "Write a page without the player, which would show the first run in 3D.",
    into="player",
    flag_value=False,
    default=True,
)
@FIGURES.option(
    "--player-megabytes N", Number(above=0), "Leave out the player if its size is more than N MB. Default: 20."
)
@OUTPUT.option("--out PATH", FILE, "Write the page to PATH.html.", required=True)
@OUTPUT.option(
    "--egress FILE",
    FILE,
    "Write the egress time of each actor in each run to FILE.csv or .parquet (the 'parquet' extra).",
)
@OUTPUT.option("--json PATH", NAME, "Write the figures of each run as JSON; - is standard output.", into="json_path")
@THREADS
@ALLOW_CODE
def report(**options: Any) -> None:
    """Write densities, levels of service, speeds, flows and egress times of a crowd as one HTML page.

    SCENE is a scene, and RECORDING is a trajectory file. The page needs no network. The command needs the 'plot' extra.
    docs/reports.md explains the figures.
    """
    from ecs_anim.commands.report import ReportOptions, write_report

    write_report(ReportOptions(reading=take_reading(options), **options))


@command("ecs-anim validate", "ecs-anim validate --list", "ecs-anim validate density --plot plots")
@click.argument("checks", nargs=-1, type=NAME, metavar="[CHECK]...")
@SEED
@INPUT.option(
    "--recorded DIR",
    FILE,
    "Also plot recorded people: all files of trajectories in DIR that state their unit and rate.",
    into="recorded_folder",
)
@OUTPUT.flag("--list", "List the checks and their sources, and run no checks.", into="is_list")
@OUTPUT.option("--json", OneOf(["-"]), "Print the findings as JSON.", into="json_path")
@OUTPUT.option(
    "--plot DIR",
    FILE,
    "Draw speeds by density and flows by width to DIR/validation.png (the 'plot' extra).",
    into="plot_folder",
)
def validate(**options: Any) -> None:
    """Compare steered crowds with published results.

    The exit code is 1 if a result of a check is outside its allowed range. docs/validation.md lists the checks.
    """
    from ecs_anim.commands.validate import validate as run_checks

    run_checks(**options)

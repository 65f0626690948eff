"""Options that several commands of `ecs-anim` have."""

from collections.abc import Callable
from typing import Any, TypeVar

from ecs_anim.commands.help import option
from ecs_anim.commands.parameters import (
    ACTOR_COUNT,
    FILE,
    FPS_NUMBER,
    FRAMES,
    LEVEL_HEIGHTS,
    MAP_POINT,
    PIXELS,
    SEED_NUMBER,
    STEPS,
    Number,
    Within,
)

Command = TypeVar("Command", bound=Callable[..., Any])

ACTORS = option(
    "--actors", group="Input", type=ACTOR_COUNT, metavar="N", help="Simulate N actors in place of the scene's number."
)
SEED = option("--seed", group="Input", type=SEED_NUMBER, metavar="N", help="Use this seed in place of the scene's.")
FROM_FRAME = option(
    "--from-frame",
    group="Input",
    type=STEPS,
    metavar="K",
    help="Begin K steps after the scene's first frame. Poses of skipped frames are computed only if later poses"
    " need them.",
)
FROM_SNAPSHOT = option(
    "--from-snapshot",
    group="Input",
    type=FILE,
    metavar="FILE",
    help="Begin with the snapshot that `run SCENE --save FILE` wrote.",
)
THREADS = option(
    "--threads",
    group="Execution",
    type=Within("threads"),
    metavar="N",
    help="Compute poses with N threads. Default: all processors.",
)
ALLOW_CODE = option("--allow-code", group="Execution", is_flag=True, help="Run the Python code that SCENE names.")
FPS = option(
    "--fps",
    group="Pictures",
    type=FPS_NUMBER,
    metavar="HZ",
    help="Set the pictures per second of a film. Default: one picture per time step, at most 50 per second in a .gif.",
)
PICTURE_SIZE = option(
    "--size",
    group="Pictures",
    type=PIXELS,
    metavar="WxH",
    help="Set width and height of the picture or window. Default: 1280x720, or the size of --camera.",
)
SIZE = option(
    "--size",
    group="Pictures",
    type=PIXELS,
    metavar="WxH",
    default="1280x720",
    show_default=True,
    help="Set width and height of the picture or window.",
)
JSON_FLAG = option("--json", "as_json", group="Output", is_flag=True, help="Print JSON in place of tables.")


def duration(default: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `--frames` and `--seconds` to a command.

    The help of the two options contains the text `default`, which describes the default duration.
    """

    def decorated(command: Command) -> Command:
        frames_help = f"Take N time steps. Default: {default}."
        seconds_help = "Simulate N seconds of the world's time, in place of --frames."
        command = option("--seconds", group="Time", type=Number(above=0), metavar="N", help=seconds_help)(command)
        return option("--frames", group="Time", type=FRAMES, metavar="N", help=frames_help)(command)

    return decorated


READING = {
    "unit": option(
        "--unit",
        group="Input",
        metavar="UNIT",
        help="Recordings, BVH: read lengths in this unit if the file does not state one: m, cm, mm, ft, in, '0.02 m'.",
    ),
    "rate": option(
        "--sample-rate",
        "rate",
        group="Input",
        type=Number(above=0),
        metavar="HZ",
        help="Recordings: set the samples per second if the file does not state them.",
    ),
    "columns": option(
        "--columns",
        group="Input",
        metavar="NAMES",
        help="Recordings: name the columns, such as 'id frame x y' (- skips a column), or 'id=person x=px ...'.",
    ),
    "axes": option(
        "--axes",
        group="Input",
        metavar="AXES",
        help="Recordings: choose the file's axes that point east and north. Default: 'x y'. 'x -y': y points down.",
    ),
    "origin": option(
        "--origin",
        group="Input",
        type=MAP_POINT,
        help="Recordings: move this point (east, north) [m] to 0,0, for coordinates such as UTM.",
    ),
    "level": option(
        "--level",
        group="Input",
        metavar="FLOOR",
        help="Recordings: read one floor, by its name or height [m]. Default: all floors, each at its height.",
    ),
    "level_heights": option(
        "--level-heights",
        group="Input",
        type=LEVEL_HEIGHTS,
        metavar="METRES",
        help="Recordings: set the distance between two floors [m], or the height of each floor: 'Ground=0,Upper=3.5'.",
    ),
}


def reading(command: Command) -> Command:
    """Add the options of `ReadOptions` to a command."""
    for own in reversed(READING.values()):
        command = own(command)
    return command


def take_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the arguments of `ReadOptions` from `options`, and return these arguments.

    The decorator `reading` has added the arguments to the command.
    """
    return {name: options.pop(name) for name in READING}

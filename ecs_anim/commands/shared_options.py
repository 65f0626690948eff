"""Options that several commands of `ecs-anim` have."""

from collections.abc import Callable
from typing import Any, TypeVar

from ecs_anim.commands.help import EXECUTION, INPUT, OUTPUT, PICTURES, TIME
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

ACTORS = INPUT.option("--actors N", ACTOR_COUNT, "Simulate N actors in place of the number in the scene.")
SEED = INPUT.option("--seed N", SEED_NUMBER, "Use this seed in place of the seed of the scene.")
FROM_FRAME = INPUT.option(
    "--from-frame K",
    STEPS,
    "Begin K steps after the scene's first frame. To save time, the command computes the poses of skipped frames "
    "only if later poses depend on them.",
)
FROM_SNAPSHOT = INPUT.option(
    "--from-snapshot FILE", FILE, "Begin with the snapshot that `run SCENE --save FILE` wrote."
)
THREADS = EXECUTION.option("--threads N", Within("threads"), "Compute poses with N threads. Default: all processors.")
ALLOW_CODE = EXECUTION.flag("--allow-code", "Run the Python code that SCENE names.")
FPS = PICTURES.option(
    "--fps HZ",
    FPS_NUMBER,
    "Set the pictures per second of a film. Default: one picture per time step, at most 50 per second in a .gif.",
)
PICTURE_SIZE = PICTURES.option(
    "--size WxH", PIXELS, "Set width and height of the picture or window. Default: 1280x720, or the size of --camera."
)
SIZE = PICTURES.option("--size WxH", PIXELS, "Set width and height of the picture or window.", default="1280x720")
JSON_FLAG = OUTPUT.flag("--json", "Print JSON in place of tables.", into="as_json")


def duration(default: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `--frames` and `--seconds` to a command.

    The help of the two options contains the text `default`, which describes the default duration.
    """

    def decorated(command: Command) -> Command:
        frames_help = f"Take N time steps. Default: {default}."
        seconds_help = "Simulate N seconds of the world's time, in place of --frames."
        command = TIME.option("--seconds N", Number(above=0), seconds_help)(command)
        return TIME.option("--frames N", FRAMES, frames_help)(command)

    return decorated


READING = {
    "unit": INPUT.option(
        "--unit UNIT",
        str,
        "Recordings, BVH: read lengths in this unit if the file does not state one: m, cm, mm, ft, in, '0.02 m'.",
    ),
    "rate": INPUT.option(
        "--sample-rate HZ",
        Number(above=0),
        "Recordings: set the number of samples per second if the file does not state this number.",
        into="rate",
    ),
    "columns": INPUT.option(
        "--columns NAMES",
        str,
        "Recordings: name the columns, such as 'id frame x y' (- skips a column), or 'id=person x=px ...'.",
    ),
    "axes": INPUT.option(
        "--axes AXES",
        str,
        "Recordings: set the axes of the file that point east and north. Default: 'x y'. If y points down: 'x -y'.",
    ),
    "origin": INPUT.option(
        "--origin", MAP_POINT, "Recordings: move this point (east, north) [m] to 0,0, for coordinates such as UTM."
    ),
    "level": INPUT.option(
        "--level FLOOR",
        str,
        "Recordings: read one floor, by its name or height [m]. Default: all floors, each at its height.",
    ),
    "level_heights": INPUT.option(
        "--level-heights METRES",
        LEVEL_HEIGHTS,
        "Recordings: set the distance between two floors [m], or the height of each floor: 'Ground=0,Upper=3.5'.",
    ),
}


def reading(command: Command) -> Command:
    """Add an option for each field of `ReadOptions` to a command."""
    for own in reversed(READING.values()):
        command = own(command)
    return command


def take_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the arguments of `ReadOptions` from `options`, and return these arguments.

    The decorator `reading` has added the arguments to the command.
    """
    return {name: options.pop(name) for name in READING}

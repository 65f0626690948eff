"""Types of options and arguments of `ecs-anim`: numbers in plain digits and in bounds, names that are not empty."""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import nearest
from ecs_anim.support.names import repeated

Command = TypeVar("Command", bound=Callable[..., Any])

LONGEST_SENTENCE = 1000  # characters
MOST_SEED = 2**63 - 1


class WholeNumber(click.IntRange):
    """An integer in a range. Python's int, and so click's own, also reads other scripts' digits and underscores."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """An int."""
        if isinstance(value, str) and not re.fullmatch("[+-]?[0-9]{1,30}", value):
            self.fail(f"{value!r} is not a whole number", param, ctx)
        return super().convert(value, param, ctx)


class Within(WholeNumber):
    """An integer from `low` on, within a budget."""

    def __init__(self, budget: str, advice: str = "lower it", low: int = 1) -> None:
        super().__init__(low)
        self._budget, self._advice = budget, advice

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """An int."""
        number = super().convert(value, param, ctx)
        if text := excess(self._budget, number, self._advice):
            self.fail(text, param, ctx)
        return number


class FiniteRange(click.FloatRange):
    """A number in a range; click's own lets pass what is not a number, and reads other scripts' digits too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """A finite number."""
        if isinstance(value, str) and not re.fullmatch("[ -^`-~]*", value):  # ASCII without underscores
            self.fail(f"{value!r} is not a number", param, ctx)
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


class Parsed(click.ParamType):
    """A value that a function makes of a text. The function raises ValueError with the problem."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name, self._parse = name, parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of a text. A default that is no text stays as it is."""
        try:
            return self._parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _size(text: str) -> tuple[int, int]:
    """Return width and height in pixels."""
    sides = re.fullmatch("([0-9]{1,9})[xX]([0-9]{1,9})", text)
    width, height = map(int, sides.groups()) if sides else (0, 0)
    if min(width, height) < 1:
        raise ValueError(f"{text!r} is not a size such as 1280x720")
    if problem := excess("pixels", width * height, "draw a smaller picture"):
        raise ValueError(problem)
    return width, height


def _counts(text: str) -> list[int]:
    """Return positive integers."""
    return [ACTOR_COUNT.convert(part.strip(), None, None) for part in text.split(",")]


def stretch(alone: Callable[[int], range]) -> Parsed:
    """Return the type of whole numbers from A to B - 1, each or each STEP-th. `alone` makes a range of A alone."""

    def parse(text: str) -> range:
        if not re.fullmatch("[0-9]{1,19}(:[0-9]{1,19}){0,2}", text):
            raise ValueError(f"{text!r} is neither a whole number nor some, such as 0:100 or 0:100:5")
        first, *others = map(int, text.split(":"))
        if max(first, *others, 0) > MOST_SEED:
            raise ValueError(f"{text!r}: numbers go up to {MOST_SEED:,}")
        if others[1:] == [0]:
            raise ValueError(f"{text!r}: the third number, from one to the next, is 1 or more")
        found = range(first, *others) if others else alone(first)
        if not found:
            raise ValueError(f"{text!r} is none: A:B is from A to the one before B")
        if problem := excess("captures", len(found), "make several data sets"):
            raise ValueError(problem)
        return found

    return Parsed("A:B[:STEP]", parse)


def names(known: Sequence[str] = ()) -> Parsed:
    """Return the type of names with commas between, each of them once. An empty `known` allows all names."""

    def parse(text: str) -> list[str]:
        found = [name.strip() for name in text.split(",")]
        if (twice := repeated(found)) is not None:
            raise ValueError(f"{twice!r} is there twice, and each should be another one; leave one out")
        for name in found if known else ():
            if name not in known:
                raise ValueError(f"{name!r} is none of {', '.join(known)};{nearest(name, known)}".rstrip(";"))
        return found

    return Parsed("NAME[,NAME...]", parse)


def _walk_camera(text: str) -> tuple[str, str | None]:
    """Return a view and the id of the person that the camera follows."""
    if text in ("side", "top"):
        return text, None
    first, _, person = text.partition(" ")
    if first != "follow" or not person:
        raise ValueError(f"{text!r} is none of side, top and 'follow ID', such as follow 17")
    return "side", person


def _map_point(text: str) -> tuple[float, float]:
    """Return east and north [m]."""
    east, _, north = text.partition(",")
    try:
        return float(east), float(north)
    except ValueError:
        raise ValueError(f"{text!r} is no point such as 356000,5620000") from None


def _joint_of_role(text: str) -> tuple[str, str]:
    """Return a role and the name of its joint."""
    role, _, joint = text.partition("=")
    if not (role and joint):
        raise ValueError(f"{text!r} is no role and joint, such as left_hand=paddle")
    return role, joint


class FollowingCommand(click.Command):
    """One whose `--camera follow ID` has a value of two words, which click takes for two."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the two."""
        for at in range(len(args) - 2):
            if args[at : at + 2] == ["--camera", "follow"]:
                args[at + 1 : at + 3] = [f"follow {args[at + 2]}"]
                break
        return super().parse_args(ctx, args)


class WholeSentences(click.Group):
    """A group whose help has the first sentence of each command's, where click cuts it to one line."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        rows = [(name, self.commands[name].get_short_help_str(LONGEST_SENTENCE)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class FileName(click.Path):
    """The name of a file or a folder; pathlib takes an empty one for the folder at hand."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A path, or a string where `path_type` is str."""
        if value == "":
            self.fail("the name is empty", param, ctx)
        return super().convert(value, param, ctx)


ACTOR_COUNT = Within("actors")
PERSON = click.STRING  # an id, as a file has it
SEEDS = stretch(lambda seed: range(seed, seed + 1))
FRAME_NUMBERS = stretch(range)
STEPS = Within("steps", "jump less far", 0)
FRAMES = Within("steps")
COUNTS = Parsed("N[,N...]", _counts)
PIXELS = Parsed("WxH", _size)
WALK_CAMERA = Parsed("side|top|follow ID", _walk_camera)
JOINT_OF_ROLE = Parsed("role=joint", _joint_of_role)
FILE = FileName(path_type=Path)
NAME = FileName(path_type=str)

ACTORS = click.option("--actors", type=ACTOR_COUNT, metavar="N", help="Replaces the scene's number of actors.")
THREADS = click.option(
    "--threads", type=Within("threads"), metavar="N", help="Threads for the pose systems; default: all."
)
SEED = click.option("--seed", type=WholeNumber(0, MOST_SEED), metavar="N", help="Replaces the scene's seed.")
ALLOW_CODE = click.option("--allow-code", is_flag=True, help="Let SCENE run the code that its systems name.")
FROM_FRAME = click.option(
    "--from-frame",
    type=STEPS,
    metavar="K",
    help="Begin K steps after the scene's first frame; crowds are posed on the way only where later poses need it.",
)
FROM_SNAPSHOT = click.option(
    "--from-snapshot", type=FILE, metavar="FILE", help="Begin where SCENE was when `run --save FILE` ended."
)
FILM_RATE = WholeNumber(1, 240)  # [1/s], as farms have it
FILM_RATE_HELP = "Pictures a second of a film; default: as many as steps, and at most 50 in a .gif."
PICTURE_SIZE = click.option(
    "--size", type=PIXELS, help="Of the picture or window; default: 1280x720, or as large as --camera says."
)
SIZE = click.option("--size", type=PIXELS, default="1280x720", show_default=True, help="Of the picture or window.")
READING = {
    "unit": click.option(
        "--unit",
        metavar="UNIT",
        help="Recordings, BVH: the unit of lengths, where the file does not say: m, cm, mm, ft, in, '0.02 m'.",
    ),
    "rate": click.option(
        "--frame-rate",
        "--rate",
        "rate",
        type=FiniteRange(min=0, min_open=True),
        metavar="HZ",
        help="Recordings: frames a second, where the file does not say.",
    ),
    "columns": click.option(
        "--columns",
        metavar="NAMES",
        help="Recordings: what the columns are: 'id frame x y', - for one to skip, or 'id=person x=px ...'.",
    ),
    "axes": click.option(
        "--axes",
        metavar="AXES",
        help="Recordings: which of the file's axes point east and north; default: 'x y'; 'x -y' where y points down.",
    ),
    "origin": click.option(
        "--origin",
        type=Parsed("E,N", _map_point),
        help="Recordings: the point east and north [m] that becomes 0,0, for coordinates of a country (UTM).",
    ),
    "level": click.option(
        "--level",
        metavar="FLOOR",
        help="Recordings: the floor to read, by its name or height [m]; default: all on one plane.",
    ),
}


def reading(command: Command) -> Command:
    """Give a command the options that `ReadOptions` has."""
    for option in reversed(READING.values()):
        command = option(command)
    return command


def take_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of `reading` out of a command's options; `ReadOptions` takes them."""
    return {name: options.pop(name) for name in READING}

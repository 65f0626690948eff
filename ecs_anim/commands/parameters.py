"""What options and arguments of `ecs-anim` may be: numbers in plain digits and in bounds, names that are not empty."""

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


class Size(click.ParamType):
    """A picture's size, such as 1280x720."""

    name = "WxH"

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Width and height in pixels."""
        if isinstance(value, tuple):
            return value
        sides = re.fullmatch("([0-9]{1,9})[xX]([0-9]{1,9})", value)
        if sides is None or int(sides[1]) < 1 or int(sides[2]) < 1:
            self.fail(f"{value!r} is not a size such as 1280x720", param, ctx)
        width, height = int(sides[1]), int(sides[2])
        if text := excess("pixels", width * height, "draw a smaller picture"):
            self.fail(text, param, ctx)
        return width, height


class Counts(click.ParamType):
    """Numbers of actors, such as 1000,10000."""

    name = "N[,N...]"

    def convert(self, value: str | list[int], param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        """Positive integers."""
        if isinstance(value, list):
            return value
        return [ACTOR_COUNT.convert(part.strip(), param, ctx) for part in value.split(",")]


class Stretch(click.ParamType):
    """Whole numbers from A to B - 1, each or each STEP-th, such as 0:100 or 0:100:5; `alone` says what A alone is."""

    name = "A:B[:STEP]"

    def __init__(self, alone: Callable[[int], range]) -> None:
        self._alone = alone

    def convert(self, value: str | range, param: click.Parameter | None, ctx: click.Context | None) -> range:
        """Numbers that rise."""
        if isinstance(value, range):
            return value
        if not re.fullmatch("[0-9]{1,19}(:[0-9]{1,19}){0,2}", value):
            self.fail(f"{value!r} is neither a whole number nor some, such as 0:100 or 0:100:5", param, ctx)
        first, *others = map(int, value.split(":"))
        if max(first, *others, 0) > MOST_SEED:
            self.fail(f"{value!r}: numbers go up to {MOST_SEED:,}", param, ctx)
        if others[1:] == [0]:
            self.fail(f"{value!r}: the third number, from one to the next, is 1 or more", param, ctx)
        found = range(first, *others) if others else self._alone(first)
        if not found:
            self.fail(f"{value!r} is none: A:B is from A to the one before B", param, ctx)
        if text := excess("captures", len(found), "make several data sets"):
            self.fail(text, param, ctx)
        return found


class Names(click.ParamType):
    """Names with commas between, each one of `known` unless there are none."""

    name = "NAME[,NAME...]"

    def __init__(self, known: Sequence[str] = ()) -> None:
        self._known = known

    def convert(
        self, value: str | Sequence[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Sequence[str]:
        """Names, each another one."""
        names = [name.strip() for name in value.split(",")] if isinstance(value, str) else value
        if (twice := repeated(names)) is not None:
            self.fail(f"{twice!r} is there twice, and each should be another one; leave one out", param, ctx)
        for name in names if self._known else ():
            if name not in self._known:
                hint = nearest(name, self._known)
                self.fail(f"{name!r} is none of {', '.join(self._known)};{hint}".rstrip(";"), param, ctx)
        return list(names)


class WalkCamera(click.ParamType):
    """Where somebody is seen from who walks: 'side', 'top', or 'follow ID'."""

    name = "side|top|follow ID"

    def convert(
        self, value: str | tuple[str, str | None], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str | None]:
        """A view, and the id of who is followed."""
        match value:
            case tuple():
                return value
            case "side" | "top":
                return value, None
        first, _, person = value.partition(" ")
        if first != "follow" or not person:
            self.fail(f"{value!r} is none of side, top and 'follow ID', such as follow 17", param, ctx)
        return "side", person


class MapPoint(click.ParamType):
    """A point of the map [m], such as 356000,5620000."""

    name = "E,N"

    def convert(
        self, value: str | tuple[float, float], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """East and north."""
        if isinstance(value, tuple):
            return value
        east, _, north = value.partition(",")
        try:
            return float(east), float(north)
        except ValueError:
            self.fail(f"{value!r} is no point such as 356000,5620000", param, ctx)


class JointOfRole(click.ParamType):
    """A role and the joint that has it: 'ROLE=JOINT'."""

    name = "role=joint"

    def convert(
        self, value: str | tuple[str, str], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """The role and the joint's name."""
        if isinstance(value, tuple):
            return value
        role, _, joint = value.partition("=")
        if not (role and joint):
            self.fail(f"{value!r} is no role and joint, such as left_hand=paddle", param, ctx)
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
SEEDS = Stretch(lambda seed: range(seed, seed + 1))
FRAME_NUMBERS = Stretch(range)
STEPS = Within("steps", "jump less far", 0)
FRAMES = Within("steps")
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
    "--size", type=Size(), help="Of the picture or window; default: 1280x720, or as large as --camera says."
)
SIZE = click.option("--size", type=Size(), default="1280x720", show_default=True, help="Of the picture or window.")
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
        type=MapPoint(),
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

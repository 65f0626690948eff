"""Types of options and arguments of `ecs-anim`, such as bounded numbers and names."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import nearest

MOST_SEED = 2**63 - 1


class WholeNumber(click.ParamType):
    """An integer from `least` to `most`. The text on the command line must consist of ASCII digits.

    Python's `int` would also accept underscores and the digits of other scripts.
    """

    name = "integer"

    def __init__(self, least: int, most: int | None = None) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return an int."""
        if isinstance(value, str) and not re.fullmatch("[+-]?[0-9]{1,30}", value):
            self.fail(f"the value must be a whole number (got {value!r})", param, ctx)
        number = int(value)
        if number < self._least or (self._most is not None and number > self._most):
            most = "" if self._most is None else f" and at most {self._most}"
            self.fail(f"the number must be at least {self._least}{most} (got {number})", param, ctx)
        return number


class Within(WholeNumber):
    """An integer from `low` to the limit of a budget."""

    def __init__(self, budget: str, advice: str = "lower it", low: int = 1) -> None:
        super().__init__(low)
        self._budget, self._advice = budget, advice

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return an int."""
        number = super().convert(value, param, ctx)
        if limit_message := excess(self._budget, number, self._advice):
            self.fail(limit_message, param, ctx)
        return number


class Number(click.ParamType):
    """A finite number, at least `least`, at most `most`, and larger than `above`."""

    name = "number"

    def __init__(self, least: float | None = None, most: float | None = None, above: float | None = None) -> None:
        self._least, self._most, self._above = least, most, above

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return a finite float within the bounds."""
        text = value if isinstance(value, str) else str(value)
        try:
            if not re.fullmatch("[ -^`-~]*", text):  # printable ASCII without underscores
                raise ValueError
            number = float(text)
        except ValueError:
            self.fail(f"the value must be a number (got {text!r})", param, ctx)
        if not math.isfinite(number):
            self.fail(f"the value must be a finite number (got {text!r})", param, ctx)
        if rule := self._broken_rule(number):
            self.fail(f"the number must be {rule} (got {number:g})", param, ctx)
        return number

    def _broken_rule(self, number: float) -> str:
        if self._above is not None and number <= self._above:
            return f"above {self._above:g}"
        if self._least is not None and number < self._least:
            return f"at least {self._least:g}"
        return f"at most {self._most:g}" if self._most is not None and number > self._most else ""


class Parsed(click.ParamType):
    """An option type that parses text with a given function. For invalid text, the given function must raise
    ValueError.
    """

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name, self._parse = name, parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the parsed value of a text. A value that is not a text, such as a default, remains unchanged."""
        try:
            return self._parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


class OneOf(click.Choice):
    """One of several names. For an unknown name, the error message suggests the most similar name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return `value` if `value` is one of the names. For any other value, fail with an error for the user."""
        if value not in self.choices:
            names = f"the value must be one of {', '.join(self.choices)} (got {value!r});{nearest(value, self.choices)}"
            self.fail(names.rstrip(";"), param, ctx)
        return value


def _size(text: str) -> tuple[int, int]:
    """Return the width and the height [pixel] that `text` states."""
    sides = re.fullmatch("([0-9]{1,9})[xX]([0-9]{1,9})", text)
    width, height = map(int, sides.groups()) if sides else (0, 0)
    if min(width, height) < 1:
        raise ValueError(f"the value must be a width and a height of at least 1 pixel, such as 1280x720 (got {text!r})")
    if problem := excess("pixels", width * height, "draw a smaller picture"):
        raise ValueError(problem)
    return width, height


def stretch(alone: Callable[[int], range]) -> Parsed:
    """Return an option type for ranges of whole numbers in the form A:B or A:B:STEP.

    `alone` returns the range for a text that consists only of A.
    """

    def parse(text: str) -> range:
        if not re.fullmatch("[0-9]{1,19}(:[0-9]{1,19}){0,2}", text):
            raise ValueError(f"the value must be a whole number or a range such as 0:100 or 0:100:5 (got {text!r})")
        first, *others = map(int, text.split(":"))
        if max(first, *others, 0) > MOST_SEED:
            raise ValueError(f"each number of a range must be at most {MOST_SEED:,} (got {text!r})")
        if others[1:] == [0]:
            raise ValueError(f"the third number of a range (the step) must be at least 1 (got {text!r})")
        found = range(first, *others) if others else alone(first)
        if not found:
            raise ValueError(
                f"in a range A:B, the number B must be larger than A, because the range ends before B (got {text!r})"
            )
        if problem := excess("captures", len(found), "make several data sets"):
            raise ValueError(problem)
        return found

    return Parsed("A:B[:STEP]", parse)


def _shard(text: str) -> tuple[int, int]:
    """Return the number of a part and the number of parts from `I/N`."""
    try:
        number, count = map(int, text.split("/"))
    except ValueError:
        raise ValueError("write two whole numbers with a slash, such as 2/4") from None
    return number, count


def _shares(text: str) -> tuple[float, ...]:
    """Return the shares that `text` states, separated by commas."""
    try:
        found = tuple(map(float, text.split(",")))
    except ValueError:
        found = ()
    if not found or not all(map(math.isfinite, found)):
        raise ValueError(f"the value must be two or three shares such as 0.8,0.1,0.1 (got {text!r})")
    return found


def _map_point(text: str) -> tuple[float, float]:
    """Return the east and the north coordinate [m] that `text` states."""
    east, _, north = text.partition(",")
    try:
        return float(east), float(north)
    except ValueError:
        raise ValueError(f"the value must be a point, east and north, such as 356000,5620000 (got {text!r})") from None


def _level_heights(text: str) -> float | dict[str, float]:
    """Return the distance between two floors [m], or a dictionary from the name of a floor to its height [m]."""
    try:
        if "=" not in text:
            return float(text)
        return {name.strip(): float(height) for name, _, height in (part.rpartition("=") for part in text.split(","))}
    except ValueError:
        raise ValueError(
            "the value must be the distance between two floors, such as 3.5, or a height for each floor, such as"
            f" 'Ground=0,Upper=3.5' (got {text!r})"
        ) from None


def _line(text: str) -> tuple[str, tuple[tuple[float, float], tuple[float, float]]]:
    """Return the name of a line and the two plan points [m] of this line, as `text` states them."""
    name, _, points = text.partition("=")
    try:
        (x0, y0), (x1, y1) = (tuple(map(float, point.split(","))) for point in points.split(":"))
    except ValueError:
        x0 = y0 = x1 = y1 = math.nan
    if not name or not all(map(math.isfinite, (x0, y0, x1, y1))) or (x0, y0) == (x1, y1):
        raise ValueError(
            f"the value must be a name and two different plan points such as door=0,1.5:2,1.5 (got {text!r})"
        )
    return name, ((x0, y0), (x1, y1))


def _joint_of_role(text: str) -> tuple[str, str]:
    role, _, joint = text.partition("=")
    if not (role and joint):
        raise ValueError(
            f"the value must be the name of a role and the name of a joint, such as left_hand=paddle (got {text!r})"
        )
    return role, joint


def _actor(text: str) -> tuple[str, int | None]:
    """Return the name of a crowd and the id of an actor. Without an id, the id is None."""
    crowd, _, number = text.rpartition(":")
    if not re.fullmatch("[0-9]{1,18}", number):
        crowd, number = text, ""
    if not crowd:
        raise ValueError(
            f"the value must be the name of a crowd, or a crowd and an actor id such as walkers:18 (got {text!r})"
        )
    return crowd, int(number) if number else None


class FileName(click.Path):
    """The name of a file or folder. An empty name is an error, because Python would treat an empty name as the current
    folder.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name as a path. If the `path_type` of the option is str, return the name as a string."""
        if value == "":
            self.fail("the name must not be empty", param, ctx)
        return super().convert(value, param, ctx)


ACTOR_COUNT = Within("actors")
PERSON = click.STRING  # an id, as in the file
SHARES = Parsed("SHARES", _shares)
SHARD = Parsed("I/N", _shard)
SEEDS = stretch(lambda seed: range(seed, seed + 1))
FRAME_NUMBERS = stretch(range)
STEPS = Within("steps", "start at an earlier frame", 0)
FRAMES = Within("steps")
PIXELS = Parsed("WxH", _size)
ACTOR = Parsed("CROWD[:ID]", _actor)
MAP_POINT = Parsed("E,N", _map_point)
LEVEL_HEIGHTS = Parsed("METRES", _level_heights)
LINE = Parsed("NAME=X,Y:X,Y", _line)
JOINT_OF_ROLE = Parsed("role=joint", _joint_of_role)
FILE = FileName(path_type=Path)
NAME = FileName(path_type=str)
FPS_NUMBER = WholeNumber(1, 240)  # [1/s], the limit is also that of farms
PORT = WholeNumber(0, 65_535)
SEED_NUMBER = WholeNumber(0, MOST_SEED)

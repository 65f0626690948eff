"""Errors that ask the user for the missing length unit or the missing frame rate of a file.

Each error suggests a unit or a rate that fits the numbers in the file.
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.motion import motion_of, near_usual
from ecs_anim.trajectories.options import UNITS, ReadOptions, compass_of, metres_of
from ecs_anim.trajectories.rows import Reals, Rows, joined
from ecs_anim.trajectories.source import NO_POSITIONS, NO_ROWS, Layout, Source

STROLL = 1.3  # [m/s], usual walking speed
WALKS = (0.1, 4.0)  # [m/s], range of the median speed of a crowd
WORDS = {"m": "metres", "cm": "centimetres", "mm": "millimetres"}
CLOCKS = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}  # number of units per second
FRAMES, TIMES = ("frame", "frames"), ("unit of time", "units of time")
PARTS = 16  # parts of a file that are read to find the scale
SENSIBLE_RATES = (1.0, 240.0)  # frames per second
NEAR = 0.15  # largest relative difference between a suggested rate and a usual rate


@dataclass(frozen=True)
class Scale:
    """The scale of a file: all facts for the conversion of its numbers to metres and seconds on the plan."""

    unit: str  # unit of lengths, in the format of `options.metres_of`
    rate: float  # ticks per second
    compass: tuple[tuple[int, float], tuple[int, float]]  # axis and sign: of east, then of north
    origin: tuple[float, float] = (0.0, 0.0)  # [m] east and north, the point of the file that becomes 0, 0
    notes: tuple[str, ...] = ()  # notes on facts that follow from speeds

    @property
    def metres(self) -> float:
        """Return the length [m] of one length unit of the file."""
        return metres_of(self.unit)

    def on_the_plan(self, xy: Reals) -> Reals:
        """Return positions [..., 2] [m], east and north, from the x and y coordinates in the file."""
        return self.turned(xy) * self.metres - np.array(self.origin)

    def turned(self, xy: Reals) -> Reals:
        """Return directions [..., 2], east and north, from direction vectors in the axes of the file."""
        (east, east_sign), (north, north_sign) = self.compass
        return np.stack([east_sign * xy[..., east], north_sign * xy[..., north]], axis=-1)


@dataclass(frozen=True)
class Walk:
    """Movement of people in the first rows of a file."""

    people: int
    move: float | None  # median move between samples in the file's unit; None = no person moves
    ticks: float  # median number of ticks between samples

    def speed(self, metres: float, rate: float) -> float:
        """Return the speed of people [m/s]. The speed is 0 if no person moves.

        `metres` is the length of one unit [m]. `rate` is the number of ticks per second.
        """
        return 0.0 if self.move is None else self.move / self.ticks * metres * rate


def scale_of(source: Source, options: ReadOptions) -> Scale:
    """Return the scale of a file, from the user's options or from the file itself.

    Raises InputError if the unit or the rate is missing.
    """
    unit, rate = options.unit or source.layout.unit, options.rate or source.layout.rate
    compass, origin = compass_of(options.axes or source.layout.axes), options.origin or (0.0, 0.0)
    if unit is not None and rate is not None:
        return Scale(unit, rate, compass, origin)
    walk = _walk_of(source)
    if unit is not None and not source.layout.counts_frames and (clock := _clock(walk, metres_of(unit))) is not None:
        rate = CLOCKS[clock]
        speed = walk.speed(metres_of(unit), rate)
        return Scale(
            unit, rate, compass, origin, (f"times are in {clock}, because people then walk at {speed:.2g} m/s",)
        )
    raise _question(source, walk, unit, rate)


def overruled(layout: Layout, scale: Scale) -> tuple[str, ...]:
    """Return a note for each option of the user that replaces the unit or the rate that the file states."""
    told: list[tuple[str, str | float | None, str | float]]
    told = [("unit", layout.unit, scale.unit), ("rate", layout.rate, scale.rate)]
    shown = [(name, _shown(own), _shown(taken)) for name, own, taken in told if own is not None]
    text = "{} = {} replaces {}, the value of the file or its format"
    return tuple(text.format(name, taken, own) for name, own, taken in shown if own != taken)


def _shown(value: str | float) -> str:
    return repr(value) if isinstance(value, str) else f"{value:g}"


def _question(source: Source, walk: Walk, unit: str | None, rate: float | None) -> InputError:
    """Return the error that asks the user for the missing unit and the missing rate.

    If `unit` is None, the unit is missing. If `rate` is None, the rate is missing.
    """
    layout = source.layout
    if not walk.people:
        return InputError(f"{source.label.path}: {NO_ROWS}")
    likely = unit or _suggested_unit(layout, walk, rate)
    pace, why = _suggested_rate(layout, walk, metres_of(likely))
    frames, lacks, guesses, needs, flags = layout.counts_frames, [], [], [], []
    if unit is None:
        lacks.append("its unit")
        guesses.append(f"{likely} a pixel" if layout.pixel_metres else WORDS[likely])
        needs.append(f"unit = {likely!r}")
        flags.append(f"--unit '{likely}'" if " " in likely else f"--unit {likely}")
    if rate is None:
        lacks.append("its frame rate" if frames else "its unit of time")
        guesses.append(f"about {pace} {(FRAMES if frames else TIMES)[1]} per second{why}")
        needs.append(f"rate = {pace}")
        flags.append(f"--sample-rate {pace}")
    problem, fix = _pixels(layout)
    found = _found(walk, rate, FRAMES if frames else TIMES)
    missing, guess, keys, options = " or ".join(lacks), " at ".join(guesses), " and ".join(needs), " ".join(flags)
    return InputError(
        f"{source.label.path}: {problem}the file does not state {missing} ({found}). The best guess is {guess}."
        f" {fix} {keys} (on the command line: {options})."
    )


def _pixels(layout: Layout) -> tuple[str, str]:
    """Return the first words of the problem and of the fix for an error about positions in pixels. For a file without
    pixels, these words do not mention pixels.
    """
    if not layout.pixel_metres:
        return "", "Set"
    return "positions are pixels of a picture, and ", "Project the positions onto the ground, or set"


def _found(walk: Walk, rate: float | None, ticks: tuple[str, str]) -> str:
    """Return a text that summarises the movement in the first rows of the file."""
    people = f"{walk.people} {'person' if walk.people == 1 else 'people'}"
    if walk.move is None:
        return f"{people} without motion"
    if rate is not None:
        return f"{people}, median speed {walk.move / walk.ticks * rate:.3g} units per second"
    return f"{people}, median move {walk.move:.3g} units in {walk.ticks:g} {ticks[walk.ticks != 1]}"


def _walk_of(source: Source) -> Walk:
    """Return the movement of people in the first rows of the file. Raises InputError if no row has a position."""
    rows, first = _first_rows(source)
    if first and not len(rows.ids):
        raise InputError(f"{source.label.path}: {NO_POSITIONS}")
    motion = motion_of(rows.ids, rows.ticks, rows.xy)
    if not len(motion.steps.first):
        return Walk(motion.people, None, 1.0)
    lengths = motion.steps.metres
    going = lengths[lengths > 0]
    return Walk(motion.people, float(np.median(going)) if len(going) else None, float(np.median(motion.steps.seconds)))


def _first_rows(source: Source) -> tuple[Rows, int]:
    """Return the rows with a position among the first rows of a file.

    Also return the number of all first rows, with or without a position.
    """
    parts = [*islice(source.rows(), PARTS)]
    rows = joined(parts) if parts else Rows(np.zeros(0), np.zeros(0, np.int64), np.zeros((0, 2)), np.zeros(0, np.int64))
    return rows.taken(rows.seen), len(rows.ids)


def _clock(walk: Walk, metres: float) -> str | None:
    """Return the time unit that gives the people a walking speed, or None if no time unit fits.

    `metres` is the length of one length unit [m]. Each time unit is 1,000 times as long as the next shorter unit, so at
    most one time unit gives a walking speed.
    """
    return next((name for name, rate in CLOCKS.items() if WALKS[0] <= walk.speed(metres, rate) <= WALKS[1]), None)


def _likely_unit(speed: float) -> str:
    shares = {unit: speed * UNITS[unit] / STROLL for unit in WORDS}
    return min(shares, key=lambda unit: max(shares[unit], 1 / shares[unit]))


def _suggested_unit(layout: Layout, walk: Walk, rate: float | None) -> str:
    if layout.pixel_metres:
        return f"{float(f'{layout.pixel_metres:.3g}')} m"
    if walk.move is None:
        return "m"
    if rate is not None:
        return _likely_unit(walk.move / walk.ticks * rate)
    low, high = SENSIBLE_RATES
    return next((unit for unit in WORDS if low <= STROLL / walk.speed(UNITS[unit], 1.0) <= high), "m")


def _suggested_rate(layout: Layout, walk: Walk, metres: float) -> tuple[str, str]:
    """Return the suggested frame rate, and the reason for this rate in words.

    If the file contains speeds, the suggested rate agrees with these speeds. If the file contains no speeds, people
    walk at the usual walking speed with the suggested rate.
    """
    if walk.move is None:
        return "25", ""
    likely = layout.likely_rate
    if likely is not None and WALKS[0] <= walk.speed(metres, likely) <= WALKS[1]:
        return f"{likely:.4g}", ", which fits the speeds in the file"
    rate = STROLL / walk.speed(metres, 1.0)
    return f"{near_usual(rate, NEAR) if layout.counts_frames else rate:.3g}", ""

"""Questions: what a file leaves unsaid is asked for by name, with what its numbers suggest."""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.motion import motion_of, near_usual
from ecs_anim.trajectories.options import UNITS, ReadOptions, compass_of, metres_of
from ecs_anim.trajectories.rows import Reals, Rows, joined
from ecs_anim.trajectories.source import NO_POSITIONS, NO_ROWS, Layout, Source

STROLL = 1.3  # [m/s], how fast people usually walk
WALKS = (0.1, 4.0)  # [m/s], between which the median speed of a crowd lies
WORDS = {"m": "metres", "cm": "centimetres", "mm": "millimetres"}
CLOCKS = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}  # in a second
FRAMES, TIMES = ("frame", "frames"), ("unit of time", "units of time")
PARTS = 16  # of a file, looked at for its columns
SENSIBLE_RATES = (1.0, 240.0)  # frames a second
NEAR = 0.15  # share by which a rate that a stroll suggests may differ from a usual one


@dataclass(frozen=True)
class Scale:
    """Conversion of a file's numbers to metres and seconds."""

    unit: str  # of lengths, as `options.metres_of` reads it
    rate: float  # ticks a second
    compass: tuple[tuple[int, float], tuple[int, float]]  # axis and sign, of east and of north
    origin: tuple[float, float] = (0.0, 0.0)  # [m] east and north, which becomes 0, 0
    notes: tuple[str, ...] = ()  # what speeds told

    @property
    def metres(self) -> float:
        """Metres of one unit."""
        return metres_of(self.unit)

    def on_the_plan(self, xy: Reals) -> Reals:
        """Return positions [..., 2] [m], east and north, of what stands in the file's columns."""
        return self.turned(xy) * self.metres - np.array(self.origin)

    def turned(self, xy: Reals) -> Reals:
        """Return directions [..., 2], east and north, of what stands in the file's columns."""
        (east, east_sign), (north, north_sign) = self.compass
        return np.stack([east_sign * xy[..., east], north_sign * xy[..., north]], axis=-1)


@dataclass(frozen=True)
class Walk:
    """How people of a file's first rows go."""

    people: int
    move: float | None  # in the file's unit, from sample to sample in the median; None: all stand
    ticks: float  # from sample to sample in the median

    def speed(self, metres: float, rate: float) -> float:
        """Return how fast people go [m/s], with so many metres in a unit and ticks in a second; 0: all stand."""
        return 0.0 if self.move is None else self.move / self.ticks * metres * rate


def scale_of(source: Source, options: ReadOptions) -> Scale:
    """Return the scale that the options or the file state. Raises InputError that asks for a missing unit or rate."""
    unit, rate = options.unit or source.layout.unit, options.rate or source.layout.rate
    compass, origin = compass_of(options.axes or source.layout.axes), options.origin or (0.0, 0.0)
    if unit is not None and rate is not None:
        return Scale(unit, rate, compass, origin)
    walk = _walk_of(source)
    if unit is not None and not source.layout.counts_frames and (clock := _clock(walk, metres_of(unit))) is not None:
        rate = CLOCKS[clock]
        speed = walk.speed(metres_of(unit), rate)
        return Scale(unit, rate, compass, origin, (f"times in {clock}: people go {speed:.2g} m/s then",))
    raise _question(source, walk, unit, rate)


def overruled(layout: Layout, scale: Scale) -> tuple[str, ...]:
    """Return notes on options that replace the file's own unit or rate."""
    told: list[tuple[str, str | float | None, str | float]]
    told = [("unit", layout.unit, scale.unit), ("rate", layout.rate, scale.rate)]
    shown = [(name, _shown(own), _shown(taken)) for name, own, taken in told if own is not None]
    text = "{} = {} is taken in place of {}, which the file or its format says"
    return tuple(text.format(name, taken, own) for name, own, taken in shown if own != taken)


def _shown(value: str | float) -> str:
    return repr(value) if isinstance(value, str) else f"{value:g}"


def _question(source: Source, walk: Walk, unit: str | None, rate: float | None) -> InputError:
    """What is asked for: the unit, the rate, or both, where they are None."""
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
        guesses.append(f"about {pace} {(FRAMES if frames else TIMES)[1]} a second{why}")
        needs.append(f"rate = {pace}")
        flags.append(f"--sample-rate {pace}")
    told = "does not say" if len(lacks) == 1 else "says neither"
    found = _found(walk, rate, FRAMES if frames else TIMES)
    return InputError(
        f"{source.label.path}: {_pixels(layout)}it {told} {' nor '.join(lacks)}: {found}: {' at '.join(guesses)}?"
        f" give {' and '.join(needs)} ({' '.join(flags)})"
    )


def _pixels(layout: Layout) -> str:
    """Return the advice on positions in pixels."""
    if not layout.pixel_metres:
        return ""
    return "positions are pixels of a picture: project them onto the ground, or take a pixel for a length; "


def _found(walk: Walk, rate: float | None, ticks: tuple[str, str]) -> str:
    """Return a summary of the file's first rows."""
    people = f"{walk.people} {'person' if walk.people == 1 else 'people'}"
    if walk.move is None:
        return f"{people}, and none moves"
    if rate is not None:
        return f"{people}, median speed {walk.move / walk.ticks * rate:.3g} a second"
    return f"{people} that move {walk.move:.3g} in {walk.ticks:g} {ticks[walk.ticks != 1]}"


def _walk_of(source: Source) -> Walk:
    """Return how people of the first rows go. Raises InputError where no row holds a position."""
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
    """Return the first rows that hold a position, and how many rows there are besides."""
    parts = [*islice(source.rows(), PARTS)]
    rows = joined(parts) if parts else Rows(np.zeros(0), np.zeros(0, np.int64), np.zeros((0, 2)), np.zeros(0, np.int64))
    return rows.taken(rows.seen), len(rows.ids)


def _clock(walk: Walk, metres: float) -> str | None:
    """The unit of time in which people walk; each is a thousand of the next, so that one of them fits at most."""
    return next((name for name, rate in CLOCKS.items() if WALKS[0] <= walk.speed(metres, rate) <= WALKS[1]), None)


def _likely_unit(speed: float) -> str:
    """Return the unit in which this speed is nearest to walking speed."""
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
    """Frames a second that the file's own speeds tell, or that let people stroll; and why, in words."""
    if walk.move is None:
        return "25", ""
    likely = layout.likely_rate
    if likely is not None and WALKS[0] <= walk.speed(metres, likely) <= WALKS[1]:
        return f"{likely:.4g}", ", by the file's own speeds"
    rate = STROLL / walk.speed(metres, 1.0)
    return f"{near_usual(rate, NEAR) if layout.counts_frames else rate:.3g}", ""

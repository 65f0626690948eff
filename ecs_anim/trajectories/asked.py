"""Questions: what a file leaves unsaid is asked for by name, with what its numbers suggest."""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.motion import motion_of
from ecs_anim.trajectories.options import UNITS, ReadOptions
from ecs_anim.trajectories.rows import Rows, joined
from ecs_anim.trajectories.source import NO_ROWS, Layout, Source

STROLL = 1.3  # [m/s], how fast people usually walk
WORDS = {"m": "metres", "cm": "centimetres", "mm": "millimetres"}
FRAMES, TIMES = ("frame", "frames"), ("unit of time", "units of time")
BLOCKS = 16  # of a file, looked at for its columns
SENSIBLE_RATES = (1.0, 240.0)  # frames a second


@dataclass(frozen=True)
class Scale:
    """What makes metres and seconds of a file's numbers."""

    unit: str  # of lengths, one of `options.UNITS`
    rate: float  # ticks a second
    compass: tuple[tuple[int, float], tuple[int, float]]  # axis and sign, of east and of north

    @property
    def metres(self) -> float:
        """Metres of one unit."""
        return UNITS[self.unit]


def scale_of(source: Source, options: ReadOptions) -> Scale:
    """The scale, as somebody says or the file does. Raises InputError that asks for what neither says."""
    unit, rate = options.unit or source.layout.unit, options.rate or source.layout.rate
    if unit is None or rate is None:
        raise _question(source, unit, rate)
    return Scale(unit, rate, options.compass)


def overruled(layout: Layout, scale: Scale) -> tuple[str, ...]:
    """What is taken in place of what the file says of itself, in words."""
    told: list[tuple[str, str | float | None, str | float]]
    told = [("unit", layout.unit, scale.unit), ("rate", layout.rate, scale.rate)]
    shown = [(name, _shown(own), _shown(taken)) for name, own, taken in told if own is not None]
    text = "{} = {} is taken in place of {}, which the file or its format says"
    return tuple(text.format(name, taken, own) for name, own, taken in shown if own != taken)


def _shown(value: str | float) -> str:
    return repr(value) if isinstance(value, str) else f"{value:g}"


def _question(source: Source, unit: str | None, rate: float | None) -> InputError:
    """What is asked for: the unit, the rate, or both, where they are None."""
    people, move, step = _usual_move(source)
    if not people:
        return InputError(f"{source.label.path}: {NO_ROWS}")
    likely = unit or _suggested_unit(move, step, rate)
    pace = _suggested_rate(move, step, likely)
    frames, lacks, guesses, needs, flags = source.layout.counts_frames, [], [], [], []
    if unit is None:
        lacks.append("its unit")
        guesses.append(WORDS[likely])
        needs.append(f"unit = {likely!r}")
        flags.append(f"--unit {likely}")
    if rate is None:
        lacks.append("its frame rate" if frames else "its unit of time")
        guesses.append(f"about {pace} {(FRAMES if frames else TIMES)[1]} a second")
        needs.append(f"rate = {pace}")
        flags.append(f"--rate {pace}")
    told = "does not say" if len(lacks) == 1 else "says neither"
    found = _found(people, move, step, rate, FRAMES if frames else TIMES)
    return InputError(
        f"{source.label.path}: it {told} {' nor '.join(lacks)}: {found}: {' at '.join(guesses)}?"
        f" give {' and '.join(needs)} ({' '.join(flags)})"
    )


def _found(people: int, move: float | None, step: float, rate: float | None, ticks: tuple[str, str]) -> str:
    """What its first rows hold, in words."""
    who = f"{people} {'person' if people == 1 else 'people'}"
    if move is None:
        return f"{who}, and nobody moves"
    if rate is not None:
        return f"{who}, median speed {move / step * rate:.3g} a second"
    return f"{who}, who move {move:.3g} in {step:g} {ticks[step != 1]}"


def _usual_move(source: Source) -> tuple[int, float | None, float]:
    """Return people of its first rows, and how far they go between samples in the median, and in how many ticks."""
    rows = _first_rows(source)
    if rows is None:
        return 0, None, 1.0
    motion = motion_of(rows.ids, rows.ticks, rows.xy)
    if not len(motion.steps.first):
        return motion.people, None, 1.0
    going = motion.lengths[motion.lengths > 0]
    return motion.people, float(np.median(going)) if len(going) else None, float(np.median(motion.steps.ticks))


def _first_rows(source: Source) -> Rows | None:
    parts = [block.seen().rows for block in islice(source.blocks(), BLOCKS)]
    return joined(parts) if parts else None


def _likely_unit(speed: float) -> str:
    """The unit in which people who go so far a second come nearest to walking."""
    shares = {unit: speed * UNITS[unit] / STROLL for unit in WORDS}
    return min(shares, key=lambda unit: max(shares[unit], 1 / shares[unit]))


def _suggested_unit(move: float | None, step: float, rate: float | None) -> str:
    if move is None:
        return "m"
    if rate is not None:
        return _likely_unit(move / step * rate)
    low, high = SENSIBLE_RATES
    return next((unit for unit in WORDS if low <= STROLL / (move / step * UNITS[unit]) <= high), "m")


def _suggested_rate(move: float | None, step: float, unit: str) -> str:
    """Frames a second, as a walker would make them; "25" where nothing tells."""
    if move is None:
        return "25"
    metres = move / step * UNITS[unit]
    return f"{STROLL / metres:.3g}"

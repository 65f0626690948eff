"""Floors of a building. The floors come from a column of floor names or from clusters of the heights z."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError, nearest
from ecs_anim.trajectories.names import Names
from ecs_anim.trajectories.rows import Reals, Rows, Whole

BIN = 0.1  # [m], height of a histogram bin
FARTHEST_HEIGHT = 2000.0  # [m]; greater heights are counted at this height
WIDE = 5  # bins per floor, because of steps, slopes and different head heights
APART = 2.0  # [m], least distance between floors
LEAST_SHARE = 0.02  # least share of all samples on a floor
VALLEY = 0.25  # largest number of samples between two floors (people on stairs), as a share of the smaller floor
NEAR = 1.0  # [m], largest distance between a floor and a height that the user gives
AROUND = 0.5  # [m], range of the heights of one floor, to both sides
OUTER = 0.02  # share of the samples that are left out at each end of the range of heights
MOST_NAMES = 10  # most names in a message


@dataclass(frozen=True)
class Floor:
    """A floor of a building."""

    name: str  # name in the file, or else the height
    height: float  # [m], mean z of the samples on the floor; NaN = not known
    samples: int
    level: int = -1  # number of the name; -1 = the floor is defined by heights
    low: float = -np.inf  # [m], least height of its samples
    high: float = np.inf  # [m], upper limit of its heights, excluded

    def holds(self, rows: Rows, metres: float) -> NDArray[np.bool_]:
        """Return a mask [n] of the rows on this floor. `metres` is the length [m] of one unit of the heights."""
        if self.level >= 0:
            assert rows.levels is not None
            return rows.levels == self.level
        assert rows.heights is not None
        heights = rows.heights * metres
        return (heights >= self.low) & (heights < self.high)

    @property
    def told(self) -> str:
        """Return a text that names the floor."""
        return repr(self.name) if self.level >= 0 else f"{self.height:.1f} m"


class FloorCount:
    """Numbers of samples on each floor and at each height."""

    def __init__(self, metres: float) -> None:
        self._metres = metres  # metres per unit of heights
        self._heights = np.zeros(2 * round(FARTHEST_HEIGHT / BIN) + 1, np.int64)
        self._levels = np.zeros(0, np.int64)  # number of samples of each named floor
        self._sums = np.zeros(0)  # [m], sum of heights of each named floor

    def add(self, rows: Rows) -> None:
        """Count the samples in `rows`."""
        heights = None if rows.heights is None else rows.heights * self._metres
        if heights is not None:
            known = np.clip(heights[np.isfinite(heights)], -FARTHEST_HEIGHT, FARTHEST_HEIGHT)
            bins = np.rint((known + FARTHEST_HEIGHT) / BIN).astype(np.intp)
            self._heights += np.bincount(bins, minlength=len(self._heights))
        if rows.levels is not None and len(rows.levels):
            size = max(len(self._levels), int(rows.levels.max()) + 1)
            sums = np.zeros(len(rows.levels)) + np.nan if heights is None else heights
            self._levels = _padded(self._levels, size) + np.bincount(rows.levels, minlength=size)
            self._sums = _padded(self._sums, size) + np.bincount(rows.levels, sums, minlength=size)

    def floors(self, names: Names | None) -> tuple[Floor, ...]:
        """Return the floors, sorted by ascending height.

        If the file does not show several floors, return one floor or no floor.
        """
        if names is not None and np.count_nonzero(self._levels) > 1:
            return self._named(names.texts)
        return self._by_height()

    def _named(self, names: Sequence[str]) -> tuple[Floor, ...]:
        found = [
            Floor(name, float(total / count), int(count), level)
            for level, (name, count, total) in enumerate(zip(names, self._levels, self._sums, strict=False))
            if count
        ]
        return tuple(sorted(found, key=lambda own: (np.nan_to_num(own.height), own.name)))

    def _by_height(self) -> tuple[Floor, ...]:
        peaks = sorted(_peaks(self._heights))
        edges = [-np.inf, *((low + high) / 2 for low, high in pairwise(peaks)), np.inf]
        spans = zip(peaks, pairwise(edges), strict=False)
        return tuple(self._between(*span, peak) for peak, span in spans)

    def _between(self, low: float, high: float, peak: int) -> Floor:
        """Return a floor with all height bins from `low` up to, but not including, `high`.

        The height of the floor is the mean height near the bin `peak`, because people on stairs are not on the floor.
        """
        bins = np.arange(len(self._heights))
        own = np.where((bins >= low) & (bins < high), self._heights, 0)
        near = np.where(np.abs(bins - peak) <= AROUND / BIN, own, 0)
        mean = float(np.sum(near * (bins * BIN - FARTHEST_HEIGHT)) / max(near.sum(), 1))
        bounds = [edge * BIN - FARTHEST_HEIGHT - BIN / 2 for edge in (low, high)]
        return Floor(f"{mean:.1f}", mean, int(own.sum()), -1, *bounds)

    @property
    def low_and_high(self) -> tuple[float, float]:
        """Return two heights [m]. The share `OUTER` of all samples is below the first height, and the same share is
        above the second height.

        If the file has no heights, return 0 twice.
        """
        total = np.cumsum(self._heights)
        if not total[-1]:
            return 0.0, 0.0
        low, high = np.searchsorted(total, [OUTER * total[-1], (1 - OUTER) * total[-1]]) * BIN - FARTHEST_HEIGHT
        return float(low), float(high)


def floor_of(text: str, floors: Sequence[Floor], path: str) -> Floor:
    """Return the floor whose name or height [m] is `text`. Raises InputError if no floor has this name or height."""
    if len(floors) < 2:
        raise InputError(
            f"{path}: level: the file has only one floor, so the option level cannot select a floor (got {text!r}). "
            "Leave level out."
        )
    named = [own for own in floors if own.name.lower() == text.strip().lower()]
    if named:
        return named[0]
    try:
        height = float(text.removesuffix("m"))
    except ValueError:
        height = np.nan
    away = np.abs(np.array([own.height for own in floors]) - height)
    if np.nanmin(away, initial=np.inf) <= NEAR:
        return floors[int(np.nanargmin(away))]
    guess = nearest(text, [own.name for own in floors])
    raise InputError(f"{path}: level: the value must be one of {told(floors)} (got {text!r}{guess and ';'}{guess})")


def told(floors: Sequence[Floor]) -> str:
    """Return a text that lists the names of all floors."""
    first, last = [own.told for own in floors[:MOST_NAMES]], "" if len(floors) <= MOST_NAMES else ", ..."
    if last or len(first) < 2:
        return ", ".join(first) + last
    return f"{', '.join(first[:-1])} and {first[-1]}"


def _peaks(counts: Whole) -> list[int]:
    """For each floor, return the number of the height bin in the middle of its heights."""
    total, density = int(counts.sum()), np.convolve(counts, np.ones(WIDE), "same")
    left, found = density.copy(), list[int]()
    while total and left.max() >= LEAST_SHARE * total:
        peak = int(left.argmax())
        left[max(0, peak - round(APART / BIN) + 1) : peak + round(APART / BIN)] = 0
        if all(_is_apart(density, peak, other) for other in found):
            found.append(peak)
    return found


def _is_apart(density: Reals, first: int, second: int) -> bool:
    """Return whether the bins `first` and `second` belong to two floors.

    The bins belong to two floors if only few samples have a height between these bins.
    """
    between = density[min(first, second) : max(first, second) + 1]
    return bool(between.min() <= VALLEY * min(density[first], density[second]))


def _padded(values: NDArray, size: int) -> NDArray:  # type: ignore[type-arg]
    return np.pad(values, (0, size - len(values)))

"""Heights of the ground below the people of a recording, from z or from the floors.

In recordings of heads, z is the height of a head. The module then subtracts the mean height of the person's head above
the floors.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.floors import Floor, told
from ecs_anim.trajectories.rows import Reals, Rows

STOREY = 3.0  # [m], default distance between two floors without heights
HEADS = (1.2, 2.2)  # [m]; if the mean z on the lowest floor is in this range, z is the height of heads
LEVEL_GROUND = 0.5  # [m], largest distance between a floor and the ground of a person on this floor
WHOLE = re.compile(r"-?\d+")

LevelHeights = float | Mapping[str, float]


def lifted_floors(floors: Sequence[Floor], asked: LevelHeights | None, path: str) -> tuple[tuple[Floor, ...], str]:
    """Return the floors with their heights, ascending, and a warning about assumed heights ("" = none).

    `asked` is the distance between two floors [m], or the height [m] of each floor by name. `asked` replaces the
    heights in the file. If neither the file nor `asked` contains heights, the floors are `STOREY` metres apart. Raises
    InputError if `asked` does not fit the floors of the file.
    """
    if asked is None and all(np.isfinite(own.height) for own in floors):
        return tuple(floors), ""
    if len(floors) < 2 or floors[0].level < 0:
        if asked is None:
            return tuple(floors), ""
        raise InputError(
            f"{path}: level_heights: this option needs a file with a column of level names (the file has no such "
            "column). Leave out level_heights."
        )
    heights = _by_name(floors, asked, path) if isinstance(asked, Mapping) else _stacked(floors, asked or STOREY)
    lifted = [replace(own, height=height) for own, height in zip(floors, heights, strict=True)]
    lifted.sort(key=lambda own: own.height)
    text = "" if asked is not None else (
        f"the file does not state the heights of its floors {told(floors)}. The program draws the floors {STOREY:g} "
        f"m apart. Set the distance or the heights with level_heights (--level-heights {STOREY:g})."
    )  # fmt: skip
    return tuple(lifted), text


def _by_name(floors: Sequence[Floor], asked: Mapping[str, float], path: str) -> list[float]:
    if missing := [own.name for own in floors if own.name not in asked]:
        raise InputError(
            f"{path}: level_heights: each level of the file must have a height (no height for "
            f"{', '.join(missing)}). Add these levels, such as {missing[0]} = {STOREY:g}."
        )
    return [float(asked[own.name]) for own in floors]


def _stacked(floors: Sequence[Floor], distance: float) -> list[float]:
    """Return the heights [m] of floors that are `distance` [m] apart.

    If the name of each floor contains a different whole number, the floor with the number n is at the height n times
    `distance`. Otherwise, the floors are stacked in the order of their names, and the first floor is at the height 0.
    """
    found = [WHOLE.findall(own.name) for own in floors]
    numbers = [int(words[0][:6]) if len(words) == 1 else None for words in found]
    if None in numbers or len(set(numbers)) < len(numbers):
        order = sorted(own.name for own in floors)
        numbers = [order.index(own.name) for own in floors]
    return [distance * number for number in numbers if number is not None]


def ground_heights(rows: Rows, metres: float, floors: Sequence[Floor], low: float, by_level: bool) -> Reals:
    """Return the height [n] [m] of the ground below each person of `rows`, sorted by person and time.

    `metres` is the length [m] of one unit of z. `floors` are the floors of the file, with their heights. Without
    floors, `low` is the lowest z [m]. If `by_level` is true, the height of the ground is the height of the floor that
    the row names. For a sample without z, the function interpolates z between the samples before and after this sample.
    """
    if by_level or rows.heights is None:
        assert rows.levels is not None
        heights = np.zeros(1 + max(own.level for own in floors))
        heights[[own.level for own in floors]] = [own.height for own in floors]
        return heights[rows.levels]
    z = _filled(rows.heights * metres, rows)
    lowest = min((own.height for own in floors), default=low)
    if not HEADS[0] <= lowest <= HEADS[1]:
        return z
    if not floors:
        return z - lowest
    return _below_heads(z, rows, np.array([own.height for own in floors]))


def _filled(z: Reals, rows: Rows) -> Reals:
    """Return z with values in place of NaN, by linear interpolation between the other samples of the person."""
    if np.isfinite(z).all():
        return z
    z = z.copy()
    for part in _people(rows):
        known = np.flatnonzero(np.isfinite(z[part]))
        z[part] = np.interp(rows.ticks[part], rows.ticks[part][known], z[part][known]) if len(known) else 0.0
    return z


def _below_heads(z: Reals, rows: Rows, heads: Reals) -> Reals:
    """Return the height [n] of the ground below heads at the heights z [n].

    `heads` contains the mean height of the heads on each floor. The lowest floor has the height 0. The function assumes
    that the body height of a person is equal on the floors and between the floors.
    """
    grounds = heads - heads.min()
    ground = np.empty_like(z)
    for part in _people(rows):
        nearest = grounds[np.abs(z[part, None] - heads).argmin(axis=1)]
        own = z[part] - np.median(z[part] - nearest)
        ground[part] = np.where(np.abs(own - nearest) < LEVEL_GROUND, nearest, own)
    return ground


def _people(rows: Rows) -> list[slice]:
    edges = np.flatnonzero(np.diff(rows.ids)) + 1
    return [slice(int(a), int(b)) for a, b in zip([0, *edges], [*edges, len(rows.ids)], strict=True)]

"""Comparisons of a run with measurements of people and with the walls. A comparison needs enough measured values."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ecs_anim.analysis.study import Run
from ecs_anim.profiling.validation.checks import RECORDED
from ecs_anim.profiling.validation.crowd_measures import densities
from ecs_anim.profiling.validation.finding import Finding

WIDTH = 0.5  # [1/m²], the densities are divided into classes of this width
LEAST = 50  # smallest number of measured values in a comparison


class Compared(NamedTuple):
    """One comparison: a measured value, its limits, and the number of measurements behind the value."""

    finding: Finding
    values: int


def comparisons(run: Run) -> list[Compared]:
    """Return the comparisons that apply to a run.

    In each class of densities, the median speed must lie between the 5th and the 95th percentile of the speeds of
    recorded people. These densities are numbers of people within one metre, divided by the area, as in `ecs-anim
    validate`.
    """
    return [*_speeds(run), *_walls(run)]


def _speeds(run: Run) -> Iterator[Compared]:
    people = run.people
    rows = run.cells.samples
    if not len(rows):
        return
    found, speeds = densities(people.frames[rows], people.xy[rows]), people.speeds[rows]
    for density, (least, most) in RECORDED.items():
        own = speeds[(np.abs(found - density) <= WIDTH / 2) & np.isfinite(speeds)]
        if len(own) >= LEAST:
            name = f"median speed at {density:g} people per square metre [m/s]"
            yield Compared(Finding(name, float(np.median(own)), least, most), len(own))


def _walls(run: Run) -> Iterator[Compared]:
    if run.people.has_walls:
        measured = len(run.cells.samples) + run.cells.outside
        yield Compared(Finding("positions outside of the walls", float(run.cells.outside), None, 0.0), measured)

"""Trajectories in memory: positions of people over time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.plan import heading_of_direction
from ecs_anim.trajectories.rows import Reals, Whole


@dataclass(frozen=True, eq=False)
class Walls:
    """An outline from the file, valid from a time on."""

    time: float  # [s], -inf = always
    wkt: str  # well-known text, on the plan as positions are, [m]


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Samples of people, each person's together and in order of time.

    Points and headings are on the plan: x east, y north, in metres, whatever axes and unit the file has.
    """

    ids: Whole  # [people], the file's, rising
    starts: NDArray[np.intp]  # [people + 1], the first sample of each, and the end
    times: Reals  # [samples], [s] since the file's own beginning, rising for each person
    xy: Reals  # [samples, 2], plan points [m]
    heading_vectors: Reals | None = None  # [samples, 2], unit vectors on the plan; zero = not known
    groups: Whole | None = None  # [samples], group of the person
    walls: tuple[Walls, ...] = ()
    names: tuple[str, ...] = ()  # the file's ids by number in `ids`, where the file's ids are texts

    @property
    def headings(self) -> Reals | None:
        """Headings [samples] [rad], counter-clockwise from east, in (-pi, pi]; NaN = not known; None = all unknown."""
        if self.heading_vectors is None:
            return None
        known = self.heading_vectors.any(axis=-1)
        return np.where(known, heading_of_direction(self.heading_vectors), np.nan)

    @property
    def sample_count(self) -> int:
        return len(self.times)

    @property
    def people(self) -> NDArray[np.intp]:
        """The row in `ids` of each sample's person [samples]."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.starts))

    def __repr__(self) -> str:
        return f"<Trajectories: {len(self.ids)} people, {self.sample_count} samples>"

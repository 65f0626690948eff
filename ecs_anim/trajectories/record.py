"""Trajectories in memory: positions of people over time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.plan import heading_of_direction
from ecs_anim.trajectories.rows import Reals, Whole


@dataclass(frozen=True, eq=False)
class Walls:
    """An outline of walls from a file. The outline applies from `Walls.time` to the time of the next outline."""

    time: float  # [s], -inf = always
    wkt: str  # well-known text, on the plan like the positions, [m]


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Samples of people, grouped by person and ordered by time.

    Positions and headings are on the plan: x points east, and y points north. Positions are in metres, independent of
    the axes and the unit of the file.
    """

    ids: Whole  # [people], ids in the file, ascending
    starts: NDArray[np.intp]  # [people + 1], first sample of each person, and the end
    times: Reals  # [samples] [s], since the file's time 0, ascending for each person
    xy: Reals  # [samples, 2], plan points [m]
    heading_vectors: Reals | None = None  # [samples, 2], unit vectors on the plan; zero = not known
    groups: Whole | None = None  # [samples], number of the person's group
    walls: tuple[Walls, ...] = ()
    names: tuple[str, ...] = ()  # the file's ids by number in `ids`, if the file's ids are texts
    heights: Reals | None = None  # [samples] [m], ground below people; None = all people are on one plane

    @property
    def headings(self) -> Reals | None:
        """Return headings [samples] [rad] in (-pi, pi], counter-clockwise from east.

        An unknown heading is NaN. Return None if all headings are unknown.
        """
        if self.heading_vectors is None:
            return None
        known = self.heading_vectors.any(axis=-1)
        return np.where(known, heading_of_direction(self.heading_vectors), np.nan)

    @property
    def sample_count(self) -> int:
        return len(self.times)

    @property
    def people(self) -> NDArray[np.intp]:
        """For each sample [samples], return the index of its person in `Trajectories.ids`."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.starts))

    def __repr__(self) -> str:
        return f"<Trajectories: {len(self.ids)} people, {self.sample_count} samples>"

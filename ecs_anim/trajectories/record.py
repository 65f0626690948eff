"""Trajectories in memory: positions of people over time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import elementary
from ecs_anim.trajectories.rows import Reals, Whole


@dataclass(frozen=True, eq=False)
class Walls:
    """An outline from the file, valid from a time on."""

    time: float  # [s], -inf = always
    wkt: str  # well-known text, on the map as positions are, [m]


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Samples of people, each person's together and in order of time.

    The map is seen from above: x points east and y north, both in metres, whatever axes and unit the file has. In the
    scene east is +X and north is -Z, so a point x, y of the map is at (x, 0, -y): `ground` says so. Taking y for z
    would mirror the place, and with it left and right.
    """

    ids: Whole  # [people], the file's, rising
    starts: NDArray[np.intp]  # [people + 1], the first sample of each, and the end
    times: Reals  # [samples], [s] since the file's own beginning, rising for each person
    xy: Reals  # [samples, 2], [m], east and north on the map
    headings: Reals | None = None  # [samples, 2], unit vectors on the map; zero = not known
    groups: Whole | None = None  # [samples], group of the person
    walls: tuple[Walls, ...] = ()
    names: tuple[str, ...] = ()  # the file's ids by number in `ids`, where the file's ids are texts

    @property
    def sample_count(self) -> int:
        return len(self.times)

    @property
    def people(self) -> NDArray[np.intp]:
        """The row in `ids` of each sample's person [samples]."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.starts))

    def __repr__(self) -> str:
        return f"<Trajectories: {len(self.ids)} people, {self.sample_count} samples>"


def ground(xy: Reals) -> Reals:
    """The scene's x and z [..., 2] of points or directions x, y [..., 2] of the map: north is -Z."""
    return xy * np.array([1.0, -1.0])


def yaw(xy: Reals) -> Reals:
    """The angle about +Y [...], [rad], of directions [..., 2] on the map; 0 looks along +Z, which is south."""
    east_north = ground(xy)
    return elementary.arctan2(east_north[..., 0], east_north[..., 1])

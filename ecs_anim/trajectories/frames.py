"""Frames that writers store: all people at one time."""

from typing import NamedTuple

import numpy as np

from ecs_anim.trajectories.rows import Reals, Whole

NO_AREA = -1


class Frame(NamedTuple):
    """All people at one time, on the map: x points east and y points north."""

    number: int  # its time is the number over the rate
    ids: Whole  # [n], rising
    xy: Reals  # [n, 2] [m]
    facing: Reals  # [n, 2], unit vectors
    area: int = NO_AREA  # number of the area in which people may walk then; `NO_AREA` = anywhere

    @property
    def table(self) -> Reals:
        """A row for each person [n, 6]: id, frame, x, y, and both components of `facing`."""
        table = np.column_stack([self.ids, np.full(len(self.ids), self.number), self.xy, self.facing])
        return table + 0.0  # no zeros with a sign, which north = -Z makes

"""The data type `Frame`, which trajectory writers write to files.

A frame contains the positions of all people at one time.
"""

from typing import NamedTuple

import numpy as np

from ecs_anim.trajectories.rows import Reals, Whole

NO_AREA = -1


class Frame(NamedTuple):
    """The positions and headings of all people at one time."""

    number: int  # frame number; time = number / rate
    ids: Whole  # [n], ascending
    xy: Reals  # [n, 2], plan points [m]
    heading_vectors: Reals  # [n, 2], unit vectors on the plan
    area: int = NO_AREA  # number of the walkable area at this time; `NO_AREA` = everywhere
    floors: Reals | None = (
        None  # [n, 2], height of the floor below the person [m], and number of the level; None = no levels
    )

    @property
    def table(self) -> Reals:
        """Return one row for each person: id, frame number, x, y, the two components of the heading vector, then the
        columns of `floors`.
        """
        numbers, floors = np.full(len(self.ids), self.number), () if self.floors is None else (self.floors,)
        table = np.column_stack([self.ids, numbers, self.xy, self.heading_vectors, *floors])
        return table + 0.0  # replaces -0.0 by 0.0

"""The arrays that describe the spaces of an unfolded plan for kernels."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

# Columns of `lines`.
AT_X, AT_Y, AHEAD_X, AHEAD_Y, HALF, DEPTH = range(6)
# Columns of `slope`.
UP_X, UP_Y, UP_FACTOR, DOWN_FACTOR = range(4)


class SpaceArrays(NamedTuple):
    """The offsets of spaces on the unfolded plan, and the seams between spaces. Coordinates are x east, y north [m]."""

    # [m], from the plan of the building to the unfolded plan
    offsets: Annotated[NDArray[np.float32], Shape("space", 2)]
    first: Annotated[NDArray[np.int32], Shape("space + 1")]  # index of the first seam of each space
    to: Annotated[NDArray[np.int32], Shape("seam")]  # space behind the seam
    # for each seam: middle, unit vector across the seam, half of its width, and length of its apron [m], on the
    # unfolded plan
    lines: Annotated[NDArray[np.float32], Shape("seam", 6)]
    # for each space: uphill unit vector, and the speed factors uphill and downhill, divided by the speed factor of the
    # route cells
    slope: Annotated[NDArray[np.float32], Shape("space", 4)]

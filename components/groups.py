"""Groups: actors that walk together."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Within
from ecs_anim.ecs.columns import Column, Kept, Personal

LARGEST = 2**31 - 1  # number of a group


@dataclass
class Groups:
    """Which of a crowd's actors keep together while they steer.

    Written by: the scene loader. Read by: steering.
    """

    # [actor_count] i32, the group of each actor, -1 = no group
    number: Annotated[Column[np.int32], Within(-1, LARGEST), Personal(-1)]
    following: Annotated[Kept[int], Within(0, LARGEST)]  # the number of the next group

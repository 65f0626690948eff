"""Groups: the component that stores which actors of a crowd walk together."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Within
from ecs_anim.ecs.columns import Column, Kept, Personal

LARGEST = 2**31 - 1  # largest group number


@dataclass
class Groups:
    """Groups of actors that stay close to each other while they walk to their goals.

    Written by: the scene loader. Read by: the system `steering`.
    """

    # [actor_count] i32, the group of each actor, -1 = no group
    number: Annotated[Column[np.int32], Within(-1, LARGEST), Personal(-1)]
    following: Annotated[Kept[int], Within(0, LARGEST)]  # number of the next new group

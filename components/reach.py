"""Actors that reach for their targets."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.components.targets import Target
from ecs_anim.ecs.bounds import COUNT, ShareColumn, Within
from ecs_anim.ecs.columns import Column
from ecs_anim.ik.arrays import ChainArrays


@dataclass
class Goal:
    """One chain of joints, such as an arm, and what its end reaches for."""

    name: str  # the chain's last joint
    target: Target
    chain: ChainArrays
    solver: np.int64  # CCD, FABRIK or TWO_BONE
    iterations: int  # the most that CCD and FABRIK take
    tolerance: float  # [m]
    weight: ShareColumn  # [actor_count] f32, 0 to 1
    weight_parameter: int  # column that is the weight, -1 = the column above as it is set
    # [actor_count] f32, [m] from the target, as the pose is; inf = no target
    distance: Annotated[Column[np.float32], Within(0.0, math.inf)]
    reached: Column[np.bool_]  # [actor_count], whether that is within the tolerance
    iterations_used: Annotated[Column[np.int32], COUNT]  # [actor_count] i32


@dataclass
class Reach:
    """Goals, in the order in which they are reached for: each chain begins where the one before has left the pose.

    Written by: the scene loader, reach (results, parameter-driven weights), user code (weights).
    Read by: reach, user code (results).
    """

    goals: tuple[Goal, ...]

"""Reach: the component of joint chains that reach for targets."""

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
    """One chain of joints, such as an arm, and the target for the end of the chain."""

    name: str  # name of the chain's last joint
    target: Target
    chain: ChainArrays
    solver: np.int64  # CCD, FABRIK or TWO_BONE
    iterations: int  # maximum number of iterations of CCD and FABRIK
    tolerance: float  # [m], distance to the target
    weight: ShareColumn  # [actor_count] f32, weight of the correction, 0 to 1
    weight_parameter: int  # column of the parameter that drives `weight`; -1 = no parameter
    # [actor_count] f32, [m], distance of the posed chain's end to the target; inf = no target
    distance: Annotated[Column[np.float32], Within(0.0, math.inf)]
    reached: Column[np.bool_]  # [actor_count], true = `distance` is within the tolerance
    iterations_used: Annotated[Column[np.int32], COUNT]  # [actor_count] i32, iterations in the last step


@dataclass
class Reach:
    """The goals of a crowd's chains, in the order in which the chains bend.

    Each chain starts from the result of the chain before.

    Written by: the scene loader, reach (results, parameter-driven weights), user code (weights).
    Read by: reach, user code (results).
    """

    goals: tuple[Goal, ...]

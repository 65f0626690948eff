"""Reach: the component for inverse kinematics, which moves the last joint of a chain to a target."""

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
    """One chain of joints, such as an arm, and the target of the chain's last joint."""

    name: str  # name of the last joint in the chain
    target: Target
    chain: ChainArrays
    solver: np.int64  # CCD, FABRIK or TWO_BONE
    iterations: int  # maximum number of iterations of CCD and FABRIK
    tolerance: float  # [m], largest distance to the target at which the target counts as reached
    weight: ShareColumn  # [actor_count] f32, weight of the correction, 0 to 1
    weight_parameter: int  # column of the parameter that drives `weight`; -1 = no parameter
    # [actor_count] f32, [m], distance between the last joint of the chain and the target after the correction; inf = no
    # target
    distance: Annotated[Column[np.float32], Within(0.0, math.inf)]
    reached: Column[np.bool_]  # [actor_count], true = `distance` is within the tolerance
    iterations_used: Annotated[Column[np.int32], COUNT]  # [actor_count] i32, iterations of the solver in the last step


@dataclass
class Reach:
    """The chains of a crowd that reach for targets, in the order in which the system `reach` bends them.

    Each chain starts from the pose that the previous chain has changed.

    Written by: the scene loader, the system `reach` (only results, and weights that parameters set), and user code
    (only weights). Read by: the system `reach` and user code (only results).
    """

    goals: tuple[Goal, ...]

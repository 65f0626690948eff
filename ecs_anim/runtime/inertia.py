"""The state of inertial fades: the last two poses, and the initial offset of the last fade."""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_anim.ecs.bounds import NotNegativeColumn, NumberColumn, Within
from ecs_anim.ecs.columns import Column, Personal, Restarts
from ecs_anim.ecs.records import Shape

SETTLED, BEGINS, SETTLES = 0, 1, 2  # stages: nothing is off; a fade has just begun; what is off decays


class InertiaState(NamedTuple):
    """Rows of a pose as the layout has it, and of differences: rotation vectors in the first three planes, then the
    rest; a rotation vector is in the parent's frame, [rad]."""

    stage: Annotated[Column[np.int32], Within(SETTLED, SETTLES), Shape("actor"), Personal(0), Restarts(0)]
    known: Annotated[Column[np.int32], Within(0, 2), Shape("actor"), Personal(0), Restarts(0)]  # poses, of those below
    begun: Annotated[NotNegativeColumn, Shape("actor")]  # [s] of the fade, when its difference was taken
    last: Annotated[NumberColumn, Shape("actor", "lane")]  # the pose that was shown in the last step
    before: Annotated[NumberColumn, Shape("actor", "lane")]  # and in the one before
    shift: Annotated[NumberColumn, Shape("actor", "lane")]  # from the new motion to what was shown, then
    rate: Annotated[NumberColumn, Shape("actor", "lane")]  # [1/s], how fast that changed


def new_inertia_state(actor_count: int, row_width: int) -> InertiaState:
    """Return the state of bodies without any pose yet."""
    rows = [np.zeros((actor_count, row_width), np.float32) for _ in range(4)]
    stage, known = (np.zeros(actor_count, np.int32) for _ in range(2))
    return InertiaState(stage, known, np.zeros(actor_count, np.float32), *rows)

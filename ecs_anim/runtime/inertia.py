"""State of inertial fades: the last two poses of each actor, and the offset at the start of the actor's last fade."""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_anim.ecs.bounds import NotNegativeColumn, NumberColumn, Within
from ecs_anim.ecs.columns import Column, Personal, Restarts
from ecs_anim.ecs.records import Shape

# stage of an actor: without an offset, at the start of a fade, or while the offset decays
SETTLED, BEGINS, SETTLES = 0, 1, 2


class InertiaState(NamedTuple):
    """The last poses of actors, and the offsets that inertial fades add to the poses.

    Poses are rows in the crowd's `PoseLayout`. In the rows of offsets, the first three planes contain rotation vectors
    [rad] in the coordinate frame of the parent joint. All other planes contain differences of translations and scales.
    """

    stage: Annotated[Column[np.int32], Within(SETTLED, SETTLES), Shape("actor"), Personal(0), Restarts(0)]
    known: Annotated[Column[np.int32], Within(0, 2), Shape("actor"), Personal(0), Restarts(0)]  # number of known poses
    # [s], time after the start of the fade at which `shift` was computed
    begun: Annotated[NotNegativeColumn, Shape("actor")]
    last: Annotated[NumberColumn, Shape("actor", "column")]  # final pose of the last step
    before: Annotated[NumberColumn, Shape("actor", "column")]  # final pose of the second last step
    shift: Annotated[NumberColumn, Shape("actor", "column")]  # offset from the new motion's pose to the final pose
    rate: Annotated[NumberColumn, Shape("actor", "column")]  # [1/s], rate of change of `shift`


def new_inertia_state(actor_count: int, row_width: int) -> InertiaState:
    """Return the state of `actor_count` actors that have no pose yet."""
    rows = [np.zeros((actor_count, row_width), np.float32) for _ in range(4)]
    stage, known = (np.zeros(actor_count, np.int32) for _ in range(2))
    return InertiaState(stage, known, np.zeros(actor_count, np.float32), *rows)

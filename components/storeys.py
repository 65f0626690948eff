"""Storeyed: the component with the levels and flights on which steered actors walk."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.bounds import NUMBER_OR_NAN, Index
from ecs_anim.ecs.columns import Column, Personal
from ecs_anim.storeys.spaces import NOWHERE, Spaces

UNKNOWN = NOWHERE  # space of new actors, before the system `storeys` has found their space


@dataclass
class Storeyed:
    """The level, the landing or the flight on which each actor walks, and the actor's point on the unfolded plan.

    On the unfolded plan, all levels, landings and flights lie side by side.

    Written by: the scene loader and the systems `storeys` and `escalators` (only `carried`). Read by: the systems
    `journeys`, `routing`, `steering` and `carried`.
    """

    spaces: Spaces
    # [actor_count] i32, number of the space; -1 = not known yet
    space: Annotated[Column[np.int32], Index("spaces.count", or_none=True), Personal(UNKNOWN)]
    # [actor_count, 3] f32, velocity x, z [m/s] of the steps that carry the actor, and height of the steps [m]
    # NaN = the actor is not carried
    carried: Annotated[Column[np.float32], NUMBER_OR_NAN, Personal(np.nan)]
    has_carried: bool = True  # false = no actor is carried in the present step
    chooses_nearest: bool = False  # true = new actors take the goal with the shortest travel time
    # [actor_count, 3] f32, [m], translations on the unfolded plan in the present step
    plan: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 3), np.float32))

    def __post_init__(self) -> None:
        # no field, because the columns of these transforms belong to the component `Transforms`
        self._made: Transforms | None = None  # the last result of `transforms`

    def transforms(self, real: Transforms) -> Transforms:
        """Return the transforms of the crowd on the unfolded plan.

        All systems of a step get the same object, because a new object would check all its columns again.
        """
        made = self._made
        if made is None or made.translation is not self.plan or made.rotation is not real.rotation:
            made = self._made = Transforms(self.plan, real.rotation, real.scale)
        return made

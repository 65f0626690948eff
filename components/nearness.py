"""Nearness: the component that stores which actors of a hybrid crowd are near the camera."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import POSITIVE, SHARE, Beside, Index
from ecs_anim.ecs.columns import Column, Kept, Personal


@dataclass(frozen=True)
class NearBudget:
    """The limit for the near actors of a crowd: a number of actors, or a CPU time for the poses of the near actors."""

    actors: int | None  # None = `milliseconds` is the limit
    milliseconds: float | None  # [ms], time of the pose systems in a step, summed over all threads


@dataclass
class Nearness:
    """The near actors of a hybrid crowd: the actors that are near the camera.

    The CPU computes the poses of near actors, and the GPU computes the poses of all other actors.

    While an actor becomes a near actor or stops being a near actor, the GPU mixes the pose from the CPU with the pose
    from the GPU. The palette row of a near actor is the actor's index in `rows`.

    Written by: the scene loader, the system `nearness`, and the schedule (only `spent_ns`). Read by: the schedule, the
    drawing code, and reports.
    """

    budget: NearBudget
    fade: float  # [s], duration of the change from the GPU's pose to the CPU's pose, or back
    # [near_count] i32, sorted rows of all actors whose `share` is above 0 now or in the next steps
    rows: Annotated[Kept[NDArray[np.int32]], Index("palette_row")]
    chosen: Annotated[Column[np.bool_], Personal(False)]  # [actor_count], true = the actor is selected as a near actor
    # [actor_count] f32, 0 to 1, share of the CPU's palette in the mixed palette; 0 = far
    share: Annotated[Column[np.float32], SHARE, Personal(0.0)]
    # [actor_count] i32, index of the actor in `rows`; -1 = far
    palette_row: Annotated[Column[np.int32], Index("rows", or_none=True), Personal(-1)]
    spent_ns: list[int] = field(default_factory=list)  # [ns], time of the pose systems in the last step, by chunk
    # [ns], time of the pose systems per actor and step, for each of the last steps
    costs_ns: Annotated[Kept[list[float]], POSITIVE] = field(default_factory=list)

    def flaw(self, beside: Beside) -> str:
        """Return a message if the columns `rows` and `palette_row` do not match, or if a near actor has no palette.

        If there is no error, return ''.
        """
        near = np.flatnonzero(self.palette_row >= 0)
        if not (np.array_equal(near, self.rows) and np.array_equal(self.palette_row[near], np.arange(len(near)))):
            return "palette_row and rows must contain the same actors in the same order"
        return "" if len(near) <= len(beside.components["Palette"].made) else "each near actor must have a palette"


def new_nearness(budget: NearBudget, fade: float, actor_count: int) -> Nearness:
    """Return a `Nearness` component for a crowd that has no near actors yet."""
    return Nearness(
        budget,
        fade,
        rows=np.zeros(0, np.int32),
        chosen=np.zeros(actor_count, np.bool_),
        share=np.zeros(actor_count, np.float32),
        palette_row=np.full(actor_count, -1, np.int32),
    )

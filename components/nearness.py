"""The near actors of a hybrid crowd."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import POSITIVE, SHARE, Beside, Index
from ecs_anim.ecs.columns import Column, Kept, Personal


@dataclass(frozen=True)
class NearBudget:
    """The limit of near actors: a number of actors, or the time that the CPU can use for posing."""

    actors: int | None  # None = `milliseconds` is the limit
    milliseconds: float | None  # [ms], time of the pose systems in a step, summed over threads


@dataclass
class Nearness:
    """Nearness: the component that lists the near actors of a hybrid crowd.

    The CPU poses near actors, and the GPU poses all others.

    While an actor comes near or moves away, the GPU mixes the two poses. The palette row of a near actor is its index
    in `rows`.
    Written by: the scene loader, nearness, the schedule (`spent_ns`). Read by: the schedule, drawing, reports.
    """

    budget: NearBudget
    fade: float  # [s], duration of the change from far to near
    # [near_count] i32, rising rows of the actors with a share above 0 now or in the next steps
    rows: Annotated[Kept[NDArray[np.int32]], Index("palette_row")]
    chosen: Annotated[Column[np.bool_], Personal(False)]  # [actor_count], true = selected as near
    # [actor_count] f32, 0 to 1, share of the CPU's palette in the mix; 0 = far
    share: Annotated[Column[np.float32], SHARE, Personal(0.0)]
    # [actor_count] i32, index into `rows`; -1 = far
    palette_row: Annotated[Column[np.int32], Index("rows", or_none=True), Personal(-1)]
    spent_ns: list[int] = field(default_factory=list)  # [ns], time of pose systems by chunk in the last step
    # [ns], time per actor and step, in the last steps
    costs_ns: Annotated[Kept[list[float]], POSITIVE] = field(default_factory=list)

    def flaw(self, beside: Beside) -> str:
        """Describe a mismatch of rows and palette rows, or a lack of palettes. Without a flaw, return ''."""
        near = np.flatnonzero(self.palette_row >= 0)
        if not (np.array_equal(near, self.rows) and np.array_equal(self.palette_row[near], np.arange(len(near)))):
            return "palette_row and rows must name the same actors, in order"
        return "" if len(near) <= len(beside.components["Palette"].made) else "each near actor must have a palette"


def new_nearness(budget: NearBudget, fade: float, actor_count: int) -> Nearness:
    """Return the nearness of a crowd without near actors."""
    return Nearness(
        budget,
        fade,
        rows=np.zeros(0, np.int32),
        chosen=np.zeros(actor_count, np.bool_),
        share=np.zeros(actor_count, np.float32),
        palette_row=np.full(actor_count, -1, np.int32),
    )

"""Which actors of a hybrid crowd are near."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import POSITIVE, SHARE, Beside, Index
from ecs_anim.ecs.columns import Column, Kept, Personal


@dataclass(frozen=True)
class NearBudget:
    """How many actors may be near: a number, or as many as can be posed in a time."""

    actors: int | None  # None = by time
    milliseconds: float | None  # [ms] a step of the pose systems, summed over threads


@dataclass
class Nearness:
    """Near actors run the pose systems; the GPU poses all others, and mixes both while an actor changes over.

    A near actor's palette row is their index in `rows`.
    Written by: the scene loader, nearness, the schedule (`spent_ns`). Read by: the schedule, drawing, reports.
    """

    budget: NearBudget
    fade: float  # [s] in which an actor changes over
    # [near_count] i32, in order: whose share is, or will be, more than 0
    rows: Annotated[Kept[NDArray[np.int32]], Index("palette_row")]
    chosen: Annotated[Column[np.bool_], Personal(False)]  # [actor_count], true = selected as near
    # [actor_count] f32, 0 to 1, of the CPU's palette; 0 = far
    share: Annotated[Column[np.float32], SHARE, Personal(0.0)]
    # [actor_count] i32, index into `rows`; -1 = far
    palette_row: Annotated[Column[np.int32], Index("rows", or_none=True), Personal(-1)]
    spent_ns: list[int] = field(default_factory=list)  # of the pose systems since `nearness` last ran, chunk by chunk
    # of an actor and step, in the last steps
    costs_ns: Annotated[Kept[list[float]], POSITIVE] = field(default_factory=list)

    def flaw(self, beside: Beside) -> str:
        """Rows and palette rows that do not say the same, or more of them than there are palettes."""
        near = np.flatnonzero(self.palette_row >= 0)
        if not (np.array_equal(near, self.rows) and np.array_equal(self.palette_row[near], np.arange(len(near)))):
            return "palette_row and rows must name the same actors, in order"
        return "" if len(near) <= len(beside.components["Palette"].made) else "near actors need a palette each"


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

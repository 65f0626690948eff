"""Which actors of a hybrid crowd are near."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ecs_anim.columns import Column, Kept


@dataclass(frozen=True)
class NearBudget:
    """How many actors may be near: a number, or as many as can be posed in a time."""

    actors: int | None  # None = by time
    milliseconds: float | None  # [ms] a step of the pose systems, summed over threads


@dataclass
class Nearness:
    """Near actors run the pose systems; the GPU poses all others, and mixes both while an actor changes over.

    A near actor's slot is its place in `rows`: its row of the crowd's palette.
    Written by: the scene loader, nearness, the schedule (`spent_ns`). Read by: the schedule, drawing, reports.
    """

    budget: NearBudget
    fade: float  # [s] in which an actor changes over
    rows: Kept[NDArray[np.int32]]  # [near_count] i32, in order: whose share is, or will be, more than 0
    chosen: Column[np.bool_]  # [actor_count], who is to be near
    share: Column[np.float32]  # [actor_count] f32, 0 to 1, of the CPU's palette; 0 = far
    slot: Column[np.int32]  # [actor_count] i32, place in `rows`; -1 = far
    spent_ns: list[int] = field(default_factory=list)  # of the pose systems since `nearness` last ran, chunk by chunk
    costs_ns: Kept[list[float]] = field(default_factory=list)  # an actor and step, of the last steps


def new_nearness(budget: NearBudget, fade: float, actor_count: int) -> Nearness:
    """Nobody is near yet."""
    return Nearness(
        budget,
        fade,
        rows=np.zeros(0, np.int32),
        chosen=np.zeros(actor_count, np.bool_),
        share=np.zeros(actor_count, np.float32),
        slot=np.full(actor_count, -1, np.int32),
    )

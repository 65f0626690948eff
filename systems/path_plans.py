"""Paths of people: planned once, followed as functions of time."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.gait_plan import GaitPlan
from ecs_anim.body.paths import NODE_TICKS, NODE_WIDTH, STEP_WIDTH, TICK_RATE, Paths, joined, no_paths
from ecs_anim.body.state import new_body_state
from ecs_anim.body.ways import Way, way_of

MOST_STEPS = 4  # of a leg in a second


def plan_paths(
    table: NDArray[np.float32],
    plan: GaitPlan,
    leg_count: int,
    times: Sequence[NDArray[np.float64]],
    xy: Sequence[NDArray[np.float64]],
    sizes: NDArray[np.float32],
    phases: NDArray[np.float64],
) -> Paths:
    """Walk bodies along points [n, 2] [m] of a plan, x to the east and y to the north, at rising times [n] [s].

    One of each for each path: `sizes` [m] are the actors' scales, `phases`, 0 to 1, those of the gait at the beginning.
    """
    planned = [
        _planned(table, plan, leg_count, float(when[0]), way_of(when, points), float(size), float(phase))
        for when, points, size, phase in zip(times, xy, sizes, phases, strict=True)
    ]
    return joined(planned) if planned else no_paths()


def _planned(
    table: NDArray[np.float32], plan: GaitPlan, leg_count: int, begin: float, way: Way, size: float, phase: float
) -> Paths:
    from ecs_anim.kernels.ways import plan_way  # compiled where somebody follows a path

    ticks = np.ascontiguousarray(np.stack(way, axis=-1), np.float32)
    nodes = np.empty((len(ticks) // NODE_TICKS + 1, NODE_WIDTH), np.float32)
    steps = np.empty((leg_count, int(len(ticks) / TICK_RATE * MOST_STEPS) + MOST_STEPS, STEP_WIDTH), np.float32)
    counts = np.zeros(leg_count, np.int32)
    scratch = tuple(new_body_state(1, leg_count))
    node_count = plan_way(table, plan, ticks, size, phase, scratch, nodes, steps, counts)
    return Paths(
        np.array([begin]),
        np.array([0, node_count], np.int32),
        nodes[:node_count],
        np.cumsum([0, *counts]).astype(np.int32),
        np.concatenate([steps[leg, :count] for leg, count in enumerate(counts)]),
    )

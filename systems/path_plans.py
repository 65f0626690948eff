"""Plans for the paths of actors.

Each path is planned once. After the planning, the position of an actor on its path depends only on the time.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.gait_plan import GaitPlan, first_stance
from ecs_anim.body.paths import NODE_RATE, NODE_TICKS, NODE_WIDTH, STEP_WIDTH, TICK_RATE, Paths, joined, no_paths
from ecs_anim.body.state import BodyState, new_body_state
from ecs_anim.body.ways import Line, way_of

MOST_STEPS = 4  # [1/s], largest number of footsteps of a leg per second


def plan_paths(
    table: NDArray[np.float32],
    plan: GaitPlan,
    leg_count: int,
    lines: Sequence[Line],
    sizes: NDArray[np.float32],
    phases: NDArray[np.float64],
    states: Sequence[BodyState] | None = None,
) -> Paths:
    """Return a planned path for each line in `lines`.

    A planned path contains the gait and the footsteps of a body that walks along the line.

    Each of the following sequences has one item for each path:

    - `sizes` contains the scale of each actor [m].
    - `phases` contains the phase of the gait at the start of each path, 0 to 1.
    - `states` contains the state of each body that already moves. The function changes the states in `states`. If
      `states` is None, all bodies start at rest.
    """
    begun = [new_body_state(1, leg_count) for _ in lines] if states is None else states
    planned = [
        _planned(table, plan, line, float(size), float(phase), state)
        for line, size, phase, state in zip(lines, sizes, phases, begun, strict=True)
    ]
    return joined(planned) if planned else no_paths()


def _planned(
    table: NDArray[np.float32], plan: GaitPlan, line: Line, size: float, phase: float, state: BodyState
) -> Paths:
    from ecs_anim.kernels.ways import plan_way  # compiled at first use

    way = way_of(line)
    way = way._replace(stride=(way.stride + first_stance(table, plan)) % 1.0)
    ticks = np.ascontiguousarray(np.stack(way, axis=-1), np.float32)
    nodes = np.empty((len(ticks) // NODE_TICKS + 1, NODE_WIDTH), np.float32)
    leg_count = state.feet.shape[1]
    steps = np.empty((leg_count, int(len(ticks) / TICK_RATE * MOST_STEPS) + MOST_STEPS, STEP_WIDTH), np.float32)
    counts = np.zeros(leg_count, np.int32)
    node_count = plan_way(table, plan, ticks, size, phase, tuple(state), nodes, steps, counts)
    return Paths(
        np.array([line.times[0]]),
        np.array([0, node_count], np.int32),
        nodes[:node_count],
        np.cumsum([0, *counts]).astype(np.int32),
        np.concatenate([steps[leg, :count] for leg, count in enumerate(counts)]),
        _rise(line, node_count, plan.floor),
    )


def _rise(line: Line, node_count: int, floor: float) -> NDArray[np.float32]:
    """Return the heights [node_count] [m] of the root. `floor` [m] is the height of an actor above the ground."""
    if line.heights is None:
        return np.full(node_count, np.nan, np.float32)
    at = line.times[0] + np.arange(node_count) / NODE_RATE
    return (np.interp(at, line.times, line.heights) + floor).astype(np.float32)

"""Steering with force models: a decision consists of sub-steps, in which all agents of the model move together."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.steering import Steering
from ecs_anim.steering.agents import VX, VY, Agents, Turn, X, Y
from ecs_anim.steering.models import ForceModel

# a function that writes the chosen velocities of the agents in the given sorted rows [n], for one sub-step
SteerRows = Callable[[Agents, NDArray[np.intp], Turn], None]


def parts_with_equal_steps(
    model: ForceModel, laid: Agents, rows: NDArray[np.intp], spaces: NDArray[np.int32], seconds: float
) -> Iterable[NDArray[np.intp]]:
    """Return parts of the sorted rows [n] of the agents. All agents in a part need the same number of sub-steps.

    `spaces` [n] contains the space (level or flight) of each agent. All agents in a space have the number of sub-steps
    that the agent with the stiffest forces in this space needs.
    """
    longest = np.broadcast_to(model.longest_step(model.records(laid.parameters)[rows]), len(rows))
    if (longest == longest[0]).all():
        return [rows]
    steps = np.zeros(len(rows), np.intp)
    for space in np.unique(spaces):
        own = spaces == space
        steps[own] = model.step_count(model.records(laid.parameters)[rows[own]], seconds)
    return [rows[steps == count] for count in np.unique(steps)]


def choose_by_force(
    laid: Agents, model: ForceModel, rows: NDArray[np.intp], turn: Turn, steer: SteerRows
) -> NDArray[np.float32]:
    """Compute the mean velocities of a model's agents until the next decision.

    `rows` [n] are the row numbers of the model's agents in the arrays `laid` of sorted agents. Other agents keep their
    velocities. Return the velocities [n, 2] at the end of the decision minus the mean velocities [m/s].
    """
    moving = laid._replace(seen=laid.seen.copy())
    count = model.step_count(model.records(laid.parameters)[rows], turn.seconds)
    seconds = np.float32(turn.seconds / count)
    start = moving.seen[:, X : Y + 1].copy()
    gone = np.zeros_like(start)
    for _ in range(count):
        steer(moving, rows, turn._replace(seconds=float(seconds)))
        moving.seen[rows, VX : VX + 4] = laid.chosen[rows]
        gone += seconds * moving.seen[:, VX : VY + 1]
        moving.seen[:, X : Y + 1] = start + gone
    mean = gone[rows] / np.float32(turn.seconds)
    drift = laid.chosen[rows, :2] - mean
    laid.chosen[rows, :2] = mean
    return drift


def add_drift(crowds: Sequence[tuple[Steering, slice]], agents: Agents) -> None:
    """Change the velocities of agents from mean velocities to the velocities at the end of the last decision."""
    for steering, rows in crowds:
        agents.seen[rows, VX] += steering.drift[:, 0]
        agents.seen[rows, VY] -= steering.drift[:, 1]


def take_drift(crowds: Iterable[tuple[Steering, slice]], drift: NDArray[np.float32]) -> None:
    """Store the drift of all agents in their crowds.

    The drift is the velocity at the end of a decision minus the mean velocity during the decision. `drift` [agents, 2]
    [m/s] contains vectors on the plan.
    """
    for steering, rows in crowds:
        steering.drift[:, 0], steering.drift[:, 1] = drift[rows, 0], -drift[rows, 1]

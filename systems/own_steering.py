"""Steering with models in Python. A steering model in Python returns the velocities of its agents.

The functions change the returned velocities, so that the agents avoid other agents and walls.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.steering import Surroundings
from ecs_anim.steering.agents import DX, EX, NAME, RADIUS, SPEED, VX, Turn, X
from ecs_anim.steering.own import Around, Model

SLOW = 1e-3  # [m/s]; agents below this speed keep their headings


def choose_by_own(around: Surroundings, model: Model, rows: NDArray[np.intp], turn: Turn, still: bool) -> None:
    """Compute the velocities of the agents that a model in Python steers.

    `rows` are the row numbers of the model's agents in the arrays of sorted agents. If `still` is true, the model is
    not called, and overlapping agents move apart.

    Raises ValueError if the result of the model has a wrong shape or contains values that are not finite.
    """
    if still:
        stand_clear(around, rows, turn)
        return
    around.laid.chosen[rows] = _answer(model, _seen_by(around, model, rows, turn))
    _keep_clear(around, rows, turn)


def stand_clear(around: Surroundings, rows: NDArray[np.intp], turn: Turn) -> None:
    """Compute velocities that only move agents apart. `rows` are row numbers in the arrays of sorted agents."""
    laid = around.laid
    laid.chosen[rows] = np.column_stack([np.zeros((len(rows), 2), np.float32), laid.seen[rows, EX : EX + 2]])
    _keep_clear(around, rows, turn)


def _keep_clear(around: Surroundings, rows: NDArray[np.intp], turn: Turn) -> None:
    """From the chosen velocities, remove the components that lead into neighbours or walls."""
    from ecs_anim.kernels.steering_own import keep_clear  # compiled at first use

    keep_clear(tuple(around.laid), tuple(around.cells), around.walls, turn, rows, around.near[0])


def _seen_by(around: Surroundings, model: Model, rows: NDArray[np.intp], turn: Turn) -> Around:
    """Return the input of the model for the agents in `rows`."""
    from ecs_anim.kernels.neighbours import DESCRIBED, MOST, TO_X, TOUCHING, WITH_EX, WITH_VX
    from ecs_anim.kernels.steering_own import count_neighbours, list_neighbours

    seen, own, parameters = around.laid.seen[rows], around.laid.own[rows], model.records(around.laid.parameters)
    looking = tuple(around.laid), tuple(around.cells), around.walls, rows, around.near[0]
    counts = np.zeros(len(rows), np.int32)
    count_neighbours(*looking, counts)
    others = np.zeros((counts.sum(), DESCRIBED), np.float32)
    list_neighbours(*looking, others)
    return Around(
        ids=around.laid.identity[rows, NAME],
        position=_two(seen, X),
        velocity=_two(seen, VX),
        heading_vector=_two(seen, EX),
        way=_two(own, DX),
        speed=own[:, SPEED].copy(),
        radius=seen[:, RADIUS].copy(),
        parameters={name: parameters[name][rows] for name in model.parameters},
        wall=_to_walls(around, seen[:, X : X + 2]),
        agent=np.repeat(np.arange(len(rows)), counts),
        offset=_two(others, TO_X // MOST),
        their_velocity=_two(others, WITH_VX // MOST),
        their_heading_vector=_two(others, WITH_EX // MOST),
        touching=others[:, TOUCHING // MOST].copy(),
        seconds=turn.seconds,
        seed=int(turn.seed[0]),
        turn=int(turn.number[0]),
    )


def _two(columns: NDArray[np.float32], first: int) -> NDArray[np.float32]:
    return columns[:, first : first + 2].copy()


def _to_walls(around: Surroundings, positions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors [n, 2] from the positions [n, 2] to the nearest points on walls."""
    if len(around.walls.segments) == 0:
        return np.full_like(positions, np.inf)
    from ecs_anim.kernels.walls import nearest_walls

    count = len(positions)
    nearest, segment = np.zeros((count, 3), np.float32), np.zeros(count, np.int32)
    nearest_walls(around.walls, np.ascontiguousarray(positions), count, nearest, segment)
    return nearest[:, :2] - positions


def _answer(model: Model, around: Around) -> NDArray[np.float32]:
    """Return the model's result: velocities and heading vectors, [n, 4]. Raises ValueError if the result is invalid."""
    answer, count = model.choose(around), len(around.position)
    velocity, facing = answer if isinstance(answer, tuple) else (answer, answer)
    found = []
    for name, values in (("velocities", velocity), ("heading vectors", facing)):
        array = np.asarray(values, np.float64)
        if array.shape != (count, 2):
            raise ValueError(
                f"{type(model).__name__}.choose: the array of {name} must have the shape [{count}, 2] (got"
                f" {[*array.shape]}). Return one row for each agent."
            )
        for bad in np.flatnonzero(~np.isfinite(array).all(axis=1)):
            raise ValueError(
                f"{type(model).__name__}.choose: all {name} must be finite (agent {around.ids[bad]} has NaN or"
                " infinity). Return finite numbers."
            )
        found.append(array)
    velocity, facing = found
    size = np.sqrt(np.square(facing).sum(axis=1, keepdims=True))
    goes = size > (SLOW if velocity is facing else 0)
    facing = np.where(goes, facing / np.where(goes, size, 1), around.heading_vector)
    return np.concatenate([velocity, facing], axis=1).astype(np.float32)

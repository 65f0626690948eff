"""Queues: actors wait in a queue in front of a waypoint. The waypoint serves one actor after another."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.journeys import Journeys
from ecs_anim.components.steering import Steering
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths.small_matrices import length
from ecs_anim.steering.columns import GOES, WAITS

SERVED = 0.5  # [m]; the first actor is served if it is nearer to the waypoint than this distance


def line_up(steering: Steering, journeys: Journeys, transforms: Transforms, wait: NDArray[np.float32]) -> None:
    """Send actors in the queue to their positions, and approaching actors to the end of the queue.

    `wait` [waypoint] [s] contains the waiting times. Only the waiting time of the first actor in the queue decreases.
    The function writes `goal` of `Steering`, and `rest` and `ticket` of `Journeys`.
    """
    waits = journeys.stage == WAITS
    journeys.ticket[~waits] = -1
    for number in np.flatnonzero(journeys.queue.any(axis=1)).tolist():
        _line_up(number, waits, steering, journeys, transforms, wait)


def _line_up(
    number: int,
    waits: NDArray[np.bool_],
    steering: Steering,
    journeys: Journeys,
    transforms: Transforms,
    wait: NDArray[np.float32],
) -> None:
    """Set the positions of the actors that queue at the waypoint `number`, in the order of their arrival."""
    is_off_to_it = steering.waypoint == number
    rows = np.flatnonzero(waits & is_off_to_it)
    came = rows[journeys.ticket[rows] < 0]
    journeys.ticket[came] = journeys.ticket[rows].max(initial=-1) + 1 + np.arange(len(came))
    rows = rows[np.argsort(journeys.ticket[rows], kind="stable")]
    at, step = steering.waypoints[number], journeys.queue[number]
    steering.goal[rows] = at + step * np.arange(len(rows), dtype=np.float32)[:, None]
    steering.goal[is_off_to_it & (journeys.stage == GOES)] = at + step * np.float32(len(rows))
    is_served = length(transforms.translation[rows[:1], ::2] - at) < SERVED
    journeys.rest[rows[len(rows[:1][is_served]) :]] = wait[number]

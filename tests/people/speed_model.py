"""People that avoid each other, for shipped scenes: a small model, in plain numpy.

Directions and speeds are those of the collision-free speed model (Tordeux, Chraibi and Seyfried 2016): people turn
away from near people, and walk only as fast as the way ahead allows. Direction and speed follow with a lag. Each step
rounds its results, so that every machine computes the same people.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.elementary import exp

WIDTH = 0.47  # [m] of a person
PUSH, REACH = 4.0, 0.12  # of others, and [m] in which it fades to a third
WALL_PUSH, WALL_REACH = 3.0, 0.1
ASTRAY = 0.85  # most push, relative to the wish to reach the goal: people wait rather than turn back
HEADWAY = 0.6  # [s] of headway to the person ahead
TURNS, TAKES_UP = 0.3, 0.4  # [s] of lag, of direction and of speed
BRAKES = 0.3  # [m/s] by which the lag may let a person exceed the speed that the way allows
SLOWS, THERE = 0.6, 0.1  # [s] of travel to the goal at which people slow down, and [m] from it at which they stand
DIGITS = 6  # after rounding
Array = NDArray[np.float64]


class People(NamedTuple):
    """The people in the scene."""

    xy: Array  # [n, 2], [m]
    way: Array  # [n, 2], unit vectors, where they go
    speed: Array  # [n], [m/s]


def advance(people: People, goal: Array, likes: Array, rests: NDArray[np.bool_], walls: Array, dt: float) -> People:
    """Step by `dt` [s] towards goals [n, 2], at most at the speeds `likes` [n]. People with `rests` stop at their goal.

    `walls` [k, 2, 2] are segments, [m].
    """
    to_goal = goal - people.xy
    left = length(to_goal)
    push = _pushes(people.xy) + _wall_pushes(people.xy, walls)
    push *= np.minimum(1.0, ASTRAY / np.maximum(length(push), ASTRAY))[:, None]
    wanted = to_goal / np.maximum(left, 1e-6)[:, None] + push
    way = unit(people.way + (unit(wanted) - people.way) * min(1.0, dt / TURNS))
    most = np.minimum(likes, _free_speed(people.xy, way, left))
    most = np.where(rests, np.minimum(most, np.maximum(left - THERE, 0.0) / SLOWS), most)
    speed = people.speed + (most - people.speed) * min(1.0, dt / TAKES_UP)
    speed = np.minimum(speed, most + np.where(rests, 0.0, BRAKES))
    xy = _out_of_walls(people.xy + way * (speed * dt)[:, None], walls)
    return People(np.round(xy, DIGITS), np.round(way, DIGITS), np.round(speed, DIGITS))


def length(vectors: Array) -> Array:
    """Return the lengths of vectors [..., 2]."""
    return np.sqrt(vectors[..., 0] ** 2 + vectors[..., 1] ** 2)


def unit(vectors: Array) -> Array:
    """Vectors [..., 2] of length 1, or 0."""
    return vectors / np.maximum(length(vectors), 1e-9)[..., None]


def _between(xy: Array) -> tuple[Array, Array]:
    """From each to each other [n, n, 2] as unit vectors, and distances [n, n]; to oneself it is far."""
    vectors = xy[None] - xy[:, None]
    apart = length(vectors)
    np.fill_diagonal(apart, 1e3)
    return vectors / np.maximum(apart, 1e-6)[..., None], apart


def _pushes(xy: Array) -> Array:
    towards, apart = _between(xy)
    strength = PUSH * exp(np.minimum(WIDTH - apart, 0.0) / REACH)
    return -np.sum(towards * strength[..., None], axis=1)


def _free_speed(xy: Array, way: Array, left: Array) -> Array:
    """Return the speed that the person ahead allows. If two block each other, the one nearer to its goal goes first."""
    towards, apart = _between(xy)
    ahead = np.sum(towards * way[:, None], axis=-1) > 0
    across = np.abs(towards[..., 0] * way[:, None, 1] - towards[..., 1] * way[:, None, 0]) * apart
    stops = ahead & (across < WIDTH)
    stops &= ~(stops.T & (left[:, None] < left[None]))
    gap = np.where(stops, apart - WIDTH, 1e3)
    return np.maximum(gap.min(axis=1, initial=1e3), 0.0) / HEADWAY


def _from_walls(xy: Array, walls: Array) -> tuple[Array, Array]:
    """From the nearest point of each wall to each person [n, k, 2], and distances [n, k]."""
    begin, along = walls[:, 0], walls[:, 1] - walls[:, 0]
    share = np.sum((xy[:, None] - begin) * along, axis=-1) / np.sum(along * along, axis=-1)
    vectors = xy[:, None] - (begin + np.clip(share, 0, 1)[..., None] * along)
    return vectors, length(vectors)


def _wall_pushes(xy: Array, walls: Array) -> Array:
    vectors, apart = _from_walls(xy, walls)
    strength = WALL_PUSH * exp(np.minimum(WIDTH / 2 - apart, 0.0) / WALL_REACH)
    return np.sum(unit(vectors) * strength[..., None], axis=1)


def _out_of_walls(xy: Array, walls: Array) -> Array:
    """Move people out of walls, so that they keep half their width from each wall."""
    for _ in range(2):  # at a corner the second wall may push back to the first
        vectors, apart = _from_walls(xy, walls)
        nearest = apart.argmin(axis=1)
        rows = np.arange(len(xy))
        short = np.maximum(WIDTH / 2 - apart[rows, nearest], 0.0)
        xy = xy + unit(vectors[rows, nearest]) * short[:, None]
    return xy


def text_of(rows: list[tuple[int, float, float, float]]) -> str:
    """The file of rows: person, time [s], x and y [m]."""
    lines = (f"{person},{time:.2f},{x:.2f},{y:.2f}" for person, time, x, y in sorted(rows))
    return "\n".join(["id,time_s,x_m,y_m", *lines]) + "\n"

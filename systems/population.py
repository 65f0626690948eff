"""Population: actors come and go. Rows are kept without gaps: the last ones move into those that become free."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.columns import Field, Role, fields_of, lengthened
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.world import World

Rows = Mapping[str, NDArray[Any]]  # by path


def columns_of(world: World, entity: int) -> list[Field]:
    """All that has a row for each actor of a crowd."""
    return [field for field in fields_of(world.components(entity)) if field.role is Role.ACTOR]


def state_bytes(world: World) -> int:
    """What the columns of all crowds take, palettes left out."""
    return sum(column.value.nbytes for entity, _ in world.query(Crowd) for column in columns_of(world, entity))


def add_actors(world: World, entity: int, count: int, begin: Callable[[list[Field]], Rows]) -> NDArray[np.int64]:
    """Add actors behind the last row; returns their ids [count].

    `begin` gives rows [count or 1, ...] of columns by path; columns that it leaves out begin at 0. It is asked before
    anything changes.
    """
    crowd, columns = world.get(entity, Crowd), columns_of(world, entity)
    rows, old = begin(columns), crowd.actor_count
    for column in columns:
        longer = lengthened(column.value, old + count)
        longer[old:] = rows.get(column.path, 0)
        column.put(longer)
    ids = crowd.slots.give_out(old, count)
    crowd.slots.ids[old:] = ids
    _set_count(crowd, old + count)
    return ids


def remove_actors(world: World, entity: int, rows: NDArray[np.int32]) -> None:
    """Remove actors; `rows` [n] are each there once."""
    crowd, columns = world.get(entity, Crowd), columns_of(world, entity)
    left = crowd.actor_count - len(rows)
    stays = np.ones(crowd.actor_count - left, np.bool_)
    stays[rows[rows >= left] - left] = False
    moved, holes = np.flatnonzero(stays) + left, rows[rows < left].astype(np.intp)  # numpy indexes by intp
    crowd.slots.take_back(crowd.ids[rows])
    for column in columns:
        rows_of = _whole_rows(column.value)
        rows_of[holes] = rows_of[moved]
        column.put(column.value[:left])
    crowd.slots.move(crowd.ids[holes], holes)
    _set_count(crowd, left)
    near = world.find(entity, Nearness)
    if near is not None:
        _renumber(near, world.get(entity, Palette))


def _set_count(crowd: Crowd, count: int) -> None:
    crowd.actor_count = count
    crowd.moves += 1


def _whole_rows(column: NDArray[Any]) -> NDArray[np.void]:
    """The column's rows as one piece each, [row_count]: quicker to move than their numbers."""
    count = len(column)
    width = column.itemsize * math.prod(column.shape[1:])
    return column.reshape(count, -1).view(np.dtype((np.void, width))).reshape(count) if width else np.empty(count, "V1")


def _renumber(near: Nearness, palette: Palette) -> None:
    """Who is near has moved, and the palettes with them."""
    near.rows = np.flatnonzero(near.slot >= 0).astype(np.int32)
    palette.made[: len(near.rows)] = palette.made[near.slot[near.rows]]
    near.spent_ns.clear()  # it was so many others' time
    near.slot[near.rows] = np.arange(len(near.rows), dtype=np.int32)

"""Population: functions that add and remove actors.

When actors leave, the actors in the last rows move to the free rows.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.components.population import Population
from ecs_anim.ecs.column_memory import ColumnMemory
from ecs_anim.ecs.columns import Field
from ecs_anim.ecs.world import World
from ecs_anim.support.errors import InputError
from ecs_anim.support.memory import available_bytes
from ecs_anim.systems.actor_ids import next_id

STATE = 500  # [byte], memory of an actor without its palette, including its initial random values

Rows = Mapping[str, NDArray[Any]]  # rows of columns, by path
MANY = 10_000  # if there are more new actors, the free memory is checked first


def columns_of(world: World, entity: int) -> list[Field]:
    """Return all crowd columns that have one row for each actor."""
    return [memory.column for memory in memories_of(world, entity)]


def memories_of(world: World, entity: int) -> list[ColumnMemory]:
    """Return the memory of each column of a crowd. The first call adds the component `Population` to the crowd."""
    population = world.find(entity, Population)
    if population is None:
        population = Population()
        world.attach(entity, population)
    return population.memory.of(tuple(own for own in world.components(entity) if own is not population))


def state_bytes(world: World) -> int:
    """Return the total size of the columns of all crowds in bytes, without palettes."""
    return sum(column.value.nbytes for entity, _ in world.query(Crowd) for column in columns_of(world, entity))


def add_actors(world: World, entity: int, count: int, begin: Callable[[list[Field]], Rows]) -> NDArray[np.int64]:
    """Add actors after the last row, and return their ids [count].

    The returned ids are larger than all ids that the world has assigned before.

    `begin` is a function that returns a dictionary from column path to initial rows [count or 1, ...]. Columns that are
    not in the dictionary get 0. The function `begin` is called before any column changes. If the memory is too small,
    raise InputError and change nothing.
    """
    crowd, memories = world.get(entity, Crowd), memories_of(world, entity)
    _require_memory(world, entity, memories, count)
    rows, old = begin([memory.column for memory in memories]), crowd.actor_count
    try:
        for memory in memories:
            memory.resize(old + count)[old:] = rows.get(memory.column.path, 0)
    except BaseException:
        for memory in memories:
            memory.resize(old)
        raise
    ids = crowd.index.give_out(old, count, next_id(world))
    crowd.index.ids[old:] = ids
    _set_count(crowd, old + count)
    return ids


def remove_actors(world: World, entity: int, rows: NDArray[np.int32]) -> None:
    """Remove the actors in the rows `rows` [n]. The row numbers must be sorted and unique."""
    crowd, memories = world.get(entity, Crowd), memories_of(world, entity)
    left = crowd.actor_count - len(rows)
    inside, at = np.searchsorted(rows, left), rows.astype(np.intp)  # numpy indexes by intp
    stays = np.ones(len(rows), np.bool_)
    stays[at[inside:] - left] = False
    moved, holes = np.flatnonzero(stays) + left, at[:inside]
    crowd.index.take_back(crowd.ids[at])
    for memory in memories:
        memory.move(holes, moved)
        memory.resize(left)
    crowd.index.move(crowd.ids[holes], holes)
    _set_count(crowd, left)
    near = world.find(entity, Nearness)
    if near is not None:
        _renumber(near, world.get(entity, Palette))


def _require_memory(world: World, entity: int, memories: list[ColumnMemory], count: int) -> None:
    """If the free memory is too small for new rows of columns and palettes, raise InputError.

    The memory of an array doubles when the array grows.
    """
    crowd, palette = world.get(entity, Crowd), world.find(entity, Palette)
    arrays = [memory.column.value for memory in memories]
    if palette is not None and palette.source is not None:
        arrays.append(palette.made)
    each = sum(array.itemsize * math.prod(array.shape[1:]) for array in arrays)
    needed, free = each * max(count, crowd.actor_count), available_bytes() if count > MANY else None
    if free is not None and needed > free:
        raise InputError(
            f"crowd {crowd.name!r}: {count:,} more actors need {needed / 1e9:.2g} GB, because the memory of a crowd"
            f" doubles when it grows, but only {free / 1e9:.2g} GB are free. Add fewer actors."
        )


def _set_count(crowd: Crowd, count: int) -> None:
    crowd.actor_count = count
    crowd.moves += 1


def _renumber(near: Nearness, palette: Palette) -> None:
    """After actors have moved to other rows, update the row numbers of near actors, and move their palettes."""
    near.rows = np.flatnonzero(near.palette_row >= 0).astype(np.int32)
    palette.made[: len(near.rows)] = palette.made[near.palette_row[near.rows]]
    near.spent_ns.clear()  # the stored times are for another number of near actors
    near.palette_row[near.rows] = np.arange(len(near.rows), dtype=np.int32)

"""Chunks: neighbours are views of columns; picked actors are copies, which systems share until they are published."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.transforms import Transforms
from ecs_anim.runtime.records import Placement
from ecs_anim.systems.chunk import Workspace, chunk_of

PICKED = np.int32([7, 2, 3])


def chunk(rows):
    count = len(range(20)[rows]) if isinstance(rows, slice) else len(rows)
    return chunk_of(rows, count, 0.1, Workspace(), slice(0, count))


def columns():
    rng = np.random.default_rng(0)
    return Placement(*(rng.normal(size=(20, *own)).astype(np.float32) for own in ((3,), (4,), ())))


def test_neighbours_are_views():
    record, own = columns(), chunk(slice(4, 9))
    for part in (own.read(record.scale), own.write(record.scale), own.read_all(record)[2], own.write_all(record)[2]):
        assert np.shares_memory(part, record.scale)
        np.testing.assert_array_equal(part, record.scale[4:9])


def test_picked_actors_are_copies_that_all_systems_of_a_run_share():
    record, own = columns(), chunk(PICKED)
    first = own.read(record.scale)
    np.testing.assert_array_equal(first, record.scale[PICKED])
    assert not np.shares_memory(first, record.scale)
    written = own.write(record.scale)
    written[:] = [1, 2, 3]
    np.testing.assert_array_equal(own.read(record.scale), [1, 2, 3])
    np.testing.assert_array_equal(own.read_all(record)[2], [1, 2, 3])
    np.testing.assert_array_equal(own.write_all(record)[2], [1, 2, 3])


def test_what_is_written_is_the_columns_once_it_is_published_and_nothing_else_is():
    record, own = columns(), chunk(PICKED)
    before = record.scale.copy(), record.translation.copy()
    own.write(record.scale)[:] = [1, 2, 3]
    own.read(record.translation)[:] = 9
    np.testing.assert_array_equal(record.scale, before[0])
    own.publish()
    expected = before[0].copy()
    expected[PICKED] = [1, 2, 3]
    np.testing.assert_array_equal(record.scale, expected)
    np.testing.assert_array_equal(record.translation, before[1])


def test_after_publishing_copies_are_taken_anew():
    """Systems that run on the whole chunk write columns themselves, too."""
    record, own = columns(), chunk(PICKED)
    own.write(record.scale)
    own.publish()
    record.scale[PICKED] = 5
    np.testing.assert_array_equal(own.read(record.scale), 5)
    own.publish()
    np.testing.assert_array_equal(record.scale[PICKED], 5)


def test_columns_that_are_too_short_are_an_error():
    with pytest.raises(IndexError, match="must have at least 25 rows"):
        chunk_of(slice(15, 25), 10, 0.1, Workspace(), slice(15, 25)).read(columns().scale)
    with pytest.raises(IndexError, match="Placement must have at least 25 rows"):
        chunk_of(slice(15, 25), 10, 0.1, Workspace(), slice(15, 25)).read_all(columns())


def test_palette_rows_are_numbers_or_a_span():
    numbers = chunk_of(PICKED, 3, 0.1, Workspace(), slice(10, 13)).palette_row_numbers()
    np.testing.assert_array_equal(numbers, [10, 11, 12])
    np.testing.assert_array_equal(chunk_of(PICKED, 3, 0.1, Workspace(), PICKED).palette_row_numbers(), PICKED)


class Collect:
    """A user's system that collects its chunks and the rows that they return."""

    name, components = "collect", (Transforms,)

    def __init__(self):
        self.steps = []

    def run(self, own, transforms):
        self.steps.append((own, own.read_all(transforms.placement)))


def test_chunks_are_kept_until_the_number_of_actors_changes():
    own = Collect()
    with ea.load_scene("grid", actors=20, threads=1, systems=[(own, "after", "movers")]) as world:
        (people,) = ea.crowds(world)
        own.steps.clear()
        for _ in range(2):
            world.step(0.1)
        people.remove([3])
        world.step(0.1)
        (first, rows), (second, same), (third, fewer) = own.steps
        assert first is second
        assert rows is same
        assert third is not first
        assert (first.actor_count, third.actor_count) == (20, 19)
        assert len(fewer[0]) == 19


def test_a_kept_chunk_returns_the_rows_of_new_columns():
    record, own = columns(), chunk(slice(4, 9))
    before = own.read_all(record)
    assert own.read_all(record) is before
    changed = record._replace(scale=record.scale + 1)
    np.testing.assert_array_equal(own.read_all(changed)[2], record.scale[4:9] + 1)

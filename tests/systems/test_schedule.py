"""How a crowd is dealt out to threads, and which systems run for it."""

from copy import deepcopy

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import ecs_anim as ea
from ecs_anim.components.layers import Layers
from ecs_anim.components.playback import Playback
from ecs_anim.support.timings import Timings
from ecs_anim.systems.schedule import CALLS, CHUNK_SIZE, even_parts, useful_chunks

counts, sizes, threads = st.integers(0, 20_000), st.integers(1, 5000), st.integers(1, 64)


@given(counts, sizes, threads)
def test_every_row_is_in_one_part_and_none_is_too_long(count, size, thread_count):
    parts = even_parts(count, size, thread_count)
    assert [part.start for part in parts] + [count] == [0] + [part.stop for part in parts]
    assert all(0 < part.stop - part.start <= size for part in parts)


@given(st.integers(1, 100_000), threads)
def test_threads_get_as_much_as_each_other(count, thread_count):
    parts = even_parts(count, CHUNK_SIZE, thread_count)
    lengths = [part.stop - part.start for part in parts]
    assert max(lengths[:-1], default=0) - min(lengths[:-1], default=0) == 0, "all but the last are the same"
    if useful_chunks(count) >= thread_count:
        busiest = max(sum(lengths[first::thread_count]) for first in range(thread_count))
        assert busiest <= 1.1 * count / thread_count


def test_few_actors_are_not_worth_a_chunk_for_each_thread():
    assert even_parts(3 * CALLS, CHUNK_SIZE, 16) == [slice(0, 3 * CALLS)]
    assert len(even_parts(16 * CALLS, 10**6, 16)) == 4


@given(st.integers(1, 10**6))
def test_no_other_number_of_chunks_needs_much_less_time(count):
    """Python prepares the chunks one after another; then the last thread processes its chunk."""
    chunks = np.arange(1, 200)
    times = chunks * CALLS + count / chunks
    assert times[max(useful_chunks(count), 1) - 1] <= 1.25 * times.min()


def ran(world):
    timings = Timings()
    world.step(1 / 60, timings)
    return set(timings.wall_ns)


def test_systems_run_for_the_components_that_a_crowd_has_now():
    """Also where one gives way to another of its kind, between two steps."""
    with ea.load_scene("hills", actors=9, threads=1) as world:
        ((entity, (layers, playback)),) = world.query(Layers, Playback)
        everything = ran(world)
        world.detach(entity, Layers)
        assert everything - ran(world) == {"layers", "layer_phases"}
        world.attach(entity, layers)
        assert ran(world) == everything
        other, before = deepcopy(playback), playback.phase.copy()
        world.detach(entity, Playback)
        world.attach(entity, other)
        world.step(1 / 60)
        np.testing.assert_array_equal(playback.phase, before)
        assert (other.phase != before).any()

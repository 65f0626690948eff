"""How a crowd is dealt out to threads."""

from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.systems.schedule import CHUNK_SIZE, LEAST_SHARE, even_parts

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
    if count >= 16 * LEAST_SHARE * thread_count:
        busiest = max(sum(lengths[first::thread_count]) for first in range(thread_count))
        assert busiest <= 1.1 * count / thread_count


def test_few_actors_are_not_worth_a_chunk_for_each_thread():
    assert even_parts(LEAST_SHARE, CHUNK_SIZE, 16) == [slice(0, LEAST_SHARE)]
    assert len(even_parts(4 * LEAST_SHARE, CHUNK_SIZE, 16)) == 4

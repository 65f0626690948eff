"""Room for frames: what calls deeply and often asks the system for none."""

import pytest

from ecs_anim.kernels.frame_room import with_room


def _deep(depth):
    """Go down, and call something small at each depth many times."""
    if depth:
        for _ in range(20):
            _nothing()
        _deep(depth - 1)


def _nothing():
    pass


def _faults(call, *arguments):
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    call(*arguments)
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before


def test_frames_have_room_where_calls_go_deep():
    """Without it, memory for frames comes and goes where a chunk ends, at some depth in any row of 300."""

    def thrash():
        for _ in range(100):
            _deep(300)

    with_room(thrash)  # what is needed once
    assert _faults(with_room, thrash) < 100


def test_what_is_raised_and_returned_comes_through():
    assert with_room(divmod, 7, 4) == (1, 3)
    with pytest.raises(ZeroDivisionError):
        with_room(divmod, 7, 0)

"""Closed worlds leave no objects, no OpenGL names and no memory. `live_objects.py` opens and closes the worlds."""

import gc
import json
import subprocess
import sys
from statistics import median
from weakref import ref

import pytest

from ecs_anim.support import garbage
from ecs_anim.support.owner_cache import cached_by_owner
from tests.ecs.live_objects import USES
from tests.helpers import EXHAUSTIVE, needs_compiler, some

ALLOWED = 1.05  # memory of the second half of the worlds, as a share of the memory of the first half
WARM = 5  # worlds before the first one whose memory counts: caches and the allocator reach their size
WORLDS = 24  # half of these worlds, compared with the other half


def report_of(use, warm, count):
    """Return the report of `live_objects.py` about a use of so many worlds, from a process of its own."""
    command = [sys.executable, "-m", "tests.ecs.live_objects", use, str(warm), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1800)
    return json.loads(done.stdout.splitlines()[-1])


@EXHAUSTIVE
@needs_compiler
@pytest.mark.parametrize("use", some(USES, "draw-drop"))
def test_closed_worlds_leave_no_object(use):
    report = report_of(use, 1, 1)  # each world adds the objects that it leaks
    assert report["grown"] == {}
    assert report["gl"] == 0


@EXHAUSTIVE
@needs_compiler
@pytest.mark.parametrize("use", ["draw-drop", "save", "dataset", "farm"])
def test_memory_after_many_worlds_is_that_after_the_first_ones(use):
    memory = report_of(use, WARM, WORLDS)["memory"]
    half = WORLDS // 2
    assert median(memory[half:]) <= ALLOWED * median(memory[:half])


class TestOwnerCache:
    def test_a_value_is_computed_once_for_its_owner_and_options(self):
        calls = []

        @cached_by_owner
        def named(owner, number=0):
            calls.append((owner, number))
            return [number]

        one, other = Owner(), Owner()
        assert named(one) is named(one)
        assert named(one, 2) is named(one, 2)
        assert named(other) is not named(one)
        assert calls == [(one, 0), (one, 2), (other, 0)]

    def test_the_owner_and_the_value_are_freed_at_once(self):
        value = cached_by_owner(lambda owner: Owner())
        owner = Owner()
        kept = ref(owner), ref(value(owner))
        gc.disable()
        try:
            del owner
            assert [own() for own in kept] == [None, None]
        finally:
            gc.enable()


class Owner:
    pass


class TestCollector:
    def test_a_start_ends_with_the_thresholds_from_before(self):
        usual = gc.get_threshold()
        garbage.begin_start()
        try:
            assert gc.get_threshold() == (garbage.START_OBJECTS, *usual[1:])
        finally:
            garbage.end_start()
        assert gc.get_threshold() == usual

    def test_a_program_that_imports_the_package_keeps_its_own_thresholds(self):
        usual = gc.get_threshold()
        try:
            gc.set_threshold(1234, 5, 6)
            garbage.end_start()
            assert gc.get_threshold() == (1234, 5, 6)
        finally:
            gc.set_threshold(*usual)

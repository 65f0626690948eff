"""Column memory against plain copies of columns."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.ecs.column_memory import ColumnMemory, CrowdMemory
from ecs_anim.ecs.columns import Column, fields_of

STEPS = ["grow", "shrink", "move", "replace"]
FORMS = [("?", ()), ("i2", ()), ("f4", ()), ("i8", ()), ("f4", (3,)), ("f4", (4,)), ("f4", (2, 2, 5)), ("f4", (0,))]


@dataclass(eq=False)
class Part:
    weight: Column[np.float32]
    spare: Column[np.float32] | None = None


@dataclass(eq=False)
class Whole:
    parts: tuple[Part, ...] | list[Part] = ()
    own: Column[np.float32] = field(default_factory=lambda: np.zeros(3, np.float32))


def memory_of(column):
    (found,) = fields_of([Part(column)])
    return ColumnMemory(found)


def random_rows(rng, form, count):
    kind, shape = form
    return rng.integers(0, 256, (count, *shape, np.dtype(kind).itemsize), np.uint8).view(kind).reshape(count, *shape)


@pytest.mark.parametrize("form", FORMS, ids=str)
@settings(max_examples=30)
@given(steps=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9)), max_size=20))
def test_rows_go_where_they_should(form, steps):
    rng = np.random.default_rng(len(steps))
    expected = random_rows(rng, form, 5)
    memory = memory_of(expected.copy())
    for step, number in steps:
        count = len(expected)
        match step:
            case "grow":
                new = random_rows(rng, form, number)
                memory.resize(count + number)[count:] = new
                expected = np.concatenate([expected, new])
            case "shrink":
                expected = expected[: max(count - number, 0)]
                memory.resize(len(expected))
            case "move" if count:
                to, rows = rng.permutation(count)[:number], rng.integers(count, size=min(number, count))
                memory.move(to, rows)
                expected = expected.copy()
                expected[to] = expected[rows]
            case "replace":
                expected = random_rows(rng, form, number)
                memory.column.put(expected.copy())
        assert memory.column.value.tobytes() == expected.tobytes()
        assert memory.column.value.shape == expected.shape


def test_memory_grows_by_doubling():
    memory, homes = memory_of(np.zeros((50, 3), np.float32)), set()
    for count in range(50, 400):
        homes.add(memory.resize(count).ctypes.data)
        memory.resize(count - 10)
    assert len(homes) == 4  # 50, 100, 200, 400


def columns(crowd_memory, *components):
    return [memory.column.path for memory in crowd_memory.of(components)]


def test_what_components_hold_is_looked_for_anew_where_it_has_become_another():
    crowd_memory, whole = CrowdMemory(), Whole((Part(np.zeros(3, np.float32)),))
    own = ["Whole.parts[0].weight", "Whole.own"]
    assert columns(crowd_memory, whole) == own
    whole.parts[0].spare = np.zeros(3, np.float32)
    assert columns(crowd_memory, whole) == ["Whole.parts[0].weight", "Whole.parts[0].spare", "Whole.own"]
    whole.parts = ()
    assert columns(crowd_memory, whole) == ["Whole.own"]
    whole.parts = [Part(np.zeros(3, np.float32))]
    assert columns(crowd_memory, whole) == own
    whole.parts.append(Part(np.zeros(3, np.float32)))
    assert columns(crowd_memory, whole) == [own[0], "Whole.parts[1].weight", own[1]]
    other = Part(np.zeros(3, np.float32))
    assert columns(crowd_memory, whole, other)[-1] == "Part.weight"
    another = Whole()
    assert [memory.column.owner for memory in crowd_memory.of((another, other))] == [another, other]


def test_memory_is_kept_as_long_as_its_column_is_there():
    crowd_memory, whole, part = CrowdMemory(), Whole(), Part(np.zeros(3, np.float32))
    (memory,) = crowd_memory.of((whole,))
    assert crowd_memory.of((whole,)) == [memory]
    assert crowd_memory.of((whole, part))[0] is memory
    assert crowd_memory.of((Whole(), part))[0] is not memory


@pytest.mark.parametrize(
    "column", [np.array([*"abcde"], object), np.arange(15.0).reshape(3, 5).T], ids=["objects", "turned"]
)
def test_rows_that_are_no_one_piece_move_too(column):
    memory, expected = memory_of(column.copy(order="K")), column[[0, 4, 2, 3, 4]]
    memory.move(np.array([1]), np.array([4]))
    np.testing.assert_array_equal(memory.column.value, expected)

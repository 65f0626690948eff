"""Stages: which actors go through them, in which order, and with which arguments."""

from typing import NamedTuple

import numpy as np
import pytest

from ecs_anim.kernels.stages import (
    BLOCK,
    BLOCKS,
    EIGHT,
    ROOM,
    Blocks,
    StageMemory,
    in_order,
    mark_kind,
    run_blocks,
    stage,
)
from ecs_anim.kernels.types import COUNT, OUT_LONGS, OUT_LONGS_2D, REAL
from ecs_anim.systems.stages import Stage
from tests.helpers import needs_compiler
from tests.helpers.stages import eights, listed, run_stages


def kinds_of(count, kinds, seed=0):
    return np.random.default_rng([seed, count]).choice(np.int64(kinds), count)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 64, 200])
@pytest.mark.parametrize("kinds", [[0], [3, 6, 0, 15], [*range(40)], [1 << 50, 0]])
def test_lists_hold_the_actors_of_each_kind_in_their_order(count, kinds):
    own = kinds_of(count, kinds)
    rows, lists = listed(own)
    assert sorted(lists[:, 0]) == np.unique(own).tolist()
    for kind, begin, end in lists:
        np.testing.assert_array_equal(rows[begin:end], np.flatnonzero(own == kind))
        assert (rows[end : -(-end // EIGHT) * EIGHT] == rows[end - 1]).all(), "the last actor fills its eight"


@pytest.mark.parametrize("count", [1, 9, 200])
def test_lists_follow_each_other_in_whole_eights(count):
    rows, lists = listed(kinds_of(count, [3, 6, 0, 15]))
    ends = -(-lists[:, 2] // EIGHT) * EIGHT
    np.testing.assert_array_equal(lists[:, 1], [0, *ends[:-1]])
    assert len(rows) == ends[-1]
    assert (lists[:, 2] - lists[:, 1]).sum() == count


@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 200])
def test_actors_of_one_kind_are_listed_in_order(count):
    for found, expected in zip(in_order(count), listed(np.zeros(count, np.int64)), strict=True):
        np.testing.assert_array_equal(found, expected)


class Note(NamedTuple):
    """What the stage below takes."""

    blocks: BLOCKS
    name: COUNT
    factor: REAL
    notes: OUT_LONGS_2D  # [note, 4]: name, actor, eight in the room of frames, ten times the factor
    count: OUT_LONGS  # [1], of notes


@stage(Note)
def note(own, first, end, frame):
    """Note who goes through."""
    for slot in range(first, end):
        at = own.count[0]
        own.notes[at, 0], own.notes[at, 1] = own.name, own.blocks.rows[slot]
        own.notes[at, 2], own.notes[at, 3] = frame + (slot - first) // 8, np.int64(own.factor * 10)
        own.count[0] += 1


def noted(count, *actors, apart=True):
    """Notes of stages 0, 1 ... that are for `actors` (None = all), of so many actors; and cycles that stages took."""
    notes, at = np.full((count * len(actors), 4), -1), np.zeros(1, np.int64)
    conditions = [0 if own is None else 1 << n for n, own in enumerate(actors)]
    kinds = np.zeros(count, np.int64)
    for own, condition in zip(actors, conditions, strict=True):
        kinds[slice(0) if own is None else own] |= condition
    rows, lists = listed(kinds)
    blocks = Blocks(eights(len(rows), 1), rows, True)
    bound = [(note, (blocks, n, n + 0.5, notes, at)) for n in range(len(actors))]
    cycles = run_blocks(bound, conditions, lists, StageMemory(), apart=apart)
    return notes[: at[0]], cycles


@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_blocks_take_all_stages_one_after_the_other(count):
    notes, _ = noted(count, None, None)
    expected = []
    for first in range(0, count, BLOCK):
        block = range(first, min(first + BLOCK, count))
        expected += [[name, actor, actor // 8, 10 * name + 5] for name in (0, 1) for actor in block]
    np.testing.assert_array_equal(notes, expected)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_a_stage_runs_for_its_actors_alone(count):
    rng = np.random.default_rng(count)
    some, others = rng.random(count) < 0.3, rng.random(count) < 0.6
    notes, _ = noted(count, some, None, others)
    for name, own in enumerate((some, np.full(count, True), others)):
        np.testing.assert_array_equal(np.sort(notes[notes[:, 0] == name, 1]), np.flatnonzero(own))


def test_blocks_share_the_first_frames_where_these_are_not_kept():
    notes, _ = noted(200, None, np.arange(200) % 3 == 0, apart=False)
    assert notes[:, 2].min() == 0
    assert notes[:, 2].max() == BLOCK // 8 - 1
    apart, _ = noted(200, None, np.arange(200) % 3 == 0)
    np.testing.assert_array_equal(apart[:, [0, 1, 3]], notes[:, [0, 1, 3]])
    eights_of = {actor: eight for name, actor, eight, _ in apart if name == 0}
    assert max(np.bincount([*eights_of.values()])) == 8


def test_no_actors_are_no_blocks():
    notes, cycles = noted(0, None, np.empty(0, bool))
    assert len(notes) == 0
    assert not cycles.any()


@needs_compiler
def test_cycles_are_counted_for_each_stage():
    _, cycles = noted(2000, None, np.arange(2000) % 2 == 0)
    assert cycles.shape == (2,)
    assert (cycles > 0).all()


def test_matrices_of_actors_that_a_stage_is_not_for_stay():
    model = np.random.default_rng(0).normal(size=(21, 3, 12)).astype(np.float32)
    seen = np.full((21, 4), -1), np.zeros(1, np.int64)
    found = run_stages(model, Stage(note, (0, 1.0, *seen), np.arange(21) % 2 == 0))
    np.testing.assert_array_equal(found, model)
    np.testing.assert_array_equal(np.sort(seen[0][:11, 1]), np.arange(0, 21, 2))


@needs_compiler
def test_arguments_of_the_wrong_type_are_an_error():
    _, lists = in_order(1)
    blocks = Blocks(eights(8, 1), np.zeros(8, np.int64), True)
    wrong = blocks, 1, 0.5, np.zeros((1, 4), np.int32), np.zeros(1, np.int64)
    with pytest.raises(TypeError, match="No matching definition"):
        run_blocks([(note, wrong)], [0], lists, StageMemory(), apart=True)


@pytest.mark.exhaustive
@needs_compiler
def test_arguments_that_take_too_much_room_are_an_error():
    many = NamedTuple("Many", [("blocks", object), *((f"a{n}", object) for n in range(ROOM // 56 + 1))])
    many.__annotations__ = {"blocks": BLOCKS, **dict.fromkeys(many._fields[1:], OUT_LONGS)}
    with pytest.raises(Exception, match=f"arguments of a stage take more than {ROOM} bytes"):
        stage(many)(note.function)


@needs_compiler
def test_arguments_are_written_once_and_again_after_a_change(monkeypatch):
    written, bind, notes = [], note.bind, np.full((9, 4), -1)
    monkeypatch.setitem(vars(note), "bind", lambda *given: (written.append(given), bind(*given)))
    rows, lists = in_order(3)
    blocks, memory, at = Blocks(eights(8, 1), rows, True), StageMemory(), np.zeros(1, np.int64)
    for name, factor in ((4, 0.5), (4, 0.5), (5, 0.5)):
        run_blocks([(note, (Blocks(*blocks), name, factor, notes, at))], [0], lists, memory, apart=True)
    assert len(written) == 2
    np.testing.assert_array_equal(notes[:, 0], np.repeat([4, 4, 5], 3))


def test_kinds_are_marked_one_after_the_other():
    rng = np.random.default_rng(0)
    masks, kinds = rng.random((3, 50)) < 0.5, rng.integers(0, 99, 50)
    for number, mask in enumerate(masks):
        mark_kind(mask, 1 << number, kinds)
    np.testing.assert_array_equal(kinds, masks.T @ [1, 2, 4])

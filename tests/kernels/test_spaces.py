"""Blend spaces in lanes against what `motion` says of actors one by one, which has numpy for an oracle: to the bit."""

import numba
import numpy as np
import pytest

from ecs_anim.kernels import motion, spaces
from ecs_anim.kernels.types import FLOATS_2D, OUT_2D, OUT_LONGS_2D, REAL, void
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import MAX_MEMBERS, Member, Motion, build_motion_set
from ecs_anim.scenes.rigs import load_model
from ecs_anim.simd import load, narrow, store, to_integers, view_lanes, widen
from tests.helpers import FEW, called
from tests.runtime.test_motion import ask

MANNEQUIN = load_model("mannequin")
WALKS = [MANNEQUIN.clips[name] for name in ("idle", "walk", "run")]
SPEEDS = (0.0, 1.4, 3.4)


CORNERS = ((0.0, 0.0), (0.0, 1.4), (0.2, 3.4))


def line(keeps_pace, count):
    members = [Member(clip, (0.0, at), (at, 0.0)) for clip, at in zip(WALKS[:count], SPEEDS, strict=False)]
    return Motion(f"line of {count}", tuple(members), True, ("x",), keeps_pace)


PLANE = Motion(
    "plane", tuple(Member(clip, at, at) for clip, at in zip(WALKS, CORNERS, strict=True)), True, ("x", "y"), True
)
MOTIONS = [Motion("clip", (Member(WALKS[1], (0.0, 1.4)),)), line(True, 3), line(False, 3), line(True, 2), line(True, 1)]
MOTIONS.append(PLANE)
SET = build_motion_set(MOTIONS, build_tables(MANNEQUIN.skeleton, WALKS), ("y", "x"))


@numba.njit
def ask_eight(motions, number, told, dt, out, scratch):
    """What `motion` says of eight actors: their weights, rates, and velocities ahead."""
    table, members, stride, travel = motions
    weights, x, y = view_lanes(scratch), load(told, 0), load(told, 8)
    motion.weigh(table, members, number, x, y, weights)
    now = x, y, load(told, 16), load(told, 24)
    store(out, 0, motion.pace(table, members, stride, number, now, weights)[0])
    side, ahead = motion.ground_velocity(table, members, stride, travel, number, load(told, 32), now, dt, weights)
    store(out, 8, side)
    store(out, 16, ahead)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [1, 3, 4])
def test_eight_are_asked_as_one_is(number):
    rng = np.random.default_rng(number)
    ends = np.float32([-1, 0, 1.4, 3.4, 5, 1e-5, 1.4000001, 0.7])
    for x in (ends, *rng.uniform(-0.5, 4, (6, 8)).astype(np.float32)):
        speed, scale = rng.uniform(0, 2, 8).astype(np.float32), rng.uniform(0.5, 2, 8).astype(np.float32)
        phase = rng.uniform(0, 1, 8).astype(np.float32)
        phase[:2] = 0, 1
        out, scratch = np.empty((3, 8), np.float32), np.empty(8 * MAX_MEMBERS, np.float32)
        ask_eight(SET.arrays, number, np.stack([x, 0 * x, speed, scale, phase]), 0.02, out, scratch)
        for lane in range(8):
            one = ask(number, x[lane], 0, phase[lane], speed[lane], scale[lane], 0.02, SET)
            weights = scratch.reshape(MAX_MEMBERS, 8)[: len(one[0]), lane]
            np.testing.assert_array_equal(weights, one[0])
            # Uncompiled, lanes and single numbers are not of the same types, and round apart.
            np.testing.assert_allclose(out[:, lane], np.float32(one[1:]), rtol=1e-6 if FEW else 0)
            assert one[2] == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("slots", "plays", "expected"),
    [
        ([1, 2, 1, 1, 1], [0, 3, 1, 1, 3], (1, [2, 3])),  # the first alone in such a space, and who is as they are
        ([1, 1, 2], [0, 2, 1], (spaces.NOBODY, [])),  # a clip, a space that keeps no pace, one that fades
        ([1, 1, 1], [5, 3, 5], (5, [0, 2])),  # along two parameters
    ],
)
def test_those_are_listed_who_play_as_the_first(slots, plays, expected):
    motion, rows = np.zeros((len(slots), 2), np.int32), np.full(len(slots) + 7, -1)
    motion[:, 0] = plays
    number, count = called(spaces.list_alike)(SET.arrays.motion, np.int32(slots), motion, rows)
    assert (number, rows[:count].tolist()) == expected
    assert count == 0 or (rows[count : count + 7] == rows[count - 1]).all()


@pytest.mark.exhaustive
@pytest.mark.parametrize("plays", [5, 1, 2, 0])
def test_those_are_weighed_together_who_play_one_space_alone(plays):
    """Others' rows stay as they are; a clip alone needs no weights."""
    rng = np.random.default_rng(plays)
    count = 21
    motion, slots = rng.choice([0, plays], (count, 2)).astype(np.int32), rng.integers(1, 3, count).astype(np.int32)
    values = rng.uniform(-1, 4, (count, 2)).astype(np.float32)
    out = np.full((count, MAX_MEMBERS), 7, np.float32)
    table, members = SET.arrays.motion, SET.arrays.member
    number = called(spaces.weigh_alike)(table, members, slots, motion, values, out)
    assert number == (plays if plays else spaces.NOBODY)
    for actor in range(count):
        expected = np.full(MAX_MEMBERS, 7, np.float32)
        if plays and slots[actor] == 1 and motion[actor, 0] == plays:
            own = ask(plays, values[actor, 1], values[actor, 0], motions=SET)[0]
            expected = np.pad(own, (0, MAX_MEMBERS - len(own)))
        np.testing.assert_array_equal(out[actor], expected)


@numba.njit(void(FLOATS_2D, REAL, OUT_2D, OUT_LONGS_2D))
def _phases(table, seconds, out, out_wholes):
    whole, part = motion.cycles_before(load(table, 0), load(table, 8), seconds)
    store(out, 0, whole)
    store(out, 8, part)
    store(out, 16, narrow(widen(load(table, 8)) / seconds))
    numbers = to_integers(whole)
    for lane in range(8):
        out_wholes[0, lane] = numbers[lane]


def test_phases_go_back_in_double_precision():
    rng = np.random.default_rng(4)
    table = np.stack([rng.uniform(0, 1, 8), rng.uniform(-300, 300, 8)]).astype(np.float32)
    out, numbers = np.empty((3, 8), np.float32), np.empty((1, 8), np.int64)
    _phases(table, 1 / 60, out, numbers)
    before = table[0].astype(np.float64) - table[1].astype(np.float64) / 60
    np.testing.assert_array_equal(out[0], np.floor(before))
    np.testing.assert_array_equal(numbers[0], np.floor(before))
    np.testing.assert_allclose(out[1], before % 1, atol=1e-7)
    np.testing.assert_array_equal(out[2], (table[1].astype(np.float64) / (1 / 60)).astype(np.float32))

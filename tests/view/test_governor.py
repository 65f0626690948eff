"""The governor against machines of known speed: it finds a step that is in time, stays there, and finds back."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.view.governor import BUDGET, JUDGED, LONGEST_PATIENCE, PATIENCE, Governor

COSTS = st.lists(st.floats(0.4, 0.95), min_size=1, max_size=7)  # of each step, of the one before


def run(governor, costs, seconds):
    """The steps of all pictures of a machine that takes `costs` [s] at each step."""
    steps, spent = [governor.step], 0.0
    while spent < seconds:
        cost = max(costs[governor.step], 0.001)
        spent += cost
        steps.append(governor.add(cost))
    return steps


def costs_of(finest, ratios):
    return [finest * math.prod(ratios[:k]) for k in range(len(ratios) + 1)]


@pytest.mark.exhaustive
@settings(max_examples=60)
@given(st.floats(0.02, 3.0), COSTS)
def test_pictures_are_in_time_and_do_not_go_to_and_fro(finest, ratios):
    """Every finer step that fails doubles the time until the next: ten minutes have some tens of changes at most."""
    costs = costs_of(finest, ratios)
    steps = run(Governor(len(costs)), costs, 600.0)
    changes = sum(a != b for a, b in pairwise(steps))
    doublings = math.log2(LONGEST_PATIENCE / PATIENCE)
    assert changes <= 2 * (doublings + 600 / LONGEST_PATIENCE) + len(costs)
    late = steps[len(steps) // 2 :]
    if min(costs) <= BUDGET:
        assert sum(costs[step] > BUDGET for step in late) < 0.05 * len(late)
    else:
        assert set(late) == {len(costs) - 1}


@given(st.floats(0.01, 10.0))
def test_a_slow_start_is_over_after_a_few_pictures(finest):
    costs = [finest * 0.66**k for k in range(12)]
    governor = Governor(len(costs))
    for _ in range(3 * (JUDGED + 1)):
        governor.add(costs[governor.step])
    assert costs[governor.step] <= BUDGET or governor.step == len(costs) - 1


def test_one_picture_that_stalls_changes_nothing():
    governor = Governor(4)
    for number in range(300):
        governor.add(5.0 if number % 10 == 0 else 0.9 * BUDGET)
    assert governor.step == 0


def test_what_becomes_fast_becomes_fine_again_one_step_at_a_time():
    governor = Governor(4)
    run(governor, [1.0, 0.8, 0.7, 0.6], 10.0)
    assert governor.step == 3
    steps = run(governor, [0.02, 0.015, 0.012, 0.01], 10 * PATIENCE)
    assert [step for step, before in zip(steps, [None, *steps], strict=False) if step != before] == [3, 2, 1, 0]


def test_between_spare_and_budget_nothing_changes():
    governor = Governor(3)
    run(governor, [1.1 * BUDGET, 0.8 * BUDGET, 0.8 * BUDGET], 3.0)
    assert governor.step == 1
    steps = run(governor, [1.0, 0.8 * BUDGET, 0.8 * BUDGET], 100.0)
    assert set(steps) == {1}


def test_one_step_is_all_there_is():
    assert set(run(Governor(1), [1.0], 20.0)) == {0}


def test_after_a_peak_of_the_load_the_quality_returns_although_each_picture_has_a_fixed_cost():
    """The window system takes 20 ms per picture at each step. Simulated time: 60 s of load, then 120 s without load."""
    fixed, light = 0.02, [0.024, 0.017, 0.012, 0.009, 0.007]
    governor = Governor(len(light))
    assert set(run(governor, [fixed + cost for cost in light], 10.0)) == {0}
    run(governor, [fixed + 8 * cost for cost in light], 60.0)
    assert governor.step >= 2
    steps = run(governor, [fixed + cost for cost in light], 2 * LONGEST_PATIENCE)
    assert governor.step == 0
    assert steps == sorted(steps, reverse=True)  # no step back to a lower quality

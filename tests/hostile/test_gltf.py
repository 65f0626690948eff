"""Damaged models: each is a rig, or refused in one line, in time and in bounds."""

from random import Random

import pytest

from tests.hostile.gltf import WAYS
from tests.hostile.mutations import change
from tests.hostile.runner import Budget, Report, require_sound, run_cases

FEW, ALL = 150, 1500  # cases
BUDGET = Budget(seconds=60.0, peak_bytes=2 << 30)  # a busy machine's; `attempt` counts the processor's


def attack(cases) -> Report:
    return run_cases("tests.hostile.gltf:attempt", cases, BUDGET, "tests.hostile.gltf:prepare")


def test_some_damaged_models():
    require_sound(attack(range(FEW)), FEW, WAYS)


@pytest.mark.exhaustive
def test_all_damaged_models():
    report = attack(range(ALL))
    print(report)
    require_sound(report, ALL, WAYS)


def test_a_list_where_a_table_was_is_left_as_it_is():
    """Where an earlier change has put it there; case 2004852 doubles a key of it."""
    for number in range(40):
        document = {"sampler": [1]}
        change(document, ("sampler", "count"), Random(number))
        assert document == {"sampler": [1]}

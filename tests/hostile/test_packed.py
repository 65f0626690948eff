"""Damaged packed models and avatars: each is a rig, or refused in one line, in time and in bounds."""

import pytest

from tests.hostile.packed import WAYS
from tests.hostile.runner import Budget, Report, require_sound, run_cases

FEW, ALL = 36, 500  # cases
BUDGET = Budget(seconds=120.0, peak_bytes=2 << 30)  # a busy machine's; `attempt` counts the processor's


def attack(cases) -> Report:
    return run_cases("tests.hostile.packed:attempt", cases, BUDGET, "tests.hostile.packed:prepare")


def test_some_damaged_packed_models():
    require_sound(attack(range(FEW)), FEW, WAYS)


@pytest.mark.exhaustive
def test_all_damaged_packed_models():
    report = attack(range(ALL))
    print(report)
    require_sound(report, ALL, WAYS)

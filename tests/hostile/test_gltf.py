"""Damaged models: each is a rig, or refused in one line, in time and in bounds."""

from random import Random

import pytest

from tests.hostile.gltf import WAYS
from tests.hostile.mutations import change
from tests.hostile.runner import Budget, Report, run_cases

FEW, ALL = 150, 6000  # cases
BUDGET = Budget(seconds=60.0, peak_bytes=2 << 30)  # a busy machine's; `attempt` counts the processor's


def attack(cases) -> Report:
    return run_cases("tests.hostile.gltf:attempt", cases, BUDGET, "tests.hostile.gltf:prepare")


def require_sound(report: Report, case_count: int) -> None:
    assert not report.failures, str(report)
    assert report.outcomes.total() == case_count
    assert {outcome.split()[0] for outcome in report.outcomes} == {way.__name__ for way in WAYS}
    accepted = sum(count for outcome, count in report.outcomes.items() if outcome.endswith("accepted"))
    assert 0.1 < accepted / case_count < 0.9, "some changes mean nothing, most are faults"


def test_some_damaged_models():
    require_sound(attack(range(FEW)), FEW)


@pytest.mark.exhaustive
def test_all_damaged_models():
    report = attack(range(ALL))
    print(report)
    require_sound(report, ALL)


def test_a_list_where_a_table_was_is_left_as_it_is():
    """Where an earlier change has put it there; case 2004852 doubles a key of it."""
    for number in range(40):
        document = {"sampler": [1]}
        change(document, ("sampler", "count"), Random(number))
        assert document == {"sampler": [1]}

"""Damaged packed models and avatars: each is a rig, or refused in one line, in time and in bounds."""

import pytest

from tests.hostile.packed import WAYS
from tests.hostile.runner import Budget, Report, run_cases

FEW, ALL = 36, 500  # cases
BUDGET = Budget(seconds=120.0, peak_bytes=2 << 30)  # a busy machine's; `attempt` counts the processor's


def attack(cases) -> Report:
    return run_cases("tests.hostile.packed:attempt", cases, BUDGET, "tests.hostile.packed:prepare")


def require_sound(report: Report, case_count: int) -> None:
    assert not report.failures, str(report)
    assert report.outcomes.total() == case_count
    assert {outcome.split()[0] for outcome in report.outcomes} == {way.__name__ for way in WAYS}
    accepted = sum(count for outcome, count in report.outcomes.items() if outcome.endswith("accepted"))
    assert 0.1 < accepted / case_count < 0.9, "some changes mean nothing, most are faults"


def test_some_damaged_packed_models():
    require_sound(attack(range(FEW)), FEW)


@pytest.mark.exhaustive
def test_all_damaged_packed_models():
    report = attack(range(ALL))
    print(report)
    require_sound(report, ALL)

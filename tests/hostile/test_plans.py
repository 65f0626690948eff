"""Damaged plans of walls: whatever is read at all is walls."""

import pytest

from tests.hostile.plans import attempt
from tests.hostile.runner import run_cases

FEW, ALL = 500, 2000  # cases


def test_some_damaged_plans():
    outcomes = [attempt(number) for number in range(FEW)]
    assert 0.04 * FEW < sum(own.startswith("accepted") for own in outcomes) < 0.7 * FEW


@pytest.mark.exhaustive
def test_all_damaged_plans():
    report = run_cases("tests.hostile.plans:attempt", range(ALL))
    print(report)
    assert not report.failures, str(report)
    assert report.outcomes.total() == ALL

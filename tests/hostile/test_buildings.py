"""Damaged buildings: each is a building, or refused in one line."""

import pytest

from tests.hostile.buildings import attempt
from tests.hostile.runner import run_cases

FEW, ALL = 150, 1000  # cases


def test_some_damaged_buildings():
    outcomes = [attempt(number) for number in range(FEW)]
    assert 0.1 * FEW < outcomes.count("accepted") < 0.7 * FEW


@pytest.mark.exhaustive
def test_all_damaged_buildings():
    report = run_cases("tests.hostile.buildings:attempt", range(ALL))
    print(report)
    assert not report.failures, str(report)
    assert report.outcomes.total() == ALL

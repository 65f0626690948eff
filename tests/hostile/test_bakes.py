"""Damaged bakes: whatever is loaded at all is another true bake, not a damaged one."""

import pytest

from tests.hostile.bakes import attempt
from tests.hostile.runner import run_cases

FEW, ALL = 150, 2000  # cases


def test_some_damaged_bakes():
    outcomes = [attempt(number) for number in range(FEW)]
    assert 0 < outcomes.count("accepted") < 0.1 * FEW


@pytest.mark.exhaustive
def test_all_damaged_bakes():
    report = run_cases("tests.hostile.bakes:attempt", range(ALL), prepare_path="tests.hostile.bakes:originals")
    print(report)
    assert not report.failures, str(report)
    assert report.outcomes.total() == ALL
    assert set(report.outcomes) <= {"refused", "accepted", "unchanged"}
    assert 0 < report.outcomes["accepted"] < 0.1 * ALL

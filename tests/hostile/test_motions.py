"""Damaged BVH files: whatever is read at all is a motion."""

import pytest

from tests.hostile.motions import attempt
from tests.hostile.runner import run_cases

FEW, ALL = 300, 1000  # cases


def test_some_damaged_motions():
    outcomes = [attempt(number) for number in range(FEW)]
    assert 0.04 * FEW < outcomes.count("accepted") < 0.7 * FEW
    assert outcomes.count("retargeted") > 0.04 * FEW


@pytest.mark.exhaustive
def test_all_damaged_motions():
    report = run_cases("tests.hostile.motions:attempt", range(ALL))
    print(report)
    assert not report.failures, str(report)
    assert report.outcomes.total() == ALL

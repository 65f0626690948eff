"""Damaged files of trajectories: whatever is read at all is a recording, whatever is not is one line."""

import pytest

from tests.hostile.recordings import BINARY, NAMES, attempt
from tests.hostile.runner import Budget, run_cases

FEW, ALL = 170, 1000  # cases
BUDGET = Budget(seconds=120.0, peak_bytes=400 << 20, leak_bytes=200 << 20)


def test_some_damaged_recordings():
    """HDF5 and Parquet files start a process each, and are few here."""
    numbers = [number for number in range(FEW) if NAMES[number % len(NAMES)] not in ("hdf5", "parquet") or number < 34]
    outcomes = [attempt(number) for number in numbers]
    accepted = sum(outcome.endswith("accepted") for outcome in outcomes)
    assert 0.04 * len(numbers) < accepted < 0.7 * len(numbers)


@pytest.mark.exhaustive
def test_all_damaged_recordings():
    report = run_cases("tests.hostile.recordings:attempt", range(ALL), BUDGET)
    print(report)
    assert not report.failures, str(report)
    assert report.outcomes.total() == ALL
    assert {f"{name}: refused" for name in (*NAMES, *BINARY)} <= set(report.outcomes)

"""The runner of attacks: it tells apart how cases go wrong, and goes on after each."""

import ctypes
import time

import numpy as np
import pytest

from tests.hostile.runner import Budget, run_cases

_kept: list[np.ndarray] = []


def misbehave(case):
    match case:
        case "crash":
            ctypes.string_at(0)
        case "hang":
            time.sleep(60)
        case "traceback":
            raise KeyError("whose?")
        case "growth":
            np.ones(40 << 17)  # 40 MB
        case "leak":
            _kept.append(np.ones(4 << 17))
        case "too much":
            try:
                np.empty(1 << 40)
            except MemoryError:
                return "refused"
    return "fine"


@pytest.mark.exhaustive
def test_each_way_to_go_wrong_is_told_apart():
    budget = Budget(seconds=1.0, address_bytes=8 << 30, peak_bytes=20 << 20, leak_bytes=10 << 20)
    cases = ["fine", "crash", "fine", "hang", "traceback", "growth", "too much", "fine", *["leak"] * 30]
    report = run_cases("tests.hostile.test_runner:misbehave", cases, budget)
    assert [(failure.case, failure.kind) for failure in report.failures[:4]] == [
        ("crash", "crash"), ("hang", "hang"), ("traceback", "traceback"), ("growth", "growth"),
    ]  # fmt: skip
    assert "SIGSEGV" in report.failures[0].detail
    assert "whose?" in report.failures[2].detail
    assert {(failure.case, failure.kind) for failure in report.failures[4:]} == {("leak", "growth")}
    assert report.outcomes["refused"] == 1
    assert "crash of 'crash'" in str(report)


def test_a_worker_gets_ready_before_its_first_case():
    report = run_cases("tests.hostile.test_runner:misbehave", ["fine"], prepare_path="time:time")
    assert (report.outcomes, report.failures) == ({"fine": 1}, [])

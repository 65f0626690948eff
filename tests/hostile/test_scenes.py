"""Damaged scenes: each is a world, or refused in one line, in time and in bounds."""

import tomllib

import pytest

from tests.helpers import FEW as UNCOMPILED
from tests.hostile.runner import Budget, Report, run_cases
from tests.hostile.scenes import TEXT_WAYS, TREE_WAYS, as_toml, forge, whole_scenes

FEW, ALL = 30, 300  # cases
BUDGET = Budget(seconds=100.0, peak_bytes=2 << 30)


def attack(cases, prepare) -> Report:
    return run_cases("tests.hostile.scenes:attempt", cases, BUDGET, f"tests.hostile.scenes:{prepare}")


def require_sound(report: Report, case_count: int) -> None:
    assert not report.failures, str(report)
    assert report.outcomes.total() == case_count
    accepted = sum(count for outcome, count in report.outcomes.items() if outcome.endswith("accepted"))
    assert 0.05 < accepted / case_count < 0.7, "some changes mean nothing, most are faults"


@pytest.mark.skipif(bool(UNCOMPILED), reason="steps of uncompiled kernels take longer than a case may")
def test_some_damaged_scenes():
    require_sound(attack(range(FEW), "prepare_few"), FEW)


@pytest.mark.exhaustive
def test_all_damaged_scenes():
    report = attack(range(ALL), "prepare")
    print(report)
    require_sound(report, ALL)
    ways = {way.__name__ for way in (*TEXT_WAYS, *TREE_WAYS)}
    assert {outcome.split()[0] for outcome in report.outcomes} == ways


def test_cases_are_the_same_each_time_and_differ():
    assert [forge(number) for number in range(50)] == [forge(number) for number in range(50)]
    assert len({forge(number)[1] for number in range(50)}) == 50


@pytest.mark.parametrize("text", dict(whole_scenes()).values(), ids=dict(whole_scenes()))
def test_scenes_are_written_as_they_were(text):
    scene = tomllib.loads(text)
    assert tomllib.loads(as_toml(scene)) == scene

"""Figures of walking, of feet that are put by hand."""

import numpy as np
import pytest

from ecs_anim.profiling.validation.walking_figures import WatchWalkers, walking_figures

DT, STRIDE, STEP = 1 / 60, 60, 0.7  # [s]; steps of the world in a stride; [m]
SPEED = 2 * STEP  # [m/s], of the root


def walker(slide=0.0, knee=0.0, steps=600):
    """Two feet that stand for 60 % of a stride, half a stride apart; `slide` [m] a stance, `knee` [m] once."""
    points = np.zeros((steps, 1, 2, 5, 3), np.float32)
    for leg in range(2):
        for step in range(steps):
            stride, phase = divmod(step / STRIDE + leg / 2, 1.0)
            at = (stride - leg / 2) * SPEED
            stands = phase < 0.6
            share = phase / 0.6 if stands else (phase - 0.6) / 0.4
            z = at + slide * share if stands else at + slide + share * (SPEED - slide)
            y = 0.0 if stands else 0.1 * np.sin(np.pi * share)
            root = SPEED * step * DT
            points[step, 0, leg] = [
                [0, 0.9, root],
                [0, 0.5, root + 0.15],
                [0, 0.1, root],
                [0, y, z],
                [0, y, z + 0.2],
            ]
    points[steps // 2, 0, 0, 1, 2] += knee
    roots = np.zeros((steps, 1, 3), np.float32)
    roots[:, 0, 1] = SPEED * np.arange(steps) * DT
    watch = WatchWalkers()
    watch.steps, watch.roots = [[(slice(0, 1), own)] for own in points], list(roots)
    return watch


def figures(watch, off=0.0):
    there = np.ones((len(watch.roots), 1), bool)
    calm = np.stack(watch.roots)[..., :2].astype(float) + np.array([off, 0.0])
    return walking_figures(watch, there, calm - np.array([off, 2 * off]), calm, DT)


def of_class(found, low):
    return next(own for own in found["classes"] if own["from"] == low)


def test_feet_that_stand_do_not_slide_and_steps_are_counted():
    found = figures(walker(), off=0.25)
    own = of_class(found, 0.8)
    assert own["steps"] == pytest.approx(2 * 600 / STRIDE - 2, abs=1)  # but the first and the last
    assert own["slide_mm_p95"] == pytest.approx(0, abs=0.01)
    assert own["share_under_5mm"] == 1
    assert sum(row["steps"] for row in found["classes"]) == own["steps"]
    (speed, cadence), (_, length) = found["cadence_hz"][0], found["step_length_m"][0]
    assert (speed, cadence, length) == pytest.approx((SPEED, 2.0, STEP), rel=0.01)
    assert found["root_error_m_p95"] == pytest.approx(0.25)
    assert found["head_distance_m_p95"] == pytest.approx(0.5)
    assert [row["person_seconds"] for row in found["classes"]] == [0, 0, 0, pytest.approx(600 * DT), 0]
    assert found["leg_stretch_max"] == pytest.approx(0.8 / (2 * np.hypot(0.4, 0.15)), abs=1e-3)
    assert found["knee_pops"] == 0
    assert found["facing_rate_deg_s_p95"] == 0


def test_feet_that_slide_are_told_in_millimetres():
    own = of_class(figures(walker(slide=0.03)), 0.8)
    assert own["slide_mm_p95"] == pytest.approx(30, rel=0.1)
    assert own["share_under_5mm"] == 0
    assert own["skate_m_s_p95"] == pytest.approx(0.03 / (0.6 * STRIDE * DT), rel=0.1)


def test_a_knee_that_jumps_is_seen():
    assert figures(walker(knee=0.2))["knee_pops"] == 3  # as it comes, is there, and goes


def test_nobody_gives_no_figures():
    watch = walker(steps=60)
    found = walking_figures(watch, np.zeros((60, 1), bool), np.zeros((60, 1, 2)), np.zeros((60, 1, 2)), DT)
    assert found["root_error_m_p95"] is None
    assert not any(row["person_seconds"] for row in found["classes"])
    assert found["leg_stretch_max"] is None
    assert found["cadence_hz"] == []

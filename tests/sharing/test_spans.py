"""Headings of spans continue from one span to the next. scipy computes the rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.sharing.filming import CLIPS, ROTATION, SCALE, WEIGHTS
from ecs_anim.sharing.placement import TURN, rotations
from ecs_anim.sharing.spans import spans_of, values_of


@pytest.mark.parametrize("sign", [1, -1])
def test_headings_of_many_turns_continue_after_a_change_of_clips(sign):
    turns, samples, change = 3, 200, 120
    angles = sign * np.linspace(0.2, 2 * np.pi * turns, samples)
    turned = Rotation.from_rotvec(angles[:, None] * [0, 1, 0]) * Rotation.from_euler("xz", [0.1, -0.2])
    rows = np.zeros((samples, WEIGHTS), np.float32)
    rows[:, ROTATION:SCALE] = turned.as_quat() * np.where(np.arange(samples) % 3, 1, -1)[:, None]
    rows[change:, CLIPS] = 1
    first, second = spans_of(rows, np.ones(samples, np.bool_), 0, 1 / 30)
    assert (first.last, second.first) == (change, change)
    before = values_of(first, rows)
    after = values_of(second, rows, before[TURN][0, -1])
    np.testing.assert_allclose(after[TURN][:, 0], before[TURN][:, -1], atol=1e-6)
    np.testing.assert_allclose(np.diff(after[TURN][0]), np.diff(angles[change:]), atol=1e-5)
    off = Rotation.from_quat(rotations(after[TURN])).inv() * turned[change:]
    assert off.magnitude().max() < 1e-6

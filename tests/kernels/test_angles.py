"""Quick angles against numpy's."""

import numpy as np
import pytest

from ecs_anim.kernels import angles
from tests.helpers import called_in

quick = called_in(angles)
ANGLES = np.linspace(-20, 20, 4001, dtype=np.float32)


@pytest.mark.exhaustive
def test_units_are_sine_and_cosine():
    found = np.array([quick.unit_of(angle) for angle in ANGLES])
    np.testing.assert_allclose(found, np.stack([np.sin(ANGLES), np.cos(ANGLES)], axis=-1), atol=5e-6)


def test_angles_come_back_at_any_length():
    for scale in (1e-3, 1.0, 50.0):
        found = [quick.angle_of(np.float32(scale * np.sin(a)), np.float32(scale * np.cos(a))) for a in ANGLES]
        off = np.array(found) - ANGLES
        assert np.abs(off - 2 * np.pi * np.rint(off / (2 * np.pi))).max() < 2e-5
    assert quick.angle_of(np.float32(0), np.float32(0)) == 0


def test_halves_are_of_rotations():
    inner = np.linspace(-3.14, 3.14, 501)
    found = np.array([quick.half_of(np.float32(np.sin(a)), np.float32(np.cos(a))) for a in inner])
    np.testing.assert_allclose(found, np.stack([np.sin(inner / 2), np.cos(inner / 2)], axis=-1), atol=2e-4)
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), 1, atol=1e-5)


def test_differences_go_the_shorter_way():
    found = np.array([quick.turned_by(angle) for angle in ANGLES])
    assert np.abs(found).max() <= np.pi + 1e-5
    np.testing.assert_allclose(np.sin(found), np.sin(ANGLES), atol=1e-5)

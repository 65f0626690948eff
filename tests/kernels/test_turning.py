"""Turns of vectors on the plan. The reference is the product of complex numbers."""

import numpy as np
import pytest

from ecs_anim.systems.turning import directions, turned


@pytest.mark.parametrize("rows", [1, 5])
def test_turns_are_products_with_unit_numbers(rows):
    rng = np.random.default_rng(1)
    vectors, angles = rng.normal(size=(rows, 3, 2)), rng.uniform(-9, 9, 5)
    expected = (vectors[..., 0] + 1j * vectors[..., 1]) * np.exp(1j * angles)[:, None]
    np.testing.assert_allclose(turned(vectors, angles), np.stack([expected.real, expected.imag], axis=-1), atol=1e-14)


def test_vectors_can_have_further_axes_or_none():
    angles = np.linspace(-3, 3, 4)
    rows = np.random.default_rng(2).normal(size=(4, 2))
    np.testing.assert_array_equal(turned(rows, angles), turned(rows[:, None], angles)[:, 0])
    np.testing.assert_allclose(directions(angles), np.stack([np.cos(angles), np.sin(angles)], axis=-1), atol=1e-15)

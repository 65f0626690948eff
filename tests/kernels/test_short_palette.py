"""Palettes in 16 bits: the kernel against plain numpy, and the error against what is promised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.assets.skinning import skin_linear
from ecs_anim.kernels.short_palette import encode
from ecs_anim.runtime.short_palette import STEPS
from tests.helpers.gl import capsule, identity_palettes, random_palettes
from tests.oracles import short_palette as short_palette_oracle


def posed(rng: np.random.Generator, actor_count: int, entry_count: int, row_count: int) -> np.ndarray:
    shape = (actor_count, entry_count, row_count, 4)
    return (rng.normal(size=shape) * rng.uniform(0, 10, (row_count, 4))).astype(np.float32)


@pytest.mark.parametrize("row_count", [3, 4])
@pytest.mark.parametrize("actor_count", [1, 37])
def test_kernel_equals_numpy(row_count, actor_count):
    palettes = posed(np.random.default_rng(actor_count), actor_count, 5, row_count)
    shares, low, span = encode(palettes)
    expected_shares, expected_low, expected_span = short_palette_oracle.encode(palettes)
    assert shares.dtype == np.uint16
    np.testing.assert_array_equal(low, expected_low)
    np.testing.assert_array_equal(span, expected_span)
    assert np.abs(shares.astype(int) - expected_shares).max() <= 1  # where a number lies half-way between two
    assert np.mean(shares != expected_shares) < 0.03


@given(st.integers(0, 10_000), st.floats(1e-6, 1e6), st.floats(-100, 100))
def test_error_is_half_a_step_at_most(seed, size, offset):
    palettes = (size * posed(np.random.default_rng(seed), 4, 3, 3) + size * offset).astype(np.float32)
    shares, low, span = encode(palettes)
    error = np.abs(short_palette_oracle.decode(shares, low, span).astype(np.float64) - palettes)
    rounding = 2.0**-22 * np.abs(palettes).max(axis=(0, 1))
    assert (error <= 1.01 * span / (2 * STEPS) + rounding).all()


def test_ends_and_what_never_changes_are_exact():
    palettes = identity_palettes(4)
    palettes[1:, :, 0, 3] = np.array([-2.0, 0.7, 3.0])[:, None]
    shares, low, span = encode(palettes)
    back = short_palette_oracle.decode(shares, low, span)
    np.testing.assert_array_equal(np.delete(back, 2, axis=0), np.delete(palettes, 2, axis=0))
    assert {0, STEPS} <= set(shares[:, 0, 0, 3].tolist())
    assert span.ravel().tolist() == [0, 0, 0, 5] + 8 * [0]


def test_a_trace_of_a_difference_is_no_division_by_zero():
    palettes = identity_palettes(2)
    palettes[1, :, 0, 3] = 1e-45
    shares, low, span = encode(palettes)
    np.testing.assert_allclose(short_palette_oracle.decode(shares, low, span), palettes, atol=1e-30)


def test_nobody():
    shares, low, span = encode(np.zeros((0, 3, 3, 4), np.float32))
    assert shares.shape == (0, 3, 3, 4)
    assert not low.any()
    assert not span.any()


def test_vertices_move_by_no_more_than_is_said():
    rng = np.random.default_rng(1)
    mesh, palettes = capsule(), random_palettes(rng, 50, 3)
    shares, low, span = encode(palettes)
    exact, _ = skin_linear(mesh, palettes.astype(np.float64))
    found, _ = skin_linear(mesh, short_palette_oracle.decode(shares, low, span).astype(np.float64))
    error = np.linalg.norm(found - exact, axis=-1).max()
    bound = short_palette_oracle.position_error(mesh, span)
    assert 0.2 * bound < error <= 1.01 * bound


def test_even_steps_beat_half_floats():
    """Why shares and not halves."""
    palettes = random_palettes(np.random.default_rng(2), 200, 20)
    shares, low, span = encode(palettes)
    by_shares = np.abs(short_palette_oracle.decode(shares, low, span) - palettes).max()
    by_halves = np.abs(palettes.astype(np.float16).astype(np.float32) - palettes).max()
    assert by_shares < by_halves / 8

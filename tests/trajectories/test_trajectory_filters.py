"""Filters, splines and ragged batches of trajectories, against scipy and plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal
from scipy.interpolate import CubicSpline

from ecs_anim.trajectories.low_pass import butterworth, zero_phase
from ecs_anim.trajectories.ragged import batches
from ecs_anim.trajectories.spline import hermite, hermite_velocity, spline_velocities

LENGTHS = np.array([300, 5, 1, 2, 120])


def ragged(rng, width=2):
    """Random walks [longest, signals, width], of which each counts for its length only."""
    return rng.normal(size=(LENGTHS.max(), len(LENGTHS), width)).cumsum(axis=0)


@pytest.mark.parametrize("order", [2, 4, 6, 8])
@pytest.mark.parametrize(("cutoff", "rate"), [(0.5, 25.0), (0.3, 8.0), (3.0, 10.0), (4.9, 10.0)])
def test_sections_are_butterworths(order, cutoff, rate):
    """Sections may come in another order, and their gains may be shared out otherwise: what they do is the same."""
    at = np.linspace(0.01, 0.49 * rate, 50)
    own = np.array([[s.b, 2 * s.b, s.b, 1, s.a1, s.a2] for s in butterworth(cutoff, rate, order)])
    wanted = signal.butter(order, cutoff, fs=rate, output="sos")
    np.testing.assert_allclose(
        signal.freqz_sos(own, at, fs=rate)[1], signal.freqz_sos(wanted, at, fs=rate)[1], atol=1e-9
    )


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize(("goes_on", "kind"), [(True, "odd"), (False, "even")])
@pytest.mark.parametrize("padding", [0, 7, 75, 1000])
def test_filtering_forward_and_back_is_scipys_up_to_the_ends(order, padding, goes_on, kind):
    values = ragged(np.random.default_rng(order))
    own = zero_phase(values, LENGTHS, butterworth(0.5, 25.0, order), padding, goes_on=goes_on)
    sections = signal.butter(order, 0.5, fs=25.0, output="sos")
    for k, count in enumerate(LENGTHS):
        if count > 1:
            signals = values[:count, k]
            wanted = signal.sosfiltfilt(sections, signals, axis=0, padtype=kind, padlen=min(padding, count - 1))
            np.testing.assert_allclose(own[:count, k], wanted, atol=1e-8)
        else:
            np.testing.assert_allclose(own[:count, k], values[:count, k], atol=1e-12)


@pytest.mark.parametrize(
    ("cutoff", "rate", "order", "text"),
    [(0.0, 25, 4, "cutoff"), (12.5, 25, 4, "cutoff"), (1, 25, 3, "order"), (1, 25, 0, "order")],
)
def test_filters_that_cannot_be_are_told(cutoff, rate, order, text):
    with pytest.raises(ValueError, match=f"^{text} must be "):
        butterworth(cutoff, rate, order)


def test_splines_are_scipys_natural_ones():
    rng = np.random.default_rng(1)
    times, points = rng.uniform(0.1, 1, ragged(rng).shape[:2]).cumsum(axis=0), ragged(rng)
    own = spline_velocities(times, points, LENGTHS)
    for k, count in enumerate(LENGTHS):
        if count == 1:
            assert not own[0, k].any()
            continue
        wanted = CubicSpline(times[:count, k], points[:count, k], bc_type="natural")
        np.testing.assert_allclose(own[:count, k], wanted(times[:count, k], 1), atol=1e-10)
        when = rng.uniform(times[0, k], times[count - 1, k], 40)
        at = np.clip(np.searchsorted(times[:count, k], when) - 1, 0, count - 2)
        span = (times[at + 1, k] - times[at, k])[:, None]
        share = (when - times[at, k])[:, None] / span
        curve = share, span, (points[at, k], points[at + 1, k]), (own[at, k], own[at + 1, k])
        np.testing.assert_allclose(hermite(*curve), wanted(when), atol=1e-10)
        np.testing.assert_allclose(hermite_velocity(*curve), wanted(when, 1), atol=1e-9)


@given(st.lists(st.integers(0, 60), max_size=40))
@settings(max_examples=60)
def test_batches_hold_every_sample_once(lengths):
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    flat = np.random.default_rng(0).normal(size=(int(starts[-1]), 2))
    result, seen = np.full_like(flat, np.nan), []
    for batch in batches(starts):
        seen += batch.stretches.tolist()
        own = flat[batch.samples]
        for column, stretch in enumerate(batch.stretches):
            np.testing.assert_array_equal(own[: lengths[stretch], column], flat[starts[stretch] : starts[stretch + 1]])
        batch.scatter(own, result)
    np.testing.assert_array_equal(result, flat)
    assert sorted(seen) == [k for k, count in enumerate(lengths) if count]

"""Framing: all points are in the picture, and a side of it is touched; projected by the camera's own matrices."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.framing import CLEAR, MARGIN, NEAREST, fitting_distance, framed


def projected(camera, points, aspect):
    """x and y in the picture [n, 2], -1 to 1."""
    whole = camera.projection_matrix(aspect).astype(float) @ camera.view_matrix().astype(float)
    clip = np.column_stack([points, np.ones(len(points))]) @ whole.T
    assert (clip[:, 3] > 0).all()
    return clip[:, :2] / clip[:, 3:]


@given(
    st.integers(0, 2**32 - 1),
    st.floats(-math.pi, math.pi),
    st.floats(0.0, math.radians(88)),
    st.floats(0.3, 3.0),
)
@example(45422, 1.25, 0.0, 2.0)  # one point is the nearest, and the outermost on both sides
def test_all_points_are_in_the_picture_and_it_is_as_near_as_that_allows(seed, azimuth, elevation, aspect):
    points = np.random.default_rng(seed).normal(0, [20, 1, 9], (30, 3)) + np.array([5, 1, -40])
    camera = framed(OrbitCamera(azimuth=azimuth, elevation=elevation), points, aspect)
    seen = projected(camera, points, aspect)
    away = ((camera.position - points) * camera.axes()[2]).sum(axis=1)
    assert away.min() > CLEAR - 1e-3
    if away.min() < CLEAR + 1e-3:
        assert np.abs(seen).max() < 1 - MARGIN + 2e-3
        return
    assert np.abs(seen).max() == pytest.approx(1 - MARGIN, abs=2e-3)
    tight = np.abs(seen).max(axis=0).argmax()  # where both sides are touched
    assert -seen[:, tight].min() == pytest.approx(seen[:, tight].max(), abs=4e-3)
    other = seen[:, 1 - tight]
    assert abs(other.min() + other.max()) < 1  # along the other axis, both margins are alike


def test_somebody_alone_is_not_looked_at_from_too_near():
    camera = framed(OrbitCamera(elevation=0.5), np.array([[3.0, 0, 1], [3.0, 1.8, 1]]), 16 / 9)
    assert camera.distance == NEAREST
    np.testing.assert_allclose(camera.target, [3, 0.9, 1], atol=0.2)


@given(st.integers(0, 2**32 - 1), st.floats(-math.pi, math.pi), st.floats(0.0, 1.5), st.floats(0.3, 3.0))
def test_the_fitting_distance_keeps_the_target_and_touches_a_side(seed, azimuth, elevation, aspect):
    points = np.random.default_rng(seed).normal(0, [20, 1, 9], (30, 3))
    camera = OrbitCamera(np.array([1.0, 0.5, 0.0]), azimuth=azimuth, elevation=elevation)
    seen = projected(replace(camera, distance=fitting_distance(camera, points, aspect)), points, aspect)
    assert np.abs(seen).max() == pytest.approx(1 - MARGIN, abs=2e-3)

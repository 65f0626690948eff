import math
from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.scenes.schema import CameraModel
from ecs_anim.view.camera import POLE_MARGIN, CameraChange, OrbitCamera, changed_camera


def project(camera: OrbitCamera, point: list[float], aspect: float = 1.0) -> np.ndarray:
    clip = camera.projection_matrix(aspect) @ camera.view_matrix() @ np.array([*point, 1.0], np.float32)
    return clip[:3] / clip[3]


def camera(**changes) -> OrbitCamera:
    return OrbitCamera(**{"target": [0.0, 1.0, 0.0], "distance": 5.0, "elevation": 0.0} | changes)


def test_an_azimuth_is_the_compass_bearing_of_the_camera():
    np.testing.assert_allclose(camera().position, [0, 1, 5], atol=1e-6)  # south
    np.testing.assert_allclose(camera(azimuth=0.0).position, [0, 1, -5], atol=1e-6)
    np.testing.assert_allclose(camera(azimuth=math.pi / 2).position, [5, 1, 0], atol=1e-6)


def test_positive_elevation_stands_higher():
    high = camera(elevation=math.pi / 6)
    np.testing.assert_allclose(high.position, [0, 1 + 2.5, 5 * math.cos(math.pi / 6)], atol=1e-6)


def test_view_matrix_by_hand():
    expected = np.array([[1, 0, 0, 0], [0, 1, 0, -1], [0, 0, 1, -5], [0, 0, 0, 1]], np.float32)
    assert camera().view_matrix().dtype == np.float32
    np.testing.assert_allclose(camera().view_matrix(), expected, atol=1e-6)


def test_projection_matrix_by_hand():
    matrix = camera(vertical_fov=math.pi / 2, near=1.0, far=3.0).projection_matrix(2.0)
    expected = np.array([[0.5, 0, 0, 0], [0, 1, 0, 0], [0, 0, -2, -3], [0, 0, -1, 0]], np.float32)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(matrix, expected, atol=1e-6)


def test_target_is_in_the_middle_and_the_picture_is_not_mirrored():
    for azimuth, right in ((math.pi, [1, 0, 0]), (math.pi / 2, [0, 0, -1]), (2.0, [-math.cos(2), 0, -math.sin(2)])):
        view = camera(azimuth=azimuth, elevation=0.4)
        np.testing.assert_allclose(project(view, [0, 1, 0])[:2], 0, atol=1e-6)
        assert project(view, [right[0], 1 + right[1], right[2]])[0] > 0.1
        assert project(view, [0, 1.5, 0])[1] > 0.1


def test_depth_goes_from_minus_one_at_near_to_one_at_far():
    view = camera(near=1.0, far=21.0)
    assert project(view, [0, 1, 4])[2] == pytest.approx(-1, abs=1e-5)
    assert project(view, [0, 1, -16])[2] == pytest.approx(1, abs=1e-5)


def test_axes_are_orthonormal_and_right_handed():
    axes = camera(azimuth=1.1, elevation=0.7).axes().astype(np.float64)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-6)
    assert np.linalg.det(axes) == pytest.approx(1, abs=1e-6)


def test_orbit_never_flips_over_the_pole():
    view = camera()
    for _ in range(50):
        view.orbit(0.1, 0.3)
    assert view.elevation == pytest.approx(math.pi / 2 - POLE_MARGIN)
    assert view.axes()[1, 1] > 0  # up is still up
    assert 0 <= view.azimuth < math.tau


@pytest.mark.parametrize("distance", [0.5, 2.0, 40.0])
def test_orbit_and_zoom_stay_above_the_ground(distance):
    view = camera(distance=distance)
    view.orbit(0.0, -3.0)
    assert view.position[1] >= 0.1 - 1e-5
    for factor in (3.0, 7.0, 0.01):
        view.zoom(factor)
        assert view.position[1] >= 0.1 - 1e-5


def test_below_the_ground_where_that_is_allowed():
    view = camera(ground_clearance=None)
    view.orbit(0.0, -0.5)
    assert view.position[1] < 0


def test_zoom_is_limited():
    view = camera(min_distance=1.0, max_distance=10.0)
    view.zoom(1e-6)
    assert view.distance == 1.0
    view.zoom(1e6)
    assert view.distance == 10.0


def test_pan_by_the_picture_height_moves_the_old_target_out_by_that_much():
    view = camera(vertical_fov=math.pi / 2)
    view.pan(0.25, 0.0)
    np.testing.assert_allclose(view.target, [0.25 * 10, 1, 0], atol=1e-5)
    assert project(view, [0, 1, 0])[0] == pytest.approx(-0.5, abs=1e-5)  # a quarter of the picture is 0.5 of [-1, 1]


def test_pan_keeps_the_target_out_of_the_ground():
    view = camera(elevation=0.3)
    view.pan(0.0, -5.0)
    assert view.target[1] == 0
    assert view.position[1] >= 0.1 - 1e-5


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": [0, 1]},
        {"target": [0, math.nan, 0]},
        {"distance": 0.0},
        {"distance": math.inf},
        {"vertical_fov": 0.0},
        {"near": 0.0},
        {"near": 2.0, "far": 1.0},
    ],
)
def test_wrong_values_are_told(wrong):
    with pytest.raises(ValueError, match="camera"):
        OrbitCamera(**wrong)


def test_a_change_is_in_degrees_and_leaves_the_rest():
    before = camera(azimuth=1.0, elevation=0.2, far=77.0)
    after = changed_camera(before, {"azimuth_degrees": 90, "target": (1, 2, 3)})
    assert after == replace(before, azimuth=math.pi / 2, target=after.target)
    assert after.target.tolist() == [1, 2, 3]
    changed_camera(before, {}).target[0] = 9
    assert before.target.tolist() == [0, 1, 0]
    low = changed_camera(before, {"distance": 2, "elevation_degrees": -60.0, "vertical_fov_degrees": 60})
    assert (low.distance, low.elevation, low.vertical_fov) == (2.0, math.radians(-60), math.radians(60))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"azimut_degrees": 1.0}, "no camera key 'azimut_degrees'; did you mean 'azimuth_degrees'"),
        ({"distance": 0.0}, "distance must be a finite number above 0"),
        ({"distance": math.inf}, "distance must be finite"),
        ({"distance": [1.0, 2.0]}, r"distance must be a single number \(got \[1.0, 2.0\]\)"),
        ({"azimuth_degrees": "north"}, "azimuth_degrees must be numbers"),
        ({"elevation_degrees": 90.0}, r"elevation_degrees must be -89 to 89 \(got 90.0\)"),
        ({"vertical_fov_degrees": 180.0}, "vertical_fov_degrees must be 1 to 150"),
        ({"target": [0.0, 1.0]}, "target must be 3 finite numbers"),
        ({"target": [0.0, 1.0, math.nan]}, "target must be finite"),
    ],
)
def test_a_change_that_cannot_be_is_told(change, told):
    with pytest.raises((KeyError, ValueError), match=told):
        changed_camera(camera(), change)


def test_scenes_and_changes_have_the_same_keys():
    assert set(CameraChange.__annotations__) == set(CameraModel.model_fields)


@pytest.mark.parametrize("angle", ["azimuth", "elevation"])
def test_an_angle_that_is_no_number_is_told(angle):
    with pytest.raises(ValueError, match=f"camera {angle} must be finite"):
        camera(**{angle: math.nan})

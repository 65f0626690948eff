"""Errors of poses against pictures whose keypoints are at a bright point."""

import sys

import numpy as np
import pytest

from ecs_anim.profiling.validation.pose_detector import blazepose
from ecs_anim.profiling.validation.pose_figures import PoseOutcome, pooled_poses
from ecs_anim.profiling.validation.resampling import resampled
from ecs_anim.support.errors import InputError

HEIGHT = 100.0  # of the person [pixel]


def picture_with_point(x: int, y: int) -> np.ndarray:
    picture = np.zeros((300, 400, 3), np.uint8)
    picture[y - 2 : y + 3, x - 2 : x + 3] = 255
    return picture


def bright_point(picture: np.ndarray) -> np.ndarray:
    """Return the middle of the bright pixels as each of the seventeen keypoints."""
    assert picture.shape[0] == picture.shape[1]
    rows, columns = np.nonzero(picture[..., 0] > 127)
    return np.tile([columns.mean() + 0.5, rows.mean() + 0.5], (17, 1))


def person(x: float, y: float, left: float = 150.0, **more: object) -> dict:
    box = [left, 80.0, 40.0, HEIGHT]
    return {
        "category": "person", "amodal_bbox": box, "occlusion": 0.0, "keypoints": [x + 0.5, y + 0.5, 2] * 17, **more
    }  # fmt: skip


@pytest.mark.parametrize("left", [150.0, 10.0, 365.0])  # also at the edges of the picture
def test_the_error_is_the_distance_of_keypoints_relative_to_the_height(left):
    x, y = round(left) + 14, 130
    outcome = PoseOutcome()
    outcome.add([person(x + 3, y + 4, left)], picture_with_point(x, y), bright_point)
    assert outcome.errors == [pytest.approx(5 / HEIGHT, abs=0.002)]


def test_far_poses_and_missing_poses_are_not_found():
    outcome = PoseOutcome()
    picture = picture_with_point(170, 130)
    outcome.add([person(170, 130), person(170, 118), person(170, 131)], picture, bright_point)
    outcome.add([person(170, 130)], picture, lambda own: None)
    assert outcome.found() == pytest.approx(0.5)
    assert outcome.error() == pytest.approx(0.5 / HEIGHT, abs=0.002)


def test_small_hidden_and_other_actors_do_not_count():
    outcome = PoseOutcome()
    others = [
        person(170, 130, occlusion=0.2),
        person(170, 130, amodal_bbox=[150.0, 80.0, 20.0, 60.0]),
        person(170, 130, category="robot"),
    ]
    outcome.add(others, picture_with_point(170, 130), bright_point)
    assert outcome.errors == []


def test_outcomes_of_pictures_are_pooled():
    assert pooled_poses([PoseOutcome([0.01, 0.5]), PoseOutcome([0.03])]).found() == pytest.approx(2 / 3)


def test_the_standard_error_of_a_mean_falls_with_the_root_of_the_number():
    values = np.random.default_rng(3).normal(0, 1, 400).tolist()
    spread = float(np.std(resampled(values, lambda own: float(np.mean(own)))))
    assert spread == pytest.approx(1 / 20, rel=0.2)


def test_two_data_sets_have_equal_samples_of_pictures():
    first = np.random.default_rng(3).normal(0, 1, 50)
    more = resampled((first + 2).tolist(), lambda own: float(np.mean(own))) - resampled(
        first.tolist(), lambda own: float(np.mean(own))
    )
    np.testing.assert_allclose(more, 2)


def test_without_the_package_an_error_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "mediapipe", None)
    with pytest.raises(InputError, match=r'pip install "mediapipe==0\.10\.21"'):
        blazepose()

"""Visibility of keypoints against the pass depth, on a picture made by hand."""

import numpy as np
import pytest

from ecs_anim.verifying.findings import Findings
from ecs_anim.verifying.pictures import Picture
from ecs_anim.verifying.points import UNCOVERED, PointCheck

ACTOR, HIDDEN, KEYPOINTS = 7, 1, 17


def uncovered(row: float) -> bool:
    """Return whether a hidden keypoint at a depth of 3 m is reported. The depth of the skin is 2 m above row 2, and 5 m
    below.
    """
    point = [0.5, 2 - row, -3.0]  # one pixel per metre
    view = {"model": "orthographic", "view_width": 4.0, "depth_along": "axis", "near": 0.1, "far": 100.0}
    actor = {
        "id": ACTOR,
        "box_3d": None,
        "joints": {"positions": [point], "rotations": [[0.0, 0.0, 0.0, 1.0]]},
        "keypoints": [2.5, round(row, 3), HIDDEN] + [0.0] * 3 * (KEYPOINTS - 1),
        "keypoints_3d": [point] + [None] * (KEYPOINTS - 1),
    }
    label = {"seed": 0, "width": 4, "height": 4, "actors": [actor], "view": view | {"world_to_view": np.eye(4)[:3]}}
    depth = np.where(np.arange(4)[:, None] < 2, 2.0, 5.0) * np.ones(4)
    findings = Findings()
    PointCheck(findings).add(Picture(label, "here", {"ids": np.full((4, 4), ACTOR), "depth": depth}))
    return UNCOVERED in [own.rule for own in findings.deviations]


@pytest.mark.parametrize(
    ("row", "reported"), [(1.5, False), (1.99999, False), (2.00003, False), (2.001, True), (2.5, True)]
)
def test_a_hidden_keypoint_before_the_skin_is_reported_unless_rounding_decides(row, reported):
    """Points in labels are rounded to 0.1 mm, here 0.0001 pixels."""
    assert uncovered(row) == reported

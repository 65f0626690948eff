"""The legend in a picture."""

import numpy as np
import pytest

from ecs_anim.support.clock import clock_box
from ecs_anim.support.legend import emptiest_corner, with_legend

ENTRIES = [("#3d6fa5", "0"), ("#b5533c", "1"), ("#5c946e", "two"), ("#fde725", "3")]


def swatches(picture):
    """For each entry the columns and rows of its colour, [pixel, 2]."""
    found = [np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) for color, _ in ENTRIES]
    return [np.argwhere((picture == color).all(axis=-1))[:, ::-1] for color in found]


def test_each_colour_is_there_once_from_left_to_right_at_the_bottom():
    before = np.full((360, 640, 3), 128, np.uint8)
    shown = with_legend(before, "last digit of the id", ENTRIES)
    assert (before == 128).all()
    areas = swatches(shown)
    lefts = [area[:, 0].min() for area in areas]
    assert lefts == sorted(lefts)
    for area in areas:
        width, height = np.ptp(area, axis=0) + 1
        assert len(area) == width * height >= 60  # a filled square, large enough to see
        assert area[:, 1].min() > 300
    light = (shown > 200).all(axis=-1)
    assert light.sum() > 100  # text


def test_a_narrow_picture_has_them_in_rows():
    areas = swatches(with_legend(np.full((360, 130, 3), 128, np.uint8), "last digit of the id", ENTRIES))
    tops = [area[:, 1].min() for area in areas]
    assert len(set(tops)) > 1
    assert tops == sorted(tops)
    assert all(area[:, 0].max() < 130 for area in areas)


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (720, 1280)])
def test_any_picture_takes_it(size):
    assert with_legend(np.zeros((*size, 3), np.uint8), "speed [m/s]", ENTRIES).shape == (*size, 3)


@pytest.mark.parametrize(
    ("corner", "left", "top"),
    [("lower left", True, False), ("lower right", False, False), ("upper right", False, True)],
)
def test_it_is_in_the_corner_that_is_asked_for(corner, left, top):
    shown = with_legend(np.full((360, 640, 3), 128, np.uint8), "id", ENTRIES, corner)
    rows, columns = np.nonzero((shown != 128).any(axis=-1))
    assert (columns.max() < 320) if left else (columns.min() >= 320)
    assert (rows.max() < 60) if top else (rows.min() >= 300)
    assert min(rows.min() + 1, columns.min() + 1, 360 - rows.max(), 640 - columns.max()) > 2, "a little off the edge"


def test_the_emptiest_corner_is_that_of_the_fewest_points():
    frame = np.full((360, 640, 3), 128, np.uint8)
    left, right, upper = np.array([30.0, 345.0]), np.array([600.0, 345.0]), np.array([600.0, 15.0])
    for points, corner in (
        ([], "lower left"),
        ([left], "lower right"),
        ([left, right], "upper right"),
        ([left, left, right, upper, upper], "lower right"),
        ([[320.0, 100.0], [-5.0, 400.0]], "lower left"),
    ):
        assert emptiest_corner(frame, "id", ENTRIES, np.reshape(points, (-1, 2))) == corner


def test_it_goes_below_a_clock_that_has_no_room_beside_it():
    frame = np.full((360, 170, 3), 128, np.uint8)
    clock = clock_box(frame, 10.0)
    free, below = (with_legend(frame, "id", ENTRIES, "upper right", place) for place in (None, clock))
    tops = [np.nonzero((shown != 128).any(axis=(1, 2)))[0].min() for shown in (free, below)]
    assert tops[0] < clock[3] < tops[1] < clock[3] + 20
    wide = np.full((360, 640, 3), 128, np.uint8)
    sides = [with_legend(wide, "id", ENTRIES, "upper right", place) for place in (None, clock)]
    np.testing.assert_array_equal(*sides)

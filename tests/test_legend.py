"""The legend in a picture."""

import numpy as np
import pytest

from ecs_anim.support.legend import with_legend

ENTRIES = [("#3d6fa5", "0"), ("#b5533c", "1"), ("#5c946e", "two"), ("#fde725", "3")]


def swatches(picture):
    """For each entry the columns and rows of its colour, [pixel, 2]."""
    found = [np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) for color, _ in ENTRIES]
    return [np.argwhere((picture == color).all(axis=-1))[:, ::-1] for color in found]


def test_each_colour_is_there_once_from_left_to_right_at_the_bottom():
    before = np.full((360, 640, 3), 128, np.uint8)
    shown = with_legend(before, "id ends in", ENTRIES)
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
    areas = swatches(with_legend(np.full((360, 130, 3), 128, np.uint8), "id ends in", ENTRIES))
    tops = [area[:, 1].min() for area in areas]
    assert len(set(tops)) > 1
    assert tops == sorted(tops)
    assert all(area[:, 0].max() < 130 for area in areas)


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (720, 1280)])
def test_any_picture_takes_it(size):
    assert with_legend(np.zeros((*size, 3), np.uint8), "speed [m/s]", ENTRIES).shape == (*size, 3)

"""The clock in a picture."""

import numpy as np
import pytest

from ecs_anim.support.clock import with_clock

GREY = np.full((180, 320, 3), 128, np.uint8)


def box_of(changed: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what is true."""
    rows, columns = np.nonzero(changed)
    return columns.min(), rows.min(), columns.max(), rows.max()


def test_it_stands_at_the_upper_left_and_nowhere_else():
    before = GREY.copy()
    shown = with_clock(before, 12.34)
    np.testing.assert_array_equal(before, GREY)
    assert (shown.shape, shown.dtype) == (GREY.shape, np.uint8)
    left, top, right, bottom = box_of((shown != GREY).any(axis=-1))
    assert 0 < left <= 20 < right < 120
    assert 0 < top <= 20 < bottom < 40


def test_text_is_light_on_dark_and_inside_its_panel():
    shown = with_clock(GREY, 0.0)
    light, panel = (shown > 200).all(axis=-1), (shown != GREY).any(axis=-1)
    assert light.sum() > 20
    inner, outer = box_of(light), box_of(panel)
    assert all(a < b for a, b in zip(outer[:2], inner[:2], strict=True))
    assert all(a > b for a, b in zip(outer[2:], inner[2:], strict=True))


def test_other_times_look_different_and_the_panel_stays():
    shown = [with_clock(GREY, seconds) for seconds in (1.11, 8.88, 5.55)]
    boxes = {box_of((one != GREY).any(axis=-1)) for one in shown}
    assert len(boxes) == 1
    assert not np.array_equal(shown[0], shown[1])
    np.testing.assert_array_equal(shown[0], with_clock(GREY, 1.114))  # hundredths are told


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (720, 1280)])
def test_any_picture_takes_it(size):
    assert with_clock(np.zeros((*size, 3), np.uint8), 1e6).shape == (*size, 3)

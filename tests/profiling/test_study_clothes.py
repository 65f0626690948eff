"""The count of skin in pictures, against a picture whose pixels follow from a drawing by hand."""

import numpy as np
import pytest

from ecs_anim.profiling.validation.study_clothes import pixels


@pytest.mark.parametrize("light", [1.0, 0.3])
def test_red_and_green_pixels_are_counted_in_any_light(light):
    picture = np.full((6, 10, 3), (160, 155, 150), np.uint8)
    picture[0, :3] = np.array((255, 10, 10)) * light
    picture[1:3] = np.array((10, 255, 10)) * light
    picture[3] = np.array((10, 10, 255)) * light
    assert pixels(picture).tolist() == [3, 20]

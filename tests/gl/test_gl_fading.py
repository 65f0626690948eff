"""Fading actors in pictures, compared with blending in linear light."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import View
from tests.gl.test_renderer import FAR_BELOW, PLAIN, crowd_of
from tests.helpers.gl import (  # noqa: F401
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    renderer_fixture,
    take_picture,
)

SIZE = (160, 120)
CAMERA = OrbitCamera(target=np.array([0.0, 0.5, 0.0]), distance=2.0, elevation=0.0)
PLACES = ([0.0, 0.0, 0.0], [0.1, 0.1, -1.5])  # the second behind the first
COLORS = ((0.05, 0.1, 0.3), (0.6, 0.2, 0.1))
SHARES = [0.02, 0.1, 0.25, 0.4, 0.5, 0.85, 0.98]


def linear(picture: np.ndarray) -> np.ndarray:
    """Convert sRGB bytes to linear light, by the standard's curve."""
    part = picture / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def two_boxes(renderer: Renderer, *shares: float):
    """As many boxes as shares, one behind the other, of which so much is there."""
    crowd = crowd_of(renderer, flat_box(Material()), PLACES[: len(shares)])
    crowd.instances[:, 8:11] = COLORS[: len(shares)]
    return dataclasses.replace(crowd, coverage=np.array(shares, np.float32))


def shown(renderer: Renderer, *shares: float) -> np.ndarray:
    """Linear light [height, width, 3] of a picture."""
    return linear(take_picture(renderer, [two_boxes(renderer, *shares)], CAMERA, SIZE, PLAIN, FAR_BELOW))


def inner() -> tuple[slice, slice]:
    """Whole blocks of four by four pixels within both boxes."""
    return slice(44, 76), slice(64, 96)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("share", SHARES)
def test_as_much_of_an_actor_is_seen_as_is_there(context, samples, share):
    """On the average of each four by four pixels, and with four samples nearly in every pixel."""
    with Renderer(context, samples) as renderer:
        nothing, whole, part = (shown(renderer, some)[inner()] for some in (0.0, 1.0, share))
    seen = ((part - nothing) / (whole - nothing))[..., 1]
    step = 1 / samples
    blocks = seen.reshape(8, 4, 8, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(blocks, share, atol=step / 32 + 0.01)
    assert seen.min() >= share - step - 0.01
    assert seen.max() <= share + step + 0.01


def test_who_is_behind_is_seen_through_who_is_in_front(renderer):
    """If the same samples showed both actors, the actor behind would be invisible."""
    nothing, front, behind, both = (shown(renderer, *some)[inner()] for some in ((0, 0), (1, 0), (0, 1), (0.5, 0.5)))
    mixed = 0.5 * front + 0.25 * behind + 0.25 * nothing
    assert np.abs(both.mean(axis=(0, 1)) - mixed.mean(axis=(0, 1))).max() < 0.03


def test_labels_have_the_very_pixels_of_a_picture_of_one_sample(context):
    with Renderer(context, 1) as renderer, renderer.pass_target(*SIZE) as target:
        crowd = dataclasses.replace(two_boxes(renderer, 0.6), ids=np.array([7], np.uint32))
        renderer.draw_passes(target, View.of(CAMERA, target.aspect), None, [crowd])
        labelled = target.read().ids == 7
        changed = (shown(renderer, 0.6) != shown(renderer, 0.0)).any(axis=-1)
    np.testing.assert_array_equal(labelled, changed)
    assert labelled.any()

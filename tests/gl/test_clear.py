"""Blended surfaces: in pictures, shadows and labels, on average over pixels whose samples are shared out."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Texture
from ecs_anim.gl.model.model import MeshVariant
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.maths.color import srgb_to_linear
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import Lighting
from tests.gl.test_passes import draw
from tests.gl.test_renderer import crowd_of
from tests.helpers.gl import context_fixture, flat_box, renderer_fixture, take_picture  # noqa: F401

FRONT = OrbitCamera(target=np.array([0.0, 0.5, 0.0]), distance=3.0, azimuth=np.pi, elevation=0.0)
EVEN = Lighting(sun_color=(0, 0, 0), sky_color=(1, 1, 1), bounce_color=(1, 1, 1), shadows="none")


def glass(alpha: float, **fields) -> Material:
    return Material(base_color=(0.5, 0.0, 0.0, alpha), blended=True, **fields)


def mean_light(picture: np.ndarray) -> np.ndarray:
    """Mean linear light [3] of 16 by 16 pixels in the middle."""
    return srgb_to_linear(picture[52:68, 72:88] / 255).mean(axis=(0, 1))


def seen(renderer: Renderer, *materials: Material, **fields) -> np.ndarray:
    crowds = [crowd_of(renderer, dataclasses.replace(flat_box(own), **fields)) for own in materials]
    return mean_light(take_picture(renderer, crowds, FRONT, lighting=EVEN, ground=None))


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_as_much_is_seen_as_the_alpha_says(context, alpha, samples):
    """Within the 32nd that samples of four by four pixels can tell apart; without samples, within a 16th."""
    with Renderer(context, samples=samples) as renderer:
        nothing = mean_light(take_picture(renderer, [], FRONT, lighting=EVEN, ground=None))
        solid = seen(renderer, Material(base_color=(0.5, 0.0, 0.0, 1.0)))
        found = seen(renderer, glass(alpha))
    expected = alpha * solid + (1 - alpha) * nothing
    np.testing.assert_allclose(found, expected, atol=(1 / 16 if samples == 1 else 1 / 32) * 0.6)


def test_what_lies_behind_shines_through(renderer):
    white = Material(base_color=(1, 1, 1, 1))
    whole, half = seen(renderer, white), seen(renderer, white, glass(0.5))
    red = seen(renderer, Material(base_color=(0.5, 0.0, 0.0, 1.0)))
    np.testing.assert_allclose(half, (whole + red) / 2, atol=0.02)


def test_a_pictures_alpha_and_that_of_vertices_multiply(renderer):
    half = Texture(np.full((1, 1, 4), [255, 255, 255, 128], np.uint8))
    colors = np.full((24, 4), [1, 1, 1, 0.5], np.float32)
    found = seen(renderer, glass(1.0, texture=half), colors=colors)
    np.testing.assert_allclose(found, seen(renderer, glass(0.25)), atol=0.02)


@pytest.mark.parametrize(("alpha", "is_clear"), [(1.0, False), (0.5, True)])
def test_a_blended_surface_that_is_opaque_is_drawn_as_opaque(alpha, is_clear):
    variant = MeshVariant.of(flat_box(glass(alpha)))
    assert variant.blended == is_clear
    assert ("FADING" in variant.skinned("linear").defines) == is_clear


@pytest.mark.parametrize(("alpha", "counts"), [(0.0, False), (0.1, True), (1.0, True)])
def test_labels_count_a_blended_surface_whole(renderer, alpha, counts):
    crowd = dataclasses.replace(crowd_of(renderer, flat_box(glass(alpha))), ids=np.array([7]))
    solid = dataclasses.replace(crowd_of(renderer, flat_box()), ids=np.array([7]))
    found, whole = (draw(renderer, [own]) for own in (crowd, solid))
    np.testing.assert_array_equal(found.ids, whole.ids if counts else 0 * whole.ids)
    np.testing.assert_array_equal(found.depth, whole.depth if counts else 0 * whole.depth)


def test_labels_leave_out_where_a_picture_is_less_than_half(renderer):
    pixels = np.full((1, 2, 4), [255, 255, 255, 100], np.uint8)
    pixels[:, 1, 3] = 200
    box = flat_box(glass(0.3, texture=Texture(pixels, repeat=False)))
    uvs = np.stack([np.where(box.positions[:, 0] > 0, 3.0, -2.0), 0 * box.positions[:, 0]], axis=1).astype(np.float32)
    ids = np.array([7])
    found, solid = (
        draw(renderer, [dataclasses.replace(crowd_of(renderer, own), ids=ids)]).ids > 0
        for own in (dataclasses.replace(box, uvs=uvs), flat_box())
    )
    assert 0.3 * solid.sum() < found.sum() < 0.7 * solid.sum()


def test_a_shadow_is_as_light_as_its_surface_is_clear(renderer):
    def picture(*materials: Material) -> np.ndarray:
        crowds = [crowd_of(renderer, flat_box(material)) for material in materials]
        bodies = [dataclasses.replace(crowd, shadow_radius=0.0) for crowd in crowds]
        return srgb_to_linear(take_picture(renderer, bodies, OrbitCamera(distance=6.0)) / 255)

    bare, quarter, whole = picture(), picture(glass(0.25)), picture(Material(base_color=(0.5, 0, 0, 1)))
    shadow = (bare - whole > 0.1).all(axis=-1) & (whole[..., 0] - whole[..., 1] < 0.05)  # and not the red box
    assert shadow.sum() > 50
    share = (bare - quarter)[shadow].sum() / (bare - whole)[shadow].sum()
    assert share == pytest.approx(0.25, abs=0.08)

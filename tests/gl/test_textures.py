"""Base colour textures: mipmaps, and several of which each actor shows one."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.gl.device.texture import ImageTexture
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.model import MeshVariant
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.support.errors import InputError
from ecs_anim.view.style import Lighting, View
from tests.gl.test_renderer import FAR_BELOW, PLAIN, lookup, srgb
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    renderer_fixture,
    take_picture,
)

PLACES = np.array([[-1.5, 0, 0], [-0.5, 0, 0], [0.5, 0, 0], [1.5, 0, 0]], np.float32)


def plain(*colors: tuple[int, int, int, int], repeat: bool = True) -> Texture:
    """One image of a colour, or as many variants as there are colours."""
    pixels = np.broadcast_to(np.array(colors, np.uint8)[:, None, None], (len(colors), 4, 4, 4))
    return Texture(pixels.copy() if len(colors) > 1 else pixels[0].copy(), repeat)


def textured_box(texture: Texture, size: float = 1.0, **material: object) -> Mesh:
    """Its front and back show the whole texture once."""
    box = flat_box(Material(texture=texture, **material), size)
    uvs = np.stack([box.positions[:, 0] / size + 0.5, 1 - box.positions[:, 1] / size], axis=-1)
    return dataclasses.replace(box, uvs=uvs.astype(np.float32))


def four(renderer: Renderer, mesh: Mesh, variants, **changes) -> CrowdDraw:
    crowd = CrowdDraw(renderer.upload((mesh,)), instances_at(PLACES, 0.6), identity_palettes(4), **changes)
    return dataclasses.replace(crowd, variants=None if variants is None else np.array(variants, np.int32))


def chests(renderer: Renderer, crowd: CrowdDraw, **changes) -> np.ndarray:
    """The colour in the middle of each of the four boxes, [4, 3]."""
    camera = lookup(target=(0.0, 0.3, 0.0), distance=12.0)
    picture = take_picture(renderer, [crowd], camera, (320, 120), PLAIN, ground=FAR_BELOW, **changes)
    view = View.of(camera, 320 / 120)
    clip = np.append(np.add(PLACES, [0, 0.3, 0.3]), np.ones((4, 1)), axis=1) @ (view.projection @ view.view).T
    x = (clip[:, 0] / clip[:, 3] + 1) / 2 * 320
    return picture[60, x.astype(int)].astype(int)


RED, GREEN, BLUE = (200, 0, 0, 255), (0, 200, 0, 255), (0, 0, 200, 255)


@pytest.mark.parametrize("max_palette_texels", [None, 3 * 3])
def test_each_actor_shows_its_own_variant(context, max_palette_texels):
    mesh = textured_box(plain(RED, GREEN, BLUE))
    assert MeshVariant.of(mesh).varied
    with Renderer(context, max_palette_texels=max_palette_texels) as renderer:
        seen = chests(renderer, four(renderer, mesh, [2, 0, 1, 1]))
        np.testing.assert_array_equal(seen.argmax(axis=1), [2, 0, 1, 1])
        assert (np.sort(seen, axis=1)[:, :2] < 30).all()
        np.testing.assert_array_equal(chests(renderer, four(renderer, mesh, None)).argmax(axis=1), [0, 0, 0, 0])


def test_one_image_for_all_takes_no_variants(renderer):
    crowd = four(renderer, textured_box(plain(BLUE)), [0, 9, 9, 9])
    np.testing.assert_array_equal(chests(renderer, crowd).argmax(axis=1), [2, 2, 2, 2])


@pytest.mark.parametrize("variants", [[0, 1, 2, 3], [0, -1, 0, 0]])
def test_variants_that_are_not_there_are_refused(renderer, variants):
    crowd = four(renderer, textured_box(plain(RED, GREEN, BLUE)), variants)
    with pytest.raises(ValueError, match="each number in variants must be 0 to 2"):
        chests(renderer, crowd)


def test_variants_of_another_type_are_refused(renderer):
    crowd = four(renderer, textured_box(plain(RED, GREEN)), None)
    for wrong in (np.zeros(4), np.zeros(3, np.int32)):
        with pytest.raises(ValueError, match="int32"):
            dataclasses.replace(crowd, variants=wrong).check()


def test_a_mask_belongs_to_its_variant(renderer):
    """In colours, in ids, and in the sun's shadow."""
    mesh = textured_box(plain(RED, (*GREEN[:3], 0)), alpha_cutoff=0.5)
    crowd = four(renderer, mesh, [0, 1, 0, 1], ids=np.arange(1, 5))
    nothing = chests(renderer, four(renderer, mesh, [1, 1, 1, 1]))
    seen = chests(renderer, crowd)
    np.testing.assert_array_equal((seen != nothing).any(axis=1), [True, False, True, False])
    view = View.of(lookup(distance=12.0), 2.0)
    with renderer.pass_target(200, 100) as target:
        renderer.draw_passes(target, view, None, [crowd])
        assert set(np.unique(target.read().ids)) == {0, 1, 3}
    above = lookup(target=(0, 0, 0), distance=9.0, elevation=1.5)

    def shaded(variants) -> np.ndarray:
        crowd = dataclasses.replace(four(renderer, mesh, variants), shadow_radius=0.0)
        pictures = [
            take_picture(renderer, [crowd], above, (120, 120), Lighting(shadows=shadows)).astype(int)
            for shadows in ("none", "map")
        ]
        return (pictures[0] - pictures[1]).max(axis=-1) > 20

    both, left = shaded([0, 0, 0, 0]).sum(), shaded([0, 1, 0, 1]).sum()
    assert shaded([1, 1, 1, 1]).sum() == 0
    assert 0.4 * both < left < 0.6 * both


def test_what_a_mask_hides_altogether_casts_no_shadow(renderer):
    def shadow(alpha: float) -> int:
        box = flat_box(Material(base_color=(1, 1, 1, alpha), alpha_cutoff=0.5))
        crowd = dataclasses.replace(four(renderer, box, None), shadow_radius=0.0)
        picture, empty = (take_picture(renderer, crowds).astype(int) for crowds in ([crowd], []))
        return int((np.abs(picture - empty).max(axis=-1) > 8).sum())

    assert shadow(0.6) > 100
    assert shadow(0.4) == 0


@pytest.mark.parametrize("layers", [1, 2])
def test_far_away_a_fine_pattern_is_its_mean(renderer, layers):
    """Mipmaps: black and white average in linear light, whichever texel a pixel's middle meets."""
    checks = np.indices((256, 256)).sum(axis=0) % 2 * 255
    pixels = np.repeat(checks[..., None], 4, axis=-1).astype(np.uint8)
    pixels[..., 3] = 255
    texture = Texture(np.stack([pixels] * layers) if layers > 1 else pixels)
    white = Lighting(sun_color=(0, 0, 0), sky_color=(1, 1, 1), bounce_color=(1, 1, 1))
    camera = lookup(target=(0, 0.5, 0), distance=5.0)
    crowd = CrowdDraw(renderer.upload((textured_box(texture),)), instances_at(PLACES[:1] * 0), identity_palettes(1))
    picture = take_picture(renderer, [crowd], camera, (80, 60), white, ground=None).astype(int)
    np.testing.assert_allclose(picture[26:34, 36:44], srgb(0.5), atol=3)


@pytest.mark.parametrize(("layers", "width"), [(1, 1 << 20), (5000, 1)])
def test_a_texture_that_does_not_fit_is_told(context, layers, width):
    limits = dataclasses.replace(context.capabilities, max_array_layers=2048)
    pixels = np.zeros((layers, 1, width, 4), np.uint8) if layers > 1 else np.zeros((1, width, 4), np.uint8)
    with pytest.raises(InputError, match="at most"):
        ImageTexture(Texture(pixels), limits)

"""Emission: light that a surface adds to what it reflects, in any light, in pictures and in pictures of far actors."""

from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Texture
from ecs_anim.bake.build import bake_rig
from ecs_anim.gltf.load import load_rig
from ecs_anim.levels.impostors import plan_impostors
from ecs_anim.levels.levels import build_levels
from ecs_anim.mannequin import PATH
from ecs_anim.maths.color import linear_to_srgb
from ecs_anim.view.style import Lighting
from tests.gl.test_gl_impostors import camera_for, company, only, picture
from tests.gl.test_gl_impostors import crowd_of as crowd_of_levels
from tests.gl.test_renderer import crowd_of, lookup, middle
from tests.helpers.gl import context_fixture, flat_box, renderer_fixture, take_picture  # noqa: F401

NIGHT = Lighting(sun_color=(0, 0, 0), sky_color=(0, 0, 0), bounce_color=(0, 0, 0), shadows="none")
DAY = Lighting(sun_color=(0, 0, 0), sky_color=(1, 1, 1), bounce_color=(1, 1, 1), shadows="none")
GLOW = (0.6, 0.2, 0.05)


def seen(renderer, material: Material, lighting: Lighting, **fields) -> np.ndarray:
    crowd = crowd_of(renderer, replace(flat_box(material), **fields))
    return middle(take_picture(renderer, [crowd], lookup(azimuth=np.pi, elevation=0.0), lighting=lighting, ground=None))


def srgb(linear) -> np.ndarray:
    return 255 * linear_to_srgb(np.array(linear))


def test_it_is_seen_at_night_and_added_by_day(renderer):
    base = Material(base_color=(0.1, 0.3, 0.2, 1.0))
    lamp = replace(base, emissive=GLOW)
    np.testing.assert_allclose(seen(renderer, lamp, NIGHT), srgb(GLOW), atol=1)
    reflected = np.interp(seen(renderer, base, DAY), srgb(np.linspace(0, 1, 999)), np.linspace(0, 1, 999))
    np.testing.assert_allclose(seen(renderer, lamp, DAY), srgb(np.minimum(reflected + GLOW, 1)), atol=2)


@pytest.mark.parametrize("textured", [False, True])
def test_its_picture_multiplies_it(renderer, textured):
    """With a base colour's picture or without."""
    texel = Texture(np.full((1, 1, 4), [188, 255, 0, 255], np.uint8))
    white = Texture(np.full((1, 1, 4), 255, np.uint8)) if textured else None
    lamp = Material(base_color=(0, 0, 0, 1), texture=white, emissive=(0.5, 0.5, 0.5), emissive_texture=texel)
    np.testing.assert_allclose(seen(renderer, lamp, NIGHT), srgb([0.25, 0.5, 0]), atol=2)


def test_tints_leave_it_alone(renderer):
    crowd = crowd_of(renderer, flat_box(Material(base_color=(0, 0, 0, 1), emissive=GLOW)))
    crowd.instances[:, 8:] = [0, 0, 1, 1]
    picture = take_picture(renderer, [crowd], lookup(azimuth=np.pi, elevation=0.0), lighting=NIGHT, ground=None)
    np.testing.assert_allclose(middle(picture), srgb(GLOW), atol=1)


def test_an_unlit_surface_shows_its_colour_alone(renderer):
    plain = Material(base_color=(0.1, 0.3, 0.2, 1.0), unlit=True)
    np.testing.assert_array_equal(seen(renderer, replace(plain, emissive=GLOW), DAY), seen(renderer, plain, DAY))


LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
SURFACES = {
    "emits": (Material(base_color=(0, 0, 0, 1), emissive=(0.1, 0.4, 0.6)), NIGHT),
    "emits by day": (Material(base_color=(0, 0, 0, 1), emissive=(0.1, 0.4, 0.6)), DAY),
    "lets through": (Material(base_color=(0.6, 0.1, 0.1, 0.4), blended=True), DAY),
}


def near_and_far(renderer, material: Material, lighting: Lighting) -> tuple[np.ndarray, np.ndarray]:
    """Mean colours [3] where actors are, of a picture of meshes and of one of impostors."""
    rig = load_rig(PATH)
    meshes = tuple(replace(mesh, material=material) for mesh in rig.meshes)
    rig = replace(rig, meshes=meshes, clips={"idle": rig.clips["idle"]})
    bake = bake_rig(rig)
    levels = build_levels(rig, bake)
    near = crowd_of_levels(renderer, bake, only(levels, 0))
    far = crowd_of_levels(renderer, bake, levels, plan_impostors(levels, bake))
    shown = [(near, company(1)), (far, company(1)), (far, company(1)[:0])]
    a, b, empty = (picture(renderer, *own, camera_for(20.0), lighting=lighting) for own in shown)
    there = (np.abs(a - empty).max(axis=-1) > 8) | (np.abs(b - empty).max(axis=-1) > 8)
    assert there.sum() > 300
    return a[there].mean(axis=0), b[there].mean(axis=0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SURFACES)
def test_pictures_of_far_actors_emit_and_let_through_as_much(renderer, name):
    near, far = near_and_far(renderer, *SURFACES[name])
    np.testing.assert_allclose(far, near, atol=5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("lighting", [DAY, NIGHT], ids=["day", "night"])
def test_pictures_of_far_actors_keep_the_brightness_of_what_reflects_and_emits(renderer, lighting):
    """Its hue is a mix of both colours' in any light."""
    lamp = Material(base_color=(0.05, 0.2, 0.1, 1.0), emissive=(0.5, 0.1, 0.0))
    near, far = near_and_far(renderer, lamp, lighting)
    assert far @ LUMINANCE == pytest.approx(near @ LUMINANCE, rel=0.15)

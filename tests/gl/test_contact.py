"""Soft shadows below actors, on ground of any slope."""

import dataclasses
import math

import numpy as np
import pytest

from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.ground.ground import height_field
from ecs_anim.ground.surface import Surface
from ecs_anim.systems.drawing import NO_GROUND, contact_rows
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting, View
from tests.gl.test_surface import floor_at, quad
from tests.helpers.gl import (  # noqa: F401
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    renderer_fixture,
)

NO_PLANE = GroundStyle(plane=False, line_color=GroundStyle.color, fog_start=1000.0, fog_end=2000.0)
# Only the blobs: as in the map's picture, but nothing is drawn into the map.
SOFT = Lighting(shadows="contact", sun_direction=(0.0, 1.0, 0.0))
STEEP = OrbitCamera(target=np.zeros(3), distance=6.0, elevation=math.radians(89.0))


def darkened(renderer: Renderer, surface: Surface, crowd: CrowdDraw, camera: OrbitCamera = STEEP) -> np.ndarray:
    """By how much the crowd's soft shadows darken each pixel; the actors themselves are too small to see."""
    with renderer.upload_surface(surface) as buffers, renderer.target(200, 200) as target:
        pictures = []
        for radius in (0.0, 0.6):
            drawn = dataclasses.replace(crowd, shadow_radius=radius)
            renderer.draw(target, View.of(camera, 1.0), SOFT, NO_PLANE, [drawn], [buffers])
            pictures.append(target.read_pixels().astype(int))
    return (pictures[0] - pictures[1]).max(axis=-1)


def dot_at(renderer: Renderer, place, contact) -> CrowdDraw:
    model = renderer.upload((flat_box(size=1e-3),))
    contacts = np.array([contact], np.float32)
    return CrowdDraw(model, instances_at(np.array([place])), identity_palettes(1), contacts=contacts)


@pytest.mark.parametrize("slope", [0.0, 0.3, -0.7])
def test_a_disc_in_plan_on_any_slope(renderer, slope):
    """From straight above, a slope shows the same disc as level ground, and none of it sinks in."""
    ramp = quad((-9, -9 * slope, 9), (18, 18 * slope, 0), (0, 0, -18))
    level = darkened(renderer, floor_at(0.0), dot_at(renderer, (0, 0, 0), (0, 0, 1, 0)))
    normal = np.array([-slope, 1, 0]) / math.hypot(1, slope)
    tilted = darkened(renderer, ramp, dot_at(renderer, (0, 0, 0), (0, *normal)))
    assert (level > 5).sum() > 500
    assert (tilted > 5).sum() == pytest.approx((level > 5).sum(), rel=0.12)
    assert tilted.max() == pytest.approx(level.max(), abs=12)


def test_a_hill_hides_the_shadow_behind_it(renderer):
    camera = OrbitCamera(target=np.array([0, 0.3, 0]), distance=6.0, elevation=0.1)
    wall = quad((-5, 0, 1.5), (10, 0, 0), (0, 3, 0))
    assert darkened(renderer, wall, dot_at(renderer, (0, 0, 0), (0, 0, 1, 0)), camera).max() == 0
    assert darkened(renderer, floor_at(0.0), dot_at(renderer, (0, 0, 0), (0, 0, 1, 0)), camera).max() > 20


def test_who_is_above_the_ground_leaves_less_and_who_has_none_nothing(renderer):
    depths = [
        darkened(renderer, floor_at(0.0), dot_at(renderer, (0, height, 0), (ground, 0, 1, 0))).max()
        for height, ground in ((0.0, 0.0), (0.5, 0.0), (0.0, NO_GROUND))
    ]
    assert depths[0] > 1.5 * depths[1] > 0
    assert depths[2] == 0


def test_contacts_are_the_ground_below_the_actors():
    rng = np.random.default_rng(4)
    terrain = height_field(rng.uniform(0, 1, (20, 20)), (-10, -10), (1.0, 1.0))
    places = rng.uniform(-8, 8, (50, 3)).astype(np.float32)
    places[:, 1] = 1.2
    places[-1, 0] = 1000.0  # beside the terrain
    transforms = Transforms(places, np.tile(np.array([0, 0, 0, 1], np.float32), (50, 1)), np.ones(50, np.float32))
    rows = contact_rows(terrain, transforms)
    heights, normals = terrain.below(places)
    np.testing.assert_allclose(rows[:-1, 0], heights[:-1], atol=1e-5)
    np.testing.assert_allclose(rows[:-1, 1:], normals[:-1], atol=1e-5)
    assert rows[-1, 0] == NO_GROUND
    assert np.isfinite(rows).all()


def test_wrong_contacts_are_told(renderer):
    crowd = dot_at(renderer, (0, 0, 0), (0, 0, 1, 0))
    with pytest.raises(ValueError, match="contacts must be"):
        dataclasses.replace(crowd, contacts=np.zeros((2, 4), np.float32)).check()

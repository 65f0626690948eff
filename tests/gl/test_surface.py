"""Uneven ground against the flat one, and against geometry."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.mesh import Texture
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.picture.surface import surface_colors
from ecs_anim.ground.surface import Surface
from ecs_anim.maths.color import srgb_to_linear
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting, View
from tests.gl.test_ownership import live_names
from tests.gl.test_renderer import srgb
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    renderer_fixture,
    take_picture,
)

SIZE = (160, 120)
# All light from everywhere, no lines, no fog nearby: a surface shows its colour.
PLAIN = Lighting(sun_color=(0, 0, 0), sky_color=(0.5, 0.5, 0.5), bounce_color=(0.5, 0.5, 0.5))
NO_SHADOWS = Lighting(shadows="none")
NO_PLANE = GroundStyle(plane=False)
BARE = GroundStyle(plane=False, line_color=GroundStyle.color, fog_start=1000.0, fog_end=2000.0)


def quad(origin, along, across, **changes) -> Surface:
    """A parallelogram whose front is along x across."""
    origin, along, across = (np.array(v, np.float32) for v in (origin, along, across))
    normal = np.cross(along, across)
    uvs = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    return Surface(
        positions=np.stack([origin, origin + along, origin + along + across, origin + across]),
        normals=np.tile(normal / np.linalg.norm(normal), (4, 1)).astype(np.float32),
        indices=np.array([0, 1, 2, 0, 2, 3], np.uint32),
        uvs=uvs,
        **changes,
    )


def floor_at(height: float, half: float = 400.0, **changes) -> Surface:
    return quad((-half, height, half), (2 * half, 0, 0), (0, 0, -2 * half), **changes)


def picture_of(renderer: Renderer, surface: Surface, camera=None, lighting=None, ground=None, crowds=()) -> np.ndarray:
    camera = camera or OrbitCamera(distance=6.0)
    with renderer.upload_surface(surface) as buffers, renderer.target(*SIZE) as target:
        view = View.of(camera, target.aspect)
        renderer.draw(target, view, lighting or Lighting(), ground or NO_PLANE, list(crowds), [buffers])
        return target.read_pixels().astype(int)


def test_a_level_surface_looks_like_the_flat_ground(renderer):
    for camera in (OrbitCamera(distance=6.0), OrbitCamera(distance=30.0, elevation=0.15, azimuth=1.0)):
        flat = take_picture(renderer, [], camera, SIZE).astype(int)
        level = picture_of(renderer, floor_at(0.0), camera)
        assert np.ptp(flat[70:, :, 1]) > 8, "there are lines to compare"
        assert np.abs(flat - level).max() <= 1


def test_the_plane_is_drawn_only_where_the_style_says_so(renderer):
    camera = OrbitCamera(target=np.zeros(3), distance=8.0, elevation=1.2)
    flat = take_picture(renderer, [], camera, SIZE).astype(int)
    sunk = floor_at(-3.0)
    assert np.abs(picture_of(renderer, sunk, camera) - flat).max() > 8
    np.testing.assert_array_equal(picture_of(renderer, sunk, camera, ground=GroundStyle()), flat)


def test_grid_lines_do_not_smear_over_a_steep_face(renderer):
    """A wall in the plane x = 2, which lines along x = n would cover whole; those along z = n run up it."""
    wall = quad((2.0, 0.0, 2.4), (0, 0, -2.8), (0, 3, 0))
    camera = OrbitCamera(target=np.array([2.0, 1.5, 1.0]), distance=3.0, elevation=0.0, azimuth=np.pi / 2)
    lined = picture_of(renderer, wall, camera)
    bare = picture_of(renderer, wall, camera, ground=dataclasses.replace(NO_PLANE, line_color=GroundStyle.color))
    changed = (np.abs(lined - bare).max(axis=-1) > 3)[10:110]
    columns = changed.any(axis=0)
    assert 2 <= columns.sum() < 12
    assert changed[:, 78:82].any(axis=1).all(), "the line z = 1 stands in the middle of the picture"


def test_a_texture_takes_the_colours_and_the_grids_place(renderer):
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[0], pixels[1] = [188, 0, 0, 255], [0, 0, 188, 255]  # red at v = 0
    surface = quad((-1, 0, 1), (2, 0, 0), (0, 0, -2), texture=Texture(pixels, repeat=False))
    camera = OrbitCamera(target=np.zeros(3), distance=3.0, elevation=1.5)
    picture = picture_of(renderer, surface, camera, PLAIN, BARE)
    near, far = picture[100, 80], picture[20, 80]
    assert near[0] > 2 * near[2]
    assert far[2] > 2 * far[0]


def test_joints_of_a_coloured_pavement_have_its_hue_on_ground_of_any_hue():
    """Green ground and grey lines: the lines reflect 0.6 times the light (weights of ITU-R BT.709)."""
    green = (0.2, 0.5, 0.1)
    light = 0.6 * (0.2126 * 0.2 + 0.7152 * 0.5 + 0.0722 * 0.1)
    style = dataclasses.replace(NO_PLANE, color=green, line_color=(light, light, light))
    color, line = surface_colors(floor_at(0.0, color=(0.8, 0.6, 0.5), material="paving"), style)
    assert color == (0.8, 0.6, 0.5)
    np.testing.assert_allclose(line, 0.6 * np.array(color))


@pytest.mark.parametrize("own", [(0.2, 0.4, 0.6), None])
def test_a_colour_of_its_own_replaces_the_grounds(renderer, own):
    camera = OrbitCamera(target=np.array([0.5, 0.0, 0.5]), distance=2.0, elevation=1.5)
    seen = picture_of(renderer, floor_at(0.0, color=own), camera, PLAIN, BARE)[60, 80]
    np.testing.assert_allclose(seen, [srgb(0.5 * part) for part in own or BARE.color], atol=2)


def test_back_faces_are_seen_only_where_double_sided(renderer):
    below = OrbitCamera(target=np.zeros(3), elevation=-1.0, ground_clearance=None)
    box = renderer.upload((flat_box(),))
    crowd = CrowdDraw(box, instances_at(np.array([[0.0, 0.5, 0.0]])), identity_palettes(1), shadow_radius=0.0)
    for double_sided in (False, True):
        surface = floor_at(0.0, 20.0, double_sided=double_sided)
        without, with_box = (picture_of(renderer, surface, below, crowds=crowds) for crowds in ([], [crowd]))
        assert (without == with_box).all() == double_sided


def test_legs_darken_towards_the_feet_wherever_the_ground_is(renderer):
    """An actor gets the same light at any height."""
    model = renderer.upload((capsule(),))

    def seen(height: float) -> np.ndarray:
        crowd = CrowdDraw(model, instances_at(np.array([[0.0, height, 0.0]])), identity_palettes(1))
        camera = OrbitCamera(target=np.array([0.0, 0.8 + height, 0.0]), distance=4.0, elevation=0.0)
        return picture_of(renderer, floor_at(height), camera, NO_SHADOWS, crowds=[crowd])[10:90, 70:90]

    assert np.abs(seen(0.0) - seen(16.0)).max() <= 1


@pytest.mark.exhaustive
def test_uploads_do_not_pile_up(context):
    texture = Texture(np.full((4, 4, 4), 255, np.uint8))
    before = live_names()
    with Renderer(context) as renderer:
        picture_of(renderer, quad((0, 0, 0), (1, 0, 0), (0, 0, -1), texture=texture))
        one = live_names()
        for _ in range(5):
            picture_of(renderer, quad((0, 0, 0), (1, 0, 0), (0, 0, -1), texture=texture))
        assert live_names() == one
        kept = renderer.upload_surface(floor_at(0.0))
    assert kept.freed
    assert live_names() == before


@pytest.mark.exhaustive
@pytest.mark.parametrize("azimuth", [0.0, 0.5, 1.2])
def test_lines_do_not_smear_where_they_are_seen_at_a_grazing_angle(renderer, azimuth):
    """Against the mean of the pattern over each pixel, from rays through many points of it."""
    dark, light = srgb(0.1), srgb(0.9)
    pixels = np.full((512, 512, 4), 255, np.uint8)
    pixels[:, :, :3] = np.where(np.arange(512) % 64 < 6, light, dark)[None, :, None]
    floor = quad((-16, 0, 16), (32, 0, 0), (0, 0, -32), texture=Texture(pixels, repeat=True))
    camera = OrbitCamera(target=np.array([0.0, 0.0, 0.0]), distance=20.0, azimuth=azimuth, elevation=0.15)
    seen = srgb_to_linear(picture_of(renderer, floor, camera, PLAIN, BARE)[..., 0] / 255)
    fine = 16
    y, x = (np.arange(n * fine) + 0.5 for n in SIZE[::-1])
    view = View.of(camera, SIZE[0] / SIZE[1])
    far = np.ones((len(y), len(x), 4))
    far[..., 0], far[..., 1] = 2 * x / (fine * SIZE[0]) - 1, (1 - 2 * y / (fine * SIZE[1]))[:, None]
    points = far @ np.linalg.inv(view.view_projection).T
    rays = points[..., :3] / points[..., 3:] - view.eye
    place = view.eye + rays * (-view.eye[1] / rays[..., 1])[..., None]
    inside = (rays[..., 1] < 0) & (np.abs(place[..., [0, 2]]) < 15).all(axis=-1)
    lit = np.where(np.floor((place[..., 0] + 16) * 16) % 64 < 6, 0.9, 0.1)
    lit, inside = (part.reshape(SIZE[1], fine, SIZE[0], fine) for part in (lit, inside))
    whole = inside.all(axis=(1, 3))
    expected = 0.5 * lit.mean(axis=(1, 3))
    assert whole.sum() > 1500
    off = np.abs(seen - expected)[whole]
    assert off.mean() < 0.004
    assert np.percentile(off, 95) < 0.012

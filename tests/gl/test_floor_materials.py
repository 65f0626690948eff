"""Materials of floors against their plans: colours, slabs and their joints, and the noise tile."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.mesh import Texture
from ecs_anim.gl.picture.noise import SIZE, noise_tile
from ecs_anim.maths.color import srgb_to_linear
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lamps, Lighting, View
from tests.gl.test_surface import BARE, PLAIN, quad
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401

PATTERNS = ("paving", "asphalt", "grass", "tiles", "planks", "bricks", "concrete")
STYLE = dataclasses.replace(BARE, plane=True, line_color=(0.05, 0.05, 0.05))
PIXELS = 600  # per side of a picture from above


def from_above(renderer, ground: GroundStyle, metres: float, surfaces=(), middle=(0.0, 0.0)) -> np.ndarray:
    """The linear colours [row, column, 3] of a square seen from far above. x grows to the right, z downwards."""
    target = np.array([middle[0], 0.0, middle[1]])
    camera = OrbitCamera(target=target, distance=100.0, elevation=np.pi / 2)
    camera = dataclasses.replace(camera, vertical_fov=2 * np.arctan(metres / 200.0))
    buffers = [renderer.upload_surface(surface) for surface in surfaces]
    with renderer.target(PIXELS, PIXELS) as picture:
        renderer.draw(picture, View.of(camera, 1.0), PLAIN, ground, [], buffers)
        return srgb_to_linear(picture.read_pixels() / 255)


@pytest.mark.parametrize("material", PATTERNS)
def test_a_material_keeps_the_colour_of_the_ground_on_average(renderer, material):
    style = dataclasses.replace(STYLE, material=material, line_color=STYLE.color)
    seen = from_above(renderer, style, 60.0)
    np.testing.assert_allclose(seen.mean(axis=(0, 1)), 0.5 * np.array(STYLE.color), rtol=0.03)
    assert seen[..., 1].std() > 0.005


def test_slabs_have_one_metre_by_half_a_metre_and_rows_are_shifted_by_half_a_slab(renderer):
    seen = from_above(renderer, dataclasses.replace(STYLE, material="paving"), 6.0)[..., 1]
    at = (np.arange(PIXELS) + 0.5) / PIXELS * 6.0 - 3.0
    to_row = np.abs(2 * at - np.rint(2 * at)) / 2  # [m]
    middle = np.floor(2 * at) % 2
    x = at[None, :] + 0.5 * middle[:, None]
    to_joint = np.minimum(to_row[:, None], np.abs(x - np.rint(x)))
    joint, slab = seen[to_joint < 0.006], seen[to_joint > 0.03]
    assert len(joint) > 10_000
    assert joint.max() < 0.75 * slab.min()


def test_slabs_differ_and_one_slab_has_one_brightness(renderer):
    seen = from_above(renderer, dataclasses.replace(STYLE, material="paving"), 6.0)[..., 1]
    inner = seen[5:45, 5:95], seen[55:95, 55:145]  # x, z from -3, -3: one slab in each of two rows
    means = [part.mean() for part in inner]
    others = [
        seen[100 * row + 5 : 100 * row + 45, 100 * n + 5 : 100 * n + 95].mean() for row in range(6) for n in range(6)
    ]
    assert np.std(others) > 0.004
    assert max(part.std() for part in inner) < 0.2 * means[0]


def test_steep_faces_have_no_slabs(renderer):
    wall = quad((-5.0, -2.0, 0.0), (10.0, 0, 0), (0, 7.0, 0))
    camera = OrbitCamera(target=np.array([0.0, 1.5, 0.0]), distance=3.0, elevation=0.0)
    style = dataclasses.replace(BARE, material="paving", line_color=(0.0, 0.0, 0.0))
    with renderer.upload_surface(wall) as buffers, renderer.target(160, 120) as picture:
        renderer.draw(picture, View.of(camera, 4 / 3), PLAIN, style, [], [buffers])
        seen = picture.read_pixels()[20:100, 20:140].astype(int)
    assert np.ptp(seen, axis=(0, 1)).max() <= 1


@pytest.mark.exhaustive
def test_a_surface_can_have_another_material_than_the_ground(renderer):
    block = quad((-1.0, 0.1, 1.0), (2.0, 0, 0), (0, 0, -2.0), color=(0.3, 0.3, 0.3))
    plain, paved = (
        from_above(renderer, STYLE, 1.9, [dataclasses.replace(block, material=material)])
        for material in (None, "paving")
    )
    assert plain.std() < 0.002
    assert paved.std() > 0.01


def test_light_and_fog_apply_to_all_materials(renderer):
    dark = Lighting(sun_color=(0, 0, 0), sky_color=(0, 0, 0), bounce_color=(0, 0, 0))
    for material in PATTERNS:
        with renderer.target(32, 32) as picture:
            view = View.of(OrbitCamera(distance=5.0, elevation=1.0), 1.0)
            renderer.draw(picture, view, dark, dataclasses.replace(STYLE, material=material), [])
            assert picture.read_pixels().max() == 0


def test_the_noise_tile_repeats_without_an_edge_and_has_the_mean_one_half():
    tile = noise_tile().astype(float)
    assert tile.shape == (SIZE, SIZE, 2)
    np.testing.assert_allclose(tile.mean(axis=(0, 1)), 127.5, atol=1.0)
    assert (tile.std(axis=(0, 1)) > 30).all()
    steps = np.abs(np.diff(tile, axis=0)).mean(axis=(0, 1))
    seam = np.abs(tile[0] - tile[-1]).mean(axis=0)
    assert (seam < 1.3 * steps + 1).all()


@pytest.mark.parametrize(
    ("material", "size"), [("tiles", (0.3, 0.3)), ("bricks", (0.25, 0.083)), ("planks", (2.0, 0.14))]
)
def test_rows_of_pieces_have_dark_joints_at_their_sizes(renderer, material, size):
    metres = 6 * size[1]
    seen = from_above(renderer, dataclasses.replace(STYLE, material=material), metres, middle=(1.0, 0.0))[..., 1]
    at = (np.arange(PIXELS) + 0.5) / PIXELS * metres - metres / 2
    rows = seen.mean(axis=1)
    to_joint = np.abs(at / size[1] - np.rint(at / size[1])) * size[1]
    assert rows[to_joint < 0.002].max() < 0.8 * np.median(rows[to_joint > 0.2 * size[1]])


def test_a_picture_is_repeated_on_floors_and_upright_on_walls(renderer):
    pixels = np.full((2, 2, 4), 255, np.uint8)
    pixels[0, :, :3], pixels[1, :, :3] = (255, 0, 0), (0, 0, 255)  # v grows with z on floors, downwards on walls
    style = dataclasses.replace(STYLE, material="tiles", floor_texture=Texture(pixels), texture_size=2.0)
    seen = from_above(renderer, style, 4.0)
    bands = seen[75::150, 300]  # the middles of four bands of 1 m, from z = -1.5
    assert (bands[:, 0] > 0.4).tolist() == [True, False, True, False]
    wall = dataclasses.replace(quad((-5.0, 0.0, 0.0), (10.0, 0, 0), (0, 4.0, 0)), kind="wall", color=(1.0, 1.0, 1.0))
    camera = OrbitCamera(target=np.array([0.0, 2.0, 0.0]), distance=5.0, elevation=0.0)
    style = dataclasses.replace(BARE, wall_texture=Texture(pixels), texture_size=2.0)
    with renderer.upload_surface(wall) as buffers, renderer.target(100, 100) as picture:
        renderer.draw(picture, View.of(camera, 1.0), PLAIN, style, [], [buffers])
        column = picture.read_pixels()[:, 50].astype(int)
    per_metre = 100 / (2 * 5.0 * np.tan(camera.vertical_fov / 2))
    heights = [int(50 - per_metre * (y - 2.0)) for y in (0.5, 1.5, 2.5, 3.5)]
    assert (column[heights][:, 0] > column[heights][:, 2]).tolist() == [False, True, False, True]


@pytest.mark.exhaustive
def test_wet_floors_are_darker_from_above_and_reflect_the_sky_at_grazing_angles(renderer):
    dry = dataclasses.replace(STYLE, material="asphalt", color=(0.3, 0.3, 0.3))
    wet = dataclasses.replace(dry, wetness=1.0)
    above = [from_above(renderer, style, 6.0).mean() for style in (dry, wet)]
    assert above[1] < 0.8 * above[0]
    low = OrbitCamera(target=np.array([0.0, 0.0, 0.0]), distance=20.0, elevation=0.04)
    blue = Lighting(sun_color=(0, 0, 0), zenith_color=(0, 0, 1), horizon_color=(0, 0, 1))
    with renderer.target(64, 64) as picture:
        for style in (dry, wet):
            renderer.draw(picture, View.of(low, 1.0), blue, dataclasses.replace(style, fog_start=500, fog_end=900), [])
            above.append(picture.read_pixels()[40:, :, 2].mean())
    assert above[3] > above[2] + 20


def test_lamps_light_the_ground_below_them(renderer):
    dark = Lighting(
        sun_color=(0, 0, 0), sky_color=(0, 0, 0), bounce_color=(0, 0, 0), lamps=Lamps(20.0, 3.0, (1, 1, 1), 8.0)
    )
    camera = OrbitCamera(target=np.zeros(3), distance=30.0, elevation=np.pi / 2)
    with renderer.target(101, 101) as picture:
        renderer.draw(picture, View.of(camera, 1.0), dark, dataclasses.replace(STYLE, material="plain"), [])
        seen = picture.read_pixels()[..., 1].astype(int)
    metre = 101 / (2 * 30.0 * np.tan(camera.vertical_fov / 2))
    assert seen[50, 50] > seen[50, 50 + int(4 * metre)] > seen[50, 50 + int(9 * metre)] == 0

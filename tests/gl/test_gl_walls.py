"""Walls and pictures of the floor as they are drawn: seen, lit, in shadow, in numbers, and no floor."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from ecs_anim.assets.mesh import Texture
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundPicture, GroundStyle, Lighting, View
from ecs_anim.walls.build import WallStyle, walls_from_text
from tests.gl.test_ownership import live_names
from tests.gl.test_renderer import srgb
from tests.helpers.gl import context_fixture, renderer_fixture, take_picture  # noqa: F401

SIZE = (160, 120)
PLAIN = Lighting(sun_color=(0, 0, 0), sky_color=(0.5, 0.5, 0.5), bounce_color=(0.5, 0.5, 0.5))
BARE = GroundStyle(line_color=GroundStyle.color, fog_start=1000.0, fog_end=2000.0)
ABOVE = OrbitCamera(target=np.zeros(3), distance=12.0, elevation=np.pi / 2 - 0.001, azimuth=np.pi)
WALL = "LINESTRING (-1 2, 3 2)"  # north of the middle: in the upper half of a picture from above
STYLE = WallStyle(height=1.0, thickness=0.6, color=(0.9, 0.2, 0.1))
PERSON = """
[rigs.man]
model = "mannequin"
[[crowds]]
rig = "man"
count = 1
layout = { kind = "points", points = [[0.0, 2.0]] }
clips = [{ name = "idle" }]
grounding = {}
"""


def seen(renderer: Renderer, camera=ABOVE, lighting=PLAIN, ground=BARE, style=STYLE, wkt=WALL) -> np.ndarray:
    (surface,) = walls_from_text(wkt, style).surfaces
    with renderer.upload_surface(surface) as buffers, renderer.target(*SIZE) as target:
        renderer.draw(target, View.of(camera, target.aspect), lighting, ground, [], [buffers])
        return target.read_pixels().astype(int)


def pixel_of(camera: OrbitCamera, *position: float) -> tuple[int, int]:
    """Row and column at which a position in the world is seen."""
    view = View.of(camera, SIZE[0] / SIZE[1])
    x, y, _, w = view.view_projection @ [*position, 1.0]
    return int((0.5 - 0.5 * y / w) * SIZE[1]), int((0.5 + 0.5 * x / w) * SIZE[0])


def test_a_wall_is_seen_where_it_stands_with_its_top_lighter(renderer):
    without = take_picture(renderer, [], ABOVE, SIZE, PLAIN, BARE).astype(int)
    picture = seen(renderer)
    changed = np.abs(picture - without).max(axis=-1) > 8
    top = pixel_of(ABOVE, 1.0, 1.0, -2.0)
    np.testing.assert_allclose(picture[top], [srgb(0.5 * part) for part in STYLE.color], atol=2)
    assert not changed[pixel_of(ABOVE, 1.0, 0.0, 2.0)], "it is in the north only"
    assert not changed[pixel_of(ABOVE, -2.0, 0.0, -2.0)]
    south = OrbitCamera(target=np.array([1.0, 0.5, -2.0]), distance=6.0, elevation=0.5, azimuth=np.pi)
    oblique = seen(renderer, south)
    high, low, top = (oblique[pixel_of(south, 1.0, y, z)] for y, z in ((0.8, -1.7), (0.2, -1.7), (1.0, -2.0)))
    assert top[0] > high[0] + 10 > low[0] + 12, "sides are darker, most so along the ground"


def test_walls_have_no_lines_of_the_grid(renderer):
    lined = dataclasses.replace(BARE, line_color=(0.0, 0.0, 0.0))
    picture, bare = seen(renderer, ground=lined), seen(renderer)
    rows, columns = zip(*(pixel_of(ABOVE, x, 1.0, -2.0) for x in np.linspace(-0.9, 2.9, 60)), strict=True)
    np.testing.assert_array_equal(picture[rows, columns], bare[rows, columns])
    assert (picture != bare).any(), "the ground has them"


def test_a_walls_shadow_falls_where_the_sun_says(renderer):
    """The sun stands in the south at 45 degrees: the ground is dark for a metre to the north."""
    sun = Lighting(sun_direction=(0.0, 1.0, 1.0))
    for lighting, is_dark in ((sun, True), (dataclasses.replace(sun, shadows="none"), False)):
        picture = seen(renderer, lighting=lighting)
        lit = picture[pixel_of(ABOVE, 1.0, 0.0, 0.0)]
        behind, beyond = (picture[pixel_of(ABOVE, 1.0, 0.0, z)] for z in (-2.8, -3.8))
        assert (behind[0] < lit[0] - 20) == is_dark
        assert abs(beyond[0] - lit[0]) <= 3


def test_walls_on_a_flat_floor_leave_the_light_of_actors(renderer):
    """Actors darken towards the floor's height, not to their own, as they do without walls."""
    with load_scene(parse_scene(PERSON.replace("-2.0", "1.5"), "test.toml", Path()), threads=1) as world:
        stage, drawing = stage_of(world), DrawWorld(renderer)
        stage.camera = OrbitCamera(target=np.array([0.0, 0.9, 1.5]), distance=4.0, elevation=0.1)
        stage.lighting = dataclasses.replace(stage.lighting, shadows="none")
        ((_, (transforms,)),) = world.query(Transforms)
        transforms.translation[:, 1] = 0.4  # as in a jump
        pictures = []
        for walls in (None, walls_from_text("LINESTRING (-50 -50, -50 -51)")):
            stage.walls = walls
            with renderer.target(*SIZE) as target:
                drawing.draw(world, target)
                pictures.append(target.read_pixels())
    np.testing.assert_array_equal(*pictures)


@pytest.mark.filterwarnings("ignore:.*begin in a wall")
def test_nobody_is_lifted_onto_a_wall():
    """A grounded actor in the middle of a wall is posed as without it."""
    poses = []
    for walls in ("", f'[walls]\nwkt = "{WALL}"\nheight = 0.3\nthickness = 1.0\n'):
        with load_scene(parse_scene(PERSON + walls, "test.toml", Path()), threads=1) as world:
            for _ in range(30):
                world.step(1 / 60)
            ((_, (transforms, palette)),) = world.query(Transforms, Palette)
            poses.append((transforms.translation.copy(), palette.matrices.copy()))
    np.testing.assert_array_equal(poses[0][0], poses[1][0])
    np.testing.assert_array_equal(poses[0][1], poses[1][1])


def test_walls_are_in_the_passes_and_hide_people(renderer):
    text = PERSON + '[walls]\nwkt = "LINESTRING (-2 0, 2 0)"\nheight = 3.0\n[ground]\n'
    south = OrbitCamera(target=np.array([0.0, 1.0, 0.0]), distance=6.0, elevation=0.1, azimuth=np.pi)
    with load_scene(parse_scene(text, "test.toml", Path()), threads=1) as world:
        stage, drawing = stage_of(world), DrawWorld(renderer)
        stage.camera, walls = south, stage.walls
        read = []
        for shown in (walls, None):
            stage.walls = shown
            with renderer.pass_target(*SIZE) as target:
                drawing.draw_passes(world, target)
                read.append(target.read())
    hidden, open_ = read
    assert set(np.unique(hidden.classes)) == {0, 1, 2}, "sky, ground and wall"
    assert set(np.unique(open_.classes)) == {0, 1, 3}, "sky, ground and actor"
    np.testing.assert_array_equal(open_.classes == 3, open_.ids > 0)
    level = np.abs(open_.normals[..., 1] - 1) < 1e-6
    np.testing.assert_array_equal(open_.classes == 1, level & (open_.ids == 0))
    assert not hidden.ids.any()
    assert open_.ids.any()
    there = pixel_of(south, 0.0, 1.0, 0.1)
    assert hidden.depth[there] == pytest.approx(5.9, abs=0.05)
    np.testing.assert_allclose(hidden.normals[there], [0, 0, 1], atol=1e-3)
    assert hidden.classes[there] == 2


def checked(height: int, width: int) -> np.ndarray:
    """A picture of which every pixel has its own colour."""
    row, column = np.mgrid[:height, :width]
    pixels = np.full((height, width, 4), 255, np.uint8)
    pixels[..., 0], pixels[..., 1], pixels[..., 2] = 40 + 20 * row, 40 + 20 * column, 120
    return pixels


@pytest.mark.parametrize("shear", [0.0, 0.08])
def test_a_picture_lies_on_the_ground_as_its_homography_says(renderer, shear):
    """Each pixel's middle, put into the world by the inverse, is seen in that pixel's colour."""
    pixels = checked(8, 10)
    from_world = np.array([[0.2, 0.0, 0.5], [0.0, 0.25, 0.5], [shear, 0.0, 1.0]])
    ground = dataclasses.replace(BARE, picture=GroundPicture(Texture(pixels, repeat=False), from_world))
    picture = take_picture(renderer, [], ABOVE, (640, 480), PLAIN, ground).astype(int)
    plain = take_picture(renderer, [], ABOVE, (640, 480), PLAIN, BARE).astype(int)
    for row, column in ((0, 0), (0, 9), (7, 0), (7, 9), (3, 4)):
        x, z, w = np.linalg.solve(from_world, [(column + 0.5) / 10, (row + 0.5) / 8, 1.0])
        at = tuple(4 * index + 2 for index in pixel_of(ABOVE, x / w, 0.0, z / w))
        expected = [srgb(0.5 * linear(value)) for value in pixels[row, column, :3]]
        np.testing.assert_allclose(picture[at], expected, atol=12)
    outside = tuple(4 * index for index in pixel_of(ABOVE, 5.0, 0.0, 3.0))
    np.testing.assert_array_equal(picture[outside], plain[outside])


def linear(value: float) -> float:
    share = value / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def test_the_ground_is_seen_through_a_picture_and_beyond_its_horizon(renderer):
    pixels = checked(4, 4)
    pixels[..., 3] = 0
    plain = take_picture(renderer, [], ABOVE, SIZE, PLAIN, BARE)
    clear = GroundPicture(Texture(pixels, repeat=False), np.array([[0.1, 0, 0.5], [0, 0.1, 0.5], [0, 0, 1]]))
    seen_through = take_picture(renderer, [], ABOVE, SIZE, PLAIN, dataclasses.replace(BARE, picture=clear))
    np.testing.assert_array_equal(seen_through, plain)
    behind = GroundPicture(Texture(checked(4, 4)), -np.array([[0.1, 0, 0.5], [0, 0.1, 0.5], [0, 0, 1]]))
    np.testing.assert_array_equal(
        take_picture(renderer, [], ABOVE, SIZE, PLAIN, dataclasses.replace(BARE, picture=behind)), plain
    )


def test_shadows_fall_on_a_picture(renderer):
    white = np.full((2, 2, 4), 255, np.uint8)
    lies = GroundPicture(Texture(white, repeat=False), np.array([[0.05, 0, 0.5], [0, 0.05, 0.5], [0, 0, 1]]))
    ground = dataclasses.replace(BARE, picture=lies)
    picture = seen(renderer, lighting=Lighting(sun_direction=(0.0, 1.0, 1.0)), ground=ground)
    lit, dark = (picture[pixel_of(ABOVE, 1.0, 0.0, z)] for z in (0.0, -2.8))
    assert lit[0] > dark[0] + 20


@pytest.mark.exhaustive
def test_pictures_are_freed_with_their_renderer_and_replaced(context):
    before = live_names()
    with Renderer(context) as renderer:
        names = []
        for _ in range(4):
            lies = GroundPicture(Texture(checked(4, 4)), np.eye(3))
            take_picture(renderer, [], ABOVE, SIZE, PLAIN, dataclasses.replace(BARE, picture=lies))
            names.append(live_names())
        assert names[1:] == names[:-1]
    assert live_names() == before

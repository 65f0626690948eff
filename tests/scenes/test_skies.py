"""Panoramas of scenes: pictures of the sky, choice from a folder by the seed, and errors."""

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.vary import drawn_values, varied
from ecs_anim.support.errors import InputError
from ecs_anim.systems.queries import stage_of

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
clips = [{ name = "idle" }]
[camera]
target = [0.0, 30.0, 0.0]
elevation_degrees = -40.0
azimuth_degrees = 180.0
distance = 5.0
[sky]
"""
RED, BLUE = (200, 40, 40), (40, 40, 200)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "skies").mkdir()
    for name, color in (("a.png", RED), ("b.png", BLUE)):
        Image.new("RGB", (64, 32), color).save(tmp_path / "skies" / name)
    return tmp_path


def scene(folder, image: str, more: str = ""):
    return parse_scene(f'{SCENE}image = "{image}"\n{more}', "x.toml", folder)


def test_the_picture_is_the_background_with_its_own_colours(folder):
    with ea.load_scene(scene(folder, "skies/a.png")) as world:
        picture = ea.render(world, size=(64, 48))
    assert np.abs(picture[:8].astype(int) - RED).max() <= 2


def test_halves_of_the_picture_are_in_their_directions(folder):
    pixels = np.zeros((32, 64, 3), np.uint8)
    pixels[:, :32], pixels[:, 32:] = RED, BLUE  # the camera looks north, to the middle of the picture
    Image.fromarray(pixels).save(folder / "halves.png")
    with ea.load_scene(scene(folder, "halves.png")) as world:
        picture = ea.render(world, size=(64, 48))[4].astype(int)
    assert np.abs(picture[:24] - RED).max() <= 2  # west is on the left
    assert np.abs(picture[40:] - BLUE).max() <= 2
    with ea.load_scene(scene(folder, "halves.png", "azimuth_degrees = 90.0")) as world:
        assert np.abs(ea.render(world, size=(64, 48))[4].astype(int) - RED).max() <= 2


def test_the_seed_selects_a_picture_of_a_folder_and_the_draw_is_recorded(folder):
    own = scene(folder, "skies")
    drawn = {seed: drawn_values(own, seed)["sky.image"] for seed in range(12)}
    assert set(drawn.values()) == {"skies/a.png", "skies/b.png"}
    assert {seed: varied(own, seed).model.sky.image for seed in drawn} == drawn
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match=r"x.toml: sky.image: the folder empty must contain a picture"):
        varied(scene(folder, "empty"), 0)


def test_the_light_can_stay_as_it_is(folder):
    with ea.load_scene(scene(folder, "skies/b.png", "light = false")) as kept, ea.load_scene(SCENE[:-6]) as usual:
        mine, theirs = stage_of(kept).lighting, stage_of(usual).lighting
        assert mine.sun_color == theirs.sun_color
        assert mine.sky_color == theirs.sky_color
    with ea.load_scene(scene(folder, "skies/b.png")) as lit:
        red, _, blue = stage_of(lit).lighting.sky_color
        assert blue > 5 * red


def test_a_picture_that_is_no_panorama_is_an_error_with_its_place(folder):
    Image.new("RGB", (50, 32)).save(folder / "square.png")
    with pytest.raises(InputError, match=r"x.toml: sky.image: .*square.png: .*twice its height \(got 50 x 32\)"):
        ea.load_scene(scene(folder, "square.png"))


@pytest.mark.exhaustive
def test_a_skyline_keeps_the_light_and_differs_by_seed(folder):
    own = scene(folder, "skyline")
    with ea.load_scene(own, seed=1) as first, ea.load_scene(own, seed=2) as second, ea.load_scene(SCENE[:-6]) as usual:
        lights = [stage_of(world).lighting for world in (first, second, usual)]
    assert lights[0].sun_color == lights[1].sun_color == lights[2].sun_color
    assert lights[0].horizon_color == lights[2].horizon_color
    assert (lights[0].panorama.texture.pixels != lights[1].panorama.texture.pixels).any()

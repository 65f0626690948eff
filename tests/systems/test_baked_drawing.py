"""Actors posed on the GPU look like actors posed on the CPU. Every option of a bake changes the picture as intended."""

import numpy as np
import pytest
from PIL import Image

from ecs_anim.gl.picture.renderer import Renderer
from tests.characters import PATCHWORK
from tests.helpers import EXHAUSTIVE, real, some
from tests.helpers.baked import (
    CLASSIC,
    CROWD,
    FADES,
    FADING,
    HEAD,
    MODEL_SPACE,
    SCENE,
    mean_apart,
    module_renderer_fixture,  # noqa: F401
    other_pixels,
    picture,
)
from tests.helpers.gl import shared_context

BAKED = 'path = "baked"'
FLAG = """
[rigs.flag]
model = "flag"
[[crowds]]
rig = "flag"
count = 8
variants = ["a.png", "b.png", "c.png"]
layout = { kind = "grid", spacing = 1.9, center = [0.0, 1.0] }
clips = [{ name = "wave" }]
KEYS
"""
HILLS = '[ground]\nkind = "heights"\nsize = [40.0, 40.0]\nspacing = 0.5\nfunction = "0.4 * sin(x / 2)"\n'


@pytest.fixture
def folder(tmp_path):
    """Three images of one size."""
    for name, color in zip("abc", ([200, 40, 30], [40, 180, 60], [50, 70, 200]), strict=True):
        Image.fromarray(np.full((4, 4, 3), color, np.uint8)).save(tmp_path / f"{name}.png")
    return tmp_path


def assert_same(renderer: Renderer, text: str, keys: str, folder) -> None:
    """Compare the scene with these keys with the scene posed by the CPU. Ten steps later, pictures differ far more."""
    posed = picture(renderer, text, folder=folder)
    later = picture(renderer, text, folder=folder, steps=10)
    baked = picture(renderer, text, keys, folder=folder)
    assert mean_apart(baked, posed) < min(0.012, mean_apart(later, posed) / 30)
    assert other_pixels(baked, posed) < 0.0005


def lit(text: str, shadows: str) -> str:
    return text.replace('"map"', f'"{shadows}"')


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        pytest.param(SCENE, BAKED, id="clips"),
        pytest.param(FADING, BAKED, id="fades"),
        pytest.param(lit(FADING, "contact"), BAKED, id="fades, discs"),
        pytest.param(lit(FADING, "none"), BAKED, id="fades, no shadows"),
        pytest.param(SCENE, MODEL_SPACE, id="model space"),
        pytest.param(SCENE, CLASSIC, id="classic"),
        pytest.param(lit(HEAD + HILLS + CROWD, "none"), BAKED, id="hills"),
        pytest.param(SCENE + FLAG + FADES.replace("fade_to", 'crowd = "people"\nfade_to'), BAKED, id="two, variants"),
    ],
)
@EXHAUSTIVE
def test_a_baked_crowd_looks_as_one_that_the_cpu_poses(renderer, folder, text, keys):
    assert_same(renderer, text, keys, folder)


def test_with_one_sample_too(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("ecs_anim.systems.drawing.CASTER", 0)
    with Renderer(shared_context(), samples=1) as renderer:
        assert_same(renderer, FADING, BAKED, tmp_path)


@EXHAUSTIVE
def test_on_hills_only_the_discs_below_feet_differ(renderer):
    """They lie level there, which costs no look at the ground."""
    text = HEAD + HILLS + CROWD
    posed, baked, later = (picture(renderer, text, keys, steps=n) for keys, n in (("", 9), (BAKED, 9), ("", 10)))
    assert 0 < other_pixels(baked, posed) < 0.25 * other_pixels(later, posed)


@pytest.mark.parametrize("keys", ['level = 2\npath = "baked"', 'level = 2\npath = "auto"\nnear_actors = { count = 4 }'])
def test_a_crowd_of_one_level_is_drawn_with_it(renderer, keys):
    found, posed, finest = (picture(renderer, lit(SCENE, "none"), own) for own in (keys, "level = 2", ""))
    assert other_pixels(found, posed) < 0.0005
    assert other_pixels(finest, posed) > 0.01


def test_the_classic_shader_draws_the_rows_that_the_palette_pass_reads(renderer):
    """Also in the midst of fades, which both make in model space: in straight lines, unlike the CPU."""
    posed, palette, classic = (picture(renderer, FADING, keys) for keys in ("", MODEL_SPACE, CLASSIC))
    assert mean_apart(classic, palette) < 0.005
    assert mean_apart(palette, posed) > 100 * mean_apart(classic, palette)


@EXHAUSTIVE
def test_the_classic_shader_draws_more_than_one_batch(renderer):
    posed, classic = (picture(renderer, SCENE, keys, actors=100) for keys in ("", CLASSIC))
    assert other_pixels(classic, posed) < 0.002


@pytest.mark.parametrize(
    ("bake", "least", "most"),
    [
        ("interpolate = false", 0.05, 0.8),
        ('space = "model", shader = "classic", interpolate = false', 0.05, 0.8),
        ("influences = 2", 0.01, 0.3),
        ("influences = 1", 0.05, 1.0),
        ('format = "u8"', 0.01, 0.2),
        ('format = "f16"', 0.0005, 0.02),
        ("error_mm = 40.0", 0.02, 1.0),
        ("rate_hz = 4.0", 0.1, 3.0),
    ],
)
def test_options_change_the_picture_a_little(renderer, bake, least, most):
    """The mean difference of pixels is on a scale of 255."""
    plain, found = (picture(renderer, SCENE, keys) for keys in (BAKED, f"{BAKED}\nbake = {{ {bake} }}"))
    assert least < mean_apart(found, plain) < most


def test_one_influence_shows_more_than_two(renderer):
    plain, two, one = (picture(renderer, SCENE, f"{BAKED}\nbake = {{ influences = {count} }}") for count in (4, 2, 1))
    assert mean_apart(two, plain) < 0.5 * mean_apart(one, plain)


@EXHAUSTIVE
@pytest.mark.parametrize(
    ("model", "clip"),
    some(
        [
            pytest.param(str(PATCHWORK), "greet", id="doll"),
            *(pytest.param(*case.values, "Run", id="fox") for case in real("Fox.glb")),
        ],
        "doll",
    ),
)
def test_rotations_only_hold_still_what_clips_move(renderer, model, clip):
    """Joints of the fox move a little besides turning, the doll's head is squashed; the same bake, but for that."""
    scene = HEAD + f'[rigs.other]\nmodel = "{model}"\nheight = 1.6\n' + CROWD.replace('"people"', '"other"')
    scene = scene.replace('[{ name = "walk" }, { name = "wave" }, { name = "dance" }]', f'[{{ name = "{clip}" }}]')
    posed, baked, turned = (
        picture(renderer, scene, keys) for keys in ("", BAKED, f"{BAKED}\nbake = {{ rotation_only = true }}")
    )
    assert other_pixels(baked, posed) < 0.001
    assert other_pixels(turned, posed) > other_pixels(baked, posed)

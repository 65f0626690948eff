"""The page draws the same pictures as the renderer. Both pictures show one moment with one camera."""

import base64
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import ecs_anim as ea
from ecs_anim.scenes.shipped import shipped_folder, shipped_scenes
from tests.helpers.browser import CHROMIUM, Browser
from tests.sharing.still import still_page

SIZE = (1280, 720)
MOMENT = 2.0  # [s]
OFF = 8  # [1/255], difference of a pixel that counts
SHARE = 0.02  # largest share of such pixels
PICTURED = "player.renderer.crowds.reduce((sum, crowd) => sum + crowd.pictured[1], 0)"  # actors that are impostors
# Scenes whose pictures take minutes. Other scenes and the test of impostors have the same paths, rigs and materials.
LARGE = {"march", "marathon", "stadium", "streets", "throng"}
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def canvas_picture(browser: Browser) -> NDArray[np.uint8]:
    """Return the pixels of the page's canvas in the full size of the window."""
    browser.evaluate("document.getElementById('controls').hidden = true, player.draw(), 1")
    data = browser.evaluate("player.canvas.toDataURL()").split(",")[1]
    return np.asarray(Image.open(BytesIO(base64.b64decode(data))).convert("RGB"))


def share_off(
    scene: str, folder: Path, patch: pytest.MonkeyPatch, pictured: int = 0, driver: str = "swiftshader"
) -> float:
    """Return the share of pixels that differ. At least `pictured` actors must be impostors."""
    world = ea.load_scene(scene)
    for _ in range(round(60 * MOMENT)):
        world.step(1 / 60)
    expected = ea.render(world, SIZE)
    with Browser(SIZE, driver=driver) as browser:
        browser.open(still_page(world, folder, patch), "#t=0")
        got = canvas_picture(browser)
        assert browser.evaluate(PICTURED) >= pictured
        assert browser.messages == []
    assert got.shape == expected.shape
    return float((np.abs(got.astype(int) - expected).max(axis=-1) > OFF).mean())


@pytest.mark.exhaustive
@pytest.mark.parametrize("scene", ["single", "twist", "morph"])
def test_pictures_of_small_scenes_equal_the_renderer(
    scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert share_off(scene, tmp_path, monkeypatch) < SHARE


def test_first_pictures_have_no_shadows_and_no_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (shipped_folder() / "single.toml").read_text() + '[ground]\nmaterial = "paving"\n'
    plain = text.replace("paving", "plain") + '[light]\nshadows = "none"\n'
    worlds = [ea.load_scene(own) for own in (text, plain)]
    for world in worlds:
        world.step(1 / 60)
    patterned, expected = (ea.render(world, SIZE) for world in worlds)
    with Browser(SIZE) as browser:
        browser.open(still_page(worlds[0], tmp_path, monkeypatch), "#t=0")
        canvas_picture(browser)
        quality = "{ detail: 1, samples: 4, hasShadows: false, hasPatterns: false }"
        browser.evaluate(
            f"player.draw = () => player.renderer.draw(player.view(), {SIZE[0]}, {SIZE[1]}, 0, {quality}), 1"
        )
        got = canvas_picture(browser).astype(int)
        assert browser.messages == []
    assert (np.abs(got - expected).max(axis=-1) > OFF).mean() < SHARE
    assert (np.abs(got - patterned).max(axis=-1) > OFF).mean() > SHARE


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", ["baked", "pose"])
def test_distant_actors_are_the_impostors_of_the_renderer(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (shipped_folder() / "march.toml").read_text().replace("count = 10000", "count = 200")
    text = text.replace('path = "baked"', f'path = "{path}"').replace("distance = 50.0", "distance = 140.0")
    assert share_off(text, tmp_path, monkeypatch, pictured=500) < SHARE


@pytest.mark.exhaustive
@pytest.mark.parametrize("scene", sorted(set(shipped_scenes()) - {"single", "twist", "morph"} - LARGE))
def test_pictures_of_shipped_scenes_equal_the_renderer(
    scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SwiftShader rounds corners of triangles to 1/16 pixel, and Mesa to 1/256 pixel. Small triangles then cover other
    # samples.
    assert share_off(scene, tmp_path, monkeypatch, driver="mesa") < SHARE

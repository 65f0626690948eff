"""Pages with colours of values paint whole actors."""

from pathlib import Path

import pytest

import ecs_anim as ea
from ecs_anim.scenes.shipped import shipped_folder
from tests.helpers.browser import CHROMIUM, Browser
from tests.sharing.still import still_page
from tests.sharing.test_page_pictures import PICTURED, canvas_picture

SIZE = (640, 480)
NEAR = """
[camera]
target = [0.0, 1.0, 0.0]
distance = 15.0
[rigs.people]
model = "people"
[ground]
material = "plain"
[[crowds]]
rig = "people"
count = 64
layout = { kind = "grid", spacing = 2.0 }
clips = [{ name = "idle" }]
"""
FAR = (shipped_folder() / "march.toml").read_text().replace("count = 10000", "count = 200")
FAR = FAR.replace("distance = 50.0", "distance = 140.0")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.mark.parametrize(("scene", "pictured"), [(NEAR, 0), (FAR, 500)])
def test_colors_of_values_cover_bodies_hair_and_clothes(
    scene: str, pictured: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ea.load_scene(scene) as world, Browser(SIZE) as browser:
        world.step(1 / 60)
        (labels,) = ea.capture(world, passes=["ids"], size=SIZE)
        browser.open(still_page(world, tmp_path, monkeypatch), "#t=0&colors=speed")  # 1 m/s has a blue colour
        assert browser.evaluate(PICTURED) >= pictured
        red, _, blue = canvas_picture(browser)[labels.ids > 0].astype(int).T
        assert (blue > red).mean() > 0.8  # pixels on edges show the ground, and far actors have many edges

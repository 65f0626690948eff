"""The page draws the targets of look-at as balls, at the places at which the renderer draws the balls."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.sharing.moving import CLOSE
from ecs_anim.systems.drawing import marker_rows, shown_targets
from tests.helpers.browser import CHROMIUM, Browser
from tests.sharing.test_page_pictures import OFF, SHARE, canvas_picture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
SIZE = (640, 480)
STEPS = (20, 50)  # steps of the world at which the page and the renderer are compared
SCENE = """
[camera]
target = [0.0, 1.2, 0.0]
distance = 6.0
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 2
layout = { kind = "grid", spacing = 1.5 }
clips = [{ name = "walk" }]
look_at = { target = "ball" }
show_targets = true
targets.hidden = { kind = "point", at = [0.0, 0.4, 0.5], visible = false }
[crowds.targets.ball]
kind = "orbit"
space = "actor"
center = [0.0, 1.5, 0.7]
radius = 0.5
period_seconds = 2.0
marker_radius = 0.3
"""


def test_balls_of_targets_are_those_of_the_renderer(tmp_path: Path) -> None:
    path = tmp_path / "look.html"
    with ea.load_scene(SCENE) as world:
        ea.share(world, path, seconds=1)
    with ea.load_scene(SCENE) as world, Browser(SIZE) as browser:
        browser.open(path, "#t=0")
        for step in range(1, max(STEPS) + 1):
            world.step(1 / 60)
            if step in STEPS:
                browser.evaluate(f"player.seek({step / 60}), 1")
                got = canvas_picture(browser).astype(int)
                balls = browser.evaluate("[...player.renderer.crowds.at(-1).placed]")
                expected = marker_rows(shown_targets(world))
                assert expected.shape == (2, 12)
                np.testing.assert_allclose(np.reshape(balls, (-1, 12)), expected, atol=2 * CLOSE)
                assert (np.abs(got - ea.render(world, SIZE)).max(axis=-1) > OFF).mean() < SHARE
        browser.evaluate("player.renderer.crowds.pop(), 1")
        assert (np.abs(got - canvas_picture(browser)).max(axis=-1) > OFF).mean() > SHARE  # the balls are large
        assert browser.messages == []

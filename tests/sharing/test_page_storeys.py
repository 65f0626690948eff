"""The page shows one storey of a building as the renderer does."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.systems.queries import stage_of
from tests.helpers.browser import CHROMIUM, Browser
from tests.scenes.test_levels import SCENE as UPSTAIRS
from tests.sharing.still import still_page
from tests.sharing.test_page_pictures import OFF, SHARE, canvas_picture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
SIZE = (640, 480)
SCENE = f"""{UPSTAIRS}
[[crowds]]
rig = "people"
count = 9
layout = {{ kind = "grid", center = [-4, 0], level = "low" }}
"""
STATUS = "document.getElementById('status').textContent"
PATHS = "player.ribbons.corners.length / (4 * 6 * 6)"  # each path has 4 parts of 6 corners with 6 numbers
VISIBLE = "player.people.map(crowd => crowd.count)"  # visible actors of each crowd


@pytest.mark.exhaustive
def test_the_page_shows_one_storey_as_the_renderer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ea.load_scene(SCENE) as world, Browser(SIZE) as browser:
        world.step(1 / 60)
        browser.open(still_page(world, tmp_path, monkeypatch), "#t=0")
        labels = browser.evaluate("[...document.getElementById('storey').options].map(own => own.label)")
        assert labels == ["All storeys", "Storey 0: low", "Storey 1: high"]
        for storey, actors in enumerate([[0, 9], [4, 0]]):
            choose(browser, str(storey))
            got = canvas_picture(browser)
            stage_of(world).shown_storeys = range(storey, storey + 1)
            off = np.abs(got.astype(int) - ea.render(world, SIZE)).max(axis=-1) > OFF
            assert off.mean() < SHARE
            assert browser.evaluate(VISIBLE) == actors
            assert browser.evaluate(STATUS) == f"{sum(actors)} of 13 actors"
            browser.evaluate("player.showsPaths = true, player.seek(1), player.draw(), 1")
            assert browser.evaluate(PATHS) == sum(actors)
            browser.evaluate("player.showsPaths = false, player.seek(0), 1")
        choose(browser, "")
        canvas_picture(browser)
        assert browser.evaluate(VISIBLE) == [4, 9]
        assert browser.evaluate(STATUS) == "13 actors"
        browser.evaluate("location.hash = 'storey=1'")
        browser.wait("player.storeys.shown === 1")
        assert browser.messages == []


def test_scenes_without_storeys_have_no_list_of_storeys(browser: Browser) -> None:
    assert browser.evaluate("document.getElementById('storey').hidden")


def choose(browser: Browser, storey: str) -> None:
    script = f"const own = document.getElementById('storey'); own.value = '{storey}';"
    browser.evaluate(f"(() => {{ {script} own.dispatchEvent(new Event('change')) }})()")

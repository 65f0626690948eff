"""Surfaces that move or disappear in pages: steps of escalators, cars and doors of lifts, and doors in walls."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import ecs_anim as ea
from ecs_anim.sharing.moving import CLOSE, corners
from ecs_anim.systems.queries import stage_of
from tests.helpers.browser import CHROMIUM, Browser
from tests.sharing.test_page_pictures import OFF, SHARE, canvas_picture

SCENE = """
[camera]
target = [0.0, 1.5, 0.0]
distance = 20.0
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
area = [[-8, -6], [8, -6], [8, 6], [-8, 6]]
[[levels.doors]]
name = "door"
shape = [[-7, -3], [-3, -3]]
open = true
[[levels]]
name = "high"
height = 3.4
area = [[-8, -6], [8, -6], [8, 6], [-8, 6]]
[[escalators]]
name = "steps"
foot = { at = [-6, 2], level = "low" }
to = "high"
heading_degrees = 0
direction = "up"
[[lifts]]
name = "lift"
at = [4, 0]
heading_degrees = 270
stops = ["low", "high"]
[[crowds]]
rig = "people"
path = "baked"
count = 1
layout = { kind = "grid", center = [4, -2.5], level = "low" }
steering = { goal = { at = [7, -5], level = "high" }, avoid_stairs = true }
[[timeline]]
at_seconds = 2.0
close = "door"
[[timeline]]
at_seconds = 9.0
open = "door"
"""
SECONDS, RATE = 13, 60
STEPS = (30, 150, 310, 480, 600, 707)  # steps of the world at which the page and the renderer are compared
SIZE = (640, 480)
PHASE = 0.011  # [m]; the renderer draws 40 different pictures of a step of an escalator


class Moment(NamedTuple):
    """The renderer's surfaces and picture after a step of the world."""

    time: float  # [s]
    moving: list[NDArray[np.float32]]  # vertices of each moving surface
    surfaces: int  # number of drawn surfaces
    picture: NDArray[np.uint8]


@pytest.fixture(scope="module")
def moments() -> list[Moment]:
    with ea.load_scene(SCENE) as world:
        stage, found = stage_of(world), []
        for step in range(1, max(STEPS) + 1):
            world.step(1 / RATE)
            if step in STEPS:
                moving = [own.positions for own in stage.moving.surfaces()]
                found.append(Moment(step / RATE, moving, len(stage.surfaces), ea.render(world, SIZE)))
        return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = tmp_path_factory.mktemp("moving") / "house.html"
    with ea.load_scene(SCENE) as world:
        ea.share(world, path, seconds=SECONDS)
    with Browser(SIZE) as browser:
        browser.open(path, "#t=0")
        yield browser
        assert browser.messages == []


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_moving_surfaces_of_the_page_are_those_of_the_renderer(browser: Browser, moments: list[Moment]) -> None:
    for moment in moments:
        browser.evaluate(f"player.seek({moment.time}), player.draw(), 1")
        drawn = browser.evaluate("player.renderer.surfaces.filter(own => own.shapes).map(own => [...own.positions])")
        for got, expected in zip(drawn, moment.moving, strict=True):
            np.testing.assert_allclose(np.reshape(got, (-1, 3)), expected, atol=PHASE)
        assert browser.evaluate(f"player.renderer.shownSurfaces({moment.time}).length") == moment.surfaces
    # steps, their edges, the car, its door, and the doors of both stops move; the door in the wall closes and opens
    for surface in zip(*(moment.moving for moment in moments), strict=True):
        assert max(np.abs(own - surface[0]).max() for own in surface) > 10 * PHASE
    counts = [moment.surfaces for moment in moments]
    assert counts[1] == counts[0] + 1
    assert counts[-1] == counts[0]


@pytest.mark.exhaustive
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_pictures_of_moving_surfaces_equal_the_renderer(browser: Browser, moments: list[Moment]) -> None:
    for moment in moments[1::2]:
        browser.evaluate(f"player.seek({moment.time}), 1")
        got = canvas_picture(browser).astype(int)
        assert (np.abs(got - moment.picture).max(axis=-1) > OFF).mean() < SHARE


def test_corners_keep_jumps_and_bends() -> None:
    time = np.arange(600) / RATE
    height = np.interp(time, [0, 2, 5, 10], [0.0, 0.0, 3.0, 3.0])
    share = np.where((time > 1) & (time < 4), 1.0, 0.0)
    rows = np.column_stack([time, share, height])
    kept = rows[corners(rows)]
    assert len(kept) < 12
    for column in (1, 2):
        np.testing.assert_allclose(np.interp(time, kept[:, 0], kept[:, column]), rows[:, column], atol=2 * CLOSE)

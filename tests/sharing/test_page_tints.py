"""Shared files contain the tints that change. The page shows each tint at its time."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.sharing.moving import CLOSE
from ecs_anim.sharing.tints import FilmedTints
from tests.helpers.browser import CHROMIUM, Browser
from tests.sharing.test_page_pictures import OFF, SHARE, canvas_picture

SIZE = (640, 480)
STEPS = (10, 50)  # steps of the world at which the page and the renderer are compared
RED, GREEN = (1.0, 0.0, 0.0, 1.0), (0.0, 0.5, 0.0, 1.0)
SCENE = """
[camera]
target = [0.0, 1.0, 0.0]
distance = 5.0
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 3
layout = { kind = "grid", spacing = 1.5 }
clips = [{ name = "walk" }]
"""


def change_tints(world: World) -> None:
    """Mix the tint of the first actor by the time. The second actor is green after 0.5 s."""
    ((_, (_, look)),) = world.query(Crowd, Appearance)
    share = min(world.time, 1.0)
    look.tint[0] = [share * a + (1 - share) * b for a, b in zip(RED, GREEN, strict=True)]
    look.tint[1] = GREEN if world.time > 0.5 else RED


def world_with_tints(path: str) -> World:
    """Return the world of the scene. Each step changes the tints."""
    world = ea.load_scene(f'{SCENE}path = "{path}"\n')
    world.on("stepped", change_tints)
    change_tints(world)
    return world


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("path", ["pose", pytest.param("baked", marks=pytest.mark.exhaustive)])
def test_tints_that_change_are_those_of_the_renderer(path: str, tmp_path: Path) -> None:
    file = tmp_path / "tints.html"
    with world_with_tints(path) as world:
        ea.share(world, file, seconds=1)
    with world_with_tints(path) as world, Browser(SIZE) as browser:
        browser.open(file, "#t=0")
        for step in range(1, max(STEPS) + 1):
            world.step(1 / 60)
            if step in STEPS:
                browser.evaluate(f"player.seek({step / 60}), 1")
                got = canvas_picture(browser).astype(int)
                ((_, (_, look)),) = world.query(Crowd, Appearance)
                tints = browser.evaluate("[...player.renderer.crowds[0].tints.own]")
                np.testing.assert_allclose(np.reshape(tints, (-1, 4)), look.tint, atol=2 * CLOSE)
                assert (np.abs(got - ea.render(world, SIZE)).max(axis=-1) > OFF).mean() < SHARE
        assert browser.messages == []


def test_paths_contain_the_tints_of_all_samples() -> None:
    random, dt, count = np.random.default_rng(5), 0.1, 200
    exact = np.repeat(random.random((count // 20, 3, 4)), 20, axis=0).astype(np.float32)  # constant for 20 samples
    exact[:, 1] = np.linspace(exact[0, 1], exact[-1, 1], count)
    exact[:, 2] = exact[0, 2]
    first = 25  # the second actor appears later
    film = FilmedTints()
    for sample, tints in enumerate(exact):
        actors = np.array([0, 2] if sample < first else [2, 0, 1], np.int32)
        film.take(dt * sample, actors, tints[actors])
    paths = film.paths(dt)
    assert [path.actor for path in paths] == [0, 1]
    for actor, rows in paths:
        samples = np.arange(first if actor else 0, count)
        for channel in range(4):
            shown = np.interp(dt * samples, rows[:, 0], rows[:, 1 + channel])
            np.testing.assert_allclose(shown, exact[samples, actor, channel], atol=2.5 * CLOSE)
    assert len(paths[1].rows) < 10


def test_tints_that_do_not_change_take_no_space() -> None:
    film = FilmedTints()
    for sample in range(5):
        film.take(sample / 30, np.arange(sample + 1, dtype=np.int32), np.ones((sample + 1, 4), np.float32))
    assert film.paths(1 / 30) == []

"""Actors that come and go, seen: what was kept of others for the last picture does not show."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.systems.drawing import DrawWorld
from tests.helpers import EXHAUSTIVE, some
from tests.helpers.baked import (
    SCENE,
    STEP,
    draw,
    load,
    module_renderer_fixture,  # noqa: F401
)

RATES = 'path = "baked"\nlevel = "auto"\ndetail = { update_rates = true }'


# At so many steps a second, actors of this size are posed in every fourth picture.
OFTEN = SCENE.replace("frame_rate = 30", "frame_rate = 1000").replace("distance = 6.5", "distance = 16.0")


def replaced(world):
    """As many come as go: rows are others', their number is the same."""
    crowd = ea.crowd(world, "people")
    crowd.remove([0, 1, 2, 3])
    crowd.add(positions=[[-1.2, -0.4], [0.3, -1.5], [1.6, 0.5], [0.0, 1.4]])


def fewer(world):
    ea.crowd(world, "people").remove([1, 4, 6])


def more(world):
    ea.crowd(world, "people").add(positions=[[-2.2, -0.4], [2.3, -1.5]])


def nobody(world):
    ea.crowd(world, "people").remove(slice(None))


WAYS = {"cpu": "", "gpu": RATES, "both": 'path = "auto"\nnear_actors = { count = 4, fade_seconds = 0.0 }'}


@pytest.mark.parametrize(
    ("keys", "change"),
    some(
        [
            pytest.param(keys, change, id=f"{way}-{change.__name__}")
            for way, keys in WAYS.items()
            for change in (replaced, fewer, more, nobody)
        ],
        *("cpu-replaced", "cpu-nobody", "gpu-fewer", "gpu-more", "both-replaced", "both-nobody"),
    ),
)
@EXHAUSTIVE
def test_pictures_are_those_of_somebody_who_sees_the_crowd_for_the_first_time(renderer, keys, change):
    with load(OFTEN, keys, steps=5) as world:
        watcher = DrawWorld(renderer)
        for _ in range(3):
            draw(watcher, world, renderer)
            world.step(STEP)
        before = draw(watcher, world, renderer)
        change(world)
        world.step(STEP)
        seen, fresh = draw(watcher, world, renderer), draw(DrawWorld(renderer), world, renderer)
        np.testing.assert_array_equal(seen, fresh)
        assert (seen != before).any()

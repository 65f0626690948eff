"""Palettes of walkers in one go against the systems one by one, each of which has its own oracle: the same bits."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.gait_plan import GAIT
from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.palette import Palette
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.timings import Timings
from ecs_anim.systems.crowd_handle import crowds
from tests.support import EXHAUSTIVE

SCENE = """
seed = 5
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "disc", spacing = 0.9 }}
heading_degrees = "random"
size_variation = 0.1
body = {{ {body} }}
clips = [{{ name = "wave" }}]
{more}
"""
APART = {"model_matrices", "poise", "step_feet"}


def posed(body="", more="", count=37, chunk_size=2048, frames=12):
    """Palettes, what bodies remember, and which systems ran; some actors walk, some stand, of some neither is seen."""
    text, timings = SCENE.format(count=count, body=body, more=more), Timings()
    with load_scene(parse_scene(text, "walkers.toml", Path()), threads=1, chunk_size=chunk_size) as world:
        people, numbers = crowds(world)[0], np.arange(count)
        speed = np.where(numbers % 3, 1.2, 0.0)[:, None]
        people.set_velocity(ea.ALL, speed * np.stack([np.sin(numbers), np.cos(numbers)], axis=-1))
        people.fade_to(ea.ALL, GAIT, 0.0)
        people.fade_to(numbers % 7 == 3, "wave", 0.6)
        for _ in range(frames):
            world.step(1 / 10, timings)
        ((_, (palette, own)),) = world.query(Palette, Body)
        weights, fading = own.state.walk[:, WEIGHT], numbers % 7 == 3
        assert (weights[~fading] == 1).all()
        assert (weights[fading] == 0).all() or (frames < 6 and (np.abs(weights[fading] - 0.5) < 0.5).all())
        return [palette.matrices.copy(), own.state.walk.copy(), own.state.feet.copy()], set(timings.wall_ns)


@pytest.mark.parametrize(("body", "frames"), [("", 12), ("", 4), ("poise = 0, acceleration = 0.8", 12)])
def test_it_is_what_the_systems_do_one_by_one(monkeypatch, body, frames):
    together, ran = posed(body, frames=frames)
    with monkeypatch.context() as patched:
        patched.setattr("ecs_anim.systems.schedule.fuse", list)
        apart, ran_apart = posed(body, frames=frames)
    assert ran_apart - ran == APART
    for a, b in zip(together, apart, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("chunk_size", [8, pytest.param(1, marks=EXHAUSTIVE), pytest.param(3, marks=EXHAUSTIVE)])
def test_who_else_is_in_a_chunk_does_not_matter(chunk_size):
    for a, b in zip(posed()[0], posed(chunk_size=chunk_size)[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_palettes_past_the_caches_are_the_same(monkeypatch):
    found = []
    for cache in (1 << 40, 0):
        monkeypatch.setattr("ecs_anim.components.palette.CACHE", cache)
        found.append(posed(count=29, chunk_size=16)[0][0])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    "more",
    ['skinning = "dual_quaternion"', "look_at = { target = 'it' }\ntargets.it = { kind = 'point', at = [0, 1, 0] }"],
)
def test_what_it_does_not_do_is_left_to_the_systems(more):
    _, ran = posed(more=more)
    assert ran >= APART

"""Palettes of a street in one go against the systems one by one, each of which has its own oracle: the same bits."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.gait_plan import GAIT
from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.palette import Palette
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.timings import Timings
from ecs_anim.systems.crowd_handle import crowds
from tests.helpers import EXHAUSTIVE

SCENE = """
seed = 5
[rigs.people]
model = "mannequin"
[ground]
kind = "heights"
size = [19, 19]
spacing = 0.5
function = "0.4 * sin(x) * cos(z / 2)"
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "disc", spacing = 0.9 }}
heading_degrees = "random"
size_variation = 0.1
parameters = {{ share = [0, 1] }}
body = {{}}
clips = [{{ name = "wave" }}]
grounding = {{ {grounding} }}
{looks}
"""
LOOK = """
look_at = {{ {own} target = "lamp" }}
targets.lamp = {{ kind = "point", at = [0.5, 2.5, 1.0] }}
"""
APART = {"model_matrices", "poise", "step_feet", "grounding"}


def posed(grounding="", looks=None, count=21, chunk_size=2048, frames=7):
    """Palettes, pins, what feet and gazes remember, how calm bodies are, and which systems ran."""
    own = LOOK.format(own=looks) if looks is not None else ""
    text = SCENE.format(count=count, grounding=grounding, looks=own)
    timings = Timings()
    with load_scene(parse_scene(text, "street.toml", Path()), threads=1, chunk_size=chunk_size) as world:
        people = crowds(world)[0]
        angles = np.arange(count)
        speed = np.where(angles % 3, 1.2, 0.0)[:, None]  # some stand, at ease
        people.set_velocity(ea.ALL, speed * np.stack([np.sin(angles), np.cos(angles)], axis=-1))
        people.set_parameter(angles % 5 == 2, "share", 0.0)
        people.fade_to(ea.ALL, GAIT, 0.0)
        people.fade_to(angles % 7 == 3, "wave", 0.6)  # they step less and less
        for _ in range(frames):
            world.step(1 / 10, timings)
        ((_, (palette, contacts, feet, body)),) = world.query(Palette, FootContacts, Grounding, Body)
        arrays = [palette.matrices, contacts.pin, *feet.state, body.state.walk]
        for _, (look,) in world.query(LookAt):
            arrays += look.looks[0].state
        assert len({*(body.state.walk[:, WEIGHT] > 0)}) == 1 + (frames > 6)
        return [array.copy() for array in arrays], set(timings.wall_ns)


def one_by_one(monkeypatch, *arguments, **options):
    with monkeypatch.context() as patched:
        patched.setattr("ecs_anim.systems.applicable.fuse", list)
        return posed(*arguments, **options)


@pytest.mark.parametrize(
    ("grounding", "looks"),
    [
        ("", None),
        ("range = 14", 'weight = "share",'),
        pytest.param('weight = "share"', "", marks=EXHAUSTIVE),
    ],
)
def test_it_is_what_the_systems_do_one_by_one(monkeypatch, grounding, looks):
    together, ran = posed(grounding, looks)
    apart, ran_apart = one_by_one(monkeypatch, grounding, looks)
    assert ran_apart - ran == (APART if looks is None else {*APART, "look_at"})
    for a, b in zip(together, apart, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("chunk_size", [8, pytest.param(1, marks=EXHAUSTIVE), pytest.param(3, marks=EXHAUSTIVE)])
def test_who_else_is_in_a_chunk_does_not_matter(chunk_size):
    for a, b in zip(posed("range = 14", "")[0], posed("range = 14", "", chunk_size=chunk_size)[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_palettes_past_the_caches_are_the_same(monkeypatch):
    found = []
    for cache in (1 << 40, 0):
        monkeypatch.setattr("ecs_anim.components.palette.CACHE", cache)
        found.append(posed("", "", 37, chunk_size=16)[0][0])
    np.testing.assert_array_equal(*found)


def test_pins_by_parameters_are_left_to_the_systems():
    _, ran = posed('pins = ["share", "share"]', None, frames=1)
    assert ran >= APART

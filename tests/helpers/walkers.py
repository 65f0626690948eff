"""A crowd of walkers on flat ground, together and one system after the other."""

from pathlib import Path

import numpy as np

import ecs_anim as ea
from ecs_anim.body.gait_plan import GAIT
from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.palette import Palette
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.timings import Timings
from ecs_anim.systems.crowd_handle import crowds

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


def one_by_one(monkeypatch, *arguments, **options):
    """The same, where no system does the work of several."""
    with monkeypatch.context() as patched:
        patched.setattr("ecs_anim.systems.applicable.fuse", list)
        return posed(*arguments, **options)

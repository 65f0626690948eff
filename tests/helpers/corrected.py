"""Crowds whose poses go through many stages.

Some actors stand, walk, look, reach or are grounded, and others are not.
"""

from pathlib import Path

import numpy as np

import ecs_anim as ea
from ecs_anim.body.gait_plan import GAIT
from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.palette import Palette
from ecs_anim.components.reach import Reach
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems.crowd_handle import crowds

CROWD = """
seed = 5
[rigs.people]
model = "{model}"
[ground]
{ground}
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "disc", spacing = 0.9 }}
heading_degrees = "random"
scale_range = [0.9, 1.1]
"""
FLAT = 'kind = "flat"'
HEIGHTS = 'kind = "heights"\nsize = [19, 19]\nspacing = 0.5\nfunction = "0.4 * sin(x) * cos(y / 2)"'
BLOCKS = 'kind = "blocks"\nblocks = [{ at = [0.5, -1], size = [3, 2], height = 0.2 }]'
# Actors that only play clips, on uneven ground.
PLAYERS = """
parameters = {{ speed = [1.2, 3.4], share = [0, 1] }}
locomotion = {{}}
grounding = {{ {grounding} }}
[[crowds.blend_spaces]]
name = "gait"
parameters = ["speed"]
members = [{{ clip = "{clips}walk" }}, {{ clip = "{clips}run" }}]
"""
# Bodies that walk or stand. Some fade to the clip 'wave' and walk less and less.
WALKERS = """
parameters = {{ share = [0, 1] }}
body = {{ {body} }}
clips = [{{ name = "wave" }}]
{more}
"""
GROUNDED = 'grounding = { fade_distance = 14, weight = "share" }'
LOOKS = """look_at = { weight = "share", target = "lamp" }
targets.lamp = { kind = "point", at = [0.5, 2.5, 1.0] }"""
REACHES = """reach = [{ root = "RightArm", effector = "RightHand", target = "knob", weight = "share" }]
targets.knob = { kind = "point", at = [0.5, 1.2, 1.0] }"""


def players(ground=HEIGHTS, grounding="", count=21, model="mannequin", clips=""):
    """Return the text of a scene with actors that play clips."""
    head = CROWD.format(model=model, ground=ground, count=count)
    return head + PLAYERS.format(grounding=grounding, clips=clips)


def walkers(*more, body="", count=37, ground=FLAT):
    """Return the text of a scene with walking bodies."""
    head = CROWD.format(model="mannequin", ground=ground, count=count)
    return head + WALKERS.format(body=body, more="\n".join(more))


def posed(text, frames=7, systems=(), dt=1 / 10, **options):
    """Return palettes, pins, states of bodies, feet and gazes, and results of reaching after some steps."""
    scene, options = parse_scene(text, "crowd.toml", Path()), {"threads": 1, **options}
    with load_scene(scene, systems=list(systems), **options) as world:
        ((_, (body,)),) = [*world.query(Body)] or [(0, (None,))]
        if body is not None:
            _set_off(crowds(world)[0], len(body.state.walk))
        for _ in range(frames):
            world.step(dt)
        if body is not None:
            assert len({*(body.state.walk[:, WEIGHT] > 0)}) == 1 + (frames > 6)
        return [array.copy() for array in _arrays(world)]


def _set_off(people, count):
    """Let some actors walk, some stand, some ignore gaze and grounding, and some wave."""
    numbers = np.arange(count)
    speed = np.where(numbers % 3, 1.2, 0.0)[:, None]
    people.set_velocity(ea.ALL, speed * np.stack([np.sin(numbers), np.cos(numbers)], axis=-1))
    people.set_parameter(numbers % 5 == 2, "share", 0.0)
    people.fade_to(ea.ALL, GAIT, 0.0)
    people.fade_to(numbers % 7 == 3, "wave", 0.6)


def _arrays(world):
    for _, (palette,) in world.query(Palette):
        yield palette.matrices
    for _, (contacts,) in world.query(FootContacts):
        yield contacts.pin
    for _, (feet,) in world.query(Grounding):
        yield from feet.state
    for _, (body,) in world.query(Body):
        yield from (body.state.walk, body.state.feet)
    for _, (look_at,) in world.query(LookAt):
        yield from look_at.looks[0].state
    for _, (reach,) in world.query(Reach):
        yield from (reach.goals[0].distance, reach.goals[0].reached, reach.goals[0].iterations_used)

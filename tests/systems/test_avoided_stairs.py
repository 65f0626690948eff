"""Crowds that avoid stairs, such as wheelchair users, take ramps."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.steering import Steering
from ecs_anim.components.storeys import Storeyed
from ecs_anim.support.errors import InputError
from tests.helpers import FEW

pytestmark = pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")
STAIRS, RAMP = 2, 3  # numbers of the spaces: two levels, then the flights
RAMPS = '[[ramps]]\nfoot = { at = [-6, -6], level = "low" }\nto = "high"\nheading_degrees = 90\nlength = 12.0\n'


def scene(steering, ramps=RAMPS):
    return f"""
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
area = [[-10, -8], [10, -8], [10, 12], [-10, 12]]
[[levels]]
name = "high"
height = 2.6
area = [[-10, -8], [10, -8], [10, 12], [-10, 12]]
[[stairs]]
foot = {{ at = [6, -3], level = "low" }}
to = "high"
heading_degrees = 90
{ramps}
[[crowds]]
name = "people"
rig = "people"
path = "baked"
count = 4
layout = {{ kind = "grid", columns = 2, spacing = 1.0, center = [6, 5], level = "high" }}
[crowds.steering]
goal = {{ at = [6, -6], level = "low" }}
{steering}
"""


def spaces(text):
    """Return the spaces that the actors enter, and the largest distance from the goal after 60 s."""
    with ea.load_scene(text) as world:
        ((_, (storeyed,)),) = world.query(Storeyed)
        found = set()
        for _ in range(60 * 60):
            world.step(1 / 60, posed=False)
            found |= set(storeyed.space.tolist())
        (people,) = ea.crowds(world)
        away = np.abs(people.positions - [6.0, -6.0]).max()
        return found, away


def test_wheelchair_users_take_the_ramp_and_other_actors_take_the_stairs():
    found, away = spaces(scene(""))
    assert STAIRS in found
    assert RAMP not in found
    assert away < 1.5
    found, away = spaces(scene('population = [{ kind = "electric_wheelchair" }]'))
    assert RAMP in found
    assert STAIRS not in found
    assert away < 2.0


def test_the_key_counts_more_than_the_population():
    wheelchairs = 'population = [{ kind = "manual_wheelchair" }, { kind = "adult" }]\navoid_stairs = true'
    for steering, avoids in ((wheelchairs, True), ('population = [{ kind = "electric_wheelchair" }]', True)):
        with ea.load_scene(scene(steering)) as world:
            assert _avoids(world) is avoids
    with ea.load_scene(scene('population = [{ kind = "electric_wheelchair" }]\navoid_stairs = false')) as world:
        assert _avoids(world) is False


def _avoids(world):
    ((_, (steering,)),) = world.query(Steering)
    return steering.avoids_stairs


def test_without_a_ramp_there_is_no_route():
    with pytest.raises(InputError, match="4 of 4 actors have no route .* without stairs"):
        ea.load_scene(scene("avoid_stairs = true", ramps=""))

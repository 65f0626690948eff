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


@pytest.mark.exhaustive
def test_wheelchair_users_take_the_ramp_and_other_actors_take_the_stairs():
    found, away = spaces(scene(""))
    assert STAIRS in found
    assert RAMP not in found
    assert away < 1.5
    found, away = spaces(scene('population = [{ kind = "electric_wheelchair" }]'))
    assert RAMP in found
    assert STAIRS not in found
    assert away < 2.0


@pytest.mark.exhaustive
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


LIFT = '[[lifts]]\nat = [-6, 5]\nheading_degrees = 270\nstops = ["low", "high"]\n'
CHAIRS = """
[[crowds]]
name = "wheelchairs"
rig = "people"
path = "baked"
count = 3
layout = { kind = "grid", columns = 3, spacing = 1.2, center = [-2, -4], level = "high" }
[crowds.steering]
goal = { at = [6, -6], level = "low" }
population = [{ share = 1, kind = "manual_wheelchair" }, { share = 1, kind = "electric_wheelchair" }]
"""
PARTS = 'population = [{ share = 1, kind = "reduced_mobility" }, { share = 1, kind = "from_30_to_50" }]'


@pytest.mark.exhaustive
def test_populations_walk_over_stairs_at_their_speeds_and_wheelchairs_use_the_lift():
    cabins = {3, 4}  # numbers of the spaces: two levels, the stairs, and the car at both stops
    with ea.load_scene(scene(PARTS, ramps=LIFT) + CHAIRS) as world:
        crowds = [(own, steering) for _, (own, steering) in world.query(Storeyed, Steering)]
        walkers = ea.crowd(world, "people")
        seen, begun = [set(), set()], walkers.positions
        for step in range(20 * 70):
            world.step(1 / 20, posed=False)
            for found, (own, _) in zip(seen, crowds, strict=True):
                found |= set(own.space.tolist())
            if step == 29:
                walked = np.linalg.norm(walkers.positions - begun, axis=1) / 1.5
                np.testing.assert_array_less(walked, crowds[0][1].speed * 1.02)
        assert STAIRS in seen[0]
        assert not seen[0] & cabins
        assert cabins <= seen[1]
        assert STAIRS not in seen[1]
        for own in ea.crowds(world):
            assert own.levels == ["low"] * len(own.ids)
        speeds = crowds[0][1].speed
        slow = (speeds >= 0.46) & (speeds <= 0.76)  # RiMEA 4.1: reduced mobility
        assert (slow | ((speeds >= 1.41) & (speeds <= 1.54))).all()  # or 30 to 50 years
        assert 0 < slow.sum() < len(slow)
        np.testing.assert_allclose(crowds[1][1].radius, 0.35, rtol=1e-6)  # ISO 7193

"""Bodies near a flight of stairs get footholds on its treads. The test computes the place from numbers of the scene."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.state import TO_HEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.transforms import Transforms

AWAY, ASIDE = 0.9, 0.3  # [m], distances before and beside a flight up to which footholds are on treads
WIDTH = 1.2  # [m]
SCENE = """
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
area = [[-9, -9], [9, -9], [9, 9], [-9, 9]]
[[levels]]
name = "high"
height = 3.4
area = [[-9, -9], [9, -9], [9, 9], [-9, 9]]
[[stairs]]
foot = { at = [-2, -1], level = "low" }
to = "high"
heading_degrees = HEADING
width = 1.2
[[crowds]]
rig = "people"
count = 144
body = {}
layout = { kind = "grid", spacing = 0.4, columns = 12, center = [-3.05, -1.6], level = "low" }
[crowds.steering]
goal = { at = [-8, -8], level = "low" }
premovement_seconds = 9.0
radius = 0.15
"""


@pytest.mark.parametrize("heading", [0, 30])
def test_only_bodies_near_a_flight_have_heights_of_footholds(heading):
    with ea.load_scene(SCENE.replace("HEADING", str(heading))) as world:
        world.step(1 / 60)
        ((_, (body, transforms)),) = world.query(Body, Transforms)
        at = transforms.translation[:, [0, 2]] * [1.0, -1.0] - [-2.0, -1.0]
        uphill = np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading))])
        along, aside = at @ uphill, np.abs(at @ [-uphill[1], uphill[0]])
        near = np.isfinite(body.state.feet[:, 0, TO_HEIGHT])
        is_far = (along < -AWAY - 0.01) | (aside > WIDTH / 2 + ASIDE + 0.01)
        is_close = (along > 0.01 - AWAY) & (along < 0.0) & (aside < WIDTH / 2 + ASIDE - 0.01)
        assert is_far.sum() > 20
        assert is_close.sum() >= 8
        assert near[is_close].all()
        assert not near[is_far].any()

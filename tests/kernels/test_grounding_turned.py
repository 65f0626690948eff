"""Feet that are thrown up behind, and knees that clips have bent a little the wrong way."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.ik.grounding import new_foot_state
from ecs_anim.kernels.grounding_plans import PLAN_WIDTH
from tests.helpers import upright
from tests.helpers.grounding import AHEAD, ANKLE, GOAL, HIP, KNEE, PITCH, SETTINGS, Actors, at, legs, rest, slope
from tests.helpers.grounding_steps import Grounded

STEP = 2.0  # [degrees] between two poses


def turned_feet(degrees):
    """Mannequins [degrees, joint, 12] whose feet point down by so much, half a metre above the floor."""
    model = rest(len(degrees))
    for leg in range(2):
        joint, contacts = legs().joints[leg, ANKLE], legs().contacts[leg].astype(np.float64)
        matrix = model[:, joint].reshape(-1, 3, 4).astype(np.float64)
        foot = matrix[0, :, :3] @ (contacts[1] - contacts[0])
        flat = np.degrees(np.arctan2(foot[1], foot[2]))  # how far the foot at rest points up
        pitch = Rotation.from_rotvec(np.outer(np.radians(degrees + flat), [1, 0, 0])).as_matrix()
        matrix[..., :3] = pitch @ matrix[..., :3]
        matrix[:, 1, 3] += 0.5
        model[:, joint] = matrix.reshape(-1, 12)
    return model


@pytest.mark.parametrize("ground", [slope(0.3, 0.0), slope(0.0, 0.3), slope(-0.2, -0.25)])
def test_a_foot_that_is_thrown_up_behind_turns_without_a_jump(ground):
    """One actor after another has its feet a little further round, past straight down; their plans change as little."""
    degrees = np.arange(0, 170, STEP)
    actors, model = Actors(len(degrees), ground, size=(1, 1)), turned_feet(degrees)
    actors.heading[:], actors.translation[:] = 0, 0
    actors.stand()
    plan = actors.plan(model)
    assert np.abs(np.diff(plan[..., PITCH], axis=0)).max() < 0.08
    goals = plan[..., GOAL : GOAL + 3] - at(model, legs().joints[:, ANKLE])
    assert np.linalg.norm(np.diff(goals, axis=0), axis=-1).max() < 0.02
    np.testing.assert_allclose(plan[..., AHEAD], 0, atol=0.25)
    assert (plan[..., AHEAD + 1] > 0.95).all()


def bent(degrees):
    """Mannequins [degrees, joint, 12] whose left knee is bent by so much, its thigh straight down."""
    model = rest(len(degrees))
    hip, knee, ankle = legs().joints[0, [HIP, KNEE, ANKLE]]
    place = at(model, np.array([hip, knee, ankle]))
    upper, lower = np.linalg.norm(np.diff(place[0], axis=0), axis=-1)
    angle = np.radians(degrees)
    shank = lower * np.stack([np.zeros_like(angle), -np.cos(angle), -np.sin(angle)], axis=-1)
    model[:, knee, 3::4] = place[:, 0] + [0, -upper, 0]
    model[:, ankle, 3::4] = place[:, 0] + [0, -upper, 0] + shank
    return model


def knees_ahead(degrees):
    """How far ahead of the line from hip to ankle knees are, once their feet were lifted by a fifth of a metre."""
    model = bent(np.asarray(degrees, np.float64))
    plan = np.zeros((len(model), 2, PLAN_WIDTH), np.float32)
    plan[..., GOAL : GOAL + 3] = at(model, legs().joints[:, ANKLE])
    plan[:, 0, GOAL + 1] += 0.2
    plan[..., AHEAD + 1] = 1
    ones, state = np.ones(len(model), np.float32), new_foot_state(len(model), 2)
    step = Grounded(SETTINGS, legs(), model, upright(np.zeros((len(model), 3), np.float32)), ones, state)
    step.probes(np.zeros((len(model), 2, 3), np.float32))
    model = step.moved(plan)
    hip, knee, ankle = np.moveaxis(at(model, legs().joints[0, [HIP, KNEE, ANKLE]]), 1, 0)
    return (knee - (hip + ankle) / 2)[:, 2]


def test_knees_that_a_clip_has_bent_back_a_little_bend_forwards():
    assert knees_ahead([-8, -5, -2, -0.5, 0, 0.5, 2, 10, 40]).min() > 0.1


def test_knees_that_bend_back_clearly_go_on_doing_so():
    """As a dog's elbows do."""
    assert knees_ahead([-25, -60, -90]).max() < -0.1

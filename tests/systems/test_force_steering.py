"""Force models in a world: sub-steps, the same bits on any threads and from snapshots, and stable crowds."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.steering import Steering
from ecs_anim.support.errors import InputError
from tests.helpers import FEW
from tests.kernels.test_steering import agents_of, steered
from tests.oracles.steering import Person
from tests.systems.test_steering_world import state

EACH = pytest.mark.parametrize("model", ["social_force", "generalized_centrifugal_force"])
DT = 0.05
SCENE = """
seed = 3
[rigs.people]
model = "mannequin"
{walls}
[[crowds]]
name = "people"
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = {spacing}, columns = {columns} }}
body = {{}}
heading_degrees = 0.0
[crowds.steering]
goal = {goal}
radius = 0.2
desired_speed_m_s = 1.2
model = "{model}"
parameters = {{ {parameters} }}
"""
ROOM = '[walls]\nwkt = "POLYGON ((-4 -4, 4 -4, 4 -0.5, 9 -0.5, 9 0.5, 4 0.5, 4 4, -4 4, -4 -4))"'


def text(model, count=2, spacing=0.9, columns=2, goal="[100.0, 0.0]", parameters="", walls=""):
    return SCENE.format(**locals())


def walk(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT, posed=False)


def component(world):
    ((_, (steering,)),) = world.query(Steering)
    return steering


@EACH
def test_a_decision_is_some_steps_of_the_kernel(model):
    with ea.load_scene(text(model, count=4), threads=1) as world:
        (people,) = ea.crowds(world)
        begun = people.positions.copy()
        walk(world, 1.0)
        found = people.positions.copy()
    count = 6 if model == "social_force" else 7  # steps of at most 9.6 ms and 7.7 ms
    east, still, defaults = np.array([1.0, 0.0]), np.zeros(2), dict(parameters(model))
    agents = agents_of([Person(place, still, east, east, 0.2, 1.2, defaults) for place in begun], model)
    for _ in range(20 * count):
        to = np.array([100.0, 0.0]) - agents.seen[:, :2]
        agents.own[:, :2] = to / np.linalg.norm(to, axis=1, keepdims=True)
        agents.seen[:, 2:6] = steered(agents, model, dt=DT / count)
        agents.seen[:, :2] += np.float32(DT / count) * agents.seen[:, 2:4]
    np.testing.assert_allclose(found, agents.seen[:, :2], atol=5e-4)
    assert (found[:, 0] - begun[:, 0] > 0.3).all()


def parameters(model):
    from ecs_anim.steering.models import MODELS

    return MODELS[model].parameters


@pytest.mark.exhaustive
@EACH
def test_threads_and_snapshots_come_to_the_same_bits(model, tmp_path):
    scene = text(model, FEW or 60, 0.5, 8, "[8.0, 0.0]", walls=ROOM)
    ends = []
    for threads in (1, 2, 3):
        with ea.load_scene(scene, threads=threads) as world:
            walk(world, 1.0)
            world.save(tmp_path / "half.npz")
            walk(world, 1.0)
            ends.append(state(world))
            assert np.abs(component(world).drift).max() > 0
    assert ends[0] == ends[1] == ends[2]
    with ea.load_world(tmp_path / "half.npz", scene) as world:
        walk(world, 1.0)
        assert state(world) == ends[0]


@pytest.mark.exhaustive
@EACH
def test_a_crowd_before_a_door_stays_in_its_room_and_leaves(model):
    scene = text(model, FEW or 60, 0.5, 8, "[8.5, 0.0]", walls=ROOM)
    with ea.load_scene(scene, threads=1) as world:
        (people,) = ea.crowds(world)
        for _ in range(30):
            walk(world, 1.0)
            x, y = people.positions.T
            assert (np.abs(y) < np.where(x < 4, 4.0, 0.5) - 0.099).all()  # half of the radius
            assert (np.abs(x - 2.5) < 6.5).all()
        assert (x > 4).mean() > 0.2


@EACH
@pytest.mark.parametrize(
    "changes", ["mass = 1e9", "strength = 1e-9", "relaxation = 1e9", "length = 1e9", "width = 1e9"]
)
def test_odd_parameters_give_finite_positions(model, changes):
    if changes.split()[0] not in parameters(model):
        pytest.skip("the model has no such parameter")
    with ea.load_scene(text(model, FEW or 30, 0.35, 6, "[8.5, 0.0]", changes, ROOM), threads=1) as world:
        (people,) = ea.crowds(world)
        walk(world, 2.0)
        assert np.isfinite(people.positions).all()
        assert np.abs(people.positions).max() < 9


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        ("social_force", "mass = 1e-6"),
        ("social_force", "body_force = 1e9"),
        ("social_force", "range = 1e-9"),
        ("social_force", "rear_weight = 1e9"),
        ("social_force", "relaxation = 1e-9"),
        ("generalized_centrifugal_force", "strength = 1e9"),
        ("generalized_centrifugal_force", "wall_strength = 100.0"),
    ],
)
def test_forces_that_are_too_stiff_are_told_in_one_line(model, changes):
    with pytest.raises(InputError, match="each decision would need more than 100 sub-steps") as told:
        ea.load_scene(text(model, parameters=changes))
    assert "crowds[0].steering" in str(told.value)
    assert "\n" not in str(told.value)


def test_models_without_forces_have_no_drift():
    with ea.load_scene(text("anticipation_velocity", 10, 0.5, 4), threads=1) as world:
        walk(world, 1.0)
        assert not component(world).drift.any()


def test_decisions_between_steps_of_other_lengths_last_until_the_next_decision():
    """24 steps per second and 20 decisions per second: some decisions last two steps."""
    ends = []
    for rate, seconds in ((24, 1 / 24), (240, 1 / 240)):
        with ea.load_scene(text("social_force"), threads=1) as world:
            (people,) = ea.crowds(world)
            for _ in range(2 * rate):
                world.step(seconds, posed=False)
            ends.append(people.positions[:, 0].copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=0.02)

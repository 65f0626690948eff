"""Models of steering of one's own: what they see is what is there, and what they choose is done, kept clear."""

import numpy as np
import pytest
from click.testing import CliRunner

import ecs_anim as ea
from ecs_anim.commands.command_line import cli
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.support.errors import InputError
from tests.project.test_documents import write_files
from tests.systems.test_steering_world import closest, component, plan, state, steps

SCENE = """
seed = 3
[rigs.people]
model = "mannequin"
[walls]
wkt = "POLYGON ((-9 -4, 9 -4, 9 4, -9 4, -9 -4))"
[[crowds]]
name = "own"
rig = "people"
count = 24
layout = {{ kind = "grid", spacing = 0.9, center = [-4.0, 0.0] }}
body = {{}}
steering = {{ goal = [8.0, 0.0], desired_speed_m_s = [1.0, 1.4], radius = 0.2, model = {model}{more} }}
[[crowds]]
name = "others"
rig = "people"
count = 9
layout = {{ kind = "grid", spacing = 0.9, center = [4.0, 0.0] }}
body = {{}}
steering = {{ goal = [-8.0, 0.0], radius = 0.25 }}
"""
CODE = '''
import numpy as np
from ecs_anim.steering.own import Model

class Straight(Model):
    """They go where they want to, whoever is there."""

    parameters = {"haste": 1.5, "other": 2.0}

    def choose(self, around):
        self.around = around
        return (around.parameters["haste"] * around.speed)[:, None] * around.way

class Away(Model):
    """They face where they want to, and go from their neighbours."""

    def choose(self, around):
        away = around.summed(-around.offset)
        size = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-6)
        return away / size, around.way

class Plain(Model):
    def choose(self, around):
        return around.speed[:, None] * around.way

class Heavy(Plain):
    """The third parameter is no time gap, and the model does not use it."""

    parameters = {"a": 1.0, "b": 1.0, "mass": 80.0}

class Early(Plain):
    """The model declares its time gap, in another place than the built-in models."""

    parameters = {"time_gap": 4.0}

class Many(Model):
    parameters = dict.fromkeys("abcdefghi", 1.0)

class None_(Model):
    parameters = {"a": 0}

class Flat(Model):
    def choose(self, around):
        return around.speed

class Lost(Model):
    def choose(self, around):
        return around.velocity * np.nan

class Broken(Model):
    def __init__(self):
        1 / 0

class NoModel:
    pass
'''


@pytest.fixture
def scene(tmp_path):
    """The path of a scene whose crowd "own" steers by a class of its module."""

    def written(name, more=""):
        (tmp_path / "own.py").write_text(CODE)
        path = tmp_path / "hall.toml"
        path.write_text(SCENE.format(model=f'{{ module = "own.py", model = "{name}" }}', more=more))
        return path

    return written


def loaded(path, **changes):
    return ea.load_scene(path, allow_code=True, **changes)


def seen_of(world):
    return component(world, Surroundings).models[-1].around


ALONE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "own"
rig = "people"
count = 1
body = {{}}
layout = {{ kind = "points", points = [[0.0, 0.0]] }}
steering = {{ goal = [10.0, 0.0], desired_speed_m_s = 1.34, model = {{ module = "own.py", model = "{model}" }} }}
"""


def distances(tmp_path, model):
    """How far an actor alone has gone after 5 s and after 10 s [m]."""
    (tmp_path / "own.py").write_text(CODE)
    (tmp_path / "alone.toml").write_text(ALONE.format(model=model))
    with loaded(tmp_path / "alone.toml") as world:
        found = []
        for _ in range(2):
            steps(world, 5.0)
            found.append(float(plan(ea.crowd(world, "own"))[0, 0]))
        return found


@pytest.mark.exhaustive
@pytest.mark.parametrize("model", ["Plain", "Heavy"])
def test_a_parameter_that_the_model_does_not_use_changes_nothing(tmp_path, model):
    np.testing.assert_allclose(distances(tmp_path, model), [5 * 1.34, 9.9], atol=0.02)


def test_a_model_that_declares_a_time_gap_comes_to_rest_in_it(tmp_path):
    slow, begins = 4.0, 10 - 4 * 1.34  # [m], from where on the speed is what is left / 4 s
    left = (10 - begins) * np.exp(-(5 - begins / 1.34) / slow)
    assert distances(tmp_path, "Early")[0] == pytest.approx(10 - left, abs=0.05)


def test_they_see_who_and_what_is_there(scene):
    with loaded(scene("Straight", ", parameters = { haste = 1.2 }")) as world:
        steps(world, 2.0)
        own, others = ea.crowd(world, "own"), ea.crowd(world, "others")
        steering = component(world, Steering)
        before = np.concatenate([plan(own), plan(others)])
        radii = np.concatenate([component(world, Steering, number).radius for number in (0, 1)])
        turns = steering.turns
        while steering.turns == turns:
            before = np.concatenate([plan(own), plan(others)])
            world.step(1 / 60, posed=False)
        around = seen_of(world)
        rows = own.rows(around.ids)
        np.testing.assert_array_equal(np.sort(rows), np.arange(own.actor_count))
        np.testing.assert_allclose(around.position, before[rows], atol=1e-6)
        np.testing.assert_array_equal(around.speed, steering.way[rows, 2])
        np.testing.assert_array_equal(around.radius, steering.radius[rows])
        assert around.parameters.keys() == {"haste", "other"}
        np.testing.assert_allclose(around.parameters["haste"], 1.2)
        np.testing.assert_allclose(around.parameters["other"], 2.0)
        x, y = around.position.T
        np.testing.assert_allclose(np.linalg.norm(around.wall, axis=1), np.minimum(9 - abs(x), 4 - abs(y)), atol=1e-5)
        apart = before[None] - before[rows][:, None]
        near = np.argwhere((np.linalg.norm(apart, axis=-1) < 3) & (np.linalg.norm(apart, axis=-1) > 0))
        expected = sorted((int(i), *np.round(apart[i, j], 3), round(radii[rows[i]] + radii[j], 3)) for i, j in near)
        found = zip(around.agent, around.offset, around.touching, strict=True)
        np.testing.assert_allclose(sorted((int(i), *np.round(o, 3), round(float(t), 3)) for i, o, t in found), expected)
        assert around.seconds == pytest.approx(1 / 20)


@pytest.mark.exhaustive
def test_they_do_what_they_choose_but_go_into_nobody_and_no_wall(scene):
    with loaded(scene("Straight", ", parameters = { haste = 1.2 }")) as world:
        own = ea.crowd(world, "own")
        begin = plan(own)
        steps(world, 1.0)
        assert (plan(own) - begin)[:, 0].min() > 0.3
        least, from_walls = [], []
        for _ in range(240):
            world.step(1 / 60, posed=False)
            least.append(closest(own, ea.crowd(world, "others")))
            from_walls.append((4 - abs(plan(own)[:, 1])).min())
        assert min(least) > 0.36  # of 0.4: they press on against others and walls, which cannot all be kept clear of
        assert min(from_walls) > 0.19


def test_they_face_where_they_say(scene):
    with loaded(scene("Away")) as world:
        steps(world, 1.0)
        orientation = component(world, Steering).orientation
        way = component(world, Steering).way
        moved = np.linalg.norm(way[:, :2], axis=1) > 0.5
        np.testing.assert_allclose(orientation[moved], way[moved, :2], atol=0.2)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("threads", "chunk_size"), [(2, 64), (1, 8)])
def test_threads_and_chunks_do_not_matter(scene, threads, chunk_size):
    path, states = scene("Away"), []
    for changes in ({"threads": 1}, {"threads": threads, "chunk_size": chunk_size}):
        with loaded(path, **changes) as world:
            steps(world, 1.0)
            states.append(state(world))
    assert states[0] == states[1]


def test_worlds_go_on_from_snapshots_to_the_bit(scene, tmp_path):
    path = scene("Away")
    with loaded(path) as world:
        steps(world, 0.5)
        world.save(tmp_path / "x.snapshot")
        steps(world, 0.5)
        expected = state(world)
    with ea.load_world(tmp_path / "x.snapshot", path, allow_code=True) as world:
        steps(world, 0.5)
        assert state(world) == expected


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("Strait", "", "crowds[0].steering.model.model: own.py has no class 'Strait'; did you mean 'Straight'?"),
        (
            "NoModel",
            "",
            "NoModel must be a subclass of the class Model. Derive NoModel from ecs_anim.steering.own.Model",
        ),
        ("Many", "", "Many.parameters must have at most 8 names (got 9)"),
        ("None_", "", "None_.parameters must be a dictionary from names to numbers more than 0 (got {'a': 0})"),
        ("Broken", "", "ZeroDivisionError"),
        ("Straight", ", parameters = { hast = 1.0 }", "Straight has no parameter 'hast'; did you mean 'haste'?"),
    ],
)
def test_mistakes_are_told_with_their_place(scene, name, more, message):
    with pytest.raises(InputError) as error:
        loaded(scene(name, more))
    assert "hall.toml: crowds[0].steering" in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [("Flat", r"the array of velocities must have the shape \[24, 2\] \(got \[24\]\)"), ("Lost", "must be finite")],
)
def test_answers_that_are_none_are_told(scene, name, message):
    with pytest.raises(ValueError, match=message), loaded(scene(name)) as world:
        steps(world, 0.1)


def test_code_needs_leave(scene):
    path = scene("Straight")
    with pytest.raises(InputError, match=r"crowds\[0\]\.steering\.model\.module: the scene needs to run code"):
        ea.load_scene(path)
    assert "Its Python code was not checked" in CliRunner().invoke(cli, ["check", str(path)]).output


@pytest.mark.exhaustive
def test_the_social_forces_of_the_docs_bring_people_past_each_other_to_their_goal(tmp_path):
    write_files("docs/steering-models.md", tmp_path)
    with ea.load_scene(tmp_path / "hall.toml", allow_code=True) as world:
        (people,) = ea.crowds(world)
        begin = plan(people)
        apart = []
        for _ in range(12):
            steps(world, 1.0)
            apart.append(closest(people))
        assert (plan(people)[:, 0] - begin[:, 0]).min() > 5
        assert min(apart) > 0.28  # of 0.3

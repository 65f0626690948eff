"""A crowd as user code handles it: selections, what can be set, and what is refused."""

import math
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.layers import Layers
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.reach import Reach
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import quaternion
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems.crowd_handle import crowd, crowds

COUNT = 6
SCENE = f"""
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = {COUNT}
parameters = {{ speed = {{ initial = 1.0, max_change_per_second = 2.0 }}, lean = 0.0 }}
triggers = ["greet", "stop"]
clips = [{{ name = "idle", phase = 0.25 }}, {{ name = "walk", weight = 0 }}, {{ name = "wave", weight = 0 }}]
layers = [{{ clip = "lean_left", weight = 0.5 }}, {{ name = "driven", clip = "lean_left", weight = "lean" }}]
[[crowds]]
name = "others"
rig = "people"
clips = [{{ name = "idle" }}]
"""
MASK = [True, False, True, False, False, True]
SELECTIONS = [
    (ea.ALL, range(COUNT)),
    (slice(None), range(COUNT)),
    (slice(4, None, -2), [4, 2, 0]),
    (slice(2, 2), []),
    (MASK, [0, 2, 5]),
    (np.array(MASK), [0, 2, 5]),
    (np.zeros(COUNT, bool), []),
    ([3, 1], [3, 1]),
    (np.array([5, 0], np.uint8), [5, 0]),
    ([-1], [5]),
    (np.arange(3), [0, 1, 2]),
    (2, [2]),
    ([], []),
]


@pytest.fixture(scope="module")
def loaded():
    with load_scene(parse_scene(SCENE, "x.toml", Path()), threads=1) as world:
        yield world


@pytest.fixture
def world(loaded):
    """The world with its columns as they were loaded."""
    holders = [part for entity, _ in loaded.query(Crowd) for part in loaded.components(entity)]
    holders += [layer for part in holders if isinstance(part, Layers) for layer in part.layers]
    columns = [column for part in holders for column in vars(part).values() if isinstance(column, np.ndarray)]
    before = [column.copy() for column in columns]
    yield loaded
    for column, value in zip(columns, before, strict=True):
        if column.flags.writeable:
            column[:] = value


@pytest.fixture
def people(world):
    return crowd(world, "people")


def test_crowds_are_found_by_name(world, people):
    assert (people.name, people.actor_count) == ("people", COUNT)
    assert people.motions == ("idle", "walk", "wave")
    assert [each.name for each in crowds(world)] == ["people", "others"]
    with pytest.raises(KeyError, match="no crowd 'peeple'; did you mean 'people'\\? crowds are: people, others"):
        crowd(world, "peeple")


def test_a_name_that_two_crowds_have_is_refused():
    text = SCENE.replace('"others"', '"people"')
    with (
        load_scene(parse_scene(text, "x.toml", Path()), threads=1) as world,
        pytest.raises(KeyError, match=r"crowds must have different names .got 2 crowds 'people'.\. Rename them"),
    ):
        crowd(world, "people")


@pytest.mark.parametrize(("selection", "rows"), SELECTIONS, ids=str)
def test_every_form_of_selection(people, selection, rows):
    rows = list(rows)
    people.fade_to(selection, "walk", 0.4)
    chosen = [actor in rows for actor in range(COUNT)]
    assert people.playing() == ["walk" if own else "idle" for own in chosen]
    people.set_parameter(selection, "lean", np.arange(len(rows)) + 10)
    people.trigger(selection, "greet")
    people.set_layer_weight(selection, "lean_left", 0.125)
    assert np.array_equal(people._now.parameters.target[rows, 1], np.arange(len(rows)) + 10)
    np.testing.assert_array_equal(people._now.parameters.target[:, 2], chosen)
    np.testing.assert_array_equal(people._now.parameters.target[:, 3], 0)
    np.testing.assert_array_equal(people._now.layers["lean_left"].weight, np.where(chosen, 0.125, 0.5))


@pytest.mark.parametrize("selection", [[6], [-7], [True, False], np.ones((2, 3), bool), "walk", [0.5], [math.nan]])
def test_rows_that_are_not_there_are_refused(people, selection):
    for act in (
        lambda: people.fade_to(selection, "walk"),
        lambda: people.set_parameter(selection, "lean", 1.0),
        lambda: people.set_layer_weight(selection, "lean_left", 1.0),
        lambda: people.remove(selection),
    ):
        with pytest.raises(IndexError, match="crowd 'people'|a selection of actors must be"):
            act()
    assert people.actor_count == COUNT


@pytest.mark.parametrize("ids", [1.5, [math.nan], "1", [[1]], None])
def test_ids_are_whole_numbers(people, ids):
    with pytest.raises(ValueError, match="ids must be"):
        people.rows(ids)


@pytest.mark.parametrize("value", [[1.0, 2.0], [[1.0]] * COUNT, "fast", None, 1j])
def test_values_are_one_for_all_or_one_for_each(people, value):
    with pytest.raises(ValueError, match="parameter 'lean' must be"):
        people.set_parameter(ea.ALL, "lean", value)
    with pytest.raises(ValueError, match="layer 'lean_left': a weight must be"):
        people.set_layer_weight(ea.ALL, "lean_left", value)


@pytest.mark.parametrize("center", [(math.nan, 0.0), (1.0, 2.0, 3.0), "here"])
def test_angles_are_around_a_plan_point(people, center):
    with pytest.raises(ValueError, match="center must be"):
        people.angles_around(center)


def test_a_fade_says_where_and_how_fast(world, people):
    ((_, (playback,)), _) = world.query(Playback)
    people.fade_to([0], "walk", 0.4, phase=0.75, speed=-2.0)
    people.fade_to([1], "walk", 0.4, phase="match")
    assert playback.slot_count.tolist() == [2, 2, 1, 1, 1, 1]
    assert (playback.phase[0, 1], playback.speed[0, 1]) == (0.75, -2)
    assert playback.fade_duration[0, 1] == np.float32(0.4)
    assert playback.phase[1, 1] == playback.phase[1, 0] == 0.25
    people.fade_to([0, 1], "walk", 0.1)
    assert playback.slot_count.tolist() == [2, 2, 1, 1, 1, 1], "it plays already"
    people.fade_to([0], "walk", 0.1, restart=True)
    assert playback.slot_count[0] == 3


def test_motions_can_be_given_by_number_for_each(people):
    people.fade_to([0, 1, 2], [2, 1, 0])
    assert people.playing() == ["wave", "walk", "idle", "idle", "idle", "idle"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("wakl",), {}, KeyError, "no motion 'wakl'; did you mean 'walk'\\? motions are: idle, walk, wave"),
        (([0, 1, 2, 3, 4, 3],), {}, ValueError, "0 to 2"),
        (([0, 0, 0, 0, 0, -1],), {}, ValueError, "0 to 2"),
        (([0, 1],), {}, ValueError, r"motion numbers must be one value for all 6 rows, or an array of shape \[6\]"),
        (("walk", -0.1), {}, ValueError, "duration"),
        (("walk", math.nan), {}, ValueError, "duration"),
        (("walk", math.inf), {}, ValueError, "duration"),
        (("walk", 1e300), {}, ValueError, "duration"),
        (("walk",), {"phase": 1.1}, ValueError, "phase"),
        (("walk",), {"phase": math.nan}, ValueError, "phase"),
        (("walk",), {"phase": "mach"}, TypeError, "phase must be a finite number or 'match' \\(got 'mach'\\)"),
        (("walk",), {"speed": math.inf}, ValueError, "speed"),
        (("walk",), {"speed": math.nan}, ValueError, "speed"),
        (("walk",), {"speed": 1e39}, ValueError, "speed"),
    ],
)
def test_a_fade_that_cannot_be_changes_nothing(people, arguments, options, error, message):
    with pytest.raises(error, match=message):
        people.fade_to(ea.ALL, *arguments, **options)
    assert people.playing() == ["idle"] * COUNT


def test_values_approach_what_is_set(world, people):
    people.set_parameter([0, 1], "speed", [2.0, 0.9])
    assert people.parameter("speed").tolist() == [1] * COUNT
    world.step(0.1)
    np.testing.assert_allclose(people.parameter("speed"), [1.2, 0.9, 1, 1, 1, 1], rtol=1e-6)
    people.parameter("speed")[:] = 99
    assert people.parameter("speed").max() < 2, "what is given out is a copy"


def test_a_trigger_that_nothing_uses_stays_pulled(world, people):
    people.trigger([4], "stop")
    for _ in range(3):
        world.step(0.1)
    assert people.parameter("stop").tolist() == [0, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e39, [0, 1, 2, 3, 4, math.nan]])
def test_parameters_stay_finite(world, people, value):
    ((_, (parameters,)), _) = world.query(Parameters)
    with pytest.raises(ValueError, match="'lean' must be finite"):
        people.set_parameter(ea.ALL, "lean", value)
    assert (parameters.target[:, 1] == 0).all()


def test_unknown_names_are_told_with_those_that_are_known(people):
    with pytest.raises(
        KeyError, match="no parameter 'sped'; did you mean 'speed'\\? parameters are: speed, lean, greet, stop"
    ):
        people.set_parameter(ea.ALL, "sped", 1.0)
    with pytest.raises(KeyError, match="no parameter 'sped'"):
        people.parameter("sped")
    with pytest.raises(KeyError, match="no trigger 'speed'; triggers are: greet, stop"):
        people.trigger(ea.ALL, "speed")
    with pytest.raises(KeyError, match="no layer 'lean'; did you mean 'lean_left'\\? layers are: lean_left, driven"):
        people.set_layer_weight(ea.ALL, "lean", 1.0)


@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan, [0, 0, 0, 0, 0, 2]])
def test_a_layers_weight_is_a_share(world, people, weight):
    ((_, (layers,)),) = world.query(Layers)
    with pytest.raises(ValueError, match="weight must be 0 to 1"):
        people.set_layer_weight(ea.ALL, "lean_left", weight)
    assert (layers.layers[0].weight == 0.5).all()


def test_a_weight_that_a_parameter_drives_cannot_be_set(people):
    with pytest.raises(ValueError, match="parameter 'lean' sets the weight of layer 'driven'"):
        people.set_layer_weight(ea.ALL, "driven", 1.0)


def test_corrections_are_weighted_actor_by_actor():
    text = """
    [rigs.people]
    model = "mannequin"
    [[crowds]]
    rig = "people"
    count = 4
    clips = [{ name = "walk" }]
    targets = { ball = { kind = "point", at = [0, 1, 2] } }
    look_at = { target = "ball" }
    reach = [{ root = "LeftArm", effector = "LeftHand", target = "ball" }]
    grounding = {}
    """
    with load_scene(parse_scene(text, "corrections.toml", Path()), threads=1) as world:
        people = ea.crowd(world, "people")
        people.set_ik_weight([1, 2], "grounding", 0.25)
        people.set_ik_weight(ea.ALL, "look_at", 0.5)
        people.set_ik_weight(slice(0, 1), "LeftHand", 0.75)
        ((_, (grounding, look_at, reach)),) = world.query(Grounding, LookAt, Reach)
        np.testing.assert_array_equal(grounding.weight, np.float32([1, 0.25, 0.25, 1]))
        np.testing.assert_array_equal(look_at.looks[0].weight, np.full(4, 0.5, np.float32))
        np.testing.assert_array_equal(reach.goals[0].weight, np.float32([0.75, 1, 1, 1]))
        with pytest.raises(
            KeyError, match="no correction 'Tail'; corrections of the crowd are: grounding, look_at, LeftHand"
        ):
            people.set_ik_weight(ea.ALL, "Tail", 1.0)
        with pytest.raises(ValueError, match="grounding: a weight must be 0 to 1"):
            people.set_ik_weight(ea.ALL, "grounding", 2.0)


def test_everybody_is_said_and_nobody_is_told(people):
    for act in (
        lambda: people.fade_to(None, "walk"),
        lambda: people.set_parameter(None, "lean", 1.0),
        lambda: people.trigger(None, "greet"),
        lambda: people.set_layer_weight(None, "lean_left", 1.0),
    ):
        with pytest.raises(ea.InputError, match=r"no actors are selected"):
            act()
    people.trigger(ea.ALL, "greet")
    assert (people._now.parameters.target[:, 2] == 1).all()


def test_where_actors_stand_and_face_is_what_newcomers_take(world):
    """The handle returns the place below the ball's centre, not the columns of the crowd, which hold the centre."""
    text = """
    [rigs.balls]
    model = "ball"
    facing_degrees = 90.0
    [[crowds]]
    rig = "balls"
    count = 5
    layout = { kind = "scatter", radius = 9.0 }
    heading_degrees = "random"
    clips = [{ name = "hold" }]
    [ground]
    kind = "heights"
    size = [64.0, 64.0]
    function = "1.1 * sin(x / 6) * cos(y / 7)"
    """
    with load_scene(text.replace('"hold"', f'"{next(iter(ea.load_rig("ball").clips))}"'), threads=1) as world:
        balls = ea.crowd(world, "balls")
        points, headings = balls.positions_in_space, balls.headings
        x, _, z = points.T
        np.testing.assert_array_equal(balls.positions, np.stack([x, -z], axis=-1))
        np.testing.assert_allclose(points[:, 1], 1.1 * np.sin(x / 6) * np.cos(z / 7), atol=0.02)
        assert len(np.unique(headings)) == 5
        assert np.abs(headings).max() <= np.pi
        new = balls.rows(balls.add(positions=points, headings=headings))
        np.testing.assert_allclose(balls.positions_in_space[new], points, atol=1e-6)
        np.testing.assert_allclose(balls.headings[new], headings, atol=1e-6)
        facing = quaternion.rotate(world.get(balls._entity, Transforms).rotation[new], [1.0, 0.0, 0.0])
        np.testing.assert_allclose(facing, np.stack([np.cos(headings), 0 * x, -np.sin(headings)], -1), atol=1e-6)
        points[:] = 99
        assert balls.positions_in_space.max() < 99, "what is given out is a copy"


def test_poses_are_what_palettes_are_made_of(world, people):
    people.fade_to([1, 2], "walk", 0.4)
    people.set_layer_weight(ea.ALL, "lean_left", 0.75)
    for _ in range(5):
        world.step(0.05)
    poses = people.poses()
    assert poses.rotation.shape == (COUNT, people.rig.skeleton.joint_count, 4)
    np.testing.assert_allclose(ea.skin_palette(people.rig.skeleton, poses), people.palettes(), atol=2e-6)
    assert people.phases.tolist() == [
        people._now.playback.phase[k, people._now.playback.slot_count[k] - 1] for k in range(COUNT)
    ]
    people.palettes()[:] = 0
    assert people.palettes().any(), "what is given out is a copy"


@pytest.mark.parametrize("path", ["baked", "auto"])
def test_crowds_that_the_gpu_poses_have_poses_but_no_palettes(path):
    text = f"""
    [rigs.people]
    model = "mannequin"
    [[crowds]]
    rig = "people"
    count = 3
    path = "{path}"
    clips = [{{ name = "walk" }}]
    """
    with load_scene(text, threads=1) as world:
        world.step(0.1)
        people = ea.crowd(world, "people")
        exact = people.rig.clips["walk"].sample(people.phases * people.rig.clips["walk"].duration)
        np.testing.assert_allclose(np.abs(people.poses().rotation), np.abs(exact.rotation), atol=2e-3)
        for act in (people.palettes, lambda: people.set_skinning("dual_quaternion")):
            with pytest.raises(ValueError, match="the GPU computes the poses of this crowd"):
                act()


def test_skinning_is_the_crowds(world, people):
    people.set_skinning("dual_quaternion")
    assert people.palettes().shape[-2:] == (4, 4)
    people.set_skinning("linear")
    assert people.palettes().shape[-2:] == (3, 4)
    with pytest.raises(ea.InputError, match=r"no method 'lineer'; did you mean 'linear'\?"):
        people.set_skinning("lineer")


def test_targets_are_put_where_one_wants_them():
    text = """
    [rigs.people]
    model = "mannequin"
    [[crowds]]
    rig = "people"
    count = 3
    clips = [{ name = "idle" }]
    look_at = { target = "ball" }
    [crowds.targets]
    ball = { kind = "point", at = [0, 1, 2] }
    own = { kind = "point", space = "actor", at = [0, 1, 2] }
    moon = { kind = "orbit", center = [0, 2, 0], radius = 3.0, period_seconds = 4.0 }
    """
    with load_scene(text, threads=1) as world:
        people = ea.crowd(world, "people")
        before = people.palettes()
        people.set_target("ball", [2.0, 1.5, 1.0])
        people.set_target("ball", [[-2.0, 1.5, 1.0]], [2])
        for _ in range(30):
            world.step(1 / 30)
        found = people._now.targets["ball"].position
        np.testing.assert_array_equal(found, np.array([[2, 1.5, 1], [2, 1.5, 1], [-2, 1.5, 1]], np.float32))
        head = people.rig.skeleton.joint_names.index("Head")
        entry = people.rig.skeleton.skin_joints.tolist().index(head)
        turned = people.palettes()[:, entry, 2, 0] - before[:, entry, 2, 0]
        assert turned[0] * turned[2] < 0, "heads turn to opposite sides"
        for name in ("own", "moon"):
            with pytest.raises(ValueError, match=f"target '{name}' is not a fixed point of the world"):
                people.set_target(name, [0, 0, 0])
        with pytest.raises(ValueError, match="target 'ball': positions must be at most 16384 m from the origin"):
            people.set_target("ball", [0, 2e4, 0])
        with pytest.raises(ea.InputError, match=r"no target 'bal'; did you mean 'ball'\? targets are: ball, own, moon"):
            people.set_target("bal", [0, 0, 0])
        with pytest.raises(ValueError, match="positions must be"):
            people.set_target("ball", [0, 0])


def test_states_are_those_of_the_state_machine():
    with load_scene("controllers", actors=20, threads=1) as world:
        people = crowd(world, "people")
        assert people.states() == ["stand"] * 20
        people.trigger([3, 5], "greet")
        world.step(1 / 60)
        assert [number for number, state in enumerate(people.states()) if state == "greet"] == [3, 5]
        playing = np.array(people.playing())
        assert set(playing[[3, 5]]) == {"wave"}


def test_a_crowd_without_a_state_machine_has_no_states():
    with load_scene("single", threads=1) as world, pytest.raises(ValueError, match="must have a state machine"):
        ea.crowds(world)[0].states()


@pytest.mark.parametrize("blend", ["cross", "inertial"])
def test_playing_clips_have_weights_and_times(blend):
    """After 0.2 s of a cross-fade of 0.5 s, the new clip has weight 0.4. Inertialization plays only the new clip."""
    text = SCENE.replace("count = 6", f'count = 6\nblend = "{blend}"')
    with load_scene(parse_scene(text, "x.toml", Path()), threads=1) as world:
        people = crowd(world, "people")
        people.fade_to([4, 1], "walk", 0.5, phase=0.5)
        world.step(0.1)
        world.step(0.1)
        found = people.playing_clips([4, 0])
        new, old = (4, people.ids[4], "walk"), (4, people.ids[4], "idle")
        shown = [new, (0, people.ids[0], "idle")] if blend == "inertial" else [old, new, (0, people.ids[0], "idle")]
        assert list(zip(found.actors, found.ids, found.clips, strict=True)) == shown
        np.testing.assert_allclose(found.weights, [1, 1] if blend == "inertial" else [0.6, 0.4, 1], atol=1e-6)
        duration = np.array([people.rig.clips[name].duration for name in found.clips])
        begin = np.where(found.clips == "walk", 0.5, 0.25)
        np.testing.assert_allclose(found.phases, begin + 0.2 / duration, atol=1e-5)
        np.testing.assert_allclose(found.seconds, begin * duration + 0.2, atol=1e-4)
        assert len(people.playing_clips([])) == 0
        assert str(found).splitlines()[-1] == f"actor {people.ids[0]}: idle, weight 1.00, 1.70 s, phase 0.28"
        assert len(str(people.playing_clips([0] * 30)).splitlines()) == 21

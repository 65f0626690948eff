"""Hands on handrails: the place of the hands, the choice of the hand, moving steps, snapshots and errors.

The tests compute the lines of the handrails from the numbers of the scene.
"""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.handrails import HandRails
from ecs_anim.components.storeys import Storeyed
from ecs_anim.systems.joints import joint_matrices

HEIGHT, RISE, GOING, RISERS = 3.4, 0.17, 0.29, 20  # of the stairs in HOUSE
RAIL = 0.95  # [m], height of a handrail above the front edges of the treads
WIDTH, POST = 1.2, 0.06  # [m], free width, and width of a railing
SECONDS = 0.4  # [s], time in which a hand moves to a handrail
HOUSE = """
seed = 4
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
area = [[-8, -4], [12, -4], [12, 4], [-8, 4]]
[[levels]]
name = "high"
height = 3.4
area = [[5, -4], [12, -4], [12, 4], [5, 4]]
"""
STAIRS = """
[[stairs]]
foot = { at = [0, 0], level = "low" }
to = "high"
heading_degrees = 0
width = 1.2
"""
LIFT = """
[[lifts]]
at = [9, -2]
heading_degrees = 180
stops = ["low", "high"]
"""
ESCALATOR = """
[[escalators]]
foot = { at = [-0.8, 0], level = "low" }
to = "high"
heading_degrees = 0
walking_share = 0.0
"""
PEOPLE = """
[[crowds]]
name = "{name}"
rig = "people"
count = 8
body = {{}}
hold_handrails = {share}
layout = {{ kind = "grid", spacing = 0.8, columns = 2, center = [{x}, 0], level = "{level}" }}
[crowds.steering]
goals = [{{ at = [{goal}, 0], level = "{to}" }}]
radius = 0.2
"""


REACH = """
targets = { bag = { kind = "point", at = [0, 1, 0] } }
reach = [{ target = "bag", root = "LeftArm", effector = "LeftHand" }]
[crowds.steering]
"""


def people(name="up", share=1.0):
    places = {"up": (-2.5, "low", 9, "high"), "down": (8.5, "high", -5, "low")}[name]
    return PEOPLE.format(**dict(zip(("x", "level", "goal", "to"), places, strict=True)), name=name, share=share)


def steps(world, seconds):
    """Advance a world, and yield its component `HandRails`, the spaces of the actors, and the wrists [actor, 2, 3]."""
    ((entity, (own, storeyed)),) = world.query(HandRails, Storeyed)
    skeleton = ea.crowds(world)[0].rig.skeleton
    hands = [skeleton.joint_index(name) for name in ("LeftHand", "RightHand")]
    for _ in range(round(seconds * 60)):
        world.step(1 / 60)
        rows = np.arange(len(own.holds), dtype=np.int32)
        yield own, storeyed.space, joint_matrices(world, entity, rows)[..., 3][:, hands]


def from_stairs(wrists, side):
    """Return the distances [n] of wrists [n, 3] from the handrail of STAIRS on one side: 1 = north, -1 = south."""
    along = np.clip(wrists[:, 0], 0, (RISERS - 1) * GOING)
    line = np.stack(
        [along, RISE + RAIL + along * RISE / GOING, np.full(len(along), -side * (WIDTH + POST) / 2)], axis=-1
    )
    return np.sqrt(((wrists - line) ** 2).sum(axis=-1))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "north"), [("up", 0), ("down", 1)], ids=["up", "down"])
def test_hands_lie_on_the_handrail_beside_them(name, north):
    """The wrist is 5 cm from the middle of the handrail: 4 cm above and 3 cm beside. Arms can miss it by 2 cm."""
    seen = [0, 0]
    with ea.load_scene(HOUSE + STAIRS + people(name), threads=1) as world:
        for own, _, wrists in steps(world, 14):
            for hand in (0, 1):
                on = own.grip[:, hand] == 1
                away = from_stairs(wrists[on, hand], 1 if hand == north else -1)
                assert (away < 0.07).all()
                seen[hand] += np.count_nonzero(on)
            assert not (own.grip == 1).all(axis=1).any()  # an actor holds one handrail at a time
    assert min(seen) > 60


@pytest.mark.exhaustive
def test_hands_move_to_the_handrail_and_back_within_the_stated_time():
    before, beside = None, np.full(8, SECONDS)  # [s], time since the actor has left the stairs
    with ea.load_scene(HOUSE + STAIRS + people(), threads=1) as world:
        for own, space, _ in steps(world, 14):
            beside = np.where(space < own.rails.first, beside + 1 / 60, 0)
            assert (own.grip[beside > SECONDS + 2 / 60] == 0).all()
            if before is not None:
                assert np.abs(own.grip - before).max() <= 1 / 60 / SECONDS + 1e-6
            before = own.grip.copy()
        assert (beside < 10).any()  # some actors have used the stairs


@pytest.mark.exhaustive
def test_one_railing_serves_only_the_hand_beside_it():
    text = HOUSE + STAIRS + 'railings = "left"\n'
    for name, hand in (("up", 0), ("down", 1)):
        most = np.zeros(2)
        with ea.load_scene(text + people(name), threads=1) as world:
            for own, _, _ in steps(world, 12):
                most = np.maximum(most, own.grip.max(axis=0))
        assert most[hand] == 1
        assert most[1 - hand] == 0


@pytest.mark.exhaustive
def test_on_an_escalator_the_hand_moves_with_the_steps():
    """The belt moves at 0.5 m/s along a slope of 30 degrees (EN 115-1)."""
    speeds, before, held = [], None, None
    with ea.load_scene(HOUSE + ESCALATOR + people(), threads=1) as world:
        for own, _, wrists in steps(world, 14):
            on = own.grip == 1
            if before is not None and (on & held).any():
                speeds.extend(((wrists - before) * 60)[on & held])
            before, held = wrists, on
    speed = np.median(speeds, axis=0)
    np.testing.assert_allclose(speed[1] / speed[0], 0.2 / 0.4, rtol=0.1)  # a step rises 0.2 m per 0.4 m
    np.testing.assert_allclose(np.sqrt(speed @ speed), 0.5, rtol=0.1)


@pytest.mark.exhaustive
def test_passengers_of_a_lift_hold_no_handrail():
    by_lift = people().replace("goals =", "avoid_stairs = true\ngoals =")
    with ea.load_scene(HOUSE + STAIRS + LIFT + by_lift, threads=1) as world:
        rode = np.zeros(8, bool)
        for own, space, _ in steps(world, 30):
            rode |= space >= own.rails.first + own.rails.flights
            assert (own.grip == 0).all()
        assert rode.any()


def test_a_share_of_the_actors_uses_handrails():
    with ea.load_scene(HOUSE + STAIRS + people(share=0.5), actors=400, threads=1) as world:
        ((_, (own,)),) = world.query(HandRails)
        assert 160 < np.count_nonzero(own.holds) < 240
        ea.crowds(world)[0].add(400)
        assert 160 < np.count_nonzero(own.holds[400:]) < 240


@pytest.mark.exhaustive
def test_a_snapshot_continues_with_the_same_bits(tmp_path):
    text, path = HOUSE + STAIRS + people(), tmp_path / "house.npz"
    with ea.load_scene(text, threads=1) as world:
        for _ in steps(world, 5):
            pass
        world.save(path)
        *_, (own, _, wrists) = steps(world, 1.5)
        assert ((own.grip > 0) & (own.grip < 1)).any() or (own.grip == 1).any()
    with ea.load_world(path, text) as again:
        *_, (_, _, others) = steps(again, 1.5)
    np.testing.assert_array_equal(wrists, others)


def test_user_code_cannot_set_the_weight_of_an_arm_that_holds_handrails():
    with ea.load_scene(HOUSE + STAIRS + people(), threads=1) as world, pytest.raises(ea.InputError, match="correction"):
        ea.crowds(world)[0].set_ik_weight(slice(None), "LeftHand", 1.0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HOUSE + STAIRS + "railings = false\n" + people(), "hold_handrails: the scene has no handrails"),
        (HOUSE + STAIRS + people(share=1.5), "hold_handrails"),
        (HOUSE + STAIRS + 'railings = "middle"\n' + people(), "railings"),
        (
            '[rigs.people]\nmodel = "mannequin"\n[[crowds]]\nrig = "people"\nbody = {}\nhold_handrails = 1\n',
            "hold_handrails: the scene has no handrails",
        ),
        ((HOUSE + STAIRS + people()).partition("[crowds.steering]")[0], "hold_handrails: only steered actors"),
        (HOUSE + STAIRS + people().replace("[crowds.steering]", REACH), "`reach` already moves the joint LeftHand"),
    ],
)
def test_errors_name_the_key(text, told):
    with pytest.raises(ea.InputError, match=told):
        ea.load_scene(text)

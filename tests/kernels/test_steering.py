"""Steering kernels: against an oracle in plain numpy, and what must hold of any crowd."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from ecs_anim.kernels.elementary import short_exp
from ecs_anim.kernels.neighbours import NEAR, give_back, sort_into_cells
from ecs_anim.steering.agents import SPEED, new_agents, new_cells, turn_of
from ecs_anim.steering.models import MODELS, ForceModel
from ecs_anim.walls.arrays import no_walls
from ecs_anim.walls.build import walls_from_text
from ecs_anim.walls.queries import may_be_at
from tests.helpers import FEW, called
from tests.oracles import steering as oracle

DT = 0.05
COUNT = FEW or 240
own_exp = called(short_exp)
ANTICIPATION = "anticipation_velocity"
EACH = pytest.mark.parametrize("model", MODELS)
EACH_GUIDED = pytest.mark.parametrize("model", [name for name in MODELS if not isinstance(MODELS[name], ForceModel)])


def crowd(model, count=COUNT, side=14.0, seed=0, walls=None):
    """People at random, none of whom stand in others or in walls, who go anywhere."""
    rng, people = np.random.default_rng(seed), []
    while len(people) < count:
        position = rng.uniform(0, side, 2).astype(np.float32).astype(float)
        if any(np.linalg.norm(position - other.position) < 0.45 for other in people):
            continue
        if walls is not None and min(np.linalg.norm(f - position) for f in feet(position, walls)) < 0.05:
            continue
        wants, facing = (unit_of(rng) for _ in range(2))
        velocity, speed = facing * rng.uniform(0, 1.3), float(np.float32(rng.uniform(0.5, 1.6)))
        parameters = {name: value * rng.uniform(0.8, 1.2) for name, value in MODELS[model].parameters.items()}
        radius, remaining = rng.uniform(0.15, 0.22), rng.choice([0.5, np.inf], p=[0.3, 0.7])
        stuck = float(len(people) % 2 * 10)
        people.append(oracle.Person(position, velocity, facing, wants, radius, speed, parameters, remaining, stuck))
    return people


def feet(position, walls):
    return oracle.feet_of(oracle.Person(position, None, None, None), walls)


def unit_of(rng):
    angle = rng.uniform(-np.pi, np.pi)
    return np.array([np.cos(angle), np.sin(angle)])


def agents_of(people, model):
    agents = new_agents(len(people))
    for row, person in enumerate(people):
        agents.seen[row] = [*person.position, *person.velocity, *person.facing, person.radius, person.left]
        agents.own[row] = [*person.wants, person.speed, person.stuck]
        values = {**MODELS[model].parameters, **person.parameters}
        MODELS[model].records(agents.parameters)[row] = tuple(values[name] for name in MODELS[model].parameters)
        agents.identity[row] = 0, row, 0
    return agents


def steered(agents, model, walls=None, seed=1, turn=0, parts=1, dt=DT):
    """What is chosen for agents [n, 4], in so many parts."""
    count = len(agents.seen)
    cells, laid, near = new_cells(count), new_agents(count), np.zeros(NEAR, np.float32)
    sort_into_cells(tuple(agents), count, tuple(cells), tuple(laid))
    steer, parameters = import_module(MODELS[model].kernel).steer, MODELS[model].records(laid.parameters)
    for rows in np.array_split(np.arange(count), parts):
        steer(tuple(laid), tuple(cells), walls or no_walls(), parameters, turn_of(seed, turn, dt), rows, near)
    give_back(tuple(laid), tuple(cells), count, tuple(agents))
    return agents.chosen


def compared(people, model, direction, walls=None):
    """How many people do what the oracle says; it says nothing of some. Raises AssertionError where one does not."""
    found, count = steered(agents_of(people, model), model, walls), 0
    for person, own in zip(people, found, strict=True):
        expected = oracle.chosen(person, people, direction, DT, walls)
        if expected is not None:
            np.testing.assert_allclose(own, np.concatenate(expected), atol=2e-4)
            count += 1
    return count


def check_free(model, direction, side):
    """Hold a model without walls to its direction in plain numpy."""
    assert compared(crowd(model, side=side), model, direction) > 0.8 * COUNT


def check_walls(model, direction):
    """Hold a model among walls to its direction in plain numpy."""
    text = "GEOMETRYCOLLECTION (POLYGON ((0 0, 9 0, 9 7, 0 7, 0 0)), LINESTRING (4 0, 4 4), LINESTRING (6 7, 7 3))"
    walls = walls_from_text(text).arrays
    count = 60
    people = [p for p in crowd(model, count, side=7.0, walls=walls) if is_inside(p, walls)]
    assert compared(people, model, direction, walls) > 0.5 * len(people)
    alone = steered(agents_of(people, model), model)
    assert (np.abs(alone - steered(agents_of(people, model), model, walls)).max(axis=1) > 1e-3).mean() > 0.3


def is_inside(person, walls):
    return may_be_at(walls, person.position[None])[0]


@EACH
def test_the_order_of_people_does_not_matter(model):
    people = crowd(model)
    order = np.random.default_rng(1).permutation(COUNT)
    agents = agents_of(people, model)
    shuffled = new_agents(COUNT)
    for name in ("seen", "own", "parameters", "identity"):
        getattr(shuffled, name)[:] = getattr(agents, name)[order]
    np.testing.assert_allclose(steered(shuffled, model), steered(agents, model)[order], atol=1e-4)


@EACH
@pytest.mark.parametrize("degrees", [90, 37])
def test_turned_crowds_do_the_same_turned(model, degrees):
    people, angle = crowd(model), np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    agents = agents_of(people, model)
    turned = agents_of(people, model)
    for block in (turned.seen[:, :2], turned.seen[:, 2:4], turned.seen[:, 4:6], turned.own[:, :2]):
        block[:] = block @ turn.T
    found, before = (steered(own, model).reshape(-1, 2, 2) for own in (turned, agents))
    apart = np.abs(found - before @ turn.T).max(axis=(1, 2))
    assert np.percentile(apart, 97) < 1e-3  # some stand where a rounding decides whether another is in the way


@EACH
def test_parts_come_to_the_same_bits(model):
    people = crowd(model)
    one = steered(agents_of(people, model), model, parts=1).tobytes()
    assert steered(agents_of(people, model), model, parts=5).tobytes() == one


def straight_on(apart, model=ANTICIPATION, speed=1.2):
    """Two who walk into each other's arms."""
    ahead, back, still = np.array([1.0, 0.0]), np.array([-1.0, 0.0]), np.zeros(2)
    values = dict(MODELS[model].parameters)
    one = oracle.Person(still, ahead * speed, ahead, ahead, speed=speed, parameters=values)
    return [one, oracle.Person(ahead * apart, back * speed, back, back, speed=speed, parameters=values)]


def test_who_comes_straight_is_passed_on_a_side_that_chance_decides():
    agents = agents_of(straight_on(2.0), ANTICIPATION)
    sides = [np.sign(steered(agents, ANTICIPATION, turn=turn)[0, 1]) for turn in range(60)]
    assert 15 < sides.count(1.0) < 45
    assert sides.count(1.0) + sides.count(-1.0) == 60


@EACH_GUIDED
def test_two_who_meet_pass_each_other(model):
    people = straight_on(6.0, model)
    people[1].position = np.array([6.0, 0.05])
    agents = agents_of(people, model)
    for turn in range(200):
        chosen = steered(agents, model, turn=turn)
        agents.seen[:, :2] += chosen[:, :2] * np.float32(DT)
        agents.seen[:, 2:6] = chosen
        assert np.linalg.norm(agents.seen[0, :2] - agents.seen[1, :2]) > 0.38
    assert agents.seen[0, 0] > 6 > 0 > agents.seen[1, 0]


@EACH_GUIDED
def test_who_is_stuck_creeps_anywhere(model):
    people = straight_on(0.4, model)
    chosen = np.array([steered(agents_of(people, model), model, turn=turn)[0, :2] for turn in range(20)])
    assert (np.linalg.norm(chosen, axis=1) < 1.3).all()
    people = straight_on(0.4005, model)
    agents = agents_of(people, model)
    agents.own[:, SPEED] = 0
    assert np.abs(steered(agents, model)[:, :2]).max() == 0  # nobody who does not want to


def surrounded(apart):
    """Somebody who wants to the east, and six about them who stand."""
    angles = np.radians(range(0, 360, 60))
    around = [apart * np.array([np.cos(angle), np.sin(angle)]) for angle in angles]
    still, east = np.zeros(2), np.array([1.0, 0.0])
    people = [oracle.Person(point, still, east, east) for point in (still, *around)]
    return [people[0], *(replace(person, speed=0.0) for person in people[1:])]


def met(offset, **changes):
    """Somebody who wants to the east, and another in the way, a little off it."""
    still, east = np.zeros(2), np.array([1.0, 0.0])
    own = oracle.Person(still, still, east, east)
    return [own, replace(own, **{"position": np.array([0.41, offset]), "facing": -east, "wants": -east, **changes})]


@EACH_GUIDED
def test_who_is_met_goes_round(model):
    for changes in ({}, {"speed": 0.0, "wants": np.array([1.0, 0.0])}):
        chosen = steered(agents_of(met(0.03, **changes), model), model)[0]
        assert np.hypot(*chosen[:2]) > 0.3
        assert abs(np.degrees(np.arctan2(chosen[1], chosen[0]))) > 60


def test_who_queues_waits_but_looks_round_now_and_then():
    agents = agents_of(met(0.03, wants=np.array([1.0, 0.0]), facing=np.array([1.0, 0.0])), ANTICIPATION)
    fast = [np.hypot(*steered(agents, ANTICIPATION, turn=turn)[0, :2]) > 0.3 for turn in range(400)]
    assert 0.06 < np.mean(fast) < 0.2  # one in eight turns


def queue(stuck):
    """Two who want to the east, the first one without progress for so long [s], and one who comes from there."""
    people = met(0.03, wants=np.array([1.0, 0.0]), facing=np.array([1.0, 0.0]))
    people[0].stuck = stuck
    west = np.array([-1.0, 0.0])
    return [*people, replace(people[1], position=np.array([1.0, 0.03]), wants=west, facing=west)]


@pytest.mark.parametrize(("stuck", "goes"), [(3.9, False), (4.1, True)])
def test_who_queues_and_does_not_get_on_looks_round_all_the_time(stuck, goes):
    agents = agents_of(queue(stuck), ANTICIPATION)
    turns = [turn for turn in range(40) if np.hypot(*steered(agents, ANTICIPATION, turn=turn)[0, :2]) > 0.3]
    assert (len(turns) == 40) == goes


def test_who_is_nearly_there_goes_round_nobody():
    for left, goes in ((1.9, False), (2.1, True)):
        people = met(0.03)
        people[0].left = left
        assert (np.hypot(*steered(agents_of(people, ANTICIPATION), ANTICIPATION)[0, :2]) > 0.3) == goes


@EACH_GUIDED
def test_who_stands_where_they_are_to_lets_by_who_comes_straight_at_them(model):
    for offset, goes in ((0.1, 0.3), (-0.1, -0.3)):
        people = met(offset, speed=0.0, left=0.0)
        people[1].position[0] += 0.1
        chosen = steered(agents_of(people, model), model)[1]
        np.testing.assert_allclose(chosen[:2], [0, goes], atol=1e-6)
        for changes in ({"left": 2.1}, {"position": np.array([0.7, offset])}, {"position": np.array([-0.5, offset])}):
            stays = steered(agents_of([people[0], replace(people[1], **changes)], model), model)[1]
            np.testing.assert_allclose(stays[:2], 0, atol=1e-6)


def test_who_is_stuck_keeps_on_one_way_for_a_second():
    agents = agents_of(surrounded(0.4005), ANTICIPATION)
    seconds = [steered(agents, ANTICIPATION, turn=turn)[0, :2].copy() for turn in range(0, 60, 5)]
    ways = [tuple(way) for way in seconds]
    assert [len(set(ways[first : first + 4])) for first in (0, 4, 8)] == [1, 1, 1]
    assert len(set(ways)) == 3
    np.testing.assert_allclose(np.hypot(*np.transpose(seconds)), 0.03, rtol=1e-5)


def test_agents_of_other_rows_are_seen_and_left_alone():
    agents = agents_of(straight_on(0.6), ANTICIPATION)
    cells, laid, near = new_cells(2), new_agents(2), np.zeros(NEAR, np.float32)
    sort_into_cells(tuple(agents), 2, tuple(cells), tuple(laid))
    steer, parameters = import_module(MODELS[ANTICIPATION].kernel).steer, MODELS[ANTICIPATION].records(laid.parameters)
    steer(tuple(laid), tuple(cells), no_walls(), parameters, turn_of(1, 0, DT), np.flatnonzero(cells.order == 0), near)
    give_back(tuple(laid), tuple(cells), 2, tuple(agents))
    assert not agents.chosen[1].any()
    assert 0 < np.hypot(*agents.chosen[0, :2]) < 0.6


def test_short_exponentials_are_within_rounding():
    x = np.linspace(-87, 88, 20_001).astype(np.float32)[:: 1 if FEW is None else 100]
    found = np.array([own_exp(value) for value in x])
    np.testing.assert_allclose(found, np.exp(x.astype(float)), rtol=4e-7)
    assert own_exp(np.float32(-1e9)) == own_exp(np.float32(-87)) > 0

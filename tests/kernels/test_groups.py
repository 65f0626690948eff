"""Groups: who goes with whom, side by side, at one speed."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.movers import STEERED, VELOCITY
from ecs_anim.components.groups import Groups
from ecs_anim.components.steering import Steering
from ecs_anim.kernels.groups import keep_together
from ecs_anim.scenes.parts.groups import GroupModel, deal_groups
from ecs_anim.support.errors import InputError
from tests.systems.test_steering_world import component, plan, state, steps, text

PAIRS = "groups = { sizes = [0, 1] }"


def placed(points, said, more=""):
    layout = f'layout = {{ kind = "points", points = {points} }}'
    return text(said, len(points), more).replace('layout = { kind = "grid", spacing = 0.9 }', layout)


def test_sizes_are_those_that_are_said_and_members_are_near():
    rng = np.random.default_rng(0)
    positions = rng.uniform(-40, 40, (6000, 2))
    numbers = deal_groups(GroupModel(sizes=[0.5, 0.3, 0.2]), positions, rng)
    sizes = np.bincount(np.bincount(numbers), minlength=4)[1:]
    np.testing.assert_allclose(sizes / sizes.sum(), [0.5, 0.3, 0.2], atol=0.03)
    order = np.argsort(numbers, kind="stable")
    together = np.diff(numbers[order]) == 0
    apart = np.linalg.norm(np.diff(positions[order], axis=0), axis=1)[together]
    assert np.median(apart) < 1.5  # of anybody, 40


def test_members_share_goal_and_the_slowest_ones_speed():
    said = f"goal = [30, 0], goal_radius = 3.0, desired_speed_m_s = [0.8, 1.6], {PAIRS}"
    with ea.load_scene(text(said, 40)) as world:
        number, steering = component(world, Groups).number, component(world, Steering)
        for group in range(20):
            rows = np.flatnonzero(number == group)
            assert len(rows) == 2
            assert len(np.unique(steering.goal[rows], axis=0)) == 1
            assert len(np.unique(steering.speed[rows])) == 1
        assert len(np.unique(steering.speed)) == 20
        assert steering.speed.mean() < 1.15  # of two drawn from 0.8 to 1.6, the lower: 1.07


@pytest.mark.exhaustive
@pytest.mark.parametrize("together", [True, False])
def test_whoever_is_ahead_waits_until_they_walk_side_by_side(together):
    said = f"goal = [60, 0], model = 'collision_free_speed'{', ' + PAIRS if together else ''}"
    with ea.load_scene(placed([[0.0, 0.0], [-4.0, 0.1]], said)) as world:
        (people,) = ea.crowds(world)
        steps(world, 14.0)
        apart = plan(people)[0] - plan(people)[1]
        if not together:
            np.testing.assert_allclose(apart, [4, 0], atol=0.3)
            return
        assert abs(apart[0]) < 0.3
        assert 0.5 < abs(apart[1]) < 1.0
        before = plan(people)
        steps(world, 2.0)
        np.testing.assert_allclose((plan(people) - before)[:, 0] / 2.0, 1.34, atol=0.05)


@pytest.mark.exhaustive
def test_three_walk_abreast_and_those_alone_are_left_alone():
    three = [[0.0, 0.0], [-1.5, 0.2], [-3.0, 0.1]]
    with ea.load_scene(placed(three, "goal = [60, 0], groups = { sizes = [0, 0, 1] }")) as world:
        (people,) = ea.crowds(world)
        steps(world, 14.0)
        x, y = plan(people).T
        assert np.ptp(x) < 0.5
        np.testing.assert_allclose(np.diff(np.sort(y)), 0.7, atol=0.25)
    alone, nobody = (
        placed(three, f"goal = [60, 0], desired_speed_m_s = [1.0, 1.5]{more}")
        for more in (", groups = { sizes = [1] }", "")
    )
    with ea.load_scene(alone) as world, ea.load_scene(nobody) as other:
        for own in (world, other):
            steps(own, 3.0)
        np.testing.assert_array_equal(plan(ea.crowds(world)[0]), plan(ea.crowds(other)[0]))


@pytest.mark.exhaustive
def test_groups_come_by_sources_and_go_on_from_snapshots(tmp_path):
    source = "sources = [{ area = [[-11, -3], [-9, -3], [-9, 3], [-11, 3]], rate_per_second = 2.0 }]"
    scene = text(f"goal = [6, 0], leave = true, starts_empty = true, groups = {{ sizes = [1, 2, 1] }}, {source}")
    with ea.load_scene(scene, threads=1) as world:
        steps(world, 8.0)
        (people,) = ea.crowds(world)
        counts = np.bincount(component(world, Groups).number)
        assert people.actor_count == 15  # 16 are due, three at a time
        assert counts.max() <= 3
        assert (counts > 1).any()
        assert component(world, Groups).following == len(counts)
        copies = people.add(2, like=[0, 1])
        assert component(world, Groups).number[people.rows(copies)].tolist() == [-1, -1]
        world.save(tmp_path / "x.npz")
        steps(world, 5.0)
        expected = state(world)
    with ea.load_world(tmp_path / "x.npz", scene, threads=4) as world:
        steps(world, 5.0)
        assert state(world) == expected


def wanted(positions, velocity, goals, members):
    """Haste and lean of a group's members in plain numpy; x and z, as the kernel takes them."""
    middle, way = positions[members].mean(axis=0), velocity[members].sum(axis=0)
    if np.linalg.norm(way) < 0.1 * len(members):
        way = (goals - positions)[members].sum(axis=0)
    way = way / np.linalg.norm(way)
    left = np.array([way[1], -way[0]])
    ahead, aside = (positions[members] - middle) @ way, (positions[members] - middle) @ left
    slots = (np.argsort(np.argsort(aside, kind="stable")) - (len(members) - 1) / 2) * 0.7
    return np.clip(1 - ahead / 2.0, 0.3, 1.3), 0.4 * np.clip(slots - aside, -1, 1)[:, None] * left


@pytest.mark.parametrize("speed", [1.0, 0.02])
def test_haste_and_lean_are_what_plain_numpy_says(speed):
    rng, count = np.random.default_rng(5), 60
    group = rng.integers(-1, 20, count).astype(np.int32)
    positions, velocity, goals = (rng.normal(size=(count, 2)).astype(np.float32) for _ in range(3))
    velocity, goals = velocity * np.float32(speed), goals * np.float32(50)
    kind, halts = np.full(count, STEERED, np.int32), np.zeros(count, np.int32)
    haste, lean = np.full(count, 0.7, np.float32), np.full((count, 2), 0.2, np.float32)
    kind[:5], haste[5:10], halts[10:30] = VELOCITY, 0.0, 1
    goals[10:15] = positions[10:15] + np.float32(0.5)  # as good as there
    out = kind == VELOCITY
    out |= haste == 0
    out[10:15] = True
    zero, translation = np.zeros(count, np.float32), np.zeros((count, 3), np.float32)
    translation[:, ::2] = positions
    movers = kind, np.zeros(count, np.int32), velocity, np.zeros((count, 3), np.float32), velocity
    parameters, route, way = np.zeros((count, 6), np.float32), kind, np.zeros((count, 3), np.float32)
    steering = goals, positions, kind, zero, zero, positions, parameters, halts, haste, lean, route, way, zero, halts
    placement = translation, np.zeros((count, 4), np.float32), zero
    keep_together(np.argsort(group, kind="stable").astype(np.int32), group, movers, placement, steering)
    seen = 0
    for number in range(20):
        members = np.flatnonzero((group == number) & ~out)
        if len(members) > 1:
            own_haste, own_lean = wanted(positions, velocity, goals, members)
            np.testing.assert_allclose(haste[members], own_haste, atol=2e-5)
            np.testing.assert_allclose(lean[members], own_lean, atol=2e-5)
            seen += 1
        elif len(members):
            assert (haste[members], lean[members].tolist()) == (1.0, [[0, 0]])
    assert seen > 5
    np.testing.assert_array_equal(haste[5:10][group[5:10] >= 0], 0)
    np.testing.assert_array_equal(lean[group < 0], np.float32(0.2))  # nobody's: as they were


def test_groups_are_of_people_who_come_by_one_source():
    areas = "[[-11, -3], [-9, -3], [-9, 3], [-11, 3]]", "[[9, -3], [11, -3], [11, 3], [9, 3]]"
    sources = ", ".join(f"{{ area = {area}, rate_per_second = 3.0 }}" for area in areas)
    with ea.load_scene(text(f"goal = [0, 30], starts_empty = true, {PAIRS}, sources = [{sources}]")) as world:
        (people,) = ea.crowds(world)
        for _ in range(3):
            steps(world, 0.7)
            number = component(world, Groups).number
            assert len(number) >= 4
            for group in np.unique(number):
                assert np.ptp(plan(people)[number == group, 0]) < 3  # 20 m apart are the sources


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("groups = { sizes = [] }", "crowds[0].steering.groups.sizes"),
        ("groups = { sizes = [0, 0] }", "sizes: at least one number must be more than 0"),
        ("groups = { sizes = [1, 1, 1, 1, 1, 1, 1] }", "crowds[0].steering.groups.sizes"),
        ("groups = { size = [1] }", "crowds[0].steering.groups.size"),
    ],
)
def test_mistakes_are_told_with_their_scene_key(said, message):
    with pytest.raises(InputError) as caught:
        ea.load_scene(text(f"goal = [1, 0], {said}"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

"""Routing: waypoints in turn and ways to them, by the kernel and in a world."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.movers import CLIP, STEERED, VELOCITY
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.steering import Steering
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.columns import fields_of
from ecs_anim.kernels.routing import find_ways
from ecs_anim.routing.arrays import no_cells, no_fields, straight_on
from ecs_anim.steering.own import PARAMETER_COUNT
from ecs_anim.support.errors import InputError
from ecs_anim.support.timings import Timings
from ecs_anim.walls.arrays import no_walls
from ecs_anim.walls.build import walls_from_text
from ecs_anim.walls.queries import is_clear, nearest_walls
from tests.helpers import FEW
from tests.helpers.routing import HALL, MAZE, ROOMS

KINDS = np.array([STEERED, VELOCITY, CLIP, STEERED], np.int32)
WAYPOINTS = np.array([[5, 0], [5, 5]], np.float32)
COUNT, NEAR, ARRIVAL, DT = len(KINDS), 1.0, 0.7, 1 / 60
IDS = np.arange(COUNT) + 2**40


@pytest.fixture(autouse=True)
def compiled(request):
    if FEW and "crowd" not in request.fixturenames:
        pytest.skip("without compiling, whole worlds take minutes")


@pytest.fixture
def crowd():
    """Placement, movers and steering of four actors, without walls."""
    rng = np.random.default_rng(1)

    def real(*shape):
        return rng.uniform(-3, 3, shape).astype(np.float32)

    placement = real(COUNT, 3), np.zeros((COUNT, 4), np.float32), np.ones(COUNT, np.float32)
    movers = (
        KINDS.copy(),
        np.full(COUNT, -1, np.int32),
        real(COUNT, 2),
        real(COUNT, 3),
        np.zeros((COUNT, 2), np.float32),
    )
    offset = real(COUNT, 2) * np.float32(0.1)
    steering = (
        WAYPOINTS[0] + offset,
        offset,
        np.zeros(COUNT, np.int32),
        np.full(COUNT, 1.3, np.float32),
        np.full(COUNT, 0.2, np.float32),
        np.tile(np.array([0, 1], np.float32), (COUNT, 1)),
        np.abs(real(COUNT, PARAMETER_COUNT)) + np.float32(0.5),
        np.zeros(COUNT, np.int32),
        np.ones(COUNT, np.float32),
        np.zeros((COUNT, 2), np.float32),
        np.full(COUNT, -1, np.int32),
        np.zeros((COUNT, 3), np.float32),
        np.zeros(COUNT, np.float32),
        np.zeros(COUNT, np.int32),
    )
    return placement, movers, steering


def ways(placement, movers, steering, waypoints=WAYPOINTS):
    nowhere = no_walls(), no_cells(), no_fields(0)
    find_ways(straight_on(waypoints), NEAR, ARRIVAL, *nowhere, (np.arange(COUNT), IDS), placement, movers, steering)
    return steering[11]


def test_without_walls_ways_lead_straight_to_goals(crowd):
    placement, movers, steering = crowd
    found, way = ways(*crowd), steering[0] - placement[0][:, [0, 2]]
    steered = movers[0] == STEERED
    np.testing.assert_allclose(
        found[steered, :2], (way / np.linalg.norm(way, axis=1, keepdims=True))[steered], atol=1e-6
    )
    assert found[steered, 2].tolist() == [np.float32(1.3)] * 2
    assert not found[~steered].any()


def test_whoever_is_near_a_waypoint_is_off_to_the_next(crowd):
    placement, _, steering = crowd
    goal, offset = steering[0].copy(), steering[1]
    placement[0][0, [0, 2]] = goal[0] + [0.5, 0.5]
    placement[0][1, [0, 2]] = goal[1]  # does not steer
    ways(*crowd)
    assert steering[2].tolist() == [1, 0, 0, 0]
    np.testing.assert_array_equal(steering[0], [WAYPOINTS[1] + offset[0], *goal[1:]])
    placement[0][0, [0, 2]] = steering[0][0]
    ways(*crowd)
    assert steering[2].tolist() == [0, 0, 0, 0]  # round and round


def test_the_last_goal_is_come_to_slowly(crowd):
    placement, _, steering = crowd
    placement[0][0, [0, 2]] = steering[0][0] - [0.4, 0.0]
    placement[0][3, [0, 2]] = steering[0][3] - [0.05, 0.0]
    steering[7][:] = 1
    found = ways(*crowd, WAYPOINTS[:1])
    np.testing.assert_allclose(found[0, 2], 0.4 / ARRIVAL, rtol=1e-4)
    assert found[3].tolist() == [0, 1, 0]  # there: as it faces, and no further


def test_haste_is_a_share_of_the_speed(crowd):
    _, _, steering = crowd
    steering[8][:] = [0.5, 1.0, 1.0, 1.2]
    np.testing.assert_array_equal(ways(*crowd)[[0, 3], 2], np.float32(1.3) * np.array([0.5, 1.2], np.float32))


def test_whoever_is_to_halt_at_a_waypoint_stays(crowd):
    placement, _, steering = crowd
    placement[0][[0, 3]] = [[5.2, 0, 0.1]]
    steering[7][:] = [1, 0, 0, 0]
    ways(*crowd)
    assert steering[2].tolist() == [0, 0, 0, 1]


def test_a_goal_of_ones_own_is_no_waypoint(crowd):
    placement, _, steering = crowd
    steering[2][:] = -1
    placement[0][0, [0, 2]] = steering[0][0]
    goal = steering[0].copy()
    assert ways(*crowd)[0, 2] == 0
    np.testing.assert_array_equal(steering[0], goal)


def scene(wkt, steering="goal = [10.5, 1.0], goal_radius = 0.5", count=8, center="[1.5, 2.0]", more=""):
    walls = f'[walls]\nwkt = "{wkt}"\n' if wkt else ""
    return f"""
seed = 3
[rigs.people]
model = "mannequin"
{walls}
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 0.6, center = {center} }}
body = {{}}
steering = {{ {steering} }}
{more}
"""


def steps(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT, posed=False)


def plan(people):
    return people.positions


def steering_of(world):
    ((_, (_, steering)),) = world.query(Crowd, Steering)
    return steering


def state(world):
    fields = [field for entity in world.entities for field in fields_of(world.components(entity))]
    return {f.path: f.value.tobytes() if isinstance(f.value, np.ndarray) else repr(f.value) for f in fields}


@pytest.mark.exhaustive
@pytest.mark.parametrize("model", ["anticipation_velocity", "collision_free_speed"])
def test_all_come_through_a_maze_and_through_no_wall(model):
    walls = walls_from_text(MAZE).arrays
    with ea.load_scene(scene(MAZE, f'goal = [10.5, 1.0], goal_radius = 0.5, model = "{model}"')) as world:
        (people,) = ea.crowds(world)
        for _ in range(60):
            steps(world, 1.0)
            assert nearest_walls(walls, plan(people))[0][:, 2].min() > 0.1
            if (np.linalg.norm(plan(people) - [10.5, 1.0], axis=1) < 1.2).all():
                return
        raise AssertionError(f"they are at {plan(people)}")


@pytest.mark.exhaustive
def test_waypoints_behind_walls_are_gone_round():
    goal = "goal = [[4.5, 1.0], [10.5, 7.0], [1.5, 1.0]]"
    with ea.load_scene(scene(MAZE, f"{goal}, desired_speed_m_s = 1.6", count=2)) as world:
        seen = []
        for _ in range(80):
            steps(world, 1.0)
            seen.append(int(steering_of(world).waypoint[0]))
        changes = [number for number, before in zip(seen[1:], seen, strict=False) if number != before]
        assert changes[:4] == [1, 2, 0, 1]


@pytest.mark.exhaustive
def test_people_in_an_area_have_come_and_stand_apart_in_it():
    area = "[[7.0, 4.5], [11.5, 4.5], [11.5, 7.5], [7.0, 7.5]]"
    with ea.load_scene(scene(MAZE, f"goal = {{ area = {area} }}", count=6)) as world:
        (people,) = ea.crowds(world)
        steps(world, 40.0)
        found = plan(people)
        assert ((found > [6.9, 4.4]) & (found < [11.6, 7.6])).all()
        assert found.std(axis=0).max() > 0.5
    text = 'goal = [{ area = "POLYGON ((7 5, 9 5, 9 8, 7 8, 7 5))" }, [1.5, 1.0]]'
    with ea.load_scene(scene(MAZE, text, count=2)) as world:
        seen = []
        for _ in range(25):
            steps(world, 1.0)
            seen.append(steering_of(world).waypoint.tolist())
        assert [0, 0] in seen[:2]
        assert [1, 1] in seen
        assert seen[-1] == [0, 0]  # they were back


def test_whoever_sees_no_spot_of_an_area_has_come_where_they_are():
    wkt = f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (5 0, 5 7))"  # a strip of the area is on this side of the wall
    area = "[[4.2, 1.0], [11.5, 1.0], [11.5, 6.0], [4.2, 6.0]]"
    with ea.load_scene(
        scene(wkt, f"goals = [{{ at = {{ area = {area} }}, wait_seconds = 1.0 }}, {{ at = [1.0, 7.0] }}]")
    ) as world:
        went = np.zeros(8, bool)
        for _ in range(12):
            steps(world, 1.0)
            went |= steering_of(world).waypoint == 1
        assert went.all()
        assert (plan(ea.crowds(world)[0])[:, 0] < 5).all()


def test_who_stands_beside_an_area_goes_to_the_spot_that_they_see_in_it():
    """As those do who are in it: else who is pushed over its edge beside a wall turns back, and out again, for ever."""
    wkt = "POLYGON ((0 0, 12 0, 12 9, 0 9, 0 0), (6.5 3.5, 7 3.5, 7 5.5, 6.5 5.5, 6.5 3.5))"
    goal = "goal = { area = [[3, 1], [6, 1], [6, 8], [3, 8]] }, radius = 0.2"
    with ea.load_scene(scene(wkt, goal, 90, "[4.0, -4.0]")) as world:
        at = np.array([[x, y] for x in np.linspace(6.02, 6.1, 9) for y in np.linspace(3.2, 3.45, 10)], np.float32)
        ((_, (_, transforms)),) = world.query(Crowd, Transforms)
        transforms.translation[:, [0, 2]] = at * (1, -1)
        world.step(DT, posed=False)
        steering, right = steering_of(world), np.array([0.2, 0.0])
        goals = steering.goal * (1.0, -1.0)
        to, way = goals - at, steering.way[:, :2] * (1.0, -1.0)
        seen = is_clear(steering.routes.walls, at + right, goals + right)
        assert seen.sum() > 40
        turned_back = seen & (np.sum(to * way, axis=1) < 0)
        assert not turned_back.any(), at[turned_back]


@pytest.mark.exhaustive
def test_areas_have_a_speed_factor():
    slow = "[[areas]]\narea = [[2, -50], [6, -50], [6, 50], [2, 50]]\nspeed_factor = 0.5\n"

    def seconds(more):
        with ea.load_scene(scene(None, "goal = [9, 0], desired_speed_m_s = 1.2", 1, "[0, 0]", more)) as world:
            (people,) = ea.crowds(world)
            while plan(people)[0, 0] < 8.0:
                steps(world, 0.1)
            return world.time

    assert seconds(slow) - seconds("") == pytest.approx(4 / 0.6 - 4 / 1.2, abs=0.35)


@pytest.mark.exhaustive
def test_a_detour_round_a_slow_area_is_taken_where_it_is_faster():
    slow = "[[areas]]\narea = [[2, -6], [6, -6], [6, 1], [2, 1]]\nspeed_factor = 0.2\n"
    with ea.load_scene(scene(None, "goal = [9, 0]", 1, "[0, 0]", slow)) as world:
        (people,) = ea.crowds(world)
        highest = 0.0
        for _ in range(12):
            steps(world, 1.0)
            highest = max(highest, plan(people)[0, 1])
        assert highest > 0.9
        assert np.linalg.norm(plan(people)[0] - [9, 0]) < 0.5


@pytest.mark.parametrize(
    ("wkt", "steering", "message"),
    [
        (MAZE, "goal = [3.0, 2.0]", r"steering.goal: \[3, 2\] must be in the walkable area and not in a wall"),
        (MAZE, "goal = [20.0, 2.0]", r"steering.goal: \[20, 2\] must be in the walkable area and not in a wall. Move"),
        (
            ROOMS,
            "goal = [10.0, 2.0]",
            r"steering.goal: 8 of 8 actors have no route to \[10, 2\], because walls are in between",
        ),
        (
            ROOMS,
            "goal = [[2, 2], [9, 2]]",
            r"steering.goal\[1\]: no route leads from \[2, 2\] to \[9, 2\], because walls are in between",
        ),
        (
            HALL,
            "goal = { area = [[20, 0], [30, 0], [30, 5]] }",
            r"goal: the area about \[.*\] must have room for at least one actor",
        ),
        (
            HALL,
            "goal = { area = [[2, 0], [3, 0], [2.5, 0]] }",
            r"steering.goal.area: the shape is not valid: it crosses",
        ),
        (HALL, 'goal = { area = "LINESTRING (0 0, 1 1)" }', r"steering.goal.area: an area must be a polygon"),
        (HALL, "goal = [[1, 1], { area = 'POLYGON ((1 1' }]", r"steering.goal\[1\].area: the text must be valid WKT"),
    ],
)
def test_goals_that_nobody_can_reach_are_told_as_the_scene_is_loaded(wkt, steering, message):
    with pytest.raises(InputError, match=message) as caught:
        ea.load_scene(scene(wkt, steering))
    assert "\n" not in str(caught.value)


def test_too_many_cells_are_told_with_the_key(monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_ROUTE_CELLS", "2000")
    with pytest.raises(
        InputError, match=r"routing.cell_size: 3,\d+ cells of routes, but the limit is 2,000. Choose larger"
    ):
        ea.load_scene(scene(MAZE))
    ea.load_scene(scene(MAZE, more="[routing]\ncell_size = 0.4\n")).close()


@pytest.mark.exhaustive
def test_people_are_told_to_go_round_walls():
    with ea.load_scene(scene(MAZE)) as world:
        (people,) = ea.crowds(world)
        goals = np.array([[4.5, 1.0], [4.6, 1.2], [7.5, 7.0]])
        people.go_to([0, 1, 2], goals)
        steering = steering_of(world)
        assert len(steering.asked) == 2  # those that are near each other share a field
        steps(world, 25.0)
        assert np.linalg.norm(plan(people)[:3] - goals, axis=1).max() < 0.5
        before = state(world)
        for goal, message in [
            ([3, 2], r"go_to: a goal must be in the walkable area and not in a wall \(got \[3, 2\]\)"),
            ([30, 2], "must be in the walkable area"),
        ]:
            with pytest.raises(InputError, match=message):
                people.go_to([0, 5], [goal, [1.0, 1.0]])
            assert state(world) == before
        people.go_to([2], [[1.5, 6.0]])
        assert len(steering.asked) == 2
        people.go_to(ea.ALL, [[1.5, 6.0]] * 8)
        assert len(steering.asked) == 1
    with ea.load_scene(scene(ROOMS, "goal = [2.0, 6.0]")) as world:
        (people,) = ea.crowds(world)
        with pytest.raises(
            InputError,
            match=r"walls separate 1 of the 2 actors from their goals.*example, no route leads from \[.*\] to \[9, 2\]",
        ):
            people.go_to([4, 2], [[2.0, 1.0], [9.0, 2.0]])
        assert steering_of(world).waypoint.tolist() == [0] * 8


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_and_snapshots_do_not_matter_on_the_way(tmp_path, threads):
    with ea.load_scene(scene(MAZE), threads=1) as world:
        (people,) = ea.crowds(world)
        steps(world, 2.0)
        people.go_to([3, 4], [[7.5, 7.0], [1.0, 7.0]])
        steps(world, 2.51)
        world.save(tmp_path / "x.npz")
        steps(world, 3.0)
        expected = state(world)
    with ea.load_world(tmp_path / "x.npz", scene(MAZE), threads=threads, chunk_size=64) as world:
        steps(world, 3.0)
        assert state(world) == expected


@pytest.mark.exhaustive
def test_own_points_beyond_a_wall_are_drawn_back():
    with ea.load_scene(scene(MAZE, "goal = [2.5, 6.5], goal_radius = 2.5", count=20)) as world:
        (people,) = ea.crowds(world)
        steps(world, 20.0)
        assert np.linalg.norm(plan(people) - [2.5, 6.5], axis=1).max() < 3.0
        assert (plan(people)[:, 1] < 8).all()


@pytest.mark.exhaustive
def test_own_points_where_bodies_do_not_fit_are_drawn_back():
    wkt = "POLYGON ((-9 -6, 9 -6, 9 6, -9 6, -9 -6), (2 1, 4 1, 4 3, 2 3, 2 1))"
    with ea.load_scene(scene(wkt, "goal = [0.5, 0.0], goal_radius = 0.1, waypoint_radius = 0.4", count=1)) as world:
        steering = steering_of(world)
        steering.offset[0] = 2.5, -0.9  # a hand's breadth from the block, and behind its corner
        steering.goal[0] = 3.0, -0.9
        steps(world, 20.0)
        assert np.linalg.norm(steering.goal[0] - (0.5, 0.0)) < 1.6
        assert np.linalg.norm(plan(ea.crowds(world)[0]) - steering.goal[0] * (1, -1)) < 0.3


@pytest.mark.exhaustive
def test_newcomers_find_the_way():
    with ea.load_scene(scene(MAZE, count=1)) as world:
        (people,) = ea.crowds(world)
        people.add(2, positions=[[4.5, 1.0], [1.0, 5.0]])
        steps(world, 30.0)
        assert (np.linalg.norm(plan(people) - [10.5, 1.0], axis=1) < 1.2).all()


def test_routing_is_a_system_of_its_own_and_makes_nothing_in_a_step():
    with ea.load_scene(scene(MAZE)) as world:
        steps(world, 0.5)
        steering = steering_of(world)
        routes = steering.routes
        arrays = [id(column) for record in (routes.lattice.fields, routes.destinations) for column in record]
        timings = Timings()
        for _ in range(30):
            world.step(DT, timings)
        assert timings.wall_ns["routing"] > 0
        assert steering.routes is routes
        assert arrays == [id(own) for record in (routes.lattice.fields, routes.destinations) for own in record]

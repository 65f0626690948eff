"""CrowdEnv: Gymnasium's own checks, observations, rewards and metrics against plain formulas, and wrong input."""

import math
from typing import Any

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.support.errors import InputError

gymnasium = pytest.importorskip("gymnasium")

import ecs_anim.gymnasium  # noqa: E402  the import registers the ids

PEOPLE: dict[str, Any] = {
    "rig": "p",
    "count": 4,
    "path": "baked",
    "layout": {"kind": "points", "points": [[4.0, 4.0], [-4.0, 4.0], [4.0, -4.0], [-4.0, -4.0]]},
    "steering": {"goal": [[0.0, 4.0], [0.0, -4.0]], "goal_radius": 1.0},
}
SCENE: dict[str, Any] = {"rigs": {"p": {"model": "mannequin"}}, "crowds": [PEOPLE]}
STILL = SCENE | {"crowds": [{"rig": "p", "count": 1, "layout": {"kind": "points", "points": [[2.0, 0.0]]}}]}


def made(scene: Any = SCENE, **settings: Any) -> Any:
    return gymnasium.make("ecs_anim/Crowd-v0", scene=scene, disable_env_checker=True, **settings).unwrapped


def episode(env: Any, action: Any, seed: int = 1) -> tuple[float, int, dict[str, float]]:
    """Return the sum of the rewards, the number of steps, and the metrics of an episode with equal actions."""
    env.reset(seed=seed)
    total, steps = 0.0, 0
    while True:
        _, reward, terminated, truncated, info = env.step(np.array(action, np.float32))
        total, steps = total + reward, steps + 1
        if terminated or truncated:
            return total, steps, info["metrics"]


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("error")
def test_gymnasiums_checks_pass() -> None:
    from gymnasium.utils.env_checker import check_env

    env = made(observations=("state", "lidar"))
    check_env(env, skip_render_check=True)
    env.close()


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("error")
def test_gymnasiums_checks_pass_with_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    from gymnasium.utils.env_checker import check_env

    # `test_screen.py` tests the window; Gymnasium's checks would only open another one
    monkeypatch.setitem(ea.gymnasium.CrowdEnv.metadata, "render_modes", ["rgb_array"])

    env = made(observations=("camera",), actions="velocity", camera_size=(32, 24), render_mode="rgb_array")
    check_env(env)
    first, _ = env.reset(seed=1)
    assert first["camera"].shape == (24, 32, 3)
    assert np.ptp(first["camera"]) > 50
    assert env.render().shape == (360, 640, 3)
    env.close()


def test_observations_are_in_the_frame_of_the_robot() -> None:
    env = made(people=3, observations=("state", "lidar"), rays=8)
    env.reset(seed=4)
    for _ in range(5):
        found = env.step(np.array([0.5, 0.4], np.float32))[0]
    robot, seen, agent = found["robot"], ea.observe(env.world), ea.agents(env.world)
    np.testing.assert_allclose(robot[:2], agent.positions[0], atol=1e-5)
    heading = float(robot[2])
    turn = np.array([[math.cos(heading), math.sin(heading)], [-math.sin(heading), math.cos(heading)]])
    offset, velocity = (seen.position - agent.positions[0]) @ turn.T, seen.velocity @ turn.T
    near = np.argsort(np.linalg.norm(offset, axis=1))[:3]
    np.testing.assert_allclose(found["people"][:, :2], offset[near], atol=1e-4)
    np.testing.assert_allclose(found["people"][:, 2:4], velocity[near], atol=1e-4)
    np.testing.assert_allclose(found["people"][:, 4], seen.radius[near], atol=1e-6)
    np.testing.assert_allclose(robot[3:5], turn @ agent.velocities[0], atol=1e-4)
    np.testing.assert_array_equal(found["lidar"], agent.lidar(8, 10.0).distance[0].astype(np.float32))
    env.close()


@pytest.mark.exhaustive
def test_a_straight_way_to_the_goal_succeeds() -> None:
    env = made(start=[-3.0, 0.0], goal=[3.0, 0.0], crowd_starts=1, scene={**SCENE, "crowds": [PEOPLE | {"count": 2}]})
    total, steps, metrics = episode(env, [1.0, 0.0])
    assert metrics["success"] == 1
    assert metrics["collision"] == 0
    assert steps == math.ceil((6.0 - 0.3) / 0.1 + 1e-3)
    assert metrics["seconds"] == pytest.approx(0.1 * steps)
    assert metrics["path_m"] == pytest.approx(0.1 * steps, abs=1e-4)
    assert metrics["spl"] == pytest.approx(1.0)
    assert total == pytest.approx(1.0)
    assert metrics["jerk_m_s3"] == pytest.approx(2 * 1.0 / 0.1 / metrics["seconds"], abs=0.01)  # only at the start
    env.close()


def test_a_collision_ends_an_episode_with_its_reward_and_its_distances() -> None:
    env = made(STILL, start=[0.0, 0.0], goal=[8.0, 0.0])
    total, steps, metrics = episode(env, [1.0, 0.0])
    reach = 2.0 - 0.3 - 0.15  # [m], from the start to the contact; a person without steering has a radius of 0.15 m
    assert (metrics["success"], metrics["collision"], metrics["spl"]) == (0, 1, 0)
    assert steps == math.ceil(reach / 0.1)
    gaps = np.array([reach - 0.1 * step for step in range(1, steps)])  # before the contact
    discomfort = sum(0.5 * (gap - 0.2) * 0.1 for gap in gaps if gap < 0.2)
    assert total == pytest.approx(-0.25 + discomfort, abs=1e-4)
    assert 0 <= metrics["least_distance_m"] < 2e-3
    assert metrics["personal_share"] == pytest.approx((1 + np.count_nonzero(gaps < 1.2 - 1e-6)) / steps)
    assert metrics["intimate_share"] == pytest.approx((1 + np.count_nonzero(gaps < 0.45)) / steps)
    env.close()


def test_velocities_are_in_the_frame_of_the_robot_and_limited() -> None:
    env = made(STILL, start=[0.0, -3.0], goal=[0.0, 5.0], actions="velocity", max_speed_m_s=2.0)
    env.reset(seed=0)
    found = env.step(np.array([1.0, 1.0], np.float32))[0]["robot"]
    np.testing.assert_allclose(found[3:5], np.full(2, math.sqrt(2)), atol=1e-3)
    np.testing.assert_allclose(found[:2], [-0.2 / math.sqrt(2), -3 + 0.2 / math.sqrt(2)], atol=1e-3)
    env.close()


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("error")
def test_random_ways_fit_between_walls_and_people() -> None:
    walls = {"wkt": "POLYGON ((-6 -6, 6 -6, 6 6, -6 6, -6 -6), (-1 -1, -1 1, 1 1, 1 -1, -1 -1))"}
    env = made(SCENE | {"walls": walls}, least_route_m=4.0)
    from shapely import LineString, box

    starts = set()
    for seed in range(20):
        robot = env.reset(seed=seed)[0]["robot"]
        heading, left = float(robot[2]), float(robot[6])
        assert abs(float(robot[7])) < 1e-4  # the robot faces the goal
        way = LineString([robot[:2], robot[:2] + left * np.array([math.cos(heading), math.sin(heading)])])
        assert way.length >= 4.0 - 1e-4
        assert way.distance(box(-1, -1, 1, 1)) >= 0.4 - 1e-4
        seen = ea.observe(env.world)
        assert (np.linalg.norm(seen.position - robot[:2], axis=1) - seen.radius - 0.3).min() >= 0.5 - 1e-4
        starts.add(tuple(robot[:2]))
    assert len(starts) == 20
    env.close()


@pytest.mark.parametrize(("start", "goal"), [((-3.0, 0.0), (3.0, 1.0)), ((-0.5, -4.0), (0.5, -4.0))])
def test_shortest_paths_lead_around_walls(start: tuple[float, float], goal: tuple[float, float]) -> None:
    """Shapely computes the length of a taut band around the start, the goal and the end of a wall.

    The robot does not fit through the gap of 0.1 m.
    """
    from shapely import MultiPoint, Point, union_all

    walls = {"wkt": "POLYGON ((-6 -6, 6 -6, 6 6, -6 6, -6 -6), (-0.1 -5.9, -0.1 2, 0.1 2, 0.1 -5.9, -0.1 -5.9))"}
    env = made(STILL | {"walls": walls}, start=start, goal=goal)
    env.reset(seed=0)
    band = union_all([MultiPoint([start, goal]), MultiPoint([(-0.1, 2), (0.1, 2)]).buffer(0.3)]).convex_hull
    straight = Point(start).distance(Point(goal))
    assert env._navigation._routes.shortest(np.array([start]), np.array([goal])) == pytest.approx(
        band.length - straight, rel=0.03
    )
    env.close()
    with pytest.raises(InputError, match=r"no path for a robot with a radius of 0\.3 m leads from start to goal"):
        made(STILL | {"walls": walls}, start=start, goal=(9.0, 0.0))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"observations": ("smell",)}, "no observation 'smell'"),
        ({"actions": "legs"}, "unicycle, velocity"),
        ({"step_seconds": 0.0}, "step_seconds must be 0.001"),
        ({"goal": [1.0]}, "goal"),
        ({"speed": 1.0}, "no option 'speed'"),
        ({"least_route_m": 500.0}, "no start and goal"),
    ],
)
def test_wrong_settings_are_rejected(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises((InputError, ValueError, TypeError), match=problem):
        ea.gymnasium.CrowdEnv(SCENE, **settings).reset(seed=0)


def test_the_robot_is_one_agent() -> None:
    scene = SCENE | {"agents": [{"name": "two", "positions": [[0.0, 0.0], [1.0, 1.0]]}]}
    with pytest.raises(InputError, match="must be one agent"):
        ea.gymnasium.CrowdEnv(scene)

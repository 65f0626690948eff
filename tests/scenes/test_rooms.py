"""Rooms: each room equals its own world, to the bit."""

from typing import Any

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.support.errors import InputError

PEOPLE: dict[str, Any] = {
    "name": "people",
    "rig": "p",
    "count": 12,
    "layout": {"kind": "scatter", "radius": 4.0, "min_distance": 0.6},
    "heading_degrees": "random",
    "body": {},
    "steering": {"goal": [[4.0, 4.0], [-4.0, -4.0]], "goal_radius": 1.0, "desired_speed_m_s": [0.8, 1.5]},
}
WALLS = "POLYGON ((-6 -6, 6 -6, 6 6, -6 6, -6 -6), (-1 -1, -1 1, 1 1, 1 -1, -1 -1))"
SCENE: dict[str, Any] = {"rigs": {"p": {"model": "mannequin"}}, "walls": {"wkt": WALLS}, "crowds": [PEOPLE]}
BAKED = SCENE | {"crowds": [{key: value for key, value in PEOPLE.items() if key != "body"} | {"path": "baked"}]}
TWO = SCENE | {"crowds": [PEOPLE, PEOPLE | {"name": "others", "count": 5}]}


def states(world: ea.World) -> np.ndarray:
    return np.concatenate([np.column_stack([own.positions, own.headings]) for own in ea.crowds(world)]).astype(
        np.float32
    )


def rows_of(rooms: ea.Rooms, room: int) -> np.ndarray:
    return np.column_stack([rooms.positions[room], rooms.headings[room]]).astype(np.float32)


def require_equal_rooms(scene: Any, count: int, steps: int, dt: float, watched: list[int], chance: int = 9) -> None:
    """Compare the rooms `watched` with their own worlds after each step, with random resets."""
    rng = np.random.default_rng(3)
    with ea.rooms(scene, count, seeds=range(count)) as rooms:
        worlds = {room: ea.load_scene(scene, seed=room, threads=1) for room in watched}
        for step in range(steps):
            again = [room for room in range(count) if rng.integers(chance * 5) == 0]
            rooms.reset(again, [room + 100 + step for room in again])
            for room in set(again) & set(watched):
                worlds[room].reset(seed=room + 100 + step)
            rooms.step(dt)
            for room, world in worlds.items():
                world.step(dt, posed=False)
                np.testing.assert_array_equal(rows_of(rooms, room), states(world))
                assert rooms.seconds[room] == world.time
        for world in worlds.values():
            world.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize("dt", [1 / 30, 0.1])
@pytest.mark.parametrize("scene", [SCENE, BAKED, TWO], ids=["bodies", "baked", "two crowds"])
def test_rooms_equal_their_own_worlds(scene: Any, dt: float) -> None:
    require_equal_rooms(scene, 6, 40, dt, [0, 2, 5])


@pytest.mark.exhaustive
def test_ten_of_many_rooms_equal_their_own_worlds() -> None:
    watched = np.random.default_rng(1).choice(60, 10, replace=False).tolist()
    require_equal_rooms(BAKED, 60, 500, 0.1, watched, chance=40)


def test_arrays_have_a_row_for_each_room() -> None:
    with ea.rooms(TWO, 3, seeds=[4, 4, 5]) as rooms:
        rooms.step(0.1)
        assert rooms.positions.shape == rooms.velocities.shape == rooms.goals.shape == (3, 17, 2)
        assert rooms.headings.shape == rooms.done.shape == rooms.radii.shape == (3, 17)
        np.testing.assert_array_equal(rooms.positions[0], rooms.positions[1])
        assert (rooms.positions[0] != rooms.positions[2]).any()


def test_actors_are_done_at_their_goal() -> None:
    steering = PEOPLE["steering"] | {"goal": [3.0, 3.0], "goal_radius": 0.5}
    with ea.rooms(SCENE | {"crowds": [PEOPLE | {"steering": steering, "count": 1}]}, 2) as rooms:
        assert not rooms.done.any()
        for _ in range(200):
            rooms.step(0.1)
        assert rooms.done.all()


def test_a_feature_without_rooms_is_named() -> None:
    for key, value, name in (
        ("timeline", [{"at_seconds": 0.2, "crowd": "people", "set": {"mood": 1.0}}], "a timeline"),
        ("vary", {"crowds.people.count": [4, 9]}, "vary"),
    ):
        with pytest.raises(InputError, match=name):
            ea.rooms(SCENE | {"crowds": [PEOPLE | {"parameters": {"mood": 0.0}}], key: value}, 2)


def test_wrong_rooms_are_rejected() -> None:
    with pytest.raises(ValueError, match="one seed per room"):
        ea.rooms(SCENE, 2, seeds=[1])
    with ea.rooms(SCENE, 2) as rooms:
        with pytest.raises(ValueError, match="from 0 to 1"):
            rooms.reset([2], [0])
        with pytest.raises(ValueError, match="> 0"):
            rooms.step(0.0)

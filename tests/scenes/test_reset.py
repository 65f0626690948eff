"""Resets: a world that starts again equals a new world of the same seed, to the bit."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.ecs.snapshot import state_of
from ecs_anim.scenes.loader import scene_of
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.scenes.vary import drawn_values
from ecs_anim.support.errors import InputError

PEOPLE = {
    "name": "people",
    "rig": "p",
    "count": 12,
    "layout": {"kind": "scatter", "radius": 4.0, "min_distance": 0.6},
    "heading_degrees": "random",
    "body": {},
    "steering": {"goal": [[4.0, 4.0], [-4.0, -4.0]], "goal_radius": 1.0, "desired_speed_m_s": [0.8, 1.5]},
}
SCENE: dict[str, Any] = {
    "rigs": {"p": {"model": "mannequin"}},
    "walls": {
        "wkt": "POLYGON ((-6 -6, 6 -6, 6 6, -6 6, -6 -6))",
        "doors": [{"name": "gate", "shape": [[0.0, -5.0], [0.0, 5.0]], "open": True}],
    },
    "timeline": [{"at_seconds": 0.2, "close": "gate"}],
    "props": [{"model": "bench", "count": 3, "layout": {"kind": "scatter", "radius": 3.0}, "obstacle": False}],
    "cameras": [{"name": "eye", "mount": {"crowd": "people", "actor": 0, "position": [0.0, 1.6, 0.2]}}],
    "crowds": [PEOPLE],
}


def arrays_of(held: Any, path: str, seen: set[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield all arrays and numbers of components, with their paths."""
    if is_dataclass(held) and id(held) in seen:
        return
    seen.add(id(held))
    match held:
        case np.ndarray():
            yield path, held
        case bool() | int() | float() | str():
            yield path, np.array(held)
        case dict():
            for key, value in held.items():
                yield from arrays_of(value, f"{path}[{key}]", seen)
        case list() | tuple():
            for number, value in enumerate(held):
                yield from arrays_of(value, f"{path}[{number}]", seen)
        case _ if is_dataclass(held) and not isinstance(held, type):
            for own in fields(held):
                yield from arrays_of(getattr(held, own.name), f"{path}.{own.name}", seen)


def whole(world: ea.World) -> dict[str, np.ndarray]:
    seen: set[int] = set()
    return {
        path: array
        for entity in world.entities
        for component in world.components(entity)
        for path, array in arrays_of(component, f"{entity}.{type(component).__name__}", seen)
    }


def require_equal(world: ea.World, new: ea.World) -> None:
    assert (world.time, world.frame, world.origin) == (new.time, new.frame, new.origin)
    assert state_of(world).keys() == state_of(new).keys()
    own, other = whole(world), whole(new)
    assert own.keys() == other.keys()
    odd = [path for path in own if own[path].tobytes() != other[path].tobytes()]
    assert [path for path in odd if "_ns" not in path] == []  # measured computing times differ


def require_restarts(source: Any, seeds: list[int], steps: int = 12, **options: Any) -> None:
    with ea.load_scene(source, **options) as world:
        for seed in seeds:
            for _ in range(steps):
                world.step(1 / 30)
            world.reset(seed=seed)
            with ea.load_scene(source, seed=seed, **options) as new:
                require_equal(world, new)
                for _ in range(steps):
                    world.step(1 / 30)
                    new.step(1 / 30)
                require_equal(world, new)


@pytest.mark.exhaustive
def test_a_reset_equals_a_new_world():
    require_restarts(SCENE, [0, 5])


@pytest.mark.exhaustive
def test_a_reset_varies_the_scene():
    varied = {"crowds[0].count": [4, 9], "crowds[0].steering.radius": [0.1, 0.3]}
    require_restarts(SCENE | {"vary": varied}, [1, 2, 3], steps=3)


@pytest.mark.exhaustive
def test_pictures_after_a_reset_equal_pictures_of_a_new_world():
    with ea.load_scene(SCENE) as world, ea.Renderer((64, 48)) as renderer:
        world.step(1 / 30)
        renderer.render(world)
        world.reset(seed=2)
        with ea.load_scene(SCENE, seed=2) as new, ea.Renderer((64, 48)) as other:
            for camera in (None, "eye"):
                np.testing.assert_array_equal(renderer.render(world, camera), other.render(new, camera))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", shipped_scenes())
def test_shipped_scenes_start_again(name: str):
    require_restarts(name, [3, 8], actors=30)


def test_without_a_seed_the_world_starts_again_with_its_seed():
    with ea.load_scene(SCENE, seed=4) as world:
        begun = ea.crowd(world, "people").positions
        world.step(1 / 30)
        world.reset()
        assert world.origin["seed"] == 4
        np.testing.assert_array_equal(ea.crowd(world, "people").positions, begun)


def test_handles_and_handlers_remain_valid():
    with ea.load_scene(SCENE) as world:
        handle, steps = ea.crowd(world, "people"), []
        world.on("stepped", lambda own: steps.append(own.frame))
        handle.remove([0, 1])
        world.step(1 / 30)
        world.reset(seed=1)
        assert handle.actor_count == 12
        np.testing.assert_array_equal(handle.positions, ea.crowd(world, "people").positions)
        handle.go_to(ea.ALL, np.tile([1.0, 1.0], (12, 1)))
        world.step(1 / 30)
        assert steps == [1, 1]


class Counting:
    """A system that counts the events of the world."""

    name = "counting"

    def setup(self, world: ea.World) -> None:
        self.heard = 0
        world.on("stepped", self.count)

    def count(self, world: ea.World) -> None:
        self.heard += 1

    def run(self, world: ea.World, dt: float) -> None:
        pass


def test_user_systems_are_set_up_again():
    own = Counting()
    with ea.load_scene(SCENE, systems=[(own, "after", "timeline")]) as world:
        world.step(1 / 30)
        world.reset()
        assert own.heard == 0
        world.step(1 / 30)
        assert own.heard == 1


@pytest.mark.exhaustive
def test_after_an_error_the_world_is_unchanged():
    goals = {"crowds[0].steering.goal": {"one_of": [[4.0, 4.0], [9.0, 9.0]]}}  # the second goal is behind the walls
    drawn = [drawn_values(scene_of(SCENE | {"vary": goals}), seed)["crowds[0].steering.goal"] for seed in range(8)]
    with ea.load_scene(SCENE | {"vary": goals}, seed=drawn.index([4.0, 4.0])) as world:
        failed = 0
        for seed in range(8):
            world.step(1 / 30)
            before, at = whole(world), (world.frame, world.origin)
            try:
                world.reset(seed=seed)
            except InputError:
                failed += 1
                assert (world.frame, world.origin) == at
                assert all(before[path].tobytes() == own.tobytes() for path, own in whole(world).items())
        assert failed == drawn.count([9.0, 9.0]) > 0


def test_only_worlds_of_scenes_start_again():
    from ecs_anim.systems.schedule import ChunkedSchedule

    with ea.World(ChunkedSchedule(1)) as world, pytest.raises(ValueError, match="only a world from load_scene"):
        world.reset()
    with ea.load_scene(SCENE) as world, pytest.raises(ValueError, match="seed must be at least 0"):
        world.reset(seed=-1)

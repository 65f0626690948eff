"""Ids of actors, in pictures and out of them, while others come and go."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.commands.passes import _whose
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.id_index import new_id_index
from ecs_anim.gl.picture.passes import MOST_ID
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.snapshots import load_world
from ecs_anim.support.errors import InputError
from ecs_anim.systems.actor_ids import find_actors, next_id, number_actors
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401

SIZE = (200, 150)
PLACES = [(float(x), float(z)) for z in range(-5, 6, 2) for x in range(-5, 6, 2)]  # far enough apart to be seen
SCENE = """
[rigs.people]
model = "mannequin"
[camera]
target = [0.0, 0.0, 0.0]
distance = 22.0
elevation_degrees = 60.0
vertical_fov_degrees = 40.0
[[crowds]]
name = "left"
rig = "people"
count = 8
layout = { kind = "points", points = FIRST }
clips = [{ name = "idle" }]
OPTIONS
[[crowds]]
name = "right"
rig = "people"
count = 6
layout = { kind = "points", points = SECOND }
clips = [{ name = "idle" }]
"""
PATHS = {
    "pose": "",
    "baked": 'path = "baked"',
    "levels": 'path = "baked"\nlevel = "auto"\ndetail = { impostors = true }',
    "classic": 'path = "baked"\nbake = { shader = "classic", space = "model" }',
    "auto": 'path = "auto"\nnear_actors = { count = 4, fade_seconds = 0.0 }',
}


def scene_of(path="pose"):
    text = SCENE.replace("OPTIONS", PATHS[path])
    text = text.replace("FIRST", str([[x, -z] for x, z in PLACES[:8]]))
    return parse_scene(text.replace("SECOND", str([[x, -z] for x, z in PLACES[8:14]])), "x.toml", Path())


def come_and_go(world, where, rng):
    """Some of each crowd leave and others come to free places; `where` says where each id is and of which crowd."""
    for name in ("left", "right"):
        crowd = ea.crowd(world, name)
        for actor in rng.choice(crowd.ids, 3, replace=False).tolist():
            crowd.remove(ids=actor)
            del where[actor]
        free = [place for place in PLACES if place not in {spot for spot, _ in where.values()}]
        places = [free[k] for k in rng.choice(len(free), 4, replace=False)]
        ids = crowd.add(positions=[(x, -z) for x, z in places]).tolist()
        for actor, place in zip(ids, places, strict=True):
            assert actor not in where
            where[actor] = place, name


def seen_at(ids, world):
    """The middle of each id's pixels."""
    found = {}
    for actor in np.unique(ids)[1:].tolist():
        rows, columns = np.nonzero(ids == actor)
        found[actor] = np.array([columns.mean() + 0.5, rows.mean() + 0.5])
    return found


def projected(world, place):
    """Return the pixel [x, y] where the camera sees the middle of an actor that stands at a place."""
    camera = stage_of(world).camera
    clip = camera.projection_matrix(SIZE[0] / SIZE[1]).astype(np.float64) @ camera.view_matrix()
    x, y, _, w = clip @ [place[0], 0.9, place[1], 1.0]
    return (np.array([x, -y]) / w + 1) / 2 * SIZE


def drawn(drawing, world, renderer):
    with renderer.pass_target(*SIZE) as target:
        drawing.draw_passes(world, target)
        return target.read()


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", PATHS)
def test_ids_are_their_actors_for_life(renderer, path, tmp_path):
    """In two crowds that both change between pictures, and in a world that is saved and loaded."""
    rng, drawing = np.random.default_rng(6), DrawWorld(renderer)
    with load_scene(scene_of(path), threads=1) as world:
        where = {k + 1: (place, "left" if k < 8 else "right") for k, place in enumerate(PLACES[:14])}
        for _ in range(4):
            passes = drawn(drawing, world, renderer)
            seen = seen_at(passes.ids, world)
            assert seen.keys() == where.keys()
            for actor, middle in seen.items():
                np.testing.assert_allclose(middle, projected(world, where[actor][0]), atol=2.5)
            told = {actor["id"]: actor for actor in _whose(world, passes)["actors"]}
            for actor, (_, name) in where.items():
                assert told[actor]["crowd"] == name
                assert ea.crowd(world, name).ids[told[actor]["row"]] == actor
                (picked,) = find_actors(world, np.array([actor]))
                x, y = np.argwhere(passes.ids == actor)[0][::-1].tolist()
                assert drawing.pick(world, x, y, SIZE) in (picked, None), "the edge of somebody may be missed"
            come_and_go(world, where, rng)
            world.step(1 / 60)
        passes = drawn(drawing, world, renderer)
        world.save(tmp_path / "w.npz")
        with load_world(tmp_path / "w.npz", scene_of(path), threads=1) as loaded:
            np.testing.assert_array_equal(drawn(DrawWorld(renderer), loaded, renderer).ids, passes.ids)
            assert next_id(loaded) == next_id(world)
            new = ea.crowd(loaded, "left").add(positions=[[0.0, 0.0]])
            np.testing.assert_array_equal(new, ea.crowd(world, "left").add(positions=[[0.0, 0.0]]))
            assert find_actors(loaded, new)[0] is not None


def test_crowds_that_grow_do_not_collide():
    with load_scene(scene_of(), threads=1) as world:
        left, right = ea.crowd(world, "left"), ea.crowd(world, "right")
        assert left.ids.tolist() == list(range(1, 9))
        assert right.ids.tolist() == list(range(9, 15))
        ever = set(range(1, 15))
        for _ in range(5):
            for crowd in (left, right):
                crowd.remove([0])
                new = set(crowd.add(positions=[[0.0, 0.0], [1.0, 0.0]]).tolist())
                assert not new & ever
                ever |= new
        assert next_id(world) == max(ever) + 1
        with pytest.raises(KeyError, match="'left' has no actor with id"):
            left.rows(right.ids)


class Founder:
    """A user's system that creates a crowd."""

    name = "founder"

    def setup(self, world):
        world.create(Crowd("mine", 3))

    def run(self, world, dt):
        """Nothing."""


def test_crowds_of_users_systems_have_ids_of_their_own():
    with load_scene(scene_of(), threads=1, systems=[(Founder(), "before", "chunks")]) as world:
        ids = [crowd.ids.tolist() for _, (crowd,) in world.query(Crowd)]
        assert ids == [list(range(1, 9)), list(range(9, 15)), [15, 16, 17]]
        number_actors(world)
        assert [crowd.ids.tolist() for _, (crowd,) in world.query(Crowd)] == ids, "once is enough"


def test_ids_that_the_gpu_cannot_count_are_told(renderer):
    drawing = DrawWorld(renderer)
    with load_scene(scene_of(), threads=1) as world:
        ((_, (crowd,)), _) = world.query(Crowd)
        crowd.index = new_id_index(8, MOST_ID - 7)
        assert drawn(drawing, world, renderer).ids.max() == MOST_ID
        crowd.index = new_id_index(8, MOST_ID - 6)
        with pytest.raises(InputError, match="an actor id must be at most 4,294,967,295 .got 4,294,967,296"):
            drawn(drawing, world, renderer)


@pytest.mark.parametrize("spoil", [lambda ids: ids * 0, lambda ids: ids[::-1] * 0 + 3, lambda ids: ids + 100])
def test_a_saved_world_with_impossible_ids_is_refused(tmp_path, spoil):
    with load_scene(scene_of(), threads=1) as world:
        ((_, (crowd,)), _) = world.query(Crowd)
        crowd.index.ids = np.ascontiguousarray(spoil(crowd.index.ids))
        world.save(tmp_path / "w.npz")
    with pytest.raises(InputError, match=r"w.npz: .*Crowd.index.* must be .*Save the snapshot again"):
        load_world(tmp_path / "w.npz", scene_of(), threads=1)

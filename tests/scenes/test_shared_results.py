"""Scenes that share results: their worlds have the bits of worlds that are loaded alone."""

import numpy as np

import ecs_anim as ea
from ecs_anim.components.palette import Palette
from ecs_anim.support.reuse import Reuse, reusable, shared_reuse
from ecs_anim.systems.queries import palettes_of

SCENE = {
    "rigs": {"own": {"model": "people"}},
    "crowds": [
        {
            "rig": "own",
            "count": 5,
            "layout": {"kind": "scatter", "radius": 4.0, "min_distance": 0.8},
            "body": {},
            "steering": {"goal": [0.0, 9.0]},
            "clips": [{"name": "walk"}],
        }
    ],
}


def poses_of(seed):
    with ea.load_scene(SCENE, seed=seed, threads=1) as world:
        world.skip(20, 1 / 30)
        ((entity, _),) = world.query(Palette)
        return palettes_of(world, entity).copy()


def test_poses_have_the_bits_of_a_scene_alone():
    with Reuse().shared():
        first, second = poses_of(1), poses_of(2)
    np.testing.assert_array_equal(first, poses_of(1))
    np.testing.assert_array_equal(second, poses_of(2))


def test_a_result_is_computed_once_where_it_is_shared():
    calls = []

    @reusable
    def named(number):
        calls.append(number)
        return number

    def build():
        with shared_reuse().building():
            named(1)

    with Reuse().shared():
        build(), build()
    assert calls == [1]
    build(), build()
    assert calls == [1, 1, 1]

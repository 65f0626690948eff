"""Default clothes of people in scenes that do not specify any."""

import shutil
from importlib.resources import files

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms

SCENE = """
seed = {seed}
[rigs.people]
model = "{model}"
[[crowds]]
name = "people"
rig = "people"
count = 40
layout = {{ kind = "scatter", radius = 6.0, min_distance = 0.6 }}
heading_degrees = "random"
clips = [{{ name = "{clip}" }}]
{tints}
"""
CLIPS = {"ball": "rest", "flag": "wave"}
WHITE = 'tints = ["#ffffff"]'


def loaded(model: str = "people", seed: int = 3, tints: str = "") -> ea.World:
    scene = SCENE.format(model=model, seed=seed, tints=tints, clip=CLIPS.get(model, "walk"))
    return ea.load_scene(scene, threads=1)


def part(world: ea.World, kind: type):
    ((_, (found,)),) = world.query(kind)
    return found


def tints_of(world: ea.World) -> np.ndarray:
    return part(world, Appearance).tint.copy()


@pytest.mark.parametrize("model", ["mannequin", "people"])
def test_people_wear_many_colours_none_of_them_glaring(model):
    tints = tints_of(loaded(model))
    assert len(np.unique(tints, axis=0)) >= 8
    assert (tints[:, 3] == 1).all()
    high, low = tints[:, :3].max(axis=1), tints[:, :3].min(axis=1)
    assert np.median((high - low) / high) < 0.7, "of pure colours it is 1, of grey ones 0"
    assert 0.05 < np.median(high) < 0.6


def test_the_seed_tells_who_wears_what():
    first, again, other = (tints_of(loaded(seed=seed)) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_others_are_white_as_ever(tmp_path):
    """A character from a file, too, be it the mannequin's."""
    file = tmp_path / "character.glb"
    shutil.copy(files("ecs_anim.mannequin") / "mannequin.glb", file)
    for model in (*CLIPS, file.as_posix()):
        assert (tints_of(loaded(model)) == 1).all()


@pytest.mark.exhaustive
def test_nothing_else_hangs_on_it():
    """Places, headings, what they play, and labels are those of people in white."""
    worlds = [loaded(tints=tints) for tints in ("", WHITE)]
    assert (tints_of(worlds[0]) != tints_of(worlds[1])).any()
    for world in worlds:
        world.step(0.5)
    for kind, columns in ((Transforms, ("translation", "rotation", "scale")), (Playback, ("phase", "motion", "speed"))):
        for column in columns:
            np.testing.assert_array_equal(*(getattr(part(world, kind), column) for world in worlds))
    ids, others = (ea.capture(world, passes=["ids"], size=(160, 90))[0].ids for world in worlds)
    np.testing.assert_array_equal(ids, others)
    assert ids.any()


def test_newcomers_wear_them_too():
    world = loaded()
    before = {tuple(tint) for tint in tints_of(world).tolist()}
    ea.crowd(world, "people").add(40)
    assert len({tuple(tint) for tint in tints_of(world)[40:].tolist()}) >= 8
    assert len(before & {tuple(tint) for tint in tints_of(world)[40:].tolist()}) >= 4

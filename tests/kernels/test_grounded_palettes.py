"""Grounded palettes in one go against the systems one by one, each of which has its own oracle: the same to the bit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.palette import Palette
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.rigs import MANNEQUIN, load_rig
from ecs_anim.support.timings import Timings
from tests.helpers import FEW

SCENE = """
seed = 5
[rigs.people]
model = "{model}"
[ground]
{ground}
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "disc", spacing = 0.9 }}
heading_degrees = "random"
size_variation = 0.1
parameters = {{ speed = [1.2, 3.4], share = [0, 1] }}
locomotion = {{}}
grounding = {{ {grounding} }}
[[crowds.blend_spaces]]
name = "gait"
parameters = ["speed"]
members = [{{ clip = "{clips}walk" }}, {{ clip = "{clips}run" }}]
"""
GROUNDS = {
    "flat": 'kind = "flat"',
    "heights": 'kind = "heights"\nsize = [9, 9]\nspacing = 0.5\nfunction = "0.4 * sin(x) * cos(z / 2)"',
    "blocks": 'kind = "blocks"\nblocks = [{ at = [0.5, 1], size = [3, 2], height = 0.2 }]',
}
BOTH = {"model_matrices", "grounding"}


def posed(ground, grounding, count=21, frames=4, chunk_size=2048, model="mannequin", clips=""):
    """Palettes, pins, what feet remember, and which systems ran."""
    own = {"grounding": grounding, "count": count, "model": model, "clips": clips}
    text = SCENE.format(ground=GROUNDS[ground], **own)
    timings = Timings()
    with load_scene(parse_scene(text, "grounded.toml", Path()), threads=1, chunk_size=chunk_size) as world:
        for _ in range(frames):
            world.step(1 / 30, timings)
        ((entity, (palette, contacts, feet)),) = world.query(Palette, FootContacts, Grounding)
        assert {*world.pose_systems(entity)} > BOTH, "whoever asks what poses are made of is told of all"
        arrays = [palette.matrices, contacts.pin, *feet.state]
        return [array.copy() for array in arrays], set(timings.wall_ns)


def one_by_one(monkeypatch, *arguments, **options):
    with monkeypatch.context() as patched:
        patched.setattr("ecs_anim.systems.applicable.fuse", list)
        return posed(*arguments, **options)


@pytest.mark.parametrize(
    ("ground", "grounding"),
    [("flat", ""), ("heights", "range = 20"), ("heights", 'weight = "share"'), ("blocks", "lock_share = 0")],
)
def test_it_is_what_the_systems_do_one_by_one(monkeypatch, ground, grounding):
    together, ran = posed(ground, grounding)
    apart, ran_apart = one_by_one(monkeypatch, ground, grounding)
    assert ran_apart - ran == BOTH
    assert np.ptp(together[0][:, 0, 1, 3]) > 0.01 or ground == "flat"
    for a, b in zip(together, apart, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("count", [3] if FEW else [1, 9])
def test_any_number_of_actors(monkeypatch, count):
    together, apart = (
        posed("heights", "range = 20", count)[0],
        one_by_one(monkeypatch, "heights", "range = 20", count)[0],
    )
    for a, b in zip(together, apart, strict=True):
        np.testing.assert_array_equal(a, b)


def test_palettes_past_the_caches_are_the_same(monkeypatch):
    found = []
    for cache in (1 << 40, 0):
        monkeypatch.setattr("ecs_anim.components.palette.CACHE", cache)
        found.append(posed("heights", "range = 20", 37, chunk_size=16)[0][0])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("left", [("Hips",), ("Hips", "Left")])
def test_joints_that_no_clip_moves_are_put_back(monkeypatch, tmp_path, left):
    """The ground moves hips and legs that clips leave alone: the next eight begin from where these were."""
    rig = load_rig("mannequin")
    clips = []
    for clip in (rig.clips["walk"], rig.clips["run"]):
        kept = (own for own in clip.tracks if not rig.skeleton.joint_names[own.joint_index].startswith(left))
        clips.append(replace(clip, name=f"own_{clip.name}", tracks=tuple(kept)))
    (tmp_path / "x.glb").write_bytes(with_clips(MANNEQUIN, clips))
    options = {"count": 37, "model": str(tmp_path / "x.glb"), "clips": "own_"}
    together, ran = posed("heights", "range = 20", **options)
    apart, _ = one_by_one(monkeypatch, "heights", "range = 20", **options)
    assert not BOTH & ran
    for a, b in zip(together, apart, strict=True):
        np.testing.assert_array_equal(a, b)


def test_pins_by_parameters_are_left_to_the_systems():
    _, ran = posed("flat", 'pins = ["share", "share"]')
    assert ran >= BOTH

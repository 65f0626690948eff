"""Measures of the retargeting study: zero for a body that moves as the source, and the changes made to a clip."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.profiling.validation.retargeting_figures import PERSON, Figures, player_of
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.rigs import load_model
from tests.helpers import ASSETS, EXHAUSTIVE, MOTIONS, needs_assets, needs_motions

MODELS = ("mannequin", ASSETS / "Woman.gltf", ASSETS / "cesium_man.gltf", MOTIONS / "manny_med_mod.gltf")
SOURCES = (
    *MODELS[:3],
    *(MOTIONS / name for name in ("Med_MovementBasic.glb", "freebvh.bvh", "walk_meredith.bvh")),
)


def figures(clip, moved):
    found, player = Figures(), player_of(load_model("mannequin"))
    found.add(player, clip, player, moved)
    return found.row()


def test_who_does_as_the_source_is_nowhere_else():
    clips = load_model("mannequin").clips
    assert figures(clips["idle"], clips["idle"])["slide_max_mm"] < 0.1
    told = figures(clips["walk"], clips["walk"])
    assert told["stands"] == 3
    assert (told["hands_max"], told["feet_max"], told["backwards"], told["flip_degrees"]) == (0, 0, 0, 0)


def test_a_clip_that_goes_slower_than_it_says_slides():
    """By what it lacks of a stance's way."""
    rig = load_model("mannequin")
    clip = rig.clips["walk"]
    slower = replace(clip, extras={**clip.extras, "ground_velocity": [0.0, 1.3], "ground_speed": 1.3})
    stances = [end - start for spans in clip.extras["contacts"].values() for start, end in spans]
    assert figures(clip, slower)["slide_max_mm"] == pytest.approx(0.1 * max(stances) * PERSON / 1.75, rel=0.2)


@EXHAUSTIVE
@needs_motions
def test_feet_slide_as_little_where_a_turn_is_taken_out():
    """A person turns by 80 degrees. Linear interpolation between keys adds another millimetre at most."""
    motion, rig = load_model(str(MOTIONS / "walk_meredith.bvh")), load_model("mannequin")
    kept, extracted = Figures(), Figures()
    for found, what in ((kept, "keep"), (extracted, "extract")):
        moved = ea.retarget(motion.clips["walk_meredith"], motion, rig, root_motion=what)
        found.add(player_of(motion), motion.clips["walk_meredith"], player_of(rig), moved)
    assert abs(moved.extras["ground_turn"]) > 0.1
    np.testing.assert_allclose(extracted.slides, kept.slides, atol=1.0)


def test_an_elbow_that_is_turned_over_bends_backwards_and_its_hand_is_elsewhere():
    rig = load_model("mannequin")
    clip = rig.clips["run"]
    joint = find_roles(rig).joints["left_upper_arm"]
    over = [
        replace(track, values=track.values * np.array([1, 1, -1, -1], np.float32))
        if track.joint_index == joint and track.path == "rotation"
        else track
        for track in clip.tracks
    ]
    told = figures(clip, replace(clip, tracks=tuple(over)))
    assert told["hands_max"] > 5
    assert told["feet_max"] == 0


@EXHAUSTIVE
@needs_assets
@needs_motions
@pytest.mark.filterwarnings("ignore:.*drawn without the texture")
@pytest.mark.parametrize("motion", SOURCES, ids=lambda path: Path(path).stem)
def test_every_clip_on_every_body(motion):
    """Limits from the issues about retargeting: 95 % of hands and feet within 5 % of the height; standing feet stay."""
    source, every = player_of(load_model(str(motion))), Figures()
    for model in MODELS:
        if model == motion:
            continue
        target, own = player_of(load_model(str(model))), Figures()
        for clip in source.body.rig.clips.values():
            moved = ea.retarget(clip, source.body.rig, target.body.rig, root_motion="keep")
            for found in (own, every):
                found.add(source, clip, target, moved)
        told = own.row()
        assert told["hands_p95"] < 5
        assert told["feet_p95"] < 5
        assert told["sunk_max"] < 1.3  # the clips that are made for a body are its own
        assert told["backwards"] == 0
        assert told["flip_degrees"] < 5
        assert told["stretch"] < 0.01
    assert every.row()["slide_p95_mm"] < 11  # of the sources' own, whose keys alike bodies keep, too

"""Scalar curves of clips drive parameters: mixed as the clips are, and read by all that reads parameters."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.controller import Controller
from ecs_anim.components.playback import Playback
from ecs_anim.kernels.clip_curves import mix_curve
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems.crowd_handle import crowd
from tests.helpers import random_clip, random_skeleton
from tests.oracles.blend_weights import weights_1d

RNG = np.random.default_rng(31)
SKELETON = random_skeleton(RNG, 3)
CLIPS = [random_clip(RNG, SKELETON, f"clip_{i}", 8 + i) for i in range(4)]
SPACE = tuple(Member(clip, (0, 0), (float(i), 0)) for i, clip in enumerate(CLIPS[1:]))
MOTIONS = [Motion("single", (Member(CLIPS[0], (0, 0)),)), Motion("space", SPACE, True, ("x",))]
ARRAYS = build_motion_set(MOTIONS, build_tables(SKELETON, CLIPS), ("other", "x")).arrays
POINTS = 9
VALUES = RNG.normal(size=(len(CLIPS), POINTS)).astype(np.float32)
ACTORS, SLOTS = 60, 4


def curve_of(motion, phase, x):
    """A motion's curve value, in plain numpy."""
    own = [np.interp(phase, np.linspace(0, 1, POINTS), values) for values in VALUES]
    return own[0] if motion == 0 else np.dot(weights_1d([0, 1, 2], x), own[1:])


def test_a_curve_is_mixed_as_the_pose_is():
    count = RNG.integers(1, SLOTS + 1, ACTORS).astype(np.int32)
    motion = RNG.integers(0, 2, (ACTORS, SLOTS)).astype(np.int32)
    phase = RNG.random((ACTORS, SLOTS), np.float32)
    phase[:3, 0] = 1
    phase[3:6, 0] = 0
    fade_time, fade_duration = RNG.random((2, ACTORS, SLOTS)).astype(np.float32)
    parameters = RNG.uniform(-1, 3, (ACTORS, 2)).astype(np.float32)
    out = parameters.copy()
    queue = FadeQueue(count, motion, phase, np.ones_like(phase), fade_time, fade_duration)
    mix_curve(VALUES, ARRAYS, tuple(queue), 0, out)
    for actor in range(ACTORS):
        expected = 0.0
        for slot in range(count[actor]):
            own = curve_of(motion[actor, slot], phase[actor, slot], parameters[actor, 1])
            covers = 1.0 if slot == 0 else min(fade_time[actor, slot] / fade_duration[actor, slot], 1.0)
            expected += (own - expected) * covers
        assert out[actor, 0] == pytest.approx(expected, abs=1e-5)
    np.testing.assert_array_equal(out[:, 1], parameters[:, 1])


SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 3
clips = [
    { name = "walk", phase = 0.0, curves = { ramp = { seconds = [0.25, 0.75], values = [1.0, 3.0] } } },
    { name = "idle", weight = 0, curves = { ramp = { seconds = [0.0], values = [7.0] } } },
    { name = "wave", weight = 0, curves.level = { seconds = [0.0, 1.5], values = [2.0, 5.0], interpolation = "STEP" } },
]
"""
CONTROLLER = """
[crowds.controller]
start = "go"
states = { go = "walk", rest = "idle" }
transitions = [{ from = "go", to = "rest", when = ["ramp > 2.5"] }]
"""


def load(text=SCENE, **options):
    return load_scene(parse_scene(text, "x.toml", Path()), threads=1, **options)


def test_linear_curves_hold_their_ends_and_rise_between():
    with load() as world:
        people = crowd(world, "people")
        assert people.parameter("ramp").tolist() == [1, 1, 1], "posed at time zero"
        for time in np.arange(1, 20) / 20:
            world.step(0.05)
            expected = np.interp(time, [0.25, 0.75], [1, 3])
            np.testing.assert_allclose(people.parameter("ramp"), expected, atol=0.01)
            np.testing.assert_array_equal(people.parameter("level"), 0)


def test_steps_jump_from_one_value_to_the_next():
    with load() as world:
        people = crowd(world, "people")
        people.fade_to(ea.ALL, "wave", 0.0)
        for time in np.arange(1, 30) / 10:
            world.step(0.1)
            if abs(time - 1.5) > 3 / 64:  # the table's grain
                np.testing.assert_allclose(people.parameter("level"), 2 if time < 1.5 else 5, rtol=1e-6)


def test_curves_are_mixed_across_a_fade():
    with load() as world:
        people = crowd(world, "people")
        people.fade_to([1], "idle", 0.5)
        for time in (0.1, 0.2, 0.3, 0.4):
            world.step(0.1)
            walk = np.interp(time, [0.25, 0.75], [1, 3])
            found = people.parameter("ramp")
            np.testing.assert_allclose(found, [walk, walk + (7 - walk) * time / 0.5, walk], atol=0.01)


def test_a_controller_sees_what_a_curve_says():
    """The value stays until the next step has read it."""
    with load(SCENE + CONTROLLER) as world:
        ((_, (controller, playback)),) = world.query(Controller, Playback)
        world.step(0.6)
        assert controller.state.tolist() == [0, 0, 0]
        world.step(0.1)  # 2.8 at its end
        world.step(0.01)
        assert controller.state.tolist() == [1, 1, 1]
        assert playback.slot_count.tolist() == [2, 2, 2]

"""Clips that keep step with how fast actors go: against plain Python, and in crowds that the GPU poses."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.movers import CLIP, STEERED, VELOCITY
from ecs_anim.components.playback import Playback
from ecs_anim.kernels.pacing import pace_clips
from ecs_anim.runtime.gait_clips import GaitClips
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.support.errors import InputError
from ecs_anim.systems.pacing import GAIT_CHANGE

DT = 1 / 60
MOTIONS, SPEEDS = [4, 1, 2], [0.0, 1.4, 3.5]
OTHER = 3
SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "far"
rig = "people"
path = "baked"
count = 6
layout = { kind = "grid", spacing = 1.2 }
clips = [{ name = "idle" }, { name = "walk" }, { name = "run" }]
steering = { goal = [12.0, 0.0], goal_radius = 1.0, radius = 0.2 }
"""


def expected_gait(gait, speed):
    """One change at a time, with a tenth of the boundary as the least by which it must be passed."""
    bounds = [0.2 * 1.4, (1.4 * 3.5) ** 0.5]
    while gait < 2 and speed > 1.1 * bounds[gait]:
        gait += 1
    while gait > 0 and speed < 0.9 * bounds[gait - 1]:
        gait -= 1
    return gait


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_actors_play_the_gait_of_their_speed(scale):
    rng = np.random.default_rng(2)
    count, gaits = 300, rng.integers(0, 3, 300)
    velocity = (rng.normal(size=(count, 2)) * 1.5).astype(np.float32)
    shape = (count, 3)
    motion = np.zeros(shape, np.int32)
    motion[:, 0] = np.array(MOTIONS)[gaits]
    queue = FadeQueue(np.ones(count, np.int32), motion, *(np.full(shape, 0.25, np.float32) for _ in range(4)))
    kind = np.full(count, STEERED, np.int32)
    kind[::3], kind[:10] = VELOCITY, CLIP
    motion[20:30, 0] = OTHER
    clips = GaitClips(np.array(MOTIONS, np.int32), np.array(SPEEDS, np.float32))
    for column in clips:
        column.setflags(write=False)
    movers = kind, np.zeros(count, np.int32), velocity, np.zeros((count, 3), np.float32), velocity
    pace_clips(clips, GAIT_CHANGE, np.full(count, scale, np.float32), movers, tuple(queue))
    for actor in range(count):
        last, speed = queue.slot_count[actor] - 1, float(np.hypot(*velocity[actor])) / scale
        if kind[actor] == CLIP or motion[actor, 0] == OTHER:
            assert (last, queue.speed[actor, 0]) == (0, 0.25)  # as they were
            continue
        gait = expected_gait(gaits[actor], speed)
        assert motion[actor, last] == MOTIONS[gait]
        assert last == (gait != gaits[actor])
        assert queue.phase[actor, last] == 0.25  # in step
        for slot in range(last + 1):
            own = SPEEDS[MOTIONS.index(motion[actor, slot])]
            if own:
                np.testing.assert_allclose(queue.speed[actor, slot], min(speed / own, 2.0), rtol=1e-5)


@pytest.mark.exhaustive
def test_baked_crowds_walk_to_their_goals_and_stand_there():
    with ea.load_scene(SCENE) as world:
        (people,) = ea.crowds(world)
        playback = next(world.query(Playback))[1][0]
        for _ in range(120):
            world.step(DT, posed=False)
        assert people.playing() == ["walk"] * 6
        before, phases = people.positions, people.phases
        for _ in range(60):
            world.step(DT, posed=False)
        covered = np.linalg.norm(people.positions - before, axis=1)
        cycles = (people.phases - phases) % 1.0 + (playback.speed[:, 0] < 0)
        strides = covered / cycles  # a stride of the clip, whatever the speed: feet do not slide
        np.testing.assert_allclose(strides, strides.mean(), rtol=0.03)
        for _ in range(900):
            world.step(DT, posed=False)
        assert people.playing() == ["idle"] * 6
        assert np.linalg.norm(people.positions - [12, 0], axis=1).max() < 1.6


@pytest.mark.exhaustive
def test_actors_of_baked_crowds_are_told_otherwise_and_come_back():
    with ea.load_scene(SCENE) as world:
        (people,) = ea.crowds(world)
        people.set_velocity([0], [0.0, 1.3])
        people.fade_to([1], "run")
        ids = people.add(3, positions=[[-9.0, 0.0], [-9.0, -1.0], [-9.0, -2.0]])
        for _ in range(90):
            world.step(DT, posed=False)
        assert people.positions[0, 1] > 1.0
        people.go_to([0], [[0.0, 0.0]])
        with pytest.raises(ValueError, match="has no body that can walk"):
            people.follow([people.ids[0]], [[2.0, 3.0]], [[[0, 0], [1, 0]]])
        for _ in range(600):
            world.step(DT, posed=False)
        np.testing.assert_allclose(people.positions[0], 0, atol=0.3)
        assert (people.positions[people.rows(ids), 0] > -4.0).all()


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ('path = "baked"', "", "crowds[0].steering: actors can steer only if they have bodies, or if"),
        (
            '{ name = "walk" }, { name = "run" }',
            "",
            "crowds[0].clips: actors that steer need a clip of forward walking",
        ),
        (
            "count = 6",
            "count = 6\nlocomotion = {}",
            "crowds[0].locomotion: actors that steer cannot also have locomotion",
        ),
    ],
)
def test_mistakes_are_told_with_their_scene_key(was, now, message):
    with pytest.raises(InputError) as caught:
        ea.load_scene(SCENE.replace(was, now))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

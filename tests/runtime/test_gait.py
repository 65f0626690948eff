"""Ground speed, measured from the feet."""

import dataclasses
import math

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.gait import ground_speed, ground_turn, ground_velocity, measured_ground_speed
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError


def stepping(speed, facing=0.0, lift=0.2):
    """Two feet under a body: each slides back on the ground for half a second, then returns through the air."""
    rest = Pose.identity(4)
    names, parents = ("body", "left", "right", "root"), np.array([-1, 0, 0, -1], np.int32)
    skeleton = Skeleton(
        names, parents, rest, np.arange(4, dtype=np.int32), np.tile(np.eye(3, 4, dtype=np.float32), (4, 1, 1))
    )
    times = np.arange(61, dtype=np.float32) / 60
    forward = np.array([math.sin(facing), 0, math.cos(facing)])

    def foot(phase):
        turn = (times + phase) % 1.0
        place = np.where(turn < 0.5, 0.25 - turn * 1.0, -0.25 + (turn - 0.5)) * speed
        height = np.where(turn < 0.5, 0, lift * np.sin(2 * math.pi * (turn - 0.5)))
        return (place[:, None] * forward + np.stack([0 * height, height - 1, 0 * height], -1)).astype(np.float32)

    still = np.tile(np.array([[0, 1, 0]], np.float32), (61, 1))
    tracks = [
        Track(joint, "translation", "LINEAR", times, values)
        for joint, values in ((0, still), (1, foot(0.0)), (2, foot(0.5)))
    ]
    return Clip("steps", skeleton, tuple(tracks), 0.0, 1.0)


@pytest.mark.parametrize("speed", [0.8, 1.4, 3.0])
@pytest.mark.parametrize("facing", [0.0, math.pi / 2, -2.0])
def test_planted_feet_tell_the_speed(speed, facing):
    assert measured_ground_speed(stepping(speed, facing), facing) == pytest.approx(speed, rel=0.02)


def test_standing_is_no_gait():
    assert measured_ground_speed(stepping(0.0)) == 0


def test_walking_backwards_is_negative():
    assert measured_ground_speed(stepping(1.0), math.pi) == pytest.approx(-1.0, rel=0.02)


@pytest.mark.parametrize("said", [True, math.nan, math.inf, 10**400, "fast", None, [1.4], {}])
def test_extras_that_say_no_speed_leave_it_to_the_feet(said):
    clip = dataclasses.replace(stepping(1.4), extras={"ground_speed": said, "ground_velocity": [said, 0]})
    assert ground_speed(clip) == pytest.approx(1.4, rel=0.02)
    assert ground_velocity(clip) == (0.0, ground_speed(clip))


@pytest.mark.parametrize("said", [False, math.nan, math.inf, "left"])
def test_extras_that_say_no_turn_are_refused(said):
    clip = dataclasses.replace(stepping(1.4), extras={"ground_turn": said})
    with pytest.raises(InputError, match=f"clip {clip.name!r}: extras: `ground_turn` must be a number"):
        ground_turn(clip)


def test_a_skeleton_that_skins_nothing_has_no_gait():
    clip = stepping(1.4)
    skeleton = clip.skeleton
    bare = dataclasses.replace(skeleton, skin_joints=skeleton.skin_joints[:0], inverse_bind=skeleton.inverse_bind[:0])
    assert measured_ground_speed(dataclasses.replace(clip, skeleton=bare)) == 0


def test_the_mannequins_feet_say_what_its_file_says():
    clips = load_model("mannequin").clips
    for name, speed in (("walk", 1.4), ("run", 3.5), ("idle", 0.0), ("wave", 0.0), ("sit", 0.0)):
        assert ground_speed(clips[name]) == speed
        assert measured_ground_speed(clips[name]) == pytest.approx(speed, abs=0.02)

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths.transform import Pose
from ecs_anim.retargeting.same_names import by_names
from ecs_anim.support.errors import InputError


def make_skeleton(*names, height=1.0):
    count = len(names)
    pose = Pose.identity(count)
    pose.translation[:, 1] = height
    return Skeleton(
        joint_names=names,
        parents=np.arange(-1, count - 1, dtype=np.int32),
        rest_pose=pose,
        skin_joints=np.arange(count, dtype=np.int32),
        inverse_bind=np.tile(np.eye(3, 4, dtype=np.float32), (count, 1, 1)),
    )


def make_clip(skeleton, *joints):
    times = np.array([0, 1], np.float32)
    tracks = [
        Track(
            skeleton.joint_index(name), "translation", "LINEAR", times, np.array([[0, 0, 0], [k + 1, 0, 0]], np.float32)
        )
        for k, name in enumerate(joints)
    ]
    return Clip("walk", skeleton, tuple(tracks), 0.0, 1.0, {"ground_speed": 1.4})


def test_tracks_follow_joint_names_and_the_rest_comes_from_the_new_skeleton():
    clip = make_clip(make_skeleton("hips", "spine", "head"), "hips", "head")
    other = make_skeleton("root", "head", "spine", "hips", "tail", height=3.0)
    moved = by_names(clip, other)
    assert moved.skeleton is other
    assert [track.joint_index for track in moved.tracks] == [3, 1]
    translation = moved.sample(0.5).translation
    np.testing.assert_allclose(translation[:, 0], [0, 1.0, 0, 0.5, 0])
    np.testing.assert_allclose(translation[:, 1], [3, 0, 3, 0, 3])
    assert (moved.name, moved.start, moved.end, moved.extras) == ("walk", 0.0, 1.0, {"ground_speed": 1.4})


def test_the_key_arrays_are_shared_and_the_clip_is_unchanged():
    clip = make_clip(make_skeleton("hips", "spine"), "spine")
    moved = by_names(clip, make_skeleton("spine", "hips"))
    assert moved.tracks[0].values is clip.tracks[0].values
    assert clip.tracks[0].joint_index == 1


def test_a_joint_that_is_animated_and_missing_is_named():
    clip = make_clip(make_skeleton("hips", "tail"), "hips", "tail")
    with pytest.raises(InputError, match="clip 'walk': the skeleton of \\d+ joints lacks the animated joint 'tail'"):
        by_names(clip, make_skeleton("hips", "spine"))


def test_parts_of_a_clip():
    clip = make_clip(make_skeleton("hips", "tail"), "hips", "tail")
    found = by_names(clip, make_skeleton("spine", "hips"), partly=True)
    assert [track.joint_index for track in found.tracks] == [1]


def test_a_joint_that_is_missing_but_not_animated_does_no_harm():
    clip = make_clip(make_skeleton("hips", "tail"), "hips")
    assert len(by_names(clip, make_skeleton("hips")).tracks) == 1


def test_there_and_back():
    clip = make_clip(make_skeleton("a", "b", "c"), "a", "b", "c")
    back = by_names(by_names(clip, make_skeleton("c", "a", "b")), clip.skeleton)
    assert [track.joint_index for track in back.tracks] == [0, 1, 2]

"""Marks of foot contacts: they are visible in the phases in which feet stand, and they are under the feet."""

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.rigs.exposed import with_bones
from ecs_anim.scenes.contact_marks import MARK, with_contact_marks
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError

VISIBLE = 0.02  # [m]; larger marks are visible


@pytest.fixture(scope="module")
def rig():
    return with_contact_marks(load_model("mannequin"))


def centres_and_sizes(rig, pose):
    """The centres [time, mark, 3] and the widths [time, mark] of the finest marks."""
    palette = skin_palette(rig.skeleton, pose)
    points = np.stack([skin_linear(mesh, palette)[0] for mesh in rig.level(0) if mesh.material is MARK], axis=-3)
    return points.mean(axis=-2), np.ptp(points, axis=-2).max(axis=-1)


def marks_in(rig, name, count=48):
    """The marks at `count` times of a clip, and the time between two of them."""
    clip = rig.clips[name]
    times = clip.start + (np.arange(count) + 0.5) / count * clip.duration
    centres, sizes = centres_and_sizes(rig, clip.sample(times))
    return centres, sizes > VISIBLE, clip.duration / count


def test_walking_feet_take_turns_and_a_visible_mark_moves_back_with_the_ground(rig):
    """The mannequin faces +Z and walks on the spot: a point that stands on the ground moves at minus its speed."""
    centres, seen, dt = marks_in(rig, "walk")
    assert seen.any(axis=1).all(), "one foot stands at each time of a walk"
    assert seen.any(axis=0).all()
    assert not seen.all(axis=0).any()
    left, right = seen[:, :2].any(axis=1), seen[:, 2:].any(axis=1)
    assert 0.5 < left.mean() < 0.75, "a foot of a walker stands for about 60 % of the cycle"
    assert (left & right).mean() == pytest.approx(left.mean() + right.mean() - 1, abs=0.03)
    speed = -np.diff(centres[..., 2], axis=0) / dt
    stands = seen[1:] & seen[:-1]
    expected = rig.clips["walk"].extras["ground_speed"]
    assert np.median(speed[stands]) == pytest.approx(expected, rel=0.1)
    assert (centres[..., 1][seen] < 0.06).all()
    assert centres[..., 1].max() > 0.1, "the hidden marks swing"


def test_a_runner_and_a_jumper_fly_and_a_standing_actor_does_not(rig):
    assert not marks_in(rig, "run")[1].any(axis=1).all()
    assert not marks_in(rig, "jump")[1].any(axis=1).all()
    assert marks_in(rig, "idle")[1].all()


def test_in_the_rest_pose_all_marks_are_under_the_soles(rig):
    centres, sizes = centres_and_sizes(rig, rig.skeleton.rest_pose)
    assert (sizes > VISIBLE).all()
    palette = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    lowest = min(skin_linear(mesh, palette)[0][:, 1].min() for mesh in rig.level(0) if mesh.material is not MARK)
    np.testing.assert_allclose(centres[:, 1], lowest, atol=0.02)
    left, right = centres[:2], centres[2:]
    np.testing.assert_allclose(left * [-1, 1, 1], right, atol=0.01)
    assert (left[:, 0] > 0.03).all()
    assert left[1, 2] - left[0, 2] > 0.08, "the ball is ahead of the heel"


@pytest.mark.exhaustive
def test_the_surface_and_the_motion_do_not_change_and_each_level_has_marks():
    before = load_model("people")
    after = with_contact_marks(before)
    pose, marked = (rig.clips["walk"].sample(0.3) for rig in (before, after))
    count = before.skeleton.joint_count
    for path in ("translation", "rotation", "scale"):
        np.testing.assert_array_equal(getattr(marked, path)[:count], getattr(pose, path))
    assert after.meshes[: len(before.meshes)] == before.meshes
    assert after.level_count == before.level_count
    for level in range(after.level_count):
        assert sum(mesh.material is MARK for mesh in after.level(level)) == 4


@pytest.mark.exhaustive
def test_a_skeleton_has_marks_and_a_rig_without_legs_is_an_error():
    assert sum(mesh.material is MARK for mesh in with_contact_marks(with_bones(load_model("mannequin"))).meshes) == 4
    with pytest.raises(InputError, match=r"ball: the program cannot show foot contacts.*Rename the joints"):
        with_contact_marks(load_model("ball"))

"""Tracks that are sampled together give what each gives alone, to the bit."""

import numpy as np
import pytest

from ecs_anim.assets.clip import AT_ONCE, Clip
from ecs_anim.assets.track import Track
from ecs_anim.assets.track_bundle import bundled
from tests.helpers import random_rotations, random_skeleton

TIMES = np.array([0.1, 0.25, 0.7, 1.2], np.float32)
LATER = TIMES + np.float32(0.05)
WIDTH = {"translation": 3, "rotation": 4, "scale": 3}


def track(joint, path, interpolation, times, seed):
    rng = np.random.default_rng(seed)
    shape = (len(times), 3) if interpolation == "CUBICSPLINE" else (len(times),)
    values = random_rotations(rng, *shape) if path == "rotation" else rng.normal(size=(*shape, 3)).astype(np.float32)
    return Track(joint, path, interpolation, times, values)


@pytest.fixture
def tracks():
    """Of nine joints: every path and interpolation, two kinds of key times, a single key, a table of keys."""
    kinds = [(path, how) for path in WIDTH for how in ("STEP", "LINEAR", "CUBICSPLINE")]
    joints = enumerate(kinds)
    all_alike = [track(j, path, how, TIMES, 10 * j) for j, (path, how) in joints for j in (j, (j + 4) % 9)]
    others = [
        track(0, "rotation", "LINEAR", LATER, 100),
        track(1, "rotation", "LINEAR", TIMES[:1], 101),
        track(2, "rotation", "LINEAR", TIMES, 102).fast(),
    ]
    return {(t.joint_index, t.path): t for t in (*all_alike, *others)}


@pytest.mark.parametrize("rotation", ["slerp", "nlerp"])
@pytest.mark.parametrize("count", [0, 1, 5, AT_ONCE])
def test_together_is_alone_to_the_bit(tracks, count, rotation):
    skeleton = random_skeleton(np.random.default_rng(0), 9)
    clip = Clip("any", skeleton, tuple(tracks.values()), 0.1, 1.25)
    at = np.random.default_rng(1).uniform(0, 1.4, count)
    pose = clip.sample(at, loop=False, rotation=rotation)
    for path in WIDTH:
        for joint in range(9):
            own, rest = tracks.get((joint, path)), getattr(skeleton.rest_pose, path)[joint]
            wanted = np.tile(rest, (count, 1)) if own is None else own.sample(clip.clamp(at), rotation)
            np.testing.assert_array_equal(getattr(pose, path)[:, joint], wanted)


def test_times_keep_their_axes(tracks):
    clip = Clip("any", random_skeleton(np.random.default_rng(0), 9), tuple(tracks.values()), 0.1, 1.25)
    at = np.linspace(0.1, 1.2, 6)
    np.testing.assert_array_equal(clip.sample(at.reshape(2, 3)).rotation.reshape(6, 9, 4), clip.sample(at).rotation)
    assert clip.sample(0.3).scale.shape == (9, 3)


def test_keys_of_many_joints_at_the_same_times_are_one_bundle():
    rng = np.random.default_rng(0)
    many = [Track(j, "rotation", "LINEAR", TIMES.copy(), random_rotations(rng, 4)) for j in range(50)]
    (bundle,) = bundled(many)
    assert bundle.joints.tolist() == [*range(50)]
    assert bundle.curves.values.shape == (4, 50, 4)
    assert bundled([]) == ()


def test_a_bundle_is_checked_as_a_track_is():
    wrong = Track(0, "rotation", "LINEAR", TIMES, np.zeros((4, 3, 4), np.float32))
    with pytest.raises(ValueError, match=r"for 4 LINEAR keys, .* must have the shape \(4, 4\)"):
        bundled([wrong])

"""Channels that may stay at the rest pose, against poses with them and without."""

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.track import Track
from ecs_anim.gltf.load import load_rig
from ecs_anim.runtime.body_points import BodyPoints
from ecs_anim.runtime.clip_table import POSITION_TOLERANCE, QUIET, build_tables
from ecs_anim.runtime.quiet_channels import quiet_channels
from tests.helpers import ASSETS, needs_assets, random_skeleton

RNG = np.random.default_rng(12)
SKELETON = random_skeleton(RNG, 7)
BODY = BodyPoints.of(SKELETON, ())
TIMES = np.array([0, 1], np.float32)


def shaking(path: str, joint: int, amount: float, interpolation: str = "LINEAR") -> Track:
    """A track that leaves the rest pose by so much."""
    rest = getattr(SKELETON.rest_pose, path)[joint]
    values = np.stack([rest, rest + np.float32(amount)]).astype(np.float32)
    if interpolation == "CUBICSPLINE":
        values = np.stack([np.zeros_like(values), values, np.zeros_like(values)], axis=1)
    return Track(joint, path, interpolation, TIMES, values)


def found(*tracks: Track, tolerance: float = 1e-3) -> set:
    return quiet_channels(BODY, [Clip("a", SKELETON, tracks, 0, 1)], tolerance)


def test_what_is_loud_stays():
    quiet, loud = shaking("translation", 2, 1e-5), shaking("translation", 3, 0.3)
    assert found(quiet, loud) == {("translation", 2)}
    assert found(shaking("scale", 6, 1e-5), shaking("scale", 5, 0.1)) == {("scale", 6)}, "also of a last joint"
    assert found(shaking("translation", 2, 1e-5, "CUBICSPLINE")) == set(), "its tangents may carry it anywhere"


def test_a_channel_is_as_loud_as_in_the_loudest_clip():
    clips = [Clip(name, SKELETON, (shaking("scale", 4, amount),), 0, 1) for name, amount in (("a", 1e-6), ("b", 0.2))]
    assert quiet_channels(BODY, clips, 1e-3) == set()
    assert quiet_channels(BODY, clips[:1], 1e-3) == {("scale", 4)}


def test_many_small_ones_are_not_small():
    tracks = [shaking("scale", joint, 3e-4) for joint in range(7)]
    assert 1 <= len(found(*tracks)) <= 4


def test_a_skeleton_without_size_keeps_all():
    one = random_skeleton(RNG, 1)
    clip = Clip("a", one, (Track(0, "translation", "LINEAR", TIMES, np.full((2, 3), 1e-9, np.float32)),), 0, 1)
    assert quiet_channels(BodyPoints.of(one, ()), [clip], 1e-3) == set()


@pytest.mark.parametrize("seed", range(4))
def test_no_joint_moves_by_more_than_the_tolerance(seed):
    rng = np.random.default_rng(seed)
    tracks = [
        shaking(path, joint, float(10 ** rng.uniform(-6, -2)))
        for path in ("translation", "scale")
        for joint in range(7)
    ]
    clip = Clip("a", SKELETON, tuple(tracks), 0, 1)
    quiet = quiet_channels(BODY, [clip], 1e-3)
    assert 0 < len(quiet) < len(tracks)
    kept = Clip("b", SKELETON, tuple(t for t in tracks if (t.path, t.joint_index) not in quiet), 0, 1)
    times = np.linspace(0, 1, 9)
    with_all, without = (model_matrices(SKELETON, c.sample(times, loop=False))[..., 3] for c in (clip, kept))
    size = np.ptp(model_matrices(SKELETON, SKELETON.rest_pose)[..., 3], axis=0).max()
    assert np.linalg.norm(with_all - without, axis=-1).max() < 1.1e-3 * size, "1.1: scales of parents multiply"


@needs_assets
def test_woman_turns_and_her_hips_move():
    """Her file animates translations and scales of all joints, by what its exporter rounded."""
    rig = load_rig(ASSETS / "Woman.gltf")
    tables = build_tables(rig.skeleton, [rig.clips["Walking"], rig.clips["Running"]])
    names = [rig.skeleton.joint_names[joint] for joint in tables.layout.translation_joints]
    assert names == ["Hips"]
    assert {rig.skeleton.joint_names[j] for j in tables.layout.scale_joints} <= {
        f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot", "ToeBase")
    }
    size = np.ptp(model_matrices(rig.skeleton, rig.skeleton.rest_pose)[..., 3], axis=0).max()
    for number in (0, 1):
        assert tables.error(number).position < (POSITION_TOLERANCE + QUIET) * size

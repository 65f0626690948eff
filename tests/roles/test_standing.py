"""Rest poses that do not stand: the motion is retargeted as its own frames show it, which geometry tells."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.assets.clip import Clip
from ecs_anim.assets.frames import frames_of
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.commands.inspect_roles import describe_roles
from ecs_anim.maths.transform import Pose
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.rigs import load_model
from tests.helpers import MOTIONS, SHARED, real
from tests.retargeting.test_retarget import TIME, body, moving

BONES = [("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("thigh", "shank"), ("shank", "foot")]
STRIDE = 25.0  # [degrees] that thighs swing
FEW = 6.5  # [degrees] that bones may differ: feet are held on the ground, which turns legs a little
LEVEL = 4.0  # [degrees] of lines across hips and shoulders


def walk(rig, degrees=0.0):
    """A second of steps on straight arms that hang, with a little noise in the trunk, seen from any side."""
    wave = np.sin(2 * np.pi * TIME)[:, None]
    swing = wave * math.radians(STRIDE)
    turns = {
        "left_thigh": Rotation.from_euler("x", swing),
        "right_thigh": Rotation.from_euler("x", -swing),
        "left_shank": Rotation.from_euler("x", np.maximum(-swing, 0)),
        "right_shank": Rotation.from_euler("x", np.maximum(swing, 0)),
        "left_upper_arm": Rotation.from_euler("z", -80, degrees=True) * Rotation.from_euler("y", swing),
        "right_upper_arm": Rotation.from_euler("z", 80, degrees=True) * Rotation.from_euler("y", swing),
        "left_lower_arm": Rotation.from_euler("y", np.full((len(TIME), 1), -0.3)),
        "right_lower_arm": Rotation.from_euler("y", np.full((len(TIME), 1), 0.3)),
        "hips": Rotation.from_euler("y", degrees + 6 * wave, degrees=True),
        "chest": Rotation.from_euler("y", -10 * wave, degrees=True),
    }
    times = TIME.astype(np.float32)
    tracks = [
        Track(rig.skeleton.joint_index(n), "rotation", "LINEAR", times, t.as_quat().astype("f4"))
        for n, t in turns.items()
    ]
    path = rig.skeleton.rest_pose.translation[0] + TIME[:, None] * Rotation.from_euler(
        "y", degrees, degrees=True
    ).apply([0, 0, 1])
    tracks.append(Track(0, "translation", "LINEAR", times, path.astype("f4")))
    return Clip("walk", rig.skeleton, tuple(tracks), 0.0, 1.0)


def with_bones_along_x(rig, clip):
    """The motion in other frames of joints: without rotation, each bone to a first child lies along +X."""
    skeleton, parents = rig.skeleton, rig.skeleton.parents.tolist()
    times = max((track.times for track in clip.tracks), key=len)
    pose = clip.sample(times.astype(float), loop=False)
    frames, offsets = frames_of(skeleton, pose), skeleton.rest_pose.translation.astype(float)
    axes, tracks, rest = [], [], Pose.identity(len(parents))
    for joint, parent in enumerate(parents):
        children = [own for own, above in enumerate(parents) if above == joint and np.linalg.norm(offsets[own]) > 0]
        bone = max(children, key=lambda own: len(skeleton.below(own)), default=None)
        still = axes[parent] if parent >= 0 else Rotation.identity()
        axes.append(still if bone is None else Rotation.align_vectors([offsets[bone]], [[1, 0, 0]])[0])
        turned = Rotation.from_quat(frames.rotations[:, joint]) * axes[joint]
        above = Rotation.identity()
        if parent >= 0:
            above = Rotation.from_quat(frames.rotations[:, parent]) * axes[parent]
            rest.translation[joint] = axes[parent].inv().apply(offsets[joint])
        else:
            rest.translation[joint] = offsets[joint]
            moved = np.ascontiguousarray(pose.translation[:, joint], "f4")
            tracks.append(Track(joint, "translation", "LINEAR", times, moved))
        tracks.append(Track(joint, "rotation", "LINEAR", times, (above.inv() * turned).as_quat().astype("f4")))
    made = Skeleton(skeleton.joint_names, skeleton.parents, rest, skeleton.skin_joints, skeleton.inverse_bind)
    return Rig(rig.name, made, (), {clip.name: Clip(clip.name, made, tuple(tracks), clip.start, clip.end)})


def ways(rig, clip, times):
    """Directions [time, 3] of bones of limbs, and of the lines across hips and shoulders, by name."""
    joints = find_roles(rig).joints
    points = frames_of(rig.skeleton, clip.sample(times, loop=False)).positions
    found = {}
    for side in ("left", "right"):
        for above, below in BONES:
            found[f"{side}_{above}"] = points[:, joints[f"{side}_{below}"]] - points[:, joints[f"{side}_{above}"]]
    for part in ("thigh", "upper_arm"):
        found[f"{part}s"] = points[:, joints[f"left_{part}"]] - points[:, joints[f"right_{part}"]]
    return {name: way / np.linalg.norm(way, axis=-1, keepdims=True) for name, way in found.items()}


def assert_alike(source, target):
    """Bones of the target point where those of the source do while its clip plays."""
    (clip,) = source.clips.values()
    times = np.linspace(clip.start, clip.end, 100)
    ours, theirs = ways(source, clip, times), ways(target, ea.retarget(clip, source, target, root_motion="keep"), times)
    for name, way in ours.items():
        apart = np.degrees(np.arccos(np.clip((way * theirs[name]).sum(axis=-1), -1, 1)))
        assert apart.max() < (LEVEL if name.endswith("s") else FEW), name


def test_a_motion_with_bones_along_x_lies_at_rest():
    """Otherwise these tests would test nothing."""
    rig = with_bones_along_x(body(), walk(body()))
    points = frames_of(rig.skeleton, rig.skeleton.rest_pose).positions
    assert np.ptp(points[:, 1]) < 0.3 * np.ptp(points[:, 0])
    own, same = walk(body()), next(iter(rig.clips.values()))
    for time in TIME:
        a, b = (ea.model_matrices(clip.skeleton, clip.sample(time, loop=False))[..., 3] for clip in (own, same))
        np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("degrees", [0, 60, 170, -90])
def test_the_mannequin_does_what_the_frames_show(degrees):
    rig = with_bones_along_x(body(), walk(body(), degrees))
    roles = find_roles(rig)
    assert roles.is_humanoid
    assert roles.facing == pytest.approx(0, abs=0.02)
    assert_alike(rig, load_model("mannequin"))


def test_a_rest_pose_that_stands_is_the_reference():
    rig = body()
    rig = Rig(rig.name, rig.skeleton, (), {"move": moving(rig, {"hips": [0.3, 0.1, 0.2]})})
    assert find_roles(rig).pose is rig.skeleton.rest_pose


def test_without_a_clip_the_rest_pose_is_all_there_is():
    rig = with_bones_along_x(body(), walk(body()))
    bare = Rig(rig.name, rig.skeleton, (), {})
    assert find_roles(bare).pose is rig.skeleton.rest_pose


CASES = SHARED / "cases" / "characters"


@pytest.mark.parametrize("path", real("bones_along_x.bvh", folder=CASES))
def test_a_file_with_bones_along_x(path):
    rig = load_model(path)
    assert find_roles(rig).is_humanoid
    assert_alike(rig, load_model("mannequin"))
    assert describe_roles(rig)["body"]["reference_pose"].startswith("from the frames")


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", real("walk_meredith.bvh", "freebvh.bvh", folder=MOTIONS))
def test_recorded_motions_with_bones_along_x(path):
    rig = load_model(path)
    (clip,) = rig.clips.values()
    assert_alike(with_bones_along_x(rig, clip), load_model("mannequin"))

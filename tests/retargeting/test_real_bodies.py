"""Other people's bodies, of ../shared/assets: they walk, are dressed in clips, and have the parts that bodies have."""

import json
import math
from pathlib import Path

import numpy as np
import pygltflib
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.assets.frames import frames_of
from ecs_anim.body.footfalls import footfalls
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.ik.foot_contacts import contact_curves
from ecs_anim.ik.legs import find_legs, make_leg
from ecs_anim.ik.look_at import find_joints
from ecs_anim.labels.keypoints import BODY, coco_keypoints
from ecs_anim.roles.names import SIDES
from ecs_anim.roles.roles import find_roles
from ecs_anim.runtime.gait import ground_velocity
from ecs_anim.scenes.rigs import load_model
from tests.builders.gltf_builder import glb
from tests.builders.vrm_files import SINGLE
from tests.gltf.test_lent_clips import parts, written
from tests.helpers import ASSETS, random_clip, real
from tests.kernels.test_bodies import walked
from tests.kernels.test_foot_contacts import pinned
from tests.kernels.test_look_at import BODY as SPINE
from tests.labels.test_keypoints import at_rest, load
from tests.retargeting.test_retarget import planted_slides

if not ASSETS.is_dir():
    pytest.skip(f"{ASSETS}, the real characters, is not here", allow_module_level=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("speed", [0.2, 1.0, 2.5])
def test_any_humanoid_walks(speed, tmp_path):
    did = walked(tmp_path, [0.0, -speed], 8.0, model=(ASSETS / "Woman.gltf").as_posix())
    assert did.lengths.mean() * did.cadence == pytest.approx(speed, rel=0.03)
    assert did.slides.max() < 2e-3
    assert did.stretch <= 0.995


FOX_LEGS = """{ legs = [["b_RightUpperArm_06", "b_RightForeArm_07", "b_RightHand_08"],
    ["b_LeftUpperArm_09", "b_LeftForeArm_010", "b_LeftHand_011"],
    ["b_LeftLeg01_015", "b_LeftLeg02_016", "b_LeftFoot01_017", "b_LeftFoot02_018"],
    ["b_RightLeg01_019", "b_RightLeg02_020", "b_RightFoot01_021", "b_RightFoot02_022"]] }"""


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:.*is left out")
@pytest.mark.parametrize("speed", [0.4, 0.8, 1.2, 2.0])
def test_a_fox_walks_too(speed, tmp_path):
    did = walked(tmp_path, [0.0, -speed], 4.0, model=(ASSETS / "Fox.glb").as_posix(), body=FOX_LEGS)
    assert np.percentile(did.slides, 95) < 1e-3
    assert did.stretch <= 0.995
    assert did.sunk < 1e-3


@pytest.mark.parametrize("model", real("Woman.gltf", "cesium_man.gltf"))
@pytest.mark.parametrize("name", ["walk", "run", "walk_backward", "idle"])
def test_planted_feet_of_real_characters_stay_put(model, name):
    source, target = load_model("mannequin"), load_model(model)
    clip = ea.retarget(source.clips[name], source, target, root_motion="keep")
    height = np.ptp(frames_of(target.skeleton, target.skeleton.rest_pose).positions[:, 1])
    slides = planted_slides(target, clip)
    assert slides
    assert max(slides) * 1.75 / height < 0.010


@pytest.mark.exhaustive
@pytest.mark.parametrize("model", real("Woman.gltf"))
def test_there_and_back(model):
    """95 % of joints are within 2 degrees and 1 cm of a person 1.75 m high."""
    source, target = load_model("mannequin"), load_model(model)
    roles = [own for joints in find_roles(source).table().values() for own in joints]
    degrees, apart = [], []
    for name in ("walk", "run", "wave", "sit", "jump", "strafe_left", "dance"):
        clip = source.clips[name]
        back = ea.retarget(ea.retarget(clip, source, target, root_motion="keep"), target, source, root_motion="keep")
        time = np.linspace(clip.start, clip.end, 24)
        a, b = (frames_of(source.skeleton, own.sample(time, loop=False)) for own in (clip, back))
        turned = Rotation.from_quat(a.rotations[:, roles].reshape(-1, 4)).inv()
        degrees.append(np.degrees((turned * Rotation.from_quat(b.rotations[:, roles].reshape(-1, 4))).magnitude()))
        apart.append(np.linalg.norm(a.positions[:, roles] - b.positions[:, roles], axis=-1).ravel())
    assert np.percentile(np.concatenate(degrees), 95) < 2
    assert np.percentile(np.concatenate(apart), 95) < 0.01


@pytest.mark.parametrize("model", real("cesium_man.gltf"))
@pytest.mark.parametrize("name", ["walk", "wave"])
def test_what_both_bodies_have_is_turned_there_and_back_as_it_was(model, name):
    """Through a body without shoulders, whose spine and legs are others."""
    source, target = load_model("mannequin"), load_model(model)
    clip = source.clips[name]
    back = ea.retarget(ea.retarget(clip, source, target, root_motion="keep"), target, source, root_motion="keep")
    a, b = (frames_of(source.skeleton, own.sample(np.linspace(0, clip.duration, 24))) for own in (clip, back))
    roles = find_roles(source)
    sided = [f"{side}_{part}" for side in SIDES for part in ("upper_arm", "lower_arm", "hand", "foot", "toes")]
    joints = [*(roles.joints[role] for role in ("hips", "head", *sided)), roles.spine[-1]]
    was, now = (Rotation.from_quat(found.rotations[:, joints].reshape(-1, 4)) for found in (a, b))
    assert np.degrees((was.inv() * now).magnitude()).max() < 0.2


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", real("Woman.gltf", "cesium_man.gltf", "Fox.glb"))
def test_real_files_are_one_file_then(path, tmp_path):
    """Pictures and buffers are in it: it is read alone, in an empty folder; pygltflib finds nothing odd."""
    rig = load_model(path)
    clip = random_clip(np.random.default_rng(1), rig.skeleton, "borrowed")
    content = with_clips(Path(path), [clip])
    document, data = parts(content)
    assert len(document["buffers"]) == 1
    assert document["buffers"][0]["byteLength"] == len(data)
    assert not any("uri" in own for own in (*document["buffers"], *document.get("images", [])))
    other = ea.load_rig(written(tmp_path / "more.glb", content))
    assert len(other.meshes) == len(rig.meshes)
    gltf = pygltflib.GLTF2().load(str(tmp_path / "more.glb"))
    assert [own.name for own in gltf.animations][-1] == "borrowed"
    bounds = [gltf.accessors[sampler.input] for sampler in gltf.animations[-1].samplers]
    assert all(own.min and own.max and own.min <= own.max for own in bounds)


@pytest.mark.parametrize("model", real("Woman.gltf", "cesium_man.gltf"))
def test_real_characters_under_names_that_say_nothing(model, tmp_path):
    plain = ea.load_rig(model)
    names, wanted = plain.skeleton.joint_names, find_roles(plain).joints
    raw, data = parts(with_clips(Path(model), []))
    numbers = {node.get("name") or f"node_{k}": k for k, node in enumerate(raw["nodes"])}
    bones = {SINGLE[role]: {"node": numbers[names[joint]]} for role, joint in wanted.items()}
    for number, node in enumerate(raw["nodes"]):
        node["name"] = f"n{number}"
    raw["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    path = tmp_path / "x.vrm"
    path.write_bytes(glb(json.dumps(raw).encode(), data))
    found = find_roles(ea.load_rig(path))
    assert found.joints == wanted
    assert found.is_humanoid


@pytest.mark.parametrize("path", real("cesium_man.gltf"))
def test_without_names_limbs_are_pairs(path):
    rig = load(path)
    points = at_rest(rig, coco_keypoints(rig, math.radians(90)))  # he looks along +X
    for left, right in zip(points[5::2], points[6::2], strict=True):
        np.testing.assert_allclose(left * [1, 1, -1], right, atol=0.02)
        assert left[2] < right[2]
    body = dict(zip(BODY, points[5:, 1], strict=True))
    assert body["left_shoulder"] > body["left_hip"] > body["left_knee"] > body["left_ankle"]


@pytest.mark.parametrize("path", real("Fox.glb"))
def test_a_fox_has_four_legs(path):
    marks = find_roles(load(path))
    limbs = [*marks.arms, *marks.legs]
    assert len({joint for limb in limbs for joint in limb}) == 12


def test_legs_of_a_walk_whose_feet_never_stand_still_take_turns():
    """The fox's: each pair of legs is half a cycle apart, and each foot stands for about half of it."""
    rig = ea.load_rig(ASSETS / "Fox.glb")
    names = (
        ["b_LeftUpperArm_09", "b_LeftForeArm_010", "b_LeftHand_011"],
        ["b_RightUpperArm_06", "b_RightForeArm_07", "b_RightHand_08"],
        ["b_LeftLeg01_015", "b_LeftLeg02_016", "b_LeftFoot01_017", "b_LeftFoot02_018"],
        ["b_RightLeg01_019", "b_RightLeg02_020", "b_RightFoot01_021", "b_RightFoot02_022"],
    )
    clip = rig.clips["Walk"]
    falls = footfalls(clip, [make_leg(rig, own) for own in names], ground_velocity(clip), 0.0)
    assert np.ptp([fall.duty for fall in falls]) < 0.3
    for left, right in ((0, 1), (2, 3)):
        assert abs((falls[left].land - falls[right].land) % 1 - 0.5) < 0.15


@pytest.mark.exhaustive
def test_a_woman_walks_on_one_foot_after_the_other():
    """A rig under a 0.01 scale, bound lying on its back, whose maker says nothing about contacts."""
    rig = load_model(str(ASSETS / "Woman.gltf"))
    clip = rig.clips["Walking"]
    curves = contact_curves(clip, find_legs(rig), ground_velocity(clip))
    down = pinned(curves)
    assert (down.mean(axis=0) > 0.45).all()
    assert (down.mean(axis=0) < 0.8).all()
    assert down.any(axis=1).all(), "a walk never flies"
    assert 0.02 < down.all(axis=1).mean() < 0.4


def test_real_characters_have_spines_and_heads():
    assert find_joints(load_model(str(ASSETS / "Woman.gltf"))) == SPINE
    fox = ["b_Spine01_02", "b_Spine02_03", "b_Neck_04", "b_Head_05"]
    assert find_joints(load_model(str(ASSETS / "Fox.glb"))) == fox
    assert find_joints(load_model(str(ASSETS / "cesium_man.gltf"))) == [], "its joints have no names"

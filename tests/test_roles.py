"""Roles: whatever tools call a body's joints, they are found; by shape where names say nothing; as a table corrects."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths.transform import Pose
from ecs_anim.roles.roles import ROLES, find_roles
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from tests.support import MOTIONS, random_skeleton, real

# Parent, then position [m] from it; a person who looks along +Z with the arms out.
BODY = {
    "hips": ("", (0, 1.0, 0)),
    "spine": ("hips", (0, 0.15, 0)),
    "chest": ("spine", (0, 0.15, 0)),
    "neck": ("chest", (0, 0.2, 0)),
    "head": ("neck", (0, 0.1, 0)),
}
for side, sign in (("left", 1), ("right", -1)):
    BODY |= {
        f"{side}_shoulder": ("chest", (0.05 * sign, 0.15, 0)),
        f"{side}_upper_arm": (f"{side}_shoulder", (0.12 * sign, 0, 0)),
        f"{side}_lower_arm": (f"{side}_upper_arm", (0.28 * sign, 0, 0)),
        f"{side}_hand": (f"{side}_lower_arm", (0.26 * sign, 0, 0)),
        f"{side}_thigh": ("hips", (0.1 * sign, -0.05, 0)),
        f"{side}_shank": (f"{side}_thigh", (0, -0.43, 0)),
        f"{side}_foot": (f"{side}_shank", (0, -0.44, 0)),
        f"{side}_toes": (f"{side}_foot", (0, -0.06, 0.14)),
    }

TRUNK = ("hips", "spine", "chest", "neck", "head")
PARTS = ("shoulder", "upper_arm", "lower_arm", "hand", "thigh", "shank", "foot", "toes")
# Names of the trunk, and of the left side's parts; what "left" is on the right.
STYLES = {
    "Mixamo": (
        "mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Neck mixamorig:Head",
        "mixamorig:{Left}Shoulder mixamorig:{Left}Arm mixamorig:{Left}ForeArm mixamorig:{Left}Hand"
        " mixamorig:{Left}UpLeg mixamorig:{Left}Leg mixamorig:{Left}Foot mixamorig:{Left}ToeBase",
    ),
    "Ready Player Me": (
        "Hips Spine Spine1 Neck Head",
        "{Left}Shoulder {Left}Arm {Left}ForeArm {Left}Hand {Left}UpLeg {Left}Leg {Left}Foot {Left}ToeBase",
    ),
    "VRM": (
        "hips spine chest neck head",
        "{left}Shoulder {left}UpperArm {left}LowerArm {left}Hand {left}UpperLeg {left}LowerLeg {left}Foot {left}Toes",
    ),
    "VRoid": (
        "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_Neck J_Bip_C_Head",
        "J_Bip_{L}_Shoulder J_Bip_{L}_UpperArm J_Bip_{L}_LowerArm J_Bip_{L}_Hand"
        " J_Bip_{L}_UpperLeg J_Bip_{L}_LowerLeg J_Bip_{L}_Foot J_Bip_{L}_ToeBase",
    ),
    "Unreal": (
        "pelvis spine_01 spine_02 neck_01 head",
        "clavicle_{l} upperarm_{l} lowerarm_{l} hand_{l} thigh_{l} calf_{l} foot_{l} ball_{l}",
    ),
    "Blender": (
        "hips spine chest neck head",
        "shoulder.{L} upper_arm.{L} forearm.{L} hand.{L} thigh.{L} shin.{L} foot.{L} toe.{L}",
    ),
    "Rigify": (
        "DEF-spine DEF-spine.001 DEF-spine.002 DEF-spine.004 DEF-head",
        "DEF-shoulder.{L} DEF-upper_arm.{L} DEF-forearm.{L} DEF-hand.{L}"
        " DEF-thigh.{L} DEF-shin.{L} DEF-foot.{L} DEF-toe.{L}",
    ),
    "3ds Max": (
        "Bip01.Pelvis Bip01.Spine Bip01.Spine1 Bip01.Neck Bip01.Head",
        "Bip01.{L}.Clavicle Bip01.{L}.UpperArm Bip01.{L}.Forearm Bip01.{L}.Hand"
        " Bip01.{L}.Thigh Bip01.{L}.Calf Bip01.{L}.Foot Bip01.{L}.Toe0",
    ),
    "KayKit": (
        "hips spine chest neck head",
        "shoulder.{l} upperarm.{l} lowerarm.{l} wrist.{l} upperleg.{l} lowerleg.{l} foot.{l} toes.{l}",
    ),
    "CMU": (
        "Hips LowerBack Spine Neck Head",
        "{Left}Shoulder {Left}Arm {Left}ForeArm {Left}Hand {Left}UpLeg {Left}Leg {Left}Foot {Left}ToeBase",
    ),
    "Acclaim": (
        "root lowerback thorax lowerneck head",
        "{l}clavicle {l}humerus {l}radius {l}wrist {l}femur {l}tibia {l}foot {l}toes",
    ),
    "Biovision": (
        "Hips Chest Chest2 Neck Head",
        "{Left}Collar {Left}Shoulder {Left}Elbow {Left}Wrist {Left}Hip {Left}Knee {Left}Ankle {Left}Toe",
    ),
    "SMPL": (
        "Pelvis Spine1 Spine2 Neck Head",
        "{L}_Collar {L}_Shoulder {L}_Elbow {L}_Wrist {L}_Hip {L}_Knee {L}_Ankle {L}_Foot",
    ),
    "Poser": (
        "hip abdomen chest neck head",
        "{l}Collar {l}Shldr {l}ForeArm {l}Hand {l}Thigh {l}Shin {l}Foot {l}Toe",
    ),
    "Character Creator": (
        "CC_Base_Hip CC_Base_Waist CC_Base_Spine01 CC_Base_NeckTwist01 CC_Base_Head",
        "CC_Base_{L}_Clavicle CC_Base_{L}_Upperarm CC_Base_{L}_Forearm CC_Base_{L}_Hand"
        " CC_Base_{L}_Thigh CC_Base_{L}_Calf CC_Base_{L}_Foot CC_Base_{L}_ToeBase",
    ),
    "plain English": (
        "hips spine chest neck head",
        "{left}_shoulder {left}_upper_arm {left}_forearm {left}_hand {left}_thigh {left}_shin {left}_foot {left}_toes",
    ),
}


def body(names, more=()):
    """A rig of `BODY` under other names; `more` are joints (name, parent, position) besides."""
    rows = [(role, *BODY[role]) for role in BODY]
    rows = [(names.get(role, role), names.get(parent, parent), at) for role, parent, at in rows]
    known = [row[0] for row in rows]
    rows += more
    pose = Pose.identity(len(rows))
    pose.translation[:] = [at for *_, at in rows]
    parents = [known.index(parent) if parent else -1 for _, parent, _ in rows]
    skeleton = Skeleton(
        tuple(name for name, *_ in rows),
        np.array(parents, np.int32),
        pose,
        np.zeros(0, np.int32),
        np.zeros((0, 3, 4), "f4"),
    )
    return Rig("body", skeleton, (), {})


def styled(style):
    trunk, sided = STYLES[style]
    names = dict(zip(TRUNK, trunk.split(), strict=True))
    for side in ("left", "right"):
        words = {form: form_of(side) for form, form_of in FORMS.items()}
        names |= {f"{side}_{part}": name.format(**words) for part, name in zip(PARTS, sided.split(), strict=True)}
    return {role: name.replace(".", " ") if style == "3ds Max" else name for role, name in names.items()}


FORMS = {
    "Left": str.capitalize,
    "left": str,
    "L": lambda side: side[0].upper(),
    "l": lambda side: side[0],
}


def found_names(rig, **given):
    roles = find_roles(rig, **given)
    return {role: [rig.skeleton.joint_names[joint] for joint in joints] for role, joints in roles.table().items()}


@pytest.mark.parametrize("style", STYLES)
def test_the_usual_names(style):
    names = styled(style)
    rig = body(names)
    expected = {role: [names[role]] for role in ROLES if role not in ("spine", "neck")}
    expected |= {"spine": [names["spine"], names["chest"]], "neck": [names["neck"]]}
    assert found_names(rig) == expected
    assert find_roles(rig).by_shape <= {"hips"}  # Acclaim's is called root
    assert find_roles(rig).is_humanoid


def test_names_that_say_nothing_leave_it_to_the_shape():
    names = {role: f"bone {number}" for number, role in enumerate(BODY)}
    roles, named = find_roles(body(names)), find_roles(body({}))
    assert {role: roles.joints[role] for role in roles.joints if role != "head"} == {
        role: named.joints[role] for role in named.joints if role != "head"
    }
    assert roles.facing == pytest.approx(0)
    assert "left_hand" in roles.by_shape


def test_fingers_helpers_and_ends_are_nobody_s_role():
    more = [
        ("LHipJoint", "hips", (0.05, 0, 0)),
        ("hand.L.001", "left_hand", (0.1, 0, 0)),
        ("head_end", "head", (0, 0.2, 0)),
    ]
    assert find_roles(body({}, more)).joints == find_roles(body({})).joints


@pytest.mark.parametrize("degrees", [0, 30, 90, 180, -100])
def test_a_body_looks_where_its_left_is_left(degrees):
    rig = body({})
    pose, angle = rig.skeleton.rest_pose, math.radians(degrees)
    pose.rotation[0] = [0, math.sin(angle / 2), 0, math.cos(angle / 2)]
    assert math.degrees(find_roles(rig).facing) == pytest.approx(degrees, abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_anything_has_roles_or_none(seed):
    """Random trees, some with more ends than any body."""
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, int(rng.integers(1, 400)))
    roles = find_roles(Rig("tree", skeleton, (), {}))
    for joints in roles.table().values():
        assert all(0 <= joint < skeleton.joint_count for joint in joints)


def test_a_table_corrects():
    rig = body({"left_hand": "paddle", "head": "top"})
    assert find_roles(rig).missing[-3:] == ("left_upper_arm", "left_lower_arm", "left_hand")
    own = {"left_upper_arm": "left_upper_arm", "left_lower_arm": "left_lower_arm", "left_hand": "paddle", "head": "top"}
    found = found_names(rig, corrections=own | {"spine": ["chest"]})
    assert (found["left_hand"], found["head"], found["spine"]) == (["paddle"], ["top"], ["chest"])
    assert find_roles(rig, corrections=own).is_humanoid


@pytest.mark.parametrize(
    ("corrections", "told"),
    [
        ({"left_paw": "hips"}, "no role 'left_paw'; did you mean 'left_hand'. roles are: hips, spine"),
        ({"left_hand": "left_hant"}, "no joint 'left_hant'; did you mean 'left_hand'"),
        ({"left_hand": ["left_hand"]}, "left_hand: should be one joint"),
        ({"spine": "chest"}, "spine: should be a list of joints, from below"),
        ({"left_hand": "right_hand"}, "left_hand .'right_hand'. should hang from left_lower_arm .'left_lower_arm'"),
        ({"hips": "head"}, "left_thigh .'left_thigh'. should hang from hips .'head'"),
    ],
)
def test_wrong_corrections_are_told(corrections, told):
    with pytest.raises(InputError, match=told):
        find_roles(body({}), corrections=corrections)


@pytest.mark.parametrize("model", ["chain", *real("Fox.glb")])
def test_what_is_no_humanoid(model):
    """A chain has no limbs; a fox's arms end as low as its legs."""
    roles = find_roles(load_model(model))
    assert not roles.is_humanoid
    assert bool(roles.missing) is (model == "chain")


REAL = [
    *real("Woman.gltf", "cesium_man.gltf"),
    *real("Med_MovementBasic.glb", "manny_med_mod.gltf", "freebvh.bvh", "walk_meredith.bvh", folder=MOTIONS),
]


@pytest.mark.parametrize("path", ["mannequin", *REAL])
def test_real_characters_are_humanoids(path):
    rig = load_model(path)
    assert find_roles(rig).is_humanoid
    nameless = tuple(f"joint {number}" for number in range(rig.skeleton.joint_count))
    if not path.endswith(".bvh"):  # its hands end in several joints at one place
        other = find_roles(replace(rig, skeleton=replace(rig.skeleton, joint_names=nameless)))
        assert (other.arms, other.legs) == (find_roles(rig).arms, find_roles(rig).legs)

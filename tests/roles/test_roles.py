"""Roles: whatever tools call a body's joints, they are found; by shape where names say nothing; as a table corrects."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths.transform import Pose
from ecs_anim.roles.roles import ROLES, find_roles
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from tests.helpers import MOTIONS, random_skeleton, real

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
    "Bandai-Namco": (
        "Hips Spine Chest Neck Head",
        "Shoulder_{L} UpperArm_{L} LowerArm_{L} Hand_{L} UpperLeg_{L} LowerLeg_{L} Foot_{L} Toes_{L}",
    ),
    "LAFAN1": (
        "Hips Spine Spine1 Neck Head",
        "{Left}Shoulder {Left}Arm {Left}ForeArm {Left}Hand {Left}UpLeg {Left}Leg {Left}Foot {Left}Toe",
    ),
    "SMPL in lower case": (
        "pelvis spine1 spine2 neck head",
        "{left}_collar {left}_shoulder {left}_elbow {left}_wrist {left}_hip {left}_knee {left}_ankle {left}_foot",
    ),
    "OptiTrack": (
        "Hip Ab Chest Neck Head",
        "{L}Shoulder {L}UArm {L}FArm {L}Hand {L}Thigh {L}Shin {L}Foot {L}Toe",
    ),
    "Second Life": (
        "mPelvis mTorso mChest mNeck mHead",
        "mCollar{Left} mShoulder{Left} mElbow{Left} mWrist{Left} mHip{Left} mKnee{Left} mAnkle{Left} mFoot{Left}",
    ),
    "Source": (
        "ValveBiped.Bip01_Pelvis ValveBiped.Bip01_Spine ValveBiped.Bip01_Spine1 ValveBiped.Bip01_Neck1"
        " ValveBiped.Bip01_Head1",
        "ValveBiped.Bip01_{L}_Clavicle ValveBiped.Bip01_{L}_UpperArm ValveBiped.Bip01_{L}_Forearm"
        " ValveBiped.Bip01_{L}_Hand ValveBiped.Bip01_{L}_Thigh ValveBiped.Bip01_{L}_Calf ValveBiped.Bip01_{L}_Foot"
        " ValveBiped.Bip01_{L}_Toe0",
    ),
    "Mixamo with numbers": (
        "mixamorig:Hips_01 mixamorig:Spine_02 mixamorig:Spine1_03 mixamorig:Neck_04 mixamorig:Head_05",
        "mixamorig:{Left}Shoulder_06 mixamorig:{Left}Arm_07 mixamorig:{Left}ForeArm_08 mixamorig:{Left}Hand_09"
        " mixamorig:{Left}UpLeg_010 mixamorig:{Left}Leg_011 mixamorig:{Left}Foot_012 mixamorig:{Left}ToeBase_013",
    ),
    "sides at the end": (
        "Hips Spine Chest Neck Head",
        "Shoulder{L} UpperArm{L} LowerArm{L} Hand{L} UpperLeg{L} LowerLeg{L} Foot{L} Toes{L}",
    ),
    "capital letters": (
        "HIPS SPINE CHEST NECK HEAD",
        "{LEFT}_SHOULDER {LEFT}_ARM {LEFT}_FOREARM {LEFT}_HAND {LEFT}_UPLEG {LEFT}_LEG {LEFT}_FOOT {LEFT}_TOE",
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
    rows += more
    known = [row[0] for row in rows]
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
    "LEFT": str.upper,
    "Left": str.capitalize,
    "left": str,
    "L": lambda side: side[0].upper(),
    "l": lambda side: side[0],
}


def fingers(names):
    """Five chains of three joints at each hand, as long as arms are to be without names."""
    found = []
    for side, sign in (("left", 1), ("right", -1)):
        for number, finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Pinky")):
            above = names[f"{side}_hand"]
            for part in (1, 2, 3):
                own = f"{names[f'{side}_hand']}{finger}{part}"
                found.append((own, above, (0.04 * sign, -0.01, 0.02 * (number - 2) if part == 1 else 0)))
                above = own
    return found


def hung_elsewhere(rig, parents):
    """The rig, in the same pose, with other parents of some joints, by name; a parent that is not there is a root."""
    names = list(rig.skeleton.joint_names)
    places = dict(zip(names, model_matrices(rig.skeleton, rig.skeleton.rest_pose)[..., 3], strict=True))
    above = {
        name: names[parent] if parent >= 0 else "" for name, parent in zip(names, rig.skeleton.parents, strict=True)
    }
    for own, parent in parents.items():
        above[own] = parent
    for parent in {*above.values()} - {"", *names}:
        above[parent], places[parent] = "", np.zeros(3)
    order = []
    while len(order) < len(above):
        order += [own for own, parent in above.items() if own not in order and (not parent or parent in order)]
    pose = Pose.identity(len(order))
    pose.translation[:] = [places[own] - (places[above[own]] if above[own] else 0) for own in order]
    numbers = np.array([order.index(above[own]) if above[own] else -1 for own in order], np.int32)
    skeleton = Skeleton(tuple(order), numbers, pose, np.zeros(0, np.int32), np.zeros((0, 3, 4), "f4"))
    return Rig("body", skeleton, (), {})


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
    assert found_names(body(names, fingers(names))) == expected


# Parents that are unusual: joints by role, their parent by role or name, and the roles that have another joint or none.
USUAL = {
    "legs from the spine": ({"thigh": "spine"}, {}),
    "legs from the chest": ({"thigh": "chest"}, {}),
    "legs from the hands": ({"thigh": "hand"}, {}),
    "arms from the hips": ({"shoulder": "hips"}, {}),
    "arms from the head": ({"shoulder": "head"}, {}),
    "a root above the hips": ({"hips": "Armature"}, {}),
    "legs beside the hips": ({"hips": "Armature", "thigh": "Armature"}, {"hips": "Armature"}),
}
UNUSUAL = {
    "feet from the root": ({"hips": "Armature", "foot": "Armature"}, {"foot": "foot"}),
    "hands from the root": ({"hips": "Armature", "hand": "Armature"}, {"hand": "hand"}),
    "shanks from the root": ({"hips": "Armature", "shank": "Armature"}, {"shank": "shank", "foot": "shank"}),
    "lower arms from the root": (
        {"hips": "Armature", "lower_arm": "Armature"},
        {"lower_arm": "lower", "hand": "lower"},
    ),
}
TOLD = ("Mixamo", "Blender", "Unreal", "3ds Max", "VRM", "CMU", "Bandai-Namco", "LAFAN1", "SMPL")


def reparented(style, changes):
    """A body with fingers and unusual parents, and the names of its joints by role."""
    names = styled(style)
    parents = {}
    for part, above in changes.items():
        for side in ("left_", "right_") if part in PARTS else ("",):
            over = names.get(f"{side}{above}" if above in PARTS else above, above)
            parents[names[f"{side}{part}"]] = over
    return hung_elsewhere(body(names, fingers(names)), parents), names


@pytest.mark.parametrize("style", TOLD)
@pytest.mark.parametrize("case", USUAL)
def test_names_tell_roles_of_limbs_with_unusual_parents(style, case):
    changes, other = USUAL[case]
    rig, names = reparented(style, changes)
    roles = find_roles(rig)
    assert roles.is_humanoid
    for role, joint in roles.joints.items():
        assert rig.skeleton.joint_names[joint] == (names | other)[role]


@pytest.mark.parametrize("style", TOLD)
@pytest.mark.parametrize("case", UNUSUAL)
def test_a_limb_that_is_torn_apart_has_a_reason_and_no_other_joints(style, case):
    """Fingers were thighs, and thumbs hands."""
    if style == "SMPL" and case == "lower arms from the root":
        pytest.skip("only what hangs below a shoulder tells that it is an upper arm")
    changes, lacking = UNUSUAL[case]
    rig, names = reparented(style, changes)
    roles = find_roles(rig)
    sides = ("left", "right")
    assert {*roles.missing} - {"hips"} == {f"{side}_{part}" for side in sides for part in lacking}
    for role, joint in roles.joints.items():
        assert rig.skeleton.joint_names[joint] in (names[role], "Armature")
    torn = next(part for part in changes if part != "hips")
    for side in sides:
        told = roles.reasons[f"{side}_{torn}"]
        assert told.startswith(
            f"the {side} {torn.replace('_', ' ')} {names[f'{side}_{torn}']!r} is below 'Armature', not"
        )
    assert roles.reasons["left_" + torn] in roles.shortcoming


def test_arms_and_legs_on_two_roots_have_a_reason():
    rig, _ = reparented("Mixamo", {"thigh": ""})
    assert find_roles(rig).shortcoming == "arms and legs have no common ancestor"


def test_a_limb_without_a_named_end_has_a_reason():
    rig = body({"left_hand": "paddle"})
    told = "the name of 'left_upper_arm' means the left upper arm, but no joint name means the left hand"
    assert find_roles(rig).reasons["left_hand"] == told


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
    assert find_roles(rig).missing == ("head", "left_hand")
    own = {"left_upper_arm": "left_upper_arm", "left_lower_arm": "left_lower_arm", "left_hand": "paddle", "head": "top"}
    found = found_names(rig, corrections=own | {"spine": ["chest"]})
    assert (found["left_hand"], found["head"], found["spine"]) == (["paddle"], ["top"], ["chest"])
    assert find_roles(rig, corrections=own).is_humanoid


@pytest.mark.parametrize(
    ("corrections", "told"),
    [
        ({"left_paw": "hips"}, "no role 'left_paw'; did you mean 'left_hand'. roles are: hips, spine"),
        ({"left_hand": "left_hant"}, "no joint 'left_hant'; did you mean 'left_hand'"),
        ({"left_hand": ["left_hand"]}, "left_hand: the value must be one joint"),
        ({"spine": "chest"}, "spine: the value must be a list of joints, from the lowest to the highest"),
        (
            {"left_hand": "right_hand"},
            "left_hand .'right_hand'. must be a descendant of left_lower_arm .'left_lower_arm'",
        ),
        ({"hips": "head"}, "left_thigh .'left_thigh'. must be a descendant of hips .'head'"),
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

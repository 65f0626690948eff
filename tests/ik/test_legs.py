"""Legs of rigs: which joints, and where the sole touches the ground."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.ik.legs import find_legs, leg_arrays, make_leg
from ecs_anim.maths.transform import Pose
from ecs_anim.scenes.rigs import load_model
from tests.helpers import ASSETS, real

PARTS = ("UpLeg", "Leg", "Foot", "ToeBase")
LEFT, RIGHT = ([side + part for part in PARTS] for side in ("Left", "Right"))
WOMAN = str(ASSETS / "Woman.gltf")
RIGS = ["mannequin", *real("Woman.gltf")]
STYLES = {
    "prefixed": lambda side, part: f"mixamorig:{side}{PARTS[part]}",
    "low line": lambda side, part: ("thigh", "calf", "foot", "ball")[part] + f"_{side[0].lower()}",
    "dot": lambda side, part: ("thigh", "shin", "foot", "toe")[part] + f".{side[0]}",
    "dot and number": lambda side, part: ("upper_leg", "lower_leg", "foot", "toes")[part] + f".{side[0]}.001",
    "blank": lambda side, part: f"Bip01 {side[0]} " + ("Thigh", "Calf", "Foot", "Toe0")[part],
    "in the middle": lambda side, part: f"J_Bip_{side[0]}_" + ("UpperLeg", "LowerLeg", "Foot", "ToeBase")[part],
    "small": lambda side, part: side.lower() + ("UpperLeg", "LowerLeg", "Foot", "Toes")[part],
}


@cache
def rig_of(model):
    return load_model(model)


def names(rig, leg):
    return [rig.skeleton.joint_names[joint] for joint in (leg.hip, leg.knee, leg.ankle, leg.toe) if joint >= 0]


def renamed(rig, new_names):
    """The same rig with other names for some joints."""
    changed = tuple(new_names.get(name, name) for name in rig.skeleton.joint_names)
    return replace(rig, skeleton=replace(rig.skeleton, joint_names=changed))


def bound(rig, joint):
    """Where a joint stood when the skin was bound, [4, 4] float64."""
    entry = rig.skeleton.skin_joints.tolist().index(joint)
    return np.linalg.inv(np.vstack([rig.skeleton.inverse_bind[entry].astype(np.float64), [0, 0, 0, 1]]))


def foot_skin(rig, leg):
    """Vertices as bound [vertex, 3] that ankle and toe together move by more than half."""
    skeleton, found = rig.skeleton, []
    for mesh in rig.level(0):
        own = np.isin(skeleton.skin_joints[mesh.palette_indices], [leg.ankle, leg.toe])
        found.append(mesh.positions[(own * mesh.weights).sum(axis=1) > 0.5])
    return np.concatenate(found).astype(np.float64)


@pytest.mark.parametrize("model", RIGS)
def test_legs_are_found_by_name(model):
    rig = rig_of(model)
    assert [names(rig, leg) for leg in find_legs(rig)] == [LEFT, RIGHT]


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_styles_of_names(style):
    rig = rig_of("mannequin")
    new = {side + PARTS[part]: style(side, part) for side in ("Left", "Right") for part in range(4)}
    found = find_legs(renamed(rig, new))
    assert [(leg.hip, leg.knee, leg.ankle, leg.toe) for leg in found] == [
        (leg.hip, leg.knee, leg.ankle, leg.toe) for leg in find_legs(rig)
    ]


def test_a_joint_of_such_a_name_that_hangs_elsewhere_is_not_the_foot():
    """Some rigs have helpers such as ik_foot_l, which may come before the foot."""
    rig = renamed(rig_of("mannequin"), {"Spine": "ik_left_foot", "LeftShoulder": "ik_left_leg"})
    assert [names(rig, leg) for leg in find_legs(rig)] == [LEFT, RIGHT]


def test_a_rig_with_one_leg_has_one():
    rig = renamed(rig_of("mannequin"), {"LeftLeg": "peg"})
    assert [names(rig, leg) for leg in find_legs(rig)] == [RIGHT]


@pytest.mark.parametrize("model", ["chain", "ball", *real("Fox.glb")])
def test_rigs_without_legs(model):
    assert find_legs(rig_of(model)) == ()


@pytest.mark.parametrize("model", RIGS)
@pytest.mark.parametrize("side", [0, 1])
def test_contacts_lie_on_the_sole(model, side):
    """In bind space: as low as the lowest vertex, the heel near the rear end, the ball below the toe's joint."""
    rig = rig_of(model)
    leg = find_legs(rig)[side]
    ankle, toe, hip = (bound(rig, joint)[:3, 3] for joint in (leg.ankle, leg.toe, leg.hip))
    heel, ball = leg.contacts.astype(np.float64) @ bound(rig, leg.ankle)[:3, :3].T + ankle
    skin = foot_skin(rig, leg)
    up = int(np.argmax(np.abs(hip - ankle)))
    way = np.sign(hip - ankle)[up]
    length = np.ptp(skin, axis=0).max()
    assert heel[up] == pytest.approx(ball[up], abs=1e-4 * length)
    assert heel[up] * way == pytest.approx((skin[:, up] * way).min(), abs=0.02 * length)
    level = [axis for axis in range(3) if axis != up]
    np.testing.assert_allclose(ball[level], toe[level], atol=1e-4 * length)
    ahead = (toe - ankle)[level] / np.linalg.norm((toe - ankle)[level])
    rear = ((skin - ankle)[:, level] @ ahead).min()
    assert rear < (heel - ankle)[level] @ ahead < rear + 0.2 * length
    assert np.linalg.norm(skin - heel, axis=1).min() < 0.15 * length, "some skin is near"


def test_a_foot_without_a_toe_has_its_ball_in_the_front_half():
    rig = rig_of("mannequin")
    whole, leg = find_legs(rig)[0], make_leg(rig, LEFT[:3])
    assert leg.toe == -1
    heel, ball = leg.contacts
    assert heel[1] == pytest.approx(ball[1], abs=1e-6)
    assert heel[1] == pytest.approx(whole.contacts[0, 1], abs=0.01)
    assert 0.05 < ball[2] < whole.contacts[1, 2] + 0.05


def test_contacts_are_the_ankles_own_whatever_the_rigs_scale():
    """A rig bound in centimetres, under a node that makes metres of them, stands on the same points."""
    rig, skeleton = rig_of("mannequin"), rig_of("mannequin").skeleton
    hundredfold = skeleton.inverse_bind.copy()
    hundredfold[..., 3] *= 100
    rest = skeleton.rest_pose
    scale = np.where((skeleton.parents < 0)[:, None], 0.01, rest.scale)
    pose = Pose(np.where((skeleton.parents < 0)[:, None], 1, 100) * rest.translation, rest.rotation, scale)
    meshes = tuple(replace(mesh, positions=100 * mesh.positions) for mesh in rig.meshes)
    large = replace(rig, meshes=meshes, skeleton=replace(skeleton, rest_pose=pose, inverse_bind=hundredfold))
    for leg, other in zip(find_legs(rig), find_legs(large), strict=True):
        np.testing.assert_allclose(other.contacts, 100 * leg.contacts, atol=2e-3)
    lengths = [leg_arrays(r.skeleton, find_legs(r)).length for r in (rig, large)]
    np.testing.assert_allclose(*lengths, rtol=1e-5)


@pytest.mark.parametrize("model", RIGS)
def test_what_moves_with_each_joint(model):
    """Each joint below a hip belongs to the nearest leg joint above it, or to itself."""
    rig = rig_of(model)
    skeleton, legs = rig.skeleton, find_legs(rig)
    arrays = leg_arrays(skeleton, legs)
    chains = [[leg.hip, leg.knee, leg.ankle, leg.toe] for leg in legs]
    np.testing.assert_array_equal(arrays.joints, chains)
    for number, chain in enumerate(chains):
        owners = {}
        for joint in range(skeleton.joint_count):
            above = joint
            while above >= 0 and above not in chain:
                above = int(skeleton.parents[above])
            owners.setdefault(above, []).append(joint)
        starts = arrays.owned_start[number]
        for part, joint in enumerate(chain):
            assert arrays.owned[starts[part] : starts[part + 1]].tolist() == owners[joint]


@pytest.mark.parametrize("model", RIGS)
def test_the_pelvis_carries_both_legs_and_all_above(model):
    skeleton = rig_of(model).skeleton
    carried = [skeleton.joint_names[j] for j in leg_arrays(skeleton, find_legs(rig_of(model))).pelvis]
    assert carried[0] == "Hips"
    assert {*LEFT, *RIGHT, "Head", "LeftHand"} <= set(carried)


@pytest.mark.parametrize("model", RIGS)
def test_lengths_are_those_of_the_rest_pose(model):
    skeleton = rig_of(model).skeleton
    at = dict(zip(skeleton.joint_names, model_matrices(skeleton, skeleton.rest_pose)[..., 3], strict=True))
    found = leg_arrays(skeleton, find_legs(rig_of(model))).length
    for length, (hip, knee, ankle, _) in zip(found, (LEFT, RIGHT), strict=True):
        expected = np.linalg.norm(at[hip] - at[knee]) + np.linalg.norm(at[knee] - at[ankle])
        assert length == pytest.approx(expected, rel=1e-5)


def test_arrays_cannot_be_written():
    rig = rig_of("mannequin")
    assert not any(array.flags.writeable for array in leg_arrays(rig.skeleton, find_legs(rig)))


def test_joints_given_by_name_may_skip_some():
    rig = rig_of("mannequin")
    leg = make_leg(rig, ["Hips", "LeftUpLeg", "LeftFoot", "LeftToeBase"])
    assert names(rig, leg) == ["Hips", "LeftUpLeg", "LeftFoot", "LeftToeBase"]


def test_an_unknown_joint():
    with pytest.raises(KeyError, match="Knee"):
        make_leg(rig_of("mannequin"), ["LeftUpLeg", "Knee", "LeftFoot"])


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        (["LeftUpLeg", "RightLeg", "RightFoot"], "'RightLeg' must be a descendant of joint 'LeftUpLeg'"),
        (["LeftLeg", "LeftUpLeg", "LeftFoot"], "'LeftUpLeg' must be a descendant of joint 'LeftLeg'"),
        (["LeftUpLeg", "LeftUpLeg", "LeftFoot"], "'LeftUpLeg' must be a descendant of joint 'LeftUpLeg'"),
        (
            ["LeftUpLeg", "LeftLeg", "LeftFoot", "RightToeBase"],
            "'RightToeBase' must be a descendant of joint 'LeftFoot'",
        ),
    ],
)
def test_joints_that_do_not_hang_together(joints, message):
    with pytest.raises(ValueError, match=message):
        make_leg(rig_of("mannequin"), joints)


def test_bones_without_length():
    rig, skeleton = rig_of("mannequin"), rig_of("mannequin").skeleton
    translation = skeleton.rest_pose.translation.copy()
    translation[skeleton.joint_index("LeftFoot")] = 0
    short = replace(rig, skeleton=replace(skeleton, rest_pose=replace(skeleton.rest_pose, translation=translation)))
    with pytest.raises(ValueError, match="must have a length above 0"):
        make_leg(short, LEFT)
    assert [names(short, leg) for leg in find_legs(short)] == [RIGHT]


def test_feet_without_skin():
    rig = replace(rig_of("mannequin"), meshes=tuple(m for m in rig_of("mannequin").meshes if m.level > 5))
    with pytest.raises(ValueError, match=r"LeftFoot"):
        make_leg(rig, LEFT)

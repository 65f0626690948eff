"""Retargeting: bodies of other sizes, poses, axes and names do as the source does, which scipy and geometry tell."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

import ecs_anim as ea
from ecs_anim.assets.clip import Clip
from ecs_anim.assets.frames import Frames, frames_of
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.ik.legs import make_leg
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.retargeting.held import eased, held
from ecs_anim.retargeting.limbs import bent
from ecs_anim.roles.names import Limb
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from tests.helpers import MOTIONS, real
from tests.roles.test_roles import BODY

TIME = np.linspace(0, 1, 31)


def body(size=1.0, axes=None, spine=2, arms_down=0.0, turn=0.0):
    """The rig of `BODY`: so much larger, its joints' frames turned by `axes` at rest, its spine of so many joints, its
    arms so far down from a T [rad], and the whole turned about +Y [rad]."""
    rows = [(name, parent, np.array(at, float) * size) for name, (parent, at) in BODY.items()]
    if spine != 2:
        rows = [row for row in rows if row[0] not in ("spine", "chest")]
        links = ["hips", *(f"back_{k}" for k in range(spine - 1)), "chest"]
        chain = [(own, above, np.array([0, 0.3 * size / spine, 0])) for above, own in pairwise(links)]
        rows = [rows[0], *chain, *rows[1:]]
    known = [name for name, *_ in rows]
    parents = np.array([known.index(parent) if parent else -1 for _, parent, _ in rows], np.int32)
    places = np.zeros((len(rows), 3))
    for joint, (name, _, at) in enumerate(rows):
        if "lower_arm" in name or "hand" in name:
            sign = 1 if name.startswith("left") else -1
            at = Rotation.from_euler("z", -sign * arms_down).apply(at)
        places[joint] = at + (places[parents[joint]] if parents[joint] >= 0 else 0)
    whole = Rotation.from_euler("y", turn)
    places = whole.apply(places)
    frames = Rotation.identity(len(rows)) if axes is None else Rotation.random(len(rows), random_state=axes)
    pose = Pose.identity(len(rows))
    for joint, parent in enumerate(parents):
        above = frames[int(parent)] if parent >= 0 else Rotation.identity()
        start = places[parent] if parent >= 0 else 0
        pose.translation[joint] = above.inv().apply(places[joint] - start)
        pose.rotation[joint] = (above.inv() * frames[joint]).as_quat()
    skeleton = Skeleton(tuple(known), parents, pose, np.zeros(0, np.int32), np.zeros((0, 3, 4), np.float32))
    return Rig("body", skeleton, (), {})


def moving(rig, turns, path=(0.0, 0.0, 0.0)):
    """A clip of a second in which joints turn by rotation vectors [rad] from their rest, and the hips go a way."""
    names, rest = rig.skeleton.joint_names, rig.skeleton.rest_pose
    times = TIME.astype(np.float32)
    tracks = []
    for name, turn in turns.items():
        joint = names.index(name)
        sway = (1 - np.cos(2 * np.pi * TIME))[:, None] / 2 * np.asarray(turn, float)
        values = (Rotation.from_quat(rest.rotation[joint]) * Rotation.from_rotvec(sway)).as_quat()
        tracks.append(Track(joint, "rotation", "LINEAR", times, values.astype(np.float32)))
    hips = (rest.translation[0] + TIME[:, None] * path).astype(np.float32)
    tracks.append(Track(0, "translation", "LINEAR", times, hips))
    return Clip("move", rig.skeleton, tuple(tracks), 0.0, 1.0)


DANCE = {
    "hips": [0.1, 0.3, 0.05],
    "spine": [0.2, -0.1, 0.1],
    "chest": [0.1, 0.2, -0.1],
    "head": [0.2, 0.4, 0.1],
    "left_upper_arm": [0.3, 0.2, -0.9],
    "left_lower_arm": [0.0, 1.1, 0.3],
    "right_upper_arm": [0.2, -0.4, 0.7],
    "right_hand": [0.4, 0.1, 0.2],
    "left_thigh": [-0.5, 0.1, 0.1],
    "left_shank": [0.9, 0.0, 0.0],
    "right_thigh": [0.3, 0.0, -0.1],
    "right_shank": [0.5, 0.0, 0.0],
}


def frames(rig, clip):
    """Over where the hips begin: a motion without a skin has its floor where its feet say."""
    found = frames_of(rig.skeleton, clip.sample(TIME, loop=False))
    return found._replace(positions=found.positions - found.positions[0, 0])


def joint(rig, name):
    return rig.skeleton.joint_index(name)


def test_other_axes_of_joints_change_nothing_that_is_seen():
    """Rotations since rest and positions are the same ones, though no number of the clip is."""
    source, target = body(), body(axes=7)
    clip = moving(source, DANCE)
    ours, theirs = frames(source, clip), frames(target, ea.retarget(clip, source, target, root_motion="keep"))
    np.testing.assert_allclose(theirs.positions, ours.positions, atol=1e-2)  # straight legs are bent by a trifle
    rest = [frames_of(rig.skeleton, rig.skeleton.rest_pose).rotations for rig in (source, target)]
    for own in range(source.skeleton.joint_count):
        a, b = (
            Rotation.from_quat(found.rotations[:, own]) * Rotation.from_quat(still[own]).inv()
            for found, still in zip((ours, theirs), rest, strict=True)
        )
        assert (a * b.inv()).magnitude().max() < math.radians(1.5)


@pytest.mark.parametrize("degrees", [30, 45, -60])
def test_a_body_in_an_a_pose_points_its_arms_as_one_in_a_t_pose(degrees):
    source, target = body(), body(axes=3, arms_down=math.radians(degrees))
    clip = moving(source, DANCE)
    ours, theirs = frames(source, clip), frames(target, ea.retarget(clip, source, target, root_motion="keep"))
    for side in ("left", "right"):
        for above, below in (("upper_arm", "lower_arm"), ("lower_arm", "hand")):
            ways = [
                found.positions[:, joint(rig, f"{side}_{below}")] - found.positions[:, joint(rig, f"{side}_{above}")]
                for rig, found in ((source, ours), (target, theirs))
            ]
            np.testing.assert_allclose(ways[1], ways[0], atol=1e-4)


@pytest.mark.parametrize("turn", [90, 180, -90])
def test_a_body_that_looks_elsewhere_goes_and_acts_there(turn):
    source, target = body(), body(axes=1, turn=math.radians(turn))
    clip = moving(source, DANCE, path=(0.2, 0.0, 0.9))
    ours, theirs = frames(source, clip), frames(target, ea.retarget(clip, source, target, root_motion="keep"))
    expected = Rotation.from_euler("y", turn, degrees=True).apply(ours.positions.reshape(-1, 3))
    np.testing.assert_allclose(theirs.positions.reshape(-1, 3), expected, atol=1e-2)


def test_a_body_twice_as_large_goes_twice_as_far():
    source, target = body(), body(size=2.0, axes=2)
    clip = moving(source, DANCE, path=(0.2, 0.0, 0.9))
    ours, theirs = frames(source, clip), frames(target, ea.retarget(clip, source, target, root_motion="keep"))
    np.testing.assert_allclose(theirs.positions, 2 * ours.positions, atol=2e-2)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_spines_of_other_lengths_bend_as_far_at_the_same_height(count):
    source, target = body(), body(spine=count, axes=4)
    clip = moving(source, {"hips": [0, 0.4, 0], "spine": [0.5, 0, 0], "chest": [0.3, 0, 0.4]})
    ours, theirs = frames(source, clip), frames(target, ea.retarget(clip, source, target, root_motion="keep"))
    rest = frames_of(target.skeleton, target.skeleton.rest_pose).rotations
    for own, share in zip(find_roles(target).spine, np.arange(1, count + 1) / count, strict=True):
        for moment in (7, 22):
            known = Rotation.from_quat(ours.rotations[moment, [joint(source, n) for n in ("hips", "spine", "chest")]])
            expected = Slerp([0, 0.5, 1], known)(share) * Rotation.from_quat(rest[own])
            assert (Rotation.from_quat(theirs.rotations[moment, own]) * expected.inv()).magnitude() < 1e-3


def test_root_motion_is_extracted_or_kept():
    source, target = body(), body(size=0.5, axes=5)
    clip = moving(source, {}, path=(0.4, 0.0, 1.2))
    left = ea.retarget(clip, source, target, root_motion="keep")
    out = ea.retarget(clip, source, target, root_motion="extract")
    way = frames(target, left).positions[-1, 0] - frames(target, left).positions[0, 0]
    np.testing.assert_allclose(way, [0.2, 0, 0.6], atol=1e-4)
    assert np.ptp(frames(target, out).positions[:, 0, [0, 2]], axis=0).max() < 1e-4
    assert out.extras["ground_velocity"] == pytest.approx([0.2, 0.6], abs=1e-4)
    assert out.extras["ground_speed"] == pytest.approx(0.6, abs=1e-4)


def test_a_clip_that_stays_in_place_stays_as_it_is():
    source, target = body(), body(axes=5)
    clip = moving(source, DANCE, path=(0.05, 0.0, 0.0))
    a, b = (frames(target, ea.retarget(clip, source, target, root_motion=how)) for how in ("keep", "extract"))
    np.testing.assert_array_equal(a.positions, b.positions)


def test_alike_skeletons_keep_their_keys():
    first, second = load_model("mannequin"), load_model("mannequin")
    walk = first.clips["walk"]
    moved = ea.retarget(walk, first, second, root_motion="keep")
    assert moved.skeleton is second.skeleton
    assert all(a.values is b.values for a, b in zip(moved.tracks, walk.tracks, strict=True))
    assert ea.retarget(walk, first, first, root_motion="keep") is walk


def test_bodies_that_are_no_humanoids_go_by_names():
    chain = load_model("chain")
    other = replace(chain, skeleton=replace(chain.skeleton))
    clip = moving(chain, {"joint_1": [1, 0, 0]})
    assert ea.retarget(clip, chain, other, root_motion="keep").skeleton is other.skeleton
    with pytest.raises(InputError, match="clip 'move': the skeleton of \\d+ joints lacks the animated joint 'joint_1'"):
        ea.retarget(clip, chain, load_model("mannequin"), root_motion="keep")


def test_a_table_of_roles_helps_where_names_and_shape_do_not():
    source, target = load_model("mannequin"), body()
    names = tuple("paddle" if name == "left_hand" else name for name in target.skeleton.joint_names)
    target = replace(target, skeleton=replace(target.skeleton, joint_names=names))
    with pytest.raises(InputError, match="two humanoids with all roles"):
        ea.retarget(source.clips["wave"], source, target, root_motion="keep")
    own = {f"left_{part}": f"left_{part}" for part in ("upper_arm", "lower_arm")} | {"left_hand": "paddle"}
    assert (
        ea.retarget(source.clips["wave"], source, target, target_roles=own, root_motion="keep").skeleton
        is target.skeleton
    )


def test_a_skin_that_is_bound_to_nothing_does_no_harm():
    """Files may undo a joint's inverse bind matrix; it rests then."""
    source = load_model("mannequin")
    target = replace(source, skeleton=replace(source.skeleton, inverse_bind=0 * source.skeleton.inverse_bind))
    moved = ea.retarget(source.clips["walk"], source, target, root_motion="keep")
    assert np.isfinite(moved.sample(TIME).rotation).all()


def test_contacts_and_speeds_are_the_target_s():
    source, target = load_model("mannequin"), body(size=2.0, axes=6)
    walk = ea.retarget(source.clips["walk"], source, target, root_motion="keep")
    assert set(walk.extras["contacts"]) == {"left_foot", "right_foot"}
    hips = [standing_hip(rig) for rig in (source, target)]
    assert walk.extras["ground_speed"] == pytest.approx(1.4 * hips[1] / hips[0], rel=1e-3)


def test_hands_of_bodies_that_lie_at_rest_are_refused():
    source = body()
    pose = source.skeleton.rest_pose
    pose.rotation[0] = (Rotation.from_rotvec([-1.2, 0, 0]) * Rotation.from_quat(pose.rotation[0])).as_quat()
    with pytest.raises(InputError, match="clip 'move': hands=True needs two rest poses with standing bodies"):
        ea.retarget(moving(source, DANCE), source, body(axes=5), hands=True, root_motion="keep")


@pytest.mark.parametrize("name", ["clap", "sit"])
def test_hands_are_put_where_the_source_s_are(name):
    """As seen from the floor below the hips, all is as much larger as shoulders are higher; bones keep their length."""
    source, target = load_model("mannequin"), body(size=1.5, axes=9)
    clip = source.clips[name]
    moved = ea.retarget(clip, source, target, hands=True, root_motion="keep")
    time = np.linspace(clip.start, clip.end, 20)
    seen, arms = [], []
    for rig, own in ((source, clip), (target, moved)):
        roles, found = find_roles(rig), frames_of(rig.skeleton, own.sample(time, loop=False)).positions
        rest = frames_of(rig.skeleton, rig.skeleton.rest_pose).positions
        hips = found[:, [leg.upper for leg in roles.legs]].mean(axis=1) * [1, 0, 1]
        hands = np.stack([found[:, arm.lower] - hips for arm in roles.arms])
        seen.append(hands / rest[roles.arms[0].upper, 1])
        bones = [
            np.linalg.norm(np.diff(points[..., [*roles.arms[0]], :], axis=-2), axis=-1) for points in (found, rest)
        ]
        arms.append(bones[0] / bones[1])
    np.testing.assert_allclose(seen[1], seen[0], atol=2e-3)
    np.testing.assert_allclose(arms[1], 1, atol=1e-4)


def test_a_limb_keeps_its_side_wherever_its_goal_is():
    """A leg that is bent ahead stays so, though its goal is so far behind that the knee was beyond the line."""
    points = np.array([[[0.0, 0, 0], [0, -0.4, 0.02], [0, -0.8, 0]]])
    rotations = np.broadcast_to(quaternion.IDENTITY.astype(float), (1, 3, 4))
    for degrees in range(-80, 81, 10):
        whole = Rotation.from_euler("x", degrees, degrees=True)
        goal = whole.apply([[0, -0.7, 0]])
        found = bent(Frames(rotations, points), Limb(0, 1, 2), goal, np.array([[0.0, 0, 1]]))
        knee = Rotation.from_quat(found[0]).apply(points[:, 1])
        assert whole.inv().apply(knee)[0, 2] > 0.1


def standing_hip(rig):
    """How high the hip of a straight leg is over the floor, which is at 0 in the rest pose."""
    leg = find_roles(rig).legs[0]
    ankle = frames_of(rig.skeleton, rig.skeleton.rest_pose).positions[leg.lower, 1]
    return leg_length(rig, leg) + ankle


def leg_length(rig, leg):
    points = frames_of(rig.skeleton, rig.skeleton.rest_pose).positions[[*leg]]
    return np.linalg.norm(np.diff(points, axis=0), axis=1).sum()


def planted_slides(rig, clip):
    """How far what stands of each foot slides [rig units] in each step, by the clip's own contacts and speed.

    Of heel and ball, those count that are on the floor; a foot that goes round one of them does not slide.
    """
    found, roles = [], find_roles(rig)
    joints = [(*leg, roles.joints[f"{own}_toes"]) for own, leg in zip(("left", "right"), roles.legs, strict=True)]
    legs = [make_leg(rig, [rig.skeleton.joint_names[own] for own in leg]) for leg in joints]
    facing = round(roles.facing / (math.pi / 2)) * (math.pi / 2)  # at rest some turn their hips a little
    sine, cosine = math.sin(facing), math.cos(facing)
    side, ahead = clip.extras["ground_velocity"]
    speed = np.array([ahead * sine + side * cosine, 0, ahead * cosine - side * sine])
    for leg in legs:
        for start, end in clip.extras["contacts"][rig.skeleton.joint_names[leg.ankle]]:
            time = np.arange(start, end, 1 / 120)
            model = ea.model_matrices(rig.skeleton, clip.sample(time, loop=False))
            points = affine.transform_points(model[:, leg.ankle, None], leg.contacts) + (time[:, None] * speed)[:, None]
            low = points[..., 1] < 0.005 * leg_length(rig, roles.legs[0])
            steps = np.linalg.norm(np.diff(points[..., [0, 2]], axis=0), axis=-1)
            steps = np.where(low[1:] & low[:-1], steps, np.inf).min(axis=1)
            found.append(steps[np.isfinite(steps)].sum())
    return found


MATRIX = [*real("Woman.gltf", "cesium_man.gltf")]
RECORDED = real("freebvh.bvh", "walk_meredith.bvh", folder=MOTIONS)


@pytest.mark.exhaustive
@pytest.mark.parametrize("motion", [*RECORDED, *MATRIX])
@pytest.mark.parametrize("model", ["mannequin", *MATRIX])
def test_knees_and_elbows_bend_as_the_source_s_and_nothing_jumps(motion, model):
    if motion == model:
        pytest.skip("a character's own clips")
    source, target = load_model(motion), load_model(model)
    for clip in [*source.clips.values()][:3]:
        moved = ea.retarget(clip, source, target, root_motion="keep")
        time = np.linspace(clip.start, clip.end, max(8, round(clip.duration * 60)))
        a, b = (frames_of(rig.skeleton, own.sample(time, loop=False)) for rig, own in ((source, clip), (target, moved)))
        ours, theirs = find_roles(source), find_roles(target)
        turn = Rotation.from_euler("y", round((theirs.facing - ours.facing) / (math.pi / 2)) * (math.pi / 2))
        for limb, other in zip((*ours.arms, *ours.legs), (*theirs.arms, *theirs.legs), strict=True):
            was, now = turn.apply(bend_of(a, limb)), bend_of(b, other)
            clear = (np.linalg.norm(was, axis=1) > 0.3) & (np.linalg.norm(now, axis=1) > 0.3)
            assert ((was * now).sum(axis=1)[clear] > 0).all()
        steps = Rotation.from_quat(b.rotations[1:].reshape(-1, 4)).inv() * Rotation.from_quat(
            b.rotations[:-1].reshape(-1, 4)
        )
        there = Rotation.from_quat(a.rotations[1:].reshape(-1, 4)).inv() * Rotation.from_quat(
            a.rotations[:-1].reshape(-1, 4)
        )
        assert steps.magnitude().max() < 1.5 * there.magnitude().max() + math.radians(12)


def bend_of(found, limb):
    """The axis about which a limb is bent, as long as the sine of the angle."""
    upper, middle, lower = (found.positions[:, own] for own in limb)
    first, second = middle - upper, lower - middle
    return np.cross(first, second) / (np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1))[:, None]


def test_what_stands_is_held_and_what_is_between_goes_along():
    path = np.linspace(0, 1, 21)[:, None] * [1, 0, 0]
    still = np.zeros(21, bool)
    still[3:7] = still[12:16] = True
    moved = held(path, still)
    for own in (slice(3, 7), slice(12, 16)):
        np.testing.assert_allclose(moved[own], np.broadcast_to(path[own].mean(axis=0), (4, 3)), atol=1e-12)
    assert np.abs(moved - path).max() <= 0.075 + 1e-12
    np.testing.assert_array_equal(held(path, np.zeros(21, bool)), path)


@pytest.mark.parametrize("degrees", [0, 50, -120, 180])
def test_a_stretch_across_the_ends_of_a_clip_that_goes_round_is_one(degrees):
    """What goes on an arc each round, and stands over the seam, ends where the next round begins."""
    share = np.linspace(0, 1, 21)[:, None]
    lap = Rotation.from_rotvec(share * [0, math.radians(degrees), 0])
    ahead = np.array([degrees == 0, 0.0, 0.0])
    path = lap.apply([2.0, 0.3, -0.7]) + share * ahead
    still = np.zeros(21, bool)
    still[:3] = still[-3:] = True
    moved = held(path, still, math.radians(degrees))
    np.testing.assert_allclose(moved[:3], np.broadcast_to(moved[0], (3, 3)), atol=1e-12)
    np.testing.assert_allclose(moved[-3:], np.broadcast_to(moved[-1], (3, 3)), atol=1e-12)
    np.testing.assert_allclose(moved[-1], lap[-1].apply(moved[0]) + ahead, atol=1e-12)
    assert np.abs(moved - path).max() < 2.5 * np.abs(np.diff(path, axis=0)).max()


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.integers(0, 6), st.booleans())
def test_eased_bumps_are_nowhere_lower(bumps, reach, closes):
    bumps = np.array(bumps)
    smooth = eased(bumps, min(reach, len(bumps) // 2), closes)
    assert (smooth >= bumps - 1e-12).all()
    assert smooth.max() <= bumps.max() + 1e-12


@given(st.integers(0, 10**6))
def test_a_limb_that_can_reach_its_goal_does_with_the_bones_that_it_has(seed):
    rng = np.random.default_rng(seed)
    points = np.array([[[0.0, 0, 0], [0, -0.4, 0.02], [0, -0.8, 0]]]) + rng.normal(0, 0.02, (1, 3, 3))
    rotations = Rotation.random(3, random_state=seed).as_quat()[None]
    whole = np.linalg.norm(np.diff(points, axis=1), axis=-1).sum()
    goal = points[:, 0] + Rotation.random(random_state=seed + 1).apply([0, -rng.uniform(0.25, 0.93) * whole, 0])
    found = bent(Frames(rotations, points), Limb(0, 1, 2), goal, np.array([[0.0, 0, 1]]))
    turned = [
        (Rotation.from_quat(found[own]) * Rotation.from_quat(rotations[:, own]).inv()).apply(
            points[:, own + 1] - points[:, own]
        )
        for own in (0, 1)
    ]
    np.testing.assert_allclose(points[:, 0] + turned[0] + turned[1], goal, atol=1e-9)


def test_a_leg_that_is_all_but_straight_does_not_twist():
    """With a knee a hair's breadth before and behind the line from hip to ankle, a thigh turns as far as it moves."""
    sway = 1e-4 * np.sin(np.linspace(0, 20, 200))
    points = np.zeros((200, 3, 3))
    points[:, 1] = np.column_stack([sway, np.full(200, -0.4), -sway])
    points[:, 2] = [0, -0.8, 0]
    rotations = np.broadcast_to(quaternion.IDENTITY.astype(float), (200, 3, 4))
    goal = np.broadcast_to([0, -0.79, 0.0], (200, 3))
    found = bent(Frames(rotations, points), Limb(0, 1, 2), goal, np.broadcast_to([0.0, 0, 1], (200, 3)))
    for own in (0, 1):
        steps = Rotation.from_quat(found[own][1:]).inv() * Rotation.from_quat(found[own][:-1])
        assert steps.magnitude().max() < math.radians(1)

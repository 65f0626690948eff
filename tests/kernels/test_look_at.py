"""Looking at points: the readable form against scipy's rotations, the stage against the readable form."""

from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.ik.look_at import LookSettings, LookState, find_joints, make_chain
from ecs_anim.kernels import look_at as kernels
from ecs_anim.runtime.records import Placement
from ecs_anim.scenes.rigs import load_model
from ecs_anim.systems.stages import Stage
from tests.helpers import EXHAUSTIVE, FEW, random_rotations, random_skeleton, some, upright
from tests.helpers.stages import run_stages
from tests.oracles.look_at import follow, look_at

FREE = LookSettings(np.pi, np.pi, np.inf, 0.2, np.radians(300))
HELD = LookSettings(np.radians(70), np.radians(40), np.inf, 0.2, np.radians(300))
LET_GO = HELD._replace(release=np.radians(30))
CASES = [pytest.param(FREE, id="free"), pytest.param(HELD, id="held"), pytest.param(LET_GO, id="let go")]
BODY = ["Spine", "Spine1", "Spine2", "Neck", "Head"]
COUNT = FEW or 400
STILL = LookState(np.zeros((COUNT, 4), np.float32), np.zeros((COUNT, 4), np.float32))


@cache
def mannequin():
    return load_model("mannequin")


def chain_of(joints=BODY, limits=None, shares=None):
    no_limits = [(np.inf, np.inf)] * len(joints)
    return make_chain(
        mannequin().skeleton,
        joints,
        range(1, len(joints) + 1) if shares is None else shares,
        no_limits if limits is None else limits,
    )


def poses(count=COUNT, seed=0):
    """Model matrices of mannequins in the middle of what they do."""
    rng = np.random.default_rng(seed)
    clips = [mannequin().clips[name] for name in ("idle", "walk", "wave", "sit")]
    models = [model_matrices(clip.skeleton, clip.sample(rng.uniform(0, clip.duration, count))) for clip in clips]
    return np.stack(models)[rng.integers(len(models), size=count), np.arange(count)].astype(np.float32)


def points(count=COUNT, seed=1):
    """Targets all around, from 0.7 to 6 m from the middle of the head."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    return ([0, 1.6, 0] + direction * rng.uniform(0.7, 6, (count, 1))).astype(np.float32)


def head_axis(model, joint=5):
    """Where a mannequin's joint looks; in the rest pose that is +Z."""
    rest = model_matrices(mannequin().skeleton, mannequin().skeleton.rest_pose)[joint, :, :3].astype(np.float64)
    axis = (model[..., joint, :, :3].astype(np.float64) @ np.linalg.inv(rest)) @ [0, 0, 1]
    return axis / np.linalg.norm(axis, axis=-1, keepdims=True)


def degrees_off(model, target, joint=5):
    """Angle between where a joint looks and where the target is from there."""
    away = target.astype(np.float64) - model[..., joint, :, 3]
    cosine = np.sum(head_axis(model, joint) * away, axis=-1)
    sine = np.linalg.norm(np.cross(head_axis(model, joint), away), axis=-1)
    return np.degrees(np.arctan2(sine, cosine))


def added(before, after, joint):
    """The rotation that looking has added to a joint, in model space."""
    old, new = (m[..., joint, :, :3].astype(np.float64) for m in (before, after))
    return Rotation.from_matrix(new @ np.linalg.inv(old))


def azimuth(v):
    return np.arctan2(v[..., 0], v[..., 2])


def elevation(v):
    return np.arctan2(v[..., 1], np.hypot(v[..., 0], v[..., 2]))


def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


def looked(chain, settings, target, placement, weight, dt, gaze, model):
    """Model matrices [chunk, joint, 12] after a step of those who look; writes the gaze."""
    looks = np.empty(len(model), np.bool_)
    kernels.choose_lookers(weight, tuple(gaze), looks)
    own = Stage(kernels.look_at, (chain, settings, target, tuple(placement), weight, dt, tuple(gaze)), looks)
    return run_stages(model, own)


def run_kernel(model, target, chain, settings, *, steps=1, dt=1.0, weight=1.0, state=STILL):
    """Of actors that stand in the origin."""
    count = len(model)
    rows = model.reshape(count, -1, 12)
    gaze = LookState(*(column[:count].copy() for column in state))
    placement = upright(np.zeros((count, 3), np.float32))
    weights = np.full(count, weight, np.float32)
    for _ in range(steps):
        with np.errstate(all="ignore"):  # uncompiled, a target that is no number would be warned of
            out = looked(chain, settings, target, placement, weights, dt, gaze, rows)
    return out.reshape(model.shape), gaze


def test_the_head_looks_at_the_target():
    target = points()
    off = degrees_off(look_at(chain_of(), FREE, poses(), target), target)
    near_the_pole = np.abs(elevation(target - poses()[:, 5, :, 3])) > np.radians(80)
    assert off[~near_the_pole].max() < 0.001
    settled, _ = run_kernel(poses(), target, chain_of(), FREE, steps=40)
    assert degrees_off(settled, target)[~near_the_pole].max() < 0.05


@pytest.mark.parametrize("joints", [["Head"], ["Neck", "Head"], ["Spine", "Head"], ["Hips", *BODY]])
def test_any_chain_that_ends_in_the_head_will_do(joints):
    target = points()
    target[:, 1] = np.clip(target[:, 1], 0.5, 2.5)
    off = degrees_off(look_at(chain_of(joints), FREE, poses(), target), target)
    assert np.median(off) < 1e-4
    assert off.max() < 0.1


def test_looking_changes_nothing_but_the_turn():
    """Bones keep their lengths, and joints outside the chain's reach keep their matrices."""
    before, target = poses().astype(np.float64), points()
    after = look_at(chain_of(), HELD, before, target)
    skeleton = mannequin().skeleton
    legs = [j for j, name in enumerate(skeleton.joint_names) if "Leg" in name or "Foot" in name or name == "Hips"]
    np.testing.assert_array_equal(after[:, legs], before[:, legs])
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            lengths = [np.linalg.norm(m[:, joint, :, 3] - m[:, parent, :, 3], axis=-1) for m in (before, after)]
            np.testing.assert_allclose(lengths[1], lengths[0], atol=1e-6)
            local = [np.linalg.inv(m[:, parent, :, :3]) @ m[:, joint, :, :3] for m in (before, after)]
            if skeleton.joint_names[joint] not in BODY:
                np.testing.assert_allclose(local[1], local[0], atol=1e-5)


def test_a_level_head_stays_level():
    """Its ears do not tilt, wherever it looks."""
    level = poses()
    rest = model_matrices(mannequin().skeleton, mannequin().skeleton.rest_pose)
    level[:] = rest
    after = look_at(chain_of(), HELD, level, points())
    ears = after[:, 5, :, :3].astype(np.float64) @ np.linalg.inv(rest[5, :, :3].astype(np.float64)) @ [1, 0, 0]
    np.testing.assert_allclose(ears[:, 1], 0, atol=1e-6)


@pytest.mark.parametrize("settings", [HELD, LET_GO])
def test_the_limits_of_the_whole_hold(settings):
    before, target = poses(), points()
    for after in (look_at(chain_of(), settings, before, target), run_kernel(before, target, chain_of(), settings)[0]):
        old, new = head_axis(before), head_axis(after)
        yaw = np.degrees(np.abs(wrapped(azimuth(new) - azimuth(old))))
        pitch = np.degrees(np.abs(elevation(new) - elevation(old)))
        assert yaw.max() < 70.1
        assert pitch.max() < 40.1
    if settings is HELD:
        assert np.mean(yaw > 69) > 0.2, "many targets are out of reach"


def test_each_joint_keeps_its_own_limits():
    limits = [(0.05, 0.02), (0.1, 0.05), (0.1, 0.1), (0.3, 0.2), (0.8, 0.5)]
    before, target = poses(), points()
    after = run_kernel(before, target, chain_of(limits=np.array(limits)), HELD, steps=20)[0]
    turned = Rotation.identity(COUNT)
    for joint, (yaw, pitch) in zip([1, 2, 3, 4, 5], limits, strict=True):
        own = added(before, after, joint)
        most = np.degrees((own * turned.inv()).magnitude().max())
        assert most < np.degrees(np.hypot(yaw, pitch)) + 0.1, joint
        assert most > 0.6 * np.degrees(yaw), "some are at the limit"
        turned = own


def test_shares_are_what_joints_take():
    before = np.repeat(model_matrices(mannequin().skeleton, mannequin().skeleton.rest_pose)[None], COUNT, axis=0)
    target = points()
    target[:, 1] = before[0, 5, 1, 3]
    after = look_at(chain_of(shares=[1, 0, 1, 2, 4]), HELD, before, target)
    yaw = [np.degrees(azimuth(added(before, after, joint).apply([0, 0, 1]))) for joint in (1, 2, 3, 4)]
    np.testing.assert_allclose(yaw[1], yaw[0], atol=1e-4)
    np.testing.assert_allclose(yaw[2], 2 * yaw[0], atol=1e-4)
    np.testing.assert_allclose(yaw[3], 4 * yaw[0], atol=1e-4)


def test_the_kernel_computes_the_readable_form():
    rng = np.random.default_rng(5)
    model, target = poses(), points()
    limits = np.tile([0.4, 0.3], (5, 1))
    chain, settings = chain_of(limits=limits), LET_GO
    weight = rng.choice([0.0, 0.3, 1.0], COUNT).astype(np.float32)
    translation = rng.normal(size=(COUNT, 3)).astype(np.float32)
    rotation, scale = random_rotations(rng, COUNT), rng.uniform(0.5, 2, COUNT).astype(np.float32)
    state = LookState(rng.uniform(-0.3, 0.3, (COUNT, 4)), rng.uniform(-0.3, 0.3, (COUNT, 4)))
    state = LookState(*(np.where(weight[:, None] == 0, 0, part) for part in state))
    gaze = LookState(*(part.astype(np.float32) for part in state))
    placement = Placement(translation, rotation, scale)
    for step in range(6):
        target += np.float32(0.05)
        in_world = translation + scale[:, None] * Rotation.from_quat(rotation).apply(target)
        rows = model.reshape(COUNT, -1, 12)
        out = looked(chain, settings, in_world.astype(np.float32), placement, weight, 1 / 50, gaze, rows)
        expected, following = follow(chain, settings, model, target, state, 1 / 50, weight)
        state = LookState(*(np.where(weight[:, None] == 0, 0, part) for part in following))
        np.testing.assert_allclose(out.reshape(model.shape), expected, atol=2e-4, err_msg=str(step))
        np.testing.assert_allclose(gaze.turn, state.turn, atol=2e-4)


def test_no_weight_leaves_the_bits():
    before = poses()
    after, state = run_kernel(before, points(), chain_of(), HELD, weight=0.0, state=LookState(*(s + 1 for s in STILL)))
    assert after.tobytes() == before.tobytes()
    assert not state.turn.any()
    np.testing.assert_array_equal(look_at(chain_of(), HELD, before, points(), 0.0), before)


def test_weight_is_a_share_of_the_turn():
    rest = np.repeat(model_matrices(mannequin().skeleton, mannequin().skeleton.rest_pose)[None], 3, axis=0)
    target = rest[:, 5, :, 3] + [2, 0, 2]
    after = look_at(chain_of(["Head"]), HELD, rest, target, np.array([0.25, 0.5, 1.0]))
    np.testing.assert_allclose(np.degrees(azimuth(head_axis(after))), [11.25, 22.5, 45], atol=1e-3)


@EXHAUSTIVE
@pytest.mark.parametrize(
    "place", [[0, 0, 0], [1e-7, 0, 0], [np.nan, 1, 1], [np.inf, 0, 0], [1e9, 1e9, -1e9], [0, 5, 0], [0, -5, 0]]
)
@pytest.mark.parametrize("settings", some(CASES, "held"))
@given(st.integers(0, 10**6))
@example(0)
@example(172)
def test_no_target_makes_nonsense(place, settings, seed):
    """At the head's own place, nowhere, far away, above, below; later all look where they would look without it.

    Only who has turned to the other side follows a target behind the back from there, past it, as far as they turn.
    """
    before, later = poses(8, seed), points(8, seed + 1)
    target = (before[:, 5, :, 3] + place).astype(np.float32)
    after, state = run_kernel(before, target, chain_of(), settings, steps=3)
    assert np.isfinite(after).all()
    assert np.isfinite(state.turn).all()
    assert np.isfinite(look_at(chain_of(), settings, before, target)).all()
    again, came = run_kernel(before, later, chain_of(), settings, steps=40, state=state)
    expected, known = run_kernel(before, later, chain_of(), settings, steps=40)
    yaw, other_yaw = came.goal[:, ::2], known.goal[:, ::2]
    is_other = yaw * other_yaw < 0
    is_furthest = np.maximum(np.abs(yaw), np.abs(other_yaw)) >= np.float32(settings.max_yaw)
    as_ever = ~is_other.any(axis=1)
    np.testing.assert_allclose(again[as_ever], expected[as_ever], atol=1e-4)
    assert (is_other & is_furthest).any(axis=1)[~as_ever].all()


@pytest.mark.parametrize("place", [0.0, np.nan])
def test_a_target_in_the_head_or_nowhere_leaves_it_looking_where_it_looked(place):
    before = poses(8)
    aside = before[:, 5, :, 3] + np.float32([2, 0.5, 1])
    looking, state = run_kernel(before, aside, chain_of(["Head"]), HELD, steps=40)
    after, _ = run_kernel(
        before, before[:, 5, :, 3] + np.float32(place), chain_of(["Head"]), HELD, steps=5, state=state
    )
    np.testing.assert_allclose(after, looking, atol=1e-5)
    old = LookState(*(part.astype(np.float64) for part in state))
    after, _ = follow(chain_of(["Head"]), HELD, before, before[:, 5, :, 3] + place, old, 1.0)
    np.testing.assert_allclose(after, looking, atol=1e-5)


@pytest.mark.parametrize("turned", [[90, 0, 0], [-90, 0, 0], [0, 0, 90], [180, 0, 0], [45, 45, 45]])
def test_whoever_lies_or_stands_on_his_head_can_look_too(turned):
    before, target = poses(COUNT).astype(np.float64), points()
    whole = Rotation.from_euler("xyz", turned, degrees=True).as_matrix()
    before = np.concatenate([whole @ before[..., :3], whole @ before[..., 3:]], axis=-1)
    target = before[:, 5, :, 3] + target - [0, 1.6, 0]
    flat = np.abs(elevation(target - before[:, 5, :, 3])) < np.radians(60)
    off = degrees_off(look_at(chain_of(), FREE, before, target), target)[flat]
    assert np.isfinite(off).all()
    assert np.mean(off < 0.1) > 0.95


def walk_round(dt, settings=HELD, seconds=6.0):
    """The head's yaw in degrees while a target runs round an actor, twice a turn about their back."""
    model = poses(1, seed=4)
    state, yaw = LookState(*(s[:1] for s in STILL)), []
    for step in range(round(seconds / dt)):
        angle = 2 * np.pi / 3 * step * dt
        target = np.array([[2 * np.sin(angle), 1.6, 2 * np.cos(angle)]], np.float32)
        after, state = run_kernel(model, target, chain_of(), settings, dt=dt, state=state)
        yaw.append(np.degrees(azimuth(head_axis(after))[0]))
    return np.array(yaw)


@EXHAUSTIVE
@pytest.mark.parametrize("settings", [HELD, LET_GO])
def test_the_head_never_jumps_when_the_target_passes_behind(settings):
    yaw = walk_round(1 / 60, settings)
    assert np.abs(np.diff(yaw)).max() < 300 / 60 * 1.02
    assert yaw.max() > 60
    assert yaw.min() < -60


def test_a_target_out_of_sight_is_let_go():
    behind = np.array([[0.3, 1.6, -2.0]] * COUNT, np.float32)
    held, _ = run_kernel(poses(), behind, chain_of(), HELD, steps=40)
    let_go, _ = run_kernel(poses(), behind, chain_of(), LET_GO, steps=40)
    np.testing.assert_allclose(let_go, poses(), atol=1e-4)
    assert np.degrees(added(poses(), held, 5).magnitude()).min() > 60


@EXHAUSTIVE
def test_a_target_that_trembles_behind_does_not_swing_the_head():
    model, state, yaw = poses(1), LookState(*(s[:1] for s in STILL)), []
    for step in range(200):
        target = np.array([[0.2 if step < 60 else 0.2 * (-1) ** step, 1.6, -2.0]], np.float32)
        after, state = run_kernel(model, target, chain_of(), HELD, dt=1 / 60, state=state)
        yaw.append(azimuth(head_axis(after))[0])
    assert np.ptp(np.degrees(yaw[100:])) < 3


@EXHAUSTIVE
def test_the_turn_does_not_depend_on_the_frame_rate():
    """After a jump of the target the head is where it would be in finer steps; a moving one has no lag."""
    model, target = poses(1), points(1, seed=8)

    def after(seconds, rate):
        count = round(seconds * rate)
        return degrees_off(run_kernel(model, target, chain_of(), FREE, steps=count, dt=1 / rate)[0], target)[0]

    for seconds in (0.1, 0.5):
        assert abs(after(seconds, 60) - after(seconds, 240)) < 3, seconds
    assert after(0.1, 60) > 10
    assert after(2.0, 60) < 0.1
    slow, fast = walk_round(1 / 60), walk_round(1 / 240)[::4]
    assert np.abs(slow - fast)[-200:].max() < 5


@EXHAUSTIVE
def test_a_target_that_moves_is_followed_without_lag():
    model, state = poses(1), LookState(*(s[:1] for s in STILL))
    for step in range(240):
        angle = np.radians(50) * np.sin(2 * np.pi * step / 120)
        target = np.array([[2 * np.sin(angle), 1.5, 2 * np.cos(angle)]], np.float32)
        after, state = run_kernel(model, target, chain_of(), HELD, dt=1 / 60, state=state)
        if step > 120:
            assert degrees_off(after, target)[0] < 0.2


def test_an_eye_looks_on_its_own():
    """Any joint can be a chain of its own: what counts is where it looks in the rest pose."""
    rng = np.random.default_rng(2)
    skeleton = random_skeleton(rng, 12)
    chain = make_chain(skeleton, [skeleton.joint_names[-1]], [1], [(np.inf, np.inf)], facing=0.8)
    rest = model_matrices(skeleton, skeleton.rest_pose).astype(np.float64)
    target = rest[-1, :, 3] + [3, 1, -2]
    after = look_at(chain, FREE, rest, target)
    ahead = after[-1, :, :3] @ np.linalg.inv(rest[-1, :, :3]) @ [np.sin(0.8), 0, np.cos(0.8)]
    np.testing.assert_allclose(ahead, (target - rest[-1, :, 3]) / np.linalg.norm([3, 1, -2]), atol=1e-6)
    np.testing.assert_array_equal(after[:-1], rest[:-1])


def test_a_shrunken_armature_turns_as_well():
    """Under a scale of 0.01, as some exporters leave it."""
    before, target = poses().astype(np.float64), points()
    small = before.copy()
    small[..., :3] *= 0.01  # joints' own units are centimetres
    chain = chain_of()._replace(forward=np.array([0, 0, 1.0]), up=np.array([0, 1.0, 0]))
    np.testing.assert_allclose(
        look_at(chain, HELD, small, target)[..., 3], look_at(chain, HELD, before, target)[..., 3], atol=1e-9
    )


def test_joints_are_found_by_name():
    assert find_joints(mannequin()) == BODY
    assert find_joints(Rig("any", random_skeleton(np.random.default_rng(0), 5), (), {})) == []


def test_wrong_chains_are_told():
    skeleton = mannequin().skeleton
    with pytest.raises(KeyError, match="Haed"):
        make_chain(skeleton, ["Haed"], [1], [(1, 1)])
    with pytest.raises(ValueError, match="'Neck' must be a descendant of joint 'Head'"):
        make_chain(skeleton, ["Head", "Neck"], [1, 1], [(1, 1)] * 2)
    with pytest.raises(ValueError, match="shares of the joints in a head turn"):
        make_chain(skeleton, ["Neck", "Head"], [0, 0], [(1, 1)] * 2)

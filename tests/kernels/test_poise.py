"""Poise: who stands shifts their weight and looks about, with feet that stay where they stand."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.body.state import CALM, WALK_WIDTH, WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.palette import Palette
from ecs_anim.ik.look_at import spine_of
from ecs_anim.kernels import poise as kernels
from ecs_anim.scenes.rigs import load_model
from ecs_anim.systems.stages import Stage
from tests.helpers import EXHAUSTIVE, FEW, called
from tests.helpers.body import Watch, footwork, steps, walking_world
from tests.helpers.stages import run_stages
from tests.systems.test_steering_world import component

poise_of = called(kernels._poise)
RIG = load_model("mannequin")
SECONDS = 12.0
SHIFT_MOST = 0.055 * 0.95  # [m], of legs shorter than that


def watched(folder, seconds=SECONDS, velocity=(0.0, 0.0), **options):
    """Where legs were, and palettes as it ended."""
    watch = Watch()
    world, people = walking_world(folder, 6, watch=watch, **options)
    with world:
        people.set_velocity(ea.ALL, velocity, -np.pi / 2)
        steps(world, seconds)
        return watch, component(world, Palette).matrices.copy()


@pytest.fixture(scope="module")
def at_ease(tmp_path_factory):
    return watched(tmp_path_factory.mktemp("walk"))[0]


@EXHAUSTIVE
def test_hips_shift_while_feet_stand_still(at_ease, tmp_path):
    watch = at_ease
    still, _ = watched(tmp_path, body="{ poise = 0.0 }")
    did = footwork(watch, skip=0.1)
    assert did.slides.size == 0 or did.slides.max() < 1e-3
    assert did.stretch <= 0.995
    assert did.sunk < 1e-4
    contacts = np.stack([frame[1] for frame in watch.frames])
    assert np.ptp(contacts, axis=0).max() < 1e-3
    shifts = [np.stack([frame[0][:, :, 0].mean(axis=1)[:, 0] for frame in own.frames]) for own in (watch, still)]
    aside = shifts[0] - shifts[1]
    assert np.abs(aside).max() < SHIFT_MOST
    assert (np.ptp(aside, axis=0) > 0.02).all()
    assert np.abs(np.diff(aside, axis=0)).max() * 60 < 0.15  # [m/s]
    lean = [np.stack([np.diff(frame[0][:, :, 0, 1], axis=1)[:, 0] for frame in own.frames]) for own in (watch, still)]
    assert (np.corrcoef((lean[0] - lean[1]).ravel(), aside.ravel())[0, 1]) < -0.9  # the right hip sinks as they go left


def test_everybody_is_at_ease_in_their_own_time(at_ease):
    hips = np.stack([frame[0][:, :, 0].mean(axis=1)[:, 0] for frame in at_ease.frames])
    apart = np.corrcoef((hips - hips.mean(axis=0)).T)[~np.eye(hips.shape[1], dtype=bool)]
    assert np.abs(apart).mean() < 0.6


@pytest.mark.parametrize(("threads", "chunk_size"), [(3, 1), pytest.param(1, 2, marks=EXHAUSTIVE)])
def test_it_hangs_on_ids_and_time_alone(threads, chunk_size, tmp_path):
    _, expected = watched(tmp_path, 2.0)
    _, found = watched(tmp_path, 2.0, threads=threads, chunk_size=chunk_size)
    np.testing.assert_array_equal(found, expected)


def test_those_who_walk_are_as_without_it(tmp_path):
    _, walking = watched(tmp_path, 2.0, (0.0, 1.2))
    _, plain = watched(tmp_path, 2.0, (0.0, 1.2), body="{ poise = 0.0 }")
    np.testing.assert_array_equal(walking, plain)


@pytest.mark.parametrize("when", [0.5, pytest.param(3.0, marks=EXHAUSTIVE), 9.0])
def test_those_on_paths_are_at_any_moment_what_they_are_step_by_step(when, tmp_path):
    def world():
        own, people = walking_world(tmp_path, 2)
        people.follow(people.ids, [[1.0, 4.0]] * 2, [[[0, 0], [0, 3]], [[4, 0], [4, 2]]])
        return own

    with world() as one, world() as other:
        steps(one, when)
        other.skip(round(when * 60) - 1, 1 / 60)
        other.step(1 / 60)
        np.testing.assert_array_equal(component(other, Palette).matrices, component(one, Palette).matrices)


def test_who_comes_to_stand_settles_and_who_sets_off_stirs(tmp_path):
    world, people = walking_world(tmp_path, 1)
    with world:
        calm = component(world, Body).state.walk[0]
        steps(world, 0.1)
        assert calm[CALM] == 1.0  # they always stood
        people.set_velocity(ea.ALL, [0.0, 1.0])
        steps(world, 1.5)
        assert calm[CALM] == 0.0
        people.set_velocity(ea.ALL, [0.0, 0.0])
        steps(world, 2.0)
        assert 0.0 < calm[CALM] < 1.0
        steps(world, 2.5)
        assert calm[CALM] == 1.0


def test_a_crowd_that_looks_at_something_does_not_look_about(tmp_path):
    more = 'targets.point = { kind = "point", at = [0, 1.5, 5] }\nlook_at = { target = "point" }'
    world, _ = walking_world(tmp_path, 1, more=more)
    with world:
        assert len(component(world, Body).spine.joints) == 0


@EXHAUSTIVE
def test_poses_are_continuous_and_within_their_limits():
    times = np.arange(0.0, 100.0, 1 / 60)
    for name in (1, 7, 123_456)[: 1 if FEW else 3]:
        poses = np.array([poise_of(name, now) for now in times])
        assert (np.abs(poses).max(axis=0) <= [1.0, 0.851, 0.141]).all()
        assert (np.abs(np.diff(poses, axis=0)).max(axis=0) * 60 < [2.5, 5.0, 0.8]).all()
        assert (np.ptp(poses, axis=0) > [1.2, 1.0, 0.2]).all()
        still = (np.diff(poses[:, :2], axis=0) == 0).mean(axis=0)
        assert (still > [0.7, 0.7]).all()  # poses are held


def test_who_stands_at_ease_takes_a_share_of_the_pose(tmp_path):
    """Of their poise, the more the calmer they are; others are marked 0."""
    world, _ = walking_world(tmp_path, 1)
    with world:
        plan = component(world, Body).plan._replace(poise=0.8)
    calm, weight = (own.ravel() for own in np.meshgrid(np.float32([0, 0.3, 1]), np.float32([0, 0.5, 1])))
    walk, ids = np.zeros((9, WALK_WIDTH), np.float32), np.arange(1, 10)
    walk[:, CALM], walk[:, WEIGHT] = calm, weight
    poises, of_one_leg = np.zeros((2, 9, 4), np.float32)
    kernels.take_poises(plan.poise, 2, ids, 77.0, walk, poises)
    eased = (calm > 0) & (weight > 0)
    np.testing.assert_array_equal(poises[:, 3], eased)
    share = np.float32(0.8) * weight * calm**2 * (3 - 2 * calm)
    whole = np.array([poise_of(own, 77.0) for own in ids])
    np.testing.assert_allclose(poises[eased, :3], (share[:, None] * whole)[eased], atol=1e-6)
    assert not poises[~eased].any()
    kernels.take_poises(plan.poise, 1, ids, 77.0, walk, of_one_leg)
    np.testing.assert_array_equal(of_one_leg[:, 0], 0)  # a weight needs two legs to shift
    np.testing.assert_array_equal(of_one_leg[:, 1:], poises[:, 1:])


def at_random(count, joints):
    """Model matrices [count, joint, 12] of joints that are turned and placed at random."""
    rows = np.zeros((count, joints, 3, 4), np.float32)
    rows[..., :3] = Rotation.random(count * joints, random_state=3).as_matrix().reshape(count, joints, 3, 3)
    rows[..., 3] = np.random.default_rng(2).uniform(-1, 1, (count, joints, 3))
    return rows.reshape(count, joints, 12)


@pytest.mark.parametrize("facing", [0.0, 1.1])
def test_joints_turn_as_scipy_says(facing, tmp_path):
    world, _ = walking_world(tmp_path, 1)
    with world:
        body = component(world, Body)
        plan, legs, chain = body.plan._replace(facing=facing), body.legs, body.spine
    count, joints = 11, int(legs.pelvis.max()) + 1
    before, poises = at_random(count, joints), np.random.default_rng(4).uniform(-1, 1, (count, 4)).astype(np.float32)
    rolled = run_stages(before, Stage(kernels.stand_at_ease, (plan, legs, spine_of(RIG.skeleton, ()), poises)))
    model = run_stages(before, Stage(kernels.stand_at_ease, (plan, legs, chain, poises)))
    left, ahead = Rotation.from_rotvec([0, facing, 0]).apply([[1, 0, 0], [0, 0, 1]])
    before, rolled, model = (own.reshape(count, joints, 3, 4) for own in (before, rolled, model))
    numbers = np.arange(1, len(chain.joints) + 1)
    shares = np.cumsum(numbers / numbers.sum())
    for actor, (shift, yaw, pitch, _) in enumerate(poises.astype(np.float64)):
        middle = before[actor, legs.joints[:, 0], :, 3].mean(axis=0)
        goal = middle + 0.055 * shift * legs.length[0] * left
        roll = Rotation.from_rotvec(np.arcsin(0.075 * shift) * ahead)
        wanted = roll.apply(before[actor, legs.pelvis, :, 3] - middle) + goal
        np.testing.assert_allclose(rolled[actor, legs.pelvis, :, 3], wanted, atol=1e-4)
        np.testing.assert_allclose(model[actor, chain.joints[0], :, 3], rolled[actor, chain.joints[0], :, 3], atol=1e-5)
        for joint, share in zip(chain.joints, shares, strict=True):
            turn = Rotation.from_euler("y", share * yaw) * Rotation.from_rotvec(share * pitch * left)
            turn *= Rotation.from_rotvec(-1.25 * 0.075 * shift * ahead)
            wanted = turn.as_matrix() @ rolled[actor, joint, :, :3]
            np.testing.assert_allclose(model[actor, joint, :, :3], wanted, atol=1e-5)
    lengths = [np.linalg.norm(np.diff(own[..., 3][:, chain.joints], axis=1), axis=-1) for own in (before, model)]
    np.testing.assert_allclose(*lengths, atol=1e-5)  # none comes off another
    others = np.setdiff1d(np.arange(joints), [*legs.pelvis, *chain.owned])
    np.testing.assert_array_equal(model[:, others], before[:, others])


def test_a_rig_without_a_head_has_no_spine(tmp_path):
    world, _ = walking_world(tmp_path, 1)
    with world:
        assert len(component(world, Body).spine.joints) > 1
    assert spine_of(RIG.skeleton, ()).joints.shape == (0,)

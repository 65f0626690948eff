"""Legs that reach: lengths, planes and limits by geometry in float64; the pelvis by plain formulas of time."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.ik.foot_contacts import SUPPORT
from ecs_anim.ik.grounding import new_foot_state
from ecs_anim.kernels.grounding_legs import STRAIGHT
from ecs_anim.kernels.grounding_plans import PLAN_WIDTH
from tests.helpers import FEW, upright
from tests.helpers.grounding import (
    AHEAD,
    ANKLE,
    GOAL,
    HIP,
    KNEE,
    PITCH,
    ROLL,
    SETTINGS,
    SHIFT,
    TOE,
    TOES,
    at,
    legs,
    mannequin,
    poses,
    rest,
)
from tests.helpers.grounding_steps import Grounded

COUNT = FEW or 300
DT = 1 / 60
LENGTH = float(legs().length[0])
JOINTS = mannequin().skeleton.joint_count


def place(model, part):
    """Where a leg joint is [actor, leg, 3]."""
    return at(model, legs().joints[:, part])


def linear(model, part):
    """The linear parts of a leg joint's matrices [actor, leg, 3, 3]."""
    return model[:, legs().joints[:, part]].reshape(len(model), -1, 3, 4)[..., :3].astype(np.float64)


def turn_of(before, after, part):
    """By how much a leg joint has turned [actor, leg, 3, 3]."""
    return linear(after, part) @ np.linalg.inv(linear(before, part))


def still_plan(model):
    """Plans that leave every foot where it is."""
    plan = np.zeros((len(model), 2, PLAN_WIDTH), np.float32)
    plan[..., GOAL : GOAL + 3] = place(model, ANKLE)
    plan[..., AHEAD + 1] = 1
    return plan


def offset_plan(model, reach=0.2, seed=0):
    """Plans that move every foot somewhere near, and turn it."""
    rng, plan = np.random.default_rng(seed), still_plan(model)
    plan[..., GOAL : GOAL + 3] += rng.uniform(-reach, reach, (len(model), 2, 3))
    heading = rng.uniform(-1, 1, (len(model), 2))
    plan[..., AHEAD], plan[..., AHEAD + 1] = np.sin(heading), np.cos(heading)
    plan[..., [ROLL, PITCH, TOE]] = rng.uniform(-0.5, 0.5, (len(model), 2, 3))
    return plan


class Crowd:
    """What legs are moved by besides a plan."""

    def __init__(self, count, settings=SETTINGS, size=1.0):
        self.settings = settings
        self.translation = np.zeros((count, 3), np.float32)
        self.scale, self.weight = np.full(count, size, np.float32), np.ones(count, np.float32)
        self.pin = np.zeros((count, 2, 3), np.float32)
        self.state = new_foot_state(count, 2)

    @property
    def placement(self):
        return upright(self.translation)._replace(scale=self.scale)

    def moved(self, model, plan, dt=DT, arrays=None):
        out = np.concatenate([model, np.full((2, *model.shape[1:]), 7, np.float32)])
        step = Grounded(self.settings, arrays or legs(), out, self.placement, self.weight, self.state)
        step.probes(self.pin, dt)
        out = step.moved(plan, dt)
        assert (out[len(model) :] == 7).all(), "matrices past the chunk were written"
        return out[: len(model)]


def stretch(model, plan):
    """How far each goal is from its hip, as a share of the leg's length."""
    thigh = np.linalg.norm(place(model, KNEE) - place(model, HIP), axis=-1)
    shank = np.linalg.norm(place(model, ANKLE) - place(model, KNEE), axis=-1)
    return np.linalg.norm(plan[..., GOAL : GOAL + 3] - place(model, HIP), axis=-1) / (thigh + shank)


@pytest.fixture(scope="module", params=[0.05, 0.3, 1.0], ids=["near", "far", "wild"])
def reached(request):
    """Models before and after, and their plans."""
    before = poses(COUNT, seed=1)
    plan = offset_plan(before, request.param)
    return before, Crowd(COUNT).moved(before, plan), plan


def test_a_plan_that_changes_nothing():
    model = poses(COUNT)
    plan = still_plan(model)
    np.testing.assert_allclose(Crowd(COUNT).moved(model, plan), model, atol=3e-5)


def test_ankles_reach_their_goals(reached):
    before, after, plan = reached
    share = stretch(before, plan)
    within = (share < STRAIGHT) & (share > 0.15)
    off = np.linalg.norm(place(after, ANKLE) - plan[..., GOAL : GOAL + 3], axis=-1)
    assert off[within].max() < 2e-5
    assert within.mean() > 0.1


def test_ankles_end_as_near_as_a_leg_gets(reached):
    before, after, plan = reached
    goal, hip = plan[..., GOAL : GOAL + 3].astype(np.float64), place(before, HIP)
    share = stretch(before, plan)
    far = share > STRAIGHT
    expected = hip + (goal - hip) * np.minimum(STRAIGHT / share, 1)[..., None]
    np.testing.assert_allclose(place(after, ANKLE)[far], expected[far], atol=2e-5)
    assert (stretch(before, np.dstack([place(after, ANKLE), plan[..., 3:]])) < STRAIGHT + 1e-5).all()


def test_bones_keep_their_lengths_and_matrices_their_shape(reached):
    before, after, _ = reached
    for upper, lower in ((HIP, KNEE), (KNEE, ANKLE), (ANKLE, TOES)):
        lengths = [np.linalg.norm(place(m, upper) - place(m, lower), axis=-1) for m in (before, after)]
        np.testing.assert_allclose(*lengths, atol=3e-6)
    for part in range(4):
        turn = turn_of(before, after, part)
        identity = np.broadcast_to(np.eye(3), turn.shape)
        np.testing.assert_allclose(turn @ np.swapaxes(turn, -1, -2), identity, atol=2e-5)
        np.testing.assert_allclose(np.linalg.det(turn), 1, atol=2e-5)


def test_bones_point_at_the_next_joint(reached):
    """Thigh and shank turn with the lines between joints: the skin follows the bones."""
    before, after, _ = reached
    for upper, lower in ((HIP, KNEE), (KNEE, ANKLE)):
        start, end = (place(m, lower) - place(m, upper) for m in (before, after))
        turned = np.einsum("alij,alj->ali", turn_of(before, after, upper), start)
        np.testing.assert_allclose(turned, end, atol=1e-5)


def knee_axis(model):
    """What a knee bends about [actor, leg, 3], not unit."""
    return np.cross(place(model, KNEE) - place(model, HIP), place(model, ANKLE) - place(model, KNEE))


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def test_knees_keep_their_bending_plane(reached):
    """The plane's normal moves no more than it must for the plane to hold the goal, and knees never bend the other way.

    Where the animation's knee is all but straight, it does not tell the plane.
    """
    before, after, plan = reached
    sharp = np.linalg.norm(knee_axis(before), axis=-1) > 0.06 * 0.2
    normal = unit(knee_axis(before))
    line = unit(plan[..., GOAL : GOAL + 3] - place(before, HIP))
    clear = sharp & (np.abs(np.sum(normal * line, axis=-1)) < 0.9) & (np.linalg.norm(knee_axis(after), axis=-1) > 1e-3)
    expected = unit(normal - np.sum(normal * line, axis=-1, keepdims=True) * line)
    assert clear.mean() > 0.4
    np.testing.assert_allclose(unit(knee_axis(after))[clear], expected[clear], atol=5e-3)


def test_knees_turn_with_the_thigh_but_for_their_bend(reached):
    """The shank's turn is the thigh's, and then one about the knee's axis alone."""
    before, after, _ = reached
    more = turn_of(before, after, KNEE) @ np.swapaxes(turn_of(before, after, HIP), -1, -2)
    bend = Rotation.from_matrix(more.reshape(-1, 3, 3)).as_rotvec().reshape(more.shape[:-1])
    axis = unit(knee_axis(after))
    clear = np.linalg.norm(knee_axis(after), axis=-1) > 1e-2
    across = np.linalg.norm(np.cross(bend, axis), axis=-1)
    assert clear.mean() > 0.5
    assert across[clear].max() < 2e-3


def test_feet_and_toes_turn_as_planned(reached):
    before, after, plan = reached
    heading = np.arctan2(plan[..., AHEAD], plan[..., AHEAD + 1]).ravel()
    yaw = Rotation.from_rotvec(np.outer(heading, [0, 1, 0]))
    for part, pitch in ((ANKLE, PITCH), (TOES, TOE)):
        angles = np.arcsin(plan[..., [ROLL, pitch]]).reshape(-1, 2) * [1, -1]
        expected = (yaw * Rotation.from_euler("zx", angles) * yaw.inv()).as_matrix()
        found = turn_of(before, after, part).reshape(-1, 3, 3)
        np.testing.assert_allclose(found, expected, atol=2e-5)
    foot = np.einsum("alij,alj->ali", turn_of(before, after, ANKLE), place(before, TOES) - place(before, ANKLE))
    np.testing.assert_allclose(place(after, TOES), place(after, ANKLE) + foot, atol=1e-5)


def test_all_other_joints_stay(reached):
    before, after, _ = reached
    others = np.setdiff1d(np.arange(JOINTS), legs().owned)
    assert len(others) > 10
    np.testing.assert_array_equal(after[:, others], before[:, others])


def test_straight_legs_bend_forwards():
    """Standing mannequins whose legs the animation has straight: lifted feet bring knees to where the feet point."""
    model = rest(COUNT)
    hip, ankle = place(model, HIP), place(model, ANKLE)
    middle = (hip + ankle) / 2
    for leg in range(2):
        joint = legs().joints[leg, KNEE]
        for axis in range(3):
            model[:, joint, 3 + 4 * axis] = middle[:, leg, axis]
    plan = still_plan(model)
    heading = np.random.default_rng(4).uniform(-0.6, 0.6, (COUNT, 2))
    plan[..., AHEAD], plan[..., AHEAD + 1] = np.sin(heading), np.cos(heading)
    plan[..., GOAL + 1] += 0.15
    after = Crowd(COUNT).moved(model, plan)
    out = unit(place(after, KNEE) - middle - [0, 0.075, 0])
    towards = np.stack([np.sin(heading), np.zeros_like(heading), np.cos(heading)], axis=-1)
    assert np.sum(out * towards, axis=-1).min() > 0.95
    np.testing.assert_allclose(place(after, ANKLE), plan[..., GOAL : GOAL + 3], atol=1e-5)


def test_goals_at_the_hip_and_far_below_do_not_break_a_leg():
    model = poses(COUNT)
    for height in (0, 1e-5, -1e-3, -50):
        plan = still_plan(model)
        plan[..., GOAL : GOAL + 3] = place(model, HIP)
        plan[..., GOAL + 1] += height
        after = Crowd(COUNT).moved(model, plan)
        assert np.isfinite(after).all()
        for upper, lower in ((HIP, KNEE), (KNEE, ANKLE)):
            lengths = [np.linalg.norm(place(m, upper) - place(m, lower), axis=-1) for m in (model, after)]
            np.testing.assert_allclose(*lengths, atol=1e-4)


def test_without_weight_nothing_moves():
    model, crowd = poses(COUNT), Crowd(COUNT)
    crowd.weight[::2] = 0
    plan = offset_plan(model)
    plan[::2] = np.nan
    after = crowd.moved(model, plan)
    np.testing.assert_array_equal(after[::2], model[::2])
    assert (after[1::2] != model[1::2]).any(axis=(1, 2)).all()


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_rigs_under_a_scale_move_as_others(factor):
    """A rig in other units whose joint matrices carry a scale, even an uneven one; poses agree but for that."""
    model, arrays = poses(COUNT), legs()
    plan, shear = offset_plan(model), np.random.default_rng(0).normal(size=(3, 3))
    expected = Crowd(COUNT).moved(model, plan)

    def in_other_units(matrices):
        other = matrices.reshape(len(matrices), -1, 3, 4).astype(np.float64) * factor
        other[..., :3] = other[..., :3] @ shear
        return np.ascontiguousarray(other.reshape(matrices.shape), np.float32)

    plan[..., GOAL : GOAL + 3] *= factor
    large = arrays._replace(length=frozen(arrays.length * np.float32(factor)))
    crowd = Crowd(COUNT, size=1 / factor)
    found = crowd.moved(in_other_units(model), plan, arrays=large)
    np.testing.assert_allclose(found, in_other_units(expected), atol=2e-4 * factor)


def frozen(array):
    array.flags.writeable = False
    return array


def pelvis_height(model):
    return model[:, mannequin().skeleton.joint_index("Hips"), 7].astype(np.float64)


def lowered(crowd, model, shift, dt=DT):
    """How far the pelvis goes up when the ground below both feet is shifted [m], and the feet with it."""
    plan = still_plan(model)
    shift = np.broadcast_to(shift, (len(model), 2))
    plan[..., GOAL + 1] += shift / crowd.scale[:, None]
    plan[..., SHIFT] = shift / crowd.scale[:, None]
    return (pelvis_height(crowd.moved(model, plan, dt)) - pelvis_height(model)) * crowd.scale


def test_the_pelvis_goes_with_the_lower_foot():
    model, crowd = rest(4), Crowd(4)
    crowd.pin[..., SUPPORT] = 1
    shifts = [[0.1, 0.2], [-0.1, 0.0], [0.0, -0.2], [0.05, 0.05]]
    np.testing.assert_allclose(lowered(crowd, model, shifts), [0.1, -0.1, -0.2, 0.05], atol=2e-3)


def test_feet_in_the_air_do_not_lower_the_pelvis():
    model, crowd = rest(3), Crowd(3)
    crowd.pin[..., SUPPORT] = [[1, 0], [1, 0.5], [0, 0]]
    plan = still_plan(model)
    plan[:, 1, SHIFT] = -0.1
    moved = pelvis_height(crowd.moved(model, plan)) - pelvis_height(model)
    np.testing.assert_allclose(moved, [0, -0.05, 0], atol=2e-3)


def test_the_pelvis_carries_all_above_it_straight_up():
    model, crowd = poses(COUNT), Crowd(COUNT)
    crowd.pin[..., SUPPORT] = 1
    plan = still_plan(model)
    plan[..., SHIFT] = 0.1
    moved = crowd.moved(model, plan) - model
    above = [mannequin().skeleton.joint_index(name) for name in ("Hips", "Spine", "Head", "LeftHand")]
    expected = np.zeros((COUNT, 4, 12))
    expected[..., 7] = moved[:, :1, 7]
    np.testing.assert_allclose(moved[:, above], expected, atol=1e-6)
    assert moved[:, 0, 7].max() > 0.05


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_the_pelvis_follows_exponentially_at_any_frame_rate(rate):
    model, crowd = rest(6), Crowd(6, size=1.5)
    crowd.pin[..., SUPPORT] = 1
    np.testing.assert_allclose(lowered(crowd, model, 0.0, 1 / rate), 0, atol=2e-3)
    for frame in range(1, rate // 2):
        expected = 0.1 * (1 - np.exp(-frame / rate / SETTINGS.pelvis_seconds))
        np.testing.assert_allclose(lowered(crowd, model, 0.1, 1 / rate), expected, atol=2e-3)


def test_a_sudden_step_of_the_actor_is_taken_bit_by_bit_too():
    """The actor's own height jumps, and its pelvis follows in time; a slope it walks up is no such step."""
    model, crowd = rest(6), Crowd(6)
    crowd.pin[..., SUPPORT] = 1
    lowered(crowd, model, 0.0)
    crowd.translation[:, 1] += 0.2
    heights = [lowered(crowd, model, 0.0) + crowd.translation[:, 1] for _ in range(30)]
    expected = [0.2 * (1 - np.exp(-frame * DT / SETTINGS.pelvis_seconds)) for frame in range(1, 31)]
    np.testing.assert_allclose(heights, np.repeat(np.reshape(expected, (-1, 1)), 6, axis=1), atol=3e-3)
    settled = Crowd(6)
    settled.pin[..., SUPPORT] = 1
    lowered(settled, model, 0.0)
    settled.translation += np.float32([0, 0.02, 0.03])
    np.testing.assert_allclose(lowered(settled, model, 0.0), 0, atol=2e-3)


def test_who_is_put_elsewhere_has_its_pelvis_there_at_once():
    model, crowd = rest(6), Crowd(6)
    crowd.pin[..., SUPPORT] = 1
    lowered(crowd, model, 0.0)
    crowd.translation += np.float32([3, 1, 0])
    np.testing.assert_allclose(lowered(crowd, model, -0.2), -0.2, atol=2e-3)


def test_the_pelvis_comes_down_where_a_leg_would_have_to_stretch():
    """A planted foot 0.3 m lower than the clip has it, while the pelvis has only begun to follow."""
    model, crowd = rest(6), Crowd(6)
    crowd.pin[..., SUPPORT] = 1
    lowered(crowd, model, 0.0)
    plan = still_plan(model)
    plan[..., GOAL + 1] -= 0.3
    after = crowd.moved(model, plan)
    np.testing.assert_allclose(place(after, ANKLE), plan[..., GOAL : GOAL + 3], atol=1e-4)
    assert (stretch(after, plan) < STRAIGHT + 1e-4).all()


def test_weight_fades_the_pelvis():
    model, crowd = rest(3), Crowd(3)
    crowd.pin[..., SUPPORT], crowd.weight[:] = 1, [0.25, 0.5, 1]
    plan = still_plan(model)
    plan[..., SHIFT] = 0.1
    plan[..., GOAL + 1] += 0.1 * crowd.weight[:, None]
    moved = pelvis_height(crowd.moved(model, plan)) - pelvis_height(model)
    np.testing.assert_allclose(moved, 0.1 * crowd.weight, atol=2e-3)

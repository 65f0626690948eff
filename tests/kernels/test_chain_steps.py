"""Steps of the chain kernels against the readable ones, one at a time, with limits and without."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.ik import ccd, fabrik, steps
from ecs_anim.ik.arrays import chain_arrays
from ecs_anim.ik.chain import Bend, find_chain, parent_frames
from ecs_anim.ik.limits import BallLimit, HingeLimit
from ecs_anim.ik.two_bone import bend_towards
from ecs_anim.kernels import chain_steps
from ecs_anim.maths import quaternion
from tests.helpers import EXHAUSTIVE, random_rotations
from tests.helpers.ik import line_skeleton, random_poses

BALL, HINGE = BallLimit(0.9, (-0.5, 0.7)), HingeLimit((0.5, 0.0, 1.0), (-0.3, 2.0))
LIMITS = [None, {"j0": BALL}, {"j1": HINGE}, {f"j{i}": (BALL, HINGE)[i % 2] for i in range(5)}]
COUNT = 30
PARTS = chain_steps.TURN, chain_steps.FRAME, chain_steps.REST_FRAME, chain_steps.LENGTH


@njit
def call_ccd(bent, limited, target, tolerance):
    chain_steps.sweep_ccd(bent, target)


@njit
def call_fabrik(bent, limited, target, tolerance):
    chain_steps.sweep_fabrik(bent, target)


@njit
def call_close(bent, limited, target, tolerance):
    chain_steps.close(bent, limited, target, tolerance)


@njit
def call_shake(bent, limited, target, tolerance):
    chain_steps.shake(bent)


@njit
def call_inside(bent, limited, target, tolerance):
    chain_steps.bring_inside(bent)


@njit
def call_reach_out(bent, limited, target, tolerance):
    chain_steps.reach_out(bent, target, tolerance)


@njit
def call_two(bent, limited, target, tolerance):
    chain_steps.bend_two(bent, target)


def all_reach_out(bend, target, tolerance):
    return steps.reach_out(bend, target, np.ones(len(target), bool), tolerance)[0]


STEPS = [
    (call_ccd, lambda bend, target, _: ccd.sweep(bend, target)),
    (call_fabrik, lambda bend, target, _: fabrik.sweep(bend, target)),
    (call_close, steps.close),
    (call_shake, lambda bend, target, _: steps.shake(bend)),
    (call_inside, lambda bend, target, _: bend.within_limits()),
]


def setting(joint_count, limits, seed=0):
    """Chains in poses inside their limits, and targets near and far."""
    rng = np.random.default_rng(seed)
    skeleton = line_skeleton(joint_count, random_rotations(rng, joint_count))
    known = {name: limit for name, limit in (limits or {}).items() if name in skeleton.joint_names[:-1]}
    chain = find_chain(skeleton, ("j0", skeleton.joint_names[-1]), known)
    pose = random_poses(rng, joint_count, COUNT)
    model = model_matrices(skeleton, pose).astype(np.float64)
    base = np.broadcast_to(np.eye(3, 4), (COUNT, 3, 4))
    bend = Bend.of(skeleton, chain, model, parent_frames(skeleton, chain, model, base))
    way = rng.normal(size=(COUNT, 3))
    return bend, chain_arrays(skeleton, chain), bend.points[:, 0] + way * rng.uniform(0.02, 1.5, (COUNT, 1))


def as_kernels_have_it(bend, arrays, row):
    bent = np.zeros((len(bend.points[row]), chain_steps.WIDTH))
    put(bent, chain_steps.POINT, bend.points[row])
    for at, part in zip(PARTS, (bend.turns, bend.frames, bend.rest_frames, bend.lengths[..., None]), strict=True):
        put(bent[:-1], at, part[row])
    for at, part in ((chain_steps.AXIS, arrays.axes), (chain_steps.ANGLES, arrays.angles)):
        put(bent[:-1], at, part)
    bent[:-1, chain_steps.KIND] = arrays.kinds
    return bent


def columns(bent, at, count):
    return bent[:, at : at + count]


def put(bent, at, values):
    bent[:, at : at + values.shape[-1]] = values


def assert_step_is_the_readable_one(kernel, readable, bend, arrays, target):
    tolerance = np.full(COUNT, 1e-4)
    wanted = readable(bend, target, tolerance)
    for row in range(COUNT):
        bent = as_kernels_have_it(bend, arrays, row)
        kernel(bent, bend.chain.limited, tuple(target[row]), 1e-4)
        np.testing.assert_allclose(columns(bent, chain_steps.POINT, 3), wanted.points[row], atol=1e-7)
        turned = np.abs(np.sum(columns(bent, chain_steps.TURN, 4)[:-1] * wanted.turns[row], axis=-1))
        np.testing.assert_allclose(turned, 1, atol=1e-9)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize(("kernel", "readable"), STEPS)
@EXHAUSTIVE
def test_steps_are_the_readable_ones(kernel, readable, limits):
    bend, arrays, target = setting(5, limits)
    if bend.chain.limited:
        bend = bend.within_limits()
    assert_step_is_the_readable_one(kernel, readable, bend, arrays, target)


@EXHAUSTIVE
def test_reaching_out_is_the_readable_one():
    bend, arrays, target = setting(4, None)
    target[::2] *= 3
    assert_step_is_the_readable_one(call_reach_out, all_reach_out, bend, arrays, target)


@pytest.mark.parametrize("limits", [None, {"j1": HINGE}, {"j0": BALL, "j1": HINGE}])
def test_two_bones_are_the_readable_ones(limits):
    bend, arrays, target = setting(3, limits)
    inside = bend.within_limits()
    assert_step_is_the_readable_one(call_two, lambda b, t, _: bend_towards(b, t), inside, arrays, target)


@EXHAUSTIVE
@pytest.mark.parametrize(("joint", "side"), [(1, 1.0), (1, -1.0), (2, 1.0), (3, -1.0)])
def test_the_closing_angle_sets_the_distance(joint, side):
    """The law of cosines, against the distance measured on the chain that was turned."""
    bend, _, target = setting(5, None)
    closed, angle = steps.closed(bend, joint, target, side)
    reach = np.linalg.norm(closed.effector - closed.points[:, 0], axis=-1)
    away = np.linalg.norm(target - bend.points[:, 0], axis=-1)
    axis = steps.closing_axis(bend, joint)
    turns = [quaternion.from_axis_angle(axis, np.full(COUNT, a)) for a in np.linspace(-math.pi, math.pi, 721)]
    ends = [np.linalg.norm(bend.turned(joint, q).effector - bend.points[:, 0], axis=-1) for q in turns]
    np.testing.assert_allclose(reach, np.clip(away, np.min(ends, axis=0), np.max(ends, axis=0)), atol=1e-4)
    assert (np.abs(angle) <= math.pi).all()


@EXHAUSTIVE
def test_a_step_in_one_line_stays_finite():
    bend, arrays, _ = setting(4, None)
    points = np.zeros_like(bend.points)
    points[..., 1] = np.array([0.0, 0.5, 0.2, 0.9])
    straight = replace(bend, points=points)
    target = np.zeros((COUNT, 3))
    target[:, 1] = np.linspace(-1.5, 1.5, COUNT)
    for kernel in (call_reach_out, call_two, *(kernel for kernel, _ in STEPS)):
        for row in range(COUNT):
            bent = as_kernels_have_it(straight, arrays, row)
            kernel(bent, False, tuple(target[row]), 1e-4)
            assert np.isfinite(bent).all()

"""Chains of a chunk's actors reach for their targets."""

import numpy as np
from numba import uint64

from ecs_anim.ik.arrays import CCD, FABRIK, FREE, TWO_BONE
from ecs_anim.ik.solve import AIM, SLOW, STUCK
from ecs_anim.kernels import helper, kernel
from ecs_anim.kernels.chain_steps import (
    ANGLES,
    AXIS,
    FRAME,
    IDENTITY,
    KEPT,
    KIND,
    LENGTH,
    POINT,
    REST_FRAME,
    TURN,
    WIDTH,
    apart,
    bend_two,
    bring_inside,
    close,
    effector,
    quaternion,
    reach_out,
    set_quaternion,
    set_vector,
    shake,
    sweep_ccd,
    sweep_fabrik,
    vector,
)
from ecs_anim.kernels.rotations import frame_of, inverse, part_of, product, rotated
from ecs_anim.kernels.types import CHAIN, COUNT, FLOATS, FLOATS_2D, OUT, OUT_2D, OUT_3D, OUT_INTS, PLACEMENT, REAL, void
from ecs_anim.kernels.vectors import add, multiply_affine, origin_of, scaled, subtract

FIRST = np.int64(0)  # column


@helper
def _gather(joints, parents, rest_rotations, limited, model, bent):
    """The chain as the actor's model matrices have it."""
    for i in range(joints.shape[0]):
        x, y, z = origin_of(model, joints[i])
        set_vector(bent, i, POINT, (np.float64(x), np.float64(y), np.float64(z)))
    for i in range(parents.shape[0]):
        set_quaternion(bent, i, TURN, IDENTITY)
        bent[i, LENGTH] = apart(vector(bent, i, POINT), vector(bent, i + 1, POINT))
        if limited:
            above = frame_of(model, parents[i]) if parents[i] >= 0 else IDENTITY
            set_quaternion(bent, i, FRAME, frame_of(model, joints[i]))
            set_quaternion(bent, i, REST_FRAME, product(above, quaternion(rest_rotations, i, FIRST)))


@helper
def _note_limits(kinds, axes, angles, bent):
    """What stays: the limits of the joints that turn."""
    for joint in range(kinds.shape[0]):
        bent[joint, KIND] = kinds[joint]
        for i in range(3):
            bent[joint, AXIS + i], bent[joint, ANGLES + i] = axes[joint, i], angles[joint, i]


@helper
def _keep(bent, kept):
    """Remember where the chain is."""
    for i in range(kept.shape[0]):
        for column in range(KEPT):
            kept[i, column] = bent[i, column]


@helper
def _sweep(bent, kept, method, start, target):
    """One sweep, taken back where it led away; returns the distance left."""
    _keep(bent, kept)
    if method == CCD:
        sweep_ccd(bent, target)
    else:
        sweep_fabrik(bent, target)
    left = apart(effector(bent), target)
    if left > start:
        _keep(kept, bent)
        return start
    return left


@helper
def _iteration(bent, kept, limited, method, start, target, tolerance):
    """One sweep and, as long as that was slow, two helps; returns the distance left. See `ecs_anim.ik.solve`."""
    left = _sweep(bent, kept, method, start, target)
    for step in range(2):
        if left <= tolerance or left <= SLOW * start:
            break
        if limited == (step == 1):
            close(bent, limited, target, tolerance)
            left = apart(effector(bent), target)
        else:
            left = _sweep(bent, kept, CCD if limited else FABRIK, left, target)
    return left


@helper
def _iterate(bent, kept, best, limited, method, target, iterations, tolerance):
    """Sweeps until the target is reached, or nothing is gained for the second time; returns how many.

    As `ecs_anim.ik.solve.iterate`.
    """
    start = apart(effector(bent), target)
    if start <= tolerance or (not limited and reach_out(bent, target, tolerance)):
        return 0
    least = np.inf  # what was left when the chain was shaken
    count = 0
    while count < iterations:
        left = _iteration(bent, kept, limited, method, start, target, tolerance)
        count += 1
        if left <= tolerance:
            break
        stuck = start - left <= STUCK * tolerance
        start = left
        if stuck:
            if least < np.inf:
                break
            least = left
            _keep(bent, best)
            shake(bent)
            start = apart(effector(bent), target)
    if least <= apart(effector(bent), target):
        _keep(best, bent)
    return count


@helper
def _write(joints, moved, owners, weight, bent, motions, model):
    """Move the joints of the model as the chain was bent, as far as the weight says."""
    before = subtract(vector(bent, 0, POINT), (0.0, 0.0, 0.0))
    at = before
    for i in range(joints.shape[0] - 1):
        x, y, z = origin_of(model, joints[i + 1])
        following = (np.float64(x), np.float64(y), np.float64(z))
        q = quaternion(bent, i, TURN)
        if weight < 1:
            q = part_of(q, weight)
        _motion(q, subtract(at, rotated(q, before)), motions, i)
        at = add(at, rotated(q, subtract(following, before)))
        before = following
    for i in range(moved.shape[0]):
        j = uint64(moved[i])
        multiply_affine(motions, uint64(owners[i]), model, j, model, j)


@helper
def _motion(q, translation, motions, i):
    """A rotation and a translation as an affine matrix of twelve floats."""
    for column in range(3):
        axis = (1.0 if column == 0 else 0.0, 1.0 if column == 1 else 0.0, 1.0 if column == 2 else 0.0)
        motions[i, column], motions[i, 4 + column], motions[i, 8 + column] = rotated(q, axis)
    motions[i, 3], motions[i, 7], motions[i, 11] = translation


@helper
def _distance(model, joint, goal):
    """How far a joint is from a point; infinite where that is no number."""
    x, y, z = origin_of(model, joint)
    distance = apart((np.float64(x), np.float64(y), np.float64(z)), goal)
    return distance if distance < np.inf else np.inf


@kernel(void(CHAIN, COUNT, FLOATS_2D, FLOATS, FLOATS, COUNT, OUT_3D, OUT, OUT_INTS))
def reach(chain, method, target, weight, tolerance, iterations, model, out_distance, out_iterations):
    """Bend one chain of each actor so that its effector reaches the actor's target.

    chain: `chain_arrays`; method CCD, FABRIK or TWO_BONE (three joints); target [chunk, 3] in model space; weight
    [chunk], 0 leaves an actor as it is, less than 1 makes every turn that much smaller; tolerance [chunk], model
    units; model [>= chunk, joint_count, 12], changed in place; out_distance [chunk] f32 of the effector from the
    target, measured on the matrices, model units; out_iterations [chunk] i32. An actor whose target or matrices are
    not finite is left as it is, its distance infinite.
    """
    joints, parents, rest_rotations = chain.joints, chain.parents, chain.rest_rotations
    kinds, axes, angles, moved, owners = chain.kinds, chain.axes, chain.angles, chain.moved, chain.owners
    count = parents.shape[0]
    bent, kept, best = np.zeros((count + 1, WIDTH)), np.empty((count + 1, KEPT)), np.empty((count + 1, KEPT))
    _note_limits(kinds, axes, angles, bent)
    motions = np.empty((count, 12), np.float32)
    limited = np.any(kinds != FREE)
    for actor in range(target.shape[0]):
        goal = np.float64(target[actor, 0]), np.float64(target[actor, 1]), np.float64(target[actor, 2])
        matrices = model[actor]
        out_iterations[actor] = 0
        out_distance[actor] = _distance(matrices, joints[count], goal)
        if not (weight[actor] > 0 and out_distance[actor] < np.inf):
            continue
        _gather(joints, parents, rest_rotations, limited, matrices, bent)
        if limited:
            bring_inside(bent)
        near = AIM * np.float64(tolerance[actor])
        used = 0
        if method == TWO_BONE:
            bend_two(bent, goal)
            used = 1
        if method != TWO_BONE or limited:  # limits may have stopped the two bones
            sweep = CCD if method == TWO_BONE else method
            used += _iterate(bent, kept, best, limited, sweep, goal, iterations, near)
        out_iterations[actor] = used
        _write(joints, moved, owners, min(np.float64(weight[actor]), 1.0), bent, motions, matrices)
        out_distance[actor] = _distance(matrices, joints[count], goal)


@helper
def _of_actor(rotations, actor):
    x, y, z, w = rotations[actor, 0], rotations[actor, 1], rotations[actor, 2], rotations[actor, 3]
    return np.float64(x), np.float64(y), np.float64(z), np.float64(w)


@kernel(void(FLOATS_2D, PLACEMENT, REAL, OUT_2D, OUT))
def bring_to_actors(position, placement, tolerance, out_target, out_tolerance):
    """World-space points in the model space of each actor, and a tolerance [m] in its units.

    position [chunk, 3] [m]; out_target [chunk, 3]; out_tolerance [chunk].
    """
    translation, rotation, scale = placement
    for actor in range(position.shape[0]):
        size = np.float64(scale[actor]) if scale[actor] != 0 else np.nan  # an actor of no size reaches nothing
        x = np.float64(position[actor, 0]) - np.float64(translation[actor, 0])
        y = np.float64(position[actor, 1]) - np.float64(translation[actor, 1])
        z = np.float64(position[actor, 2]) - np.float64(translation[actor, 2])
        set_vector(out_target, actor, FIRST, scaled(rotated(inverse(_of_actor(rotation, actor)), (x, y, z)), 1 / size))
        out_tolerance[actor] = tolerance / size

"""The stage that moves chains of joints to their targets with inverse kinematics."""

from typing import Any, NamedTuple

import numpy as np
from numba import uint64

from ecs_anim.ik.arrays import CCD, FABRIK, TWO_BONE
from ecs_anim.ik.solve import AIM, SLOW, STUCK
from ecs_anim.kernels import chain_steps as steps
from ecs_anim.kernels import helper, kernel
from ecs_anim.kernels import types as t
from ecs_anim.kernels.columns import declared
from ecs_anim.kernels.frames import lanes_of, put_model, read_model
from ecs_anim.kernels.rotations import frame_of, inverse, part_of, product, rotated
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.traversal import FRAME, ROW
from ecs_anim.kernels.vectors import add, multiply_affine, origin_of, scaled, subtract
from ecs_anim.simd import load1, pointer, rows_from, store

FIRST = np.int64(0)


class ReachRoom(NamedTuple):
    """Memory for the matrices of eight actors, and for one chain."""

    model: t.OUT_3D  # [8, joint, 12]
    bent: t.OUT_REALS_2D  # [joint + 1, WIDTH], the chain
    kept: t.OUT_REALS_2D  # [joint + 1, KEPT], the chain before a sweep
    best: t.OUT_REALS_2D  # [joint + 1, KEPT], the chain before the shake
    motions: t.OUT_2D  # [joint, 12]


ROOM: Any = declared(ReachRoom)


@helper
def _gather(joints, parents, rest_rotations, limited, model, bent):
    """Read the joints of a chain from an actor's model matrices, and write the state of the chain to `bent`."""
    for i in range(joints.shape[0]):
        x, y, z = origin_of(model, joints[i])
        steps.set_vector(bent, i, steps.POINT, (np.float64(x), np.float64(y), np.float64(z)))
    for i in range(parents.shape[0]):
        steps.set_quaternion(bent, i, steps.TURN, steps.IDENTITY)
        bent[i, steps.LENGTH] = steps.apart(steps.vector(bent, i, steps.POINT), steps.vector(bent, i + 1, steps.POINT))
        if limited:
            above = frame_of(model, parents[i]) if parents[i] >= 0 else steps.IDENTITY
            steps.set_quaternion(bent, i, steps.FRAME, frame_of(model, joints[i]))
            steps.set_quaternion(bent, i, steps.REST_FRAME, product(above, steps.quaternion(rest_rotations, i, FIRST)))


@helper
def _note_limits(kinds, axes, angles, bent):
    """Write the limits of the joints to `bent`. The limits are equal for all actors."""
    for joint in range(kinds.shape[0]):
        bent[joint, steps.KIND] = kinds[joint]
        for i in range(3):
            bent[joint, steps.AXIS + i], bent[joint, steps.ANGLES + i] = axes[joint, i], angles[joint, i]


@helper
def _keep(bent, kept):
    for i in range(kept.shape[0]):
        for column in range(steps.KEPT):
            kept[i, column] = bent[i, column]


@helper
def _sweep(bent, kept, method, start, target):
    """Do one sweep, and return the distance to the target. Undo a sweep that ends farther away than `start`."""
    _keep(bent, kept)
    if method == CCD:
        steps.sweep_ccd(bent, target)
    else:
        steps.sweep_fabrik(bent, target)
    left = steps.apart(steps.effector(bent), target)
    if left > start:
        _keep(kept, bent)
        return start
    return left


@helper
def _iteration(bent, kept, limited, method, start, target, tolerance):
    """Do a sweep, and up to two more steps after little progress (see `ik.solve`). Return the remaining distance."""
    left = _sweep(bent, kept, method, start, target)
    for step in range(2):
        if left <= tolerance or left <= SLOW * start:
            break
        if limited == (step == 1):
            steps.close(bent, limited, target, tolerance)
            left = steps.apart(steps.effector(bent), target)
        else:
            left = _sweep(bent, kept, CCD if limited else FABRIK, left, target)
    return left


@helper
def _iterate(bent, kept, best, limited, method, target, iterations, tolerance):
    """Sweep until the target is reached, or progress stops for the second time. Return the number of sweeps."""
    start = steps.apart(steps.effector(bent), target)
    if start <= tolerance or (not limited and steps.reach_out(bent, target, tolerance)):
        return 0
    least = np.inf  # remaining distance before the shake
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
            steps.shake(bent)
            start = steps.apart(steps.effector(bent), target)
    if least <= steps.apart(steps.effector(bent), target):
        _keep(best, bent)
    return count


@helper
def _write(joints, moved, owners, weight, bent, motions, model):
    """Apply the rotations of the chain, reduced to the share `weight`, to the joints of the model."""
    before = subtract(steps.vector(bent, 0, steps.POINT), (0.0, 0.0, 0.0))
    at = before
    for i in range(joints.shape[0] - 1):
        x, y, z = origin_of(model, joints[i + 1])
        following = (np.float64(x), np.float64(y), np.float64(z))
        q = steps.quaternion(bent, i, steps.TURN)
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
    """Write a rotation and a translation as an affine matrix of twelve floats."""
    for column in range(3):
        axis = (1.0 if column == 0 else 0.0, 1.0 if column == 1 else 0.0, 1.0 if column == 2 else 0.0)
        motions[i, column], motions[i, 4 + column], motions[i, 8 + column] = rotated(q, axis)
    motions[i, 3], motions[i, 7], motions[i, 11] = translation


@helper
def _distance(at, goal):
    """Return the distance [float32] from the point `at` to the point `goal`. If the distance is NaN, return inf."""
    x, y, z = at
    distance = steps.apart((np.float64(x), np.float64(y), np.float64(z)), goal)
    return np.float32(distance if distance < np.inf else np.inf)


class Reach(NamedTuple):
    """Arguments of the stage `reach`."""

    blocks: BLOCKS
    chain: t.CHAIN
    method: t.COUNT  # CCD, FABRIK or TWO_BONE (three joints)
    limited: t.FLAG  # whether joints of the chain have limits
    iterations: t.COUNT
    target: t.FLOATS_2D  # [chunk, 3], in model space
    weight: t.FLOATS  # [chunk], factor on all rotations; 0 = no change, 1 = full rotation
    tolerance: t.FLOATS  # [chunk] [rig units]
    scale: t.FLOATS  # [chunk] [m], size of a rig unit
    room: ROOM
    # [chunk] [m], from effector to target, measured after the change of the matrices; inf instead of NaN
    distance: t.OUT
    reached: t.OUT_BOOLS  # [chunk]
    iterations_used: t.OUT_INTS  # [chunk]


def new_room(joint_count: int, chain_length: int) -> ReachRoom:
    """Return memory for the matrices of eight actors, and for a chain with `chain_length` joints that rotate."""
    shapes = (chain_length + 1, steps.WIDTH), (chain_length + 1, steps.KEPT), (chain_length + 1, steps.KEPT)
    bent, kept, best = (np.zeros(shape) for shape in shapes)
    model, motions = np.empty((8, joint_count, 12), np.float32), np.empty((chain_length, 12), np.float32)
    return ReachRoom(model, bent, kept, best, motions)


@stage(Reach)
def reach(own, first, end, frame):
    """Bend a chain of each actor so that the effector reaches the target, unless the distance is not finite."""
    model, joint_count = own.room.model, own.room.model.shape[1]
    starts = rows_from(0, 8) * (12 * joint_count)
    _note_limits(own.chain.kinds, own.chain.axes, own.chain.angles, own.room.bent)
    for begin in range(first, end, 8):
        lanes, moved = lanes_of(own.blocks.frames, frame + (begin - first) // 8), False
        if not _bends_any(own, begin, end):
            for lane in range(min(8, end - begin)):
                _measure(own, own.blocks.rows[begin + lane], lanes, lane)
            continue
        put_model(lanes, joint_count, pointer(model), starts)
        for lane in range(min(8, end - begin)):
            moved |= _reach_one(own, own.blocks.rows[begin + lane], model[lane])
        if moved:
            for lane in range(end - begin, 8):  # repeat the last actor
                for at in range(12 * joint_count):
                    store(model, starts[lane] + at, load1(model, starts[end - begin - 1] + at))
            read_model(pointer(model), starts, joint_count, lanes)


@helper
def _bends_any(own, begin, end):
    """Return whether one of the next eight actors of a block has a weight."""
    bends = False
    for place in range(begin, min(begin + 8, end)):
        bends |= own.weight[own.blocks.rows[place]] > 0
    return bends


@helper
def _goal(own, actor):
    """Return the target of an actor in model space."""
    return np.float64(own.target[actor, 0]), np.float64(own.target[actor, 1]), np.float64(own.target[actor, 2])


@helper
def _measure(own, actor, lanes, lane):
    """Write the distance of an actor's effector to the target. The actor's matrices do not change."""
    at = FRAME * own.chain.joints[own.chain.parents.shape[0]] + 24 + lane  # the fourth column of the matrix
    effector = load1(lanes, at), load1(lanes, at + ROW), load1(lanes, at + 2 * ROW)
    _note(own, actor, _distance(effector, _goal(own, actor)), 0)


@helper
def _note(own, actor, distance, used):
    """Write the results of an actor. `distance` [rig units] is the distance of the effector to the target."""
    own.distance[actor], own.reached[actor] = distance * own.scale[actor], distance <= own.tolerance[actor]
    own.iterations_used[actor] = used


@helper
def _reach_one(own, actor, matrices):
    """Bend the chain of one actor. Return whether the actor's matrices have changed."""
    chain, room, limited = own.chain, own.room, own.limited
    joints, count = chain.joints, chain.parents.shape[0]
    goal, used = _goal(own, actor), 0
    distance = _distance(origin_of(matrices, joints[count]), goal)
    bends = own.weight[actor] > 0 and distance < np.inf
    if bends:
        _gather(joints, chain.parents, chain.rest_rotations, limited, matrices, room.bent)
        if limited:
            steps.bring_inside(room.bent)
        if own.method == TWO_BONE:
            steps.bend_two(room.bent, goal)
            used = 1
        if own.method != TWO_BONE or limited:  # with limits, the analytic solution can miss the target
            sweep, near = CCD if own.method == TWO_BONE else own.method, AIM * np.float64(own.tolerance[actor])
            used += _iterate(room.bent, room.kept, room.best, limited, sweep, goal, own.iterations, near)
        weight = min(np.float64(own.weight[actor]), 1.0)
        _write(joints, chain.moved, chain.owners, weight, room.bent, room.motions, matrices)
        distance = _distance(origin_of(matrices, joints[count]), goal)
    _note(own, actor, distance, used)
    return bends


@kernel(t.void(t.FLOATS_2D, t.PLACEMENT, t.REAL, t.OUT_2D, t.OUT))
def bring_to_actors(position, placement, tolerance, out_target, out_tolerance):
    """Convert a position [m] of each actor from world space to its model space, `out_target` [chunk, 3], and a
    tolerance from metres to rig units, `out_tolerance` [chunk].
    """
    translation, rotation, scale = placement.translation, placement.rotation, placement.scale
    for actor in range(position.shape[0]):
        x, y, z, w = steps.quaternion(rotation, actor, FIRST)
        facing = np.float64(x), np.float64(y), np.float64(z), np.float64(w)
        size = np.float64(scale[actor]) if scale[actor] != 0 else np.nan  # an actor of size 0 cannot reach anything
        x = np.float64(position[actor, 0]) - np.float64(translation[actor, 0])
        y = np.float64(position[actor, 1]) - np.float64(translation[actor, 1])
        z = np.float64(position[actor, 2]) - np.float64(translation[actor, 2])
        target = scaled(rotated(inverse(facing), (x, y, z)), 1 / size)
        out_target[actor, 0], out_target[actor, 1], out_target[actor, 2] = target
        out_tolerance[actor] = tolerance / size

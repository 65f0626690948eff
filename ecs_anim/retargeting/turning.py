"""Transfer of rotations to another body. For each joint, the module transfers the rotation from the reference pose to
the joint with the same role.

The limbs of two reference poses can have different directions (A-pose, T-pose). Therefore, the module first rotates the
limbs of the target, from the trunk outwards, until they have the directions of the source's limbs. It uses the shortest
rotations. In all poses, the bones of both bodies then have equal directions.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames
from ecs_anim.maths import quaternion
from ecs_anim.maths.small_matrices import length
from ecs_anim.retargeting.body import Body
from ecs_anim.roles.names import SIDES

Reals = NDArray[np.floating]


def turned_joints(source: Body, target: Body, moving: Frames, turn: Reals) -> dict[int, Reals]:
    """Return model-space rotations [time, 4] of the target's joints.

    `moving` [time, joint] contains the joint frames of the source. `turn` [4] is the rotation about +Y from the facing
    of the source to the facing of the target.
    """
    back = quaternion.conjugate(turn)
    since = quaternion.multiply(moving.rotations, quaternion.conjugate(source.reference.rotations))
    changes = quaternion.multiply(turn, quaternion.multiply(since, back))  # in the target's model space
    found, alignment = {}, _alignment(source, target, turn)
    for joint, change in _changes(source, target, changes).items():
        laid = alignment.get(joint)
        reference = target.reference.rotations[joint]
        found[joint] = quaternion.multiply(change, reference if laid is None else quaternion.multiply(laid, reference))
    return found


def _changes(source: Body, target: Body, changes: Reals) -> dict[int, Reals]:
    """Return the rotation [time, 4] of each target joint from the source joint with the same role.

    The function matches the joints of a chain, such as a spine, by their relative positions along the chain.
    """
    ours, theirs = target.roles, source.roles
    found = {ours.joints[role]: changes[:, theirs.joints[role]] for role in ours.joints if role in theirs.joints}
    hips, head = theirs.joints["hips"], theirs.joints["head"]
    chest = theirs.spine[-1] if theirs.spine else hips
    spine, neck = (hips, *theirs.spine), (chest, *theirs.neck, head)
    found |= _resampled(ours.joints["hips"], ours.spine, target, changes, spine, source)
    chest = ours.spine[-1] if ours.spine else ours.joints["hips"]
    return found | _resampled(chest, (*ours.neck, ours.joints["head"]), target, changes, neck, source)


def _resampled(
    base: int, chain: Sequence[int], target: Body, changes: Reals, other: Sequence[int], source: Body
) -> dict[int, Reals]:
    """Return the rotations of the joints in a chain.

    If both chains have the same number of joints, joints are matched in order. If the numbers differ, joints are
    matched by their relative position along the chain.
    """
    if len(chain) == len(other) - 1:
        return {joint: changes[:, own] for joint, own in zip(chain, other[1:], strict=True)}
    at, known = _shares((base, *chain), target)[1:], _shares(other, source)
    found = {}
    for joint, share in zip(chain, at.tolist(), strict=True):
        above = min(int(np.searchsorted(known, share)), len(other) - 1)
        below = max(above - 1, 0)
        span = known[above] - known[below]
        mix = (share - known[below]) / span if span > 0 else 1.0
        found[joint] = quaternion.slerp(changes[:, other[below]], changes[:, other[above]], mix)
    return found


def _shares(chain: Sequence[int], body: Body) -> Reals:
    """Return the relative position of each joint along a chain, 0 to 1.

    In a chain of length 0, joints are evenly spaced.
    """
    points = body.reference.positions[[*chain]]
    along = np.concatenate([[0.0], np.cumsum(length(np.diff(points, axis=0)))])
    return along / along[-1] if along[-1] > 0 else np.linspace(0, 1, len(chain))


def _alignment(source: Body, target: Body, turn: Reals) -> Mapping[int, Reals]:
    """Return model-space rotations [4] that align the limbs of the target with the limbs of the source.

    Both bodies are in their reference poses.
    """
    laid: dict[int, Reals] = {}
    ours, theirs = target.reference.positions, source.reference.positions
    limbs = zip(target.arms, source.arms, target.legs, source.legs, strict=True)
    for side, (own_arm, arm, own_leg, leg) in enumerate(limbs):
        for own, other in ((own_arm, arm), (own_leg, leg)):
            before: Reals = quaternion.IDENTITY.astype(np.float64)
            for joint, end, start, stop in zip(own[:2], own[1:], other[:2], other[1:], strict=True):
                now = quaternion.rotate(before, ours[end] - ours[joint])
                way = quaternion.rotate(turn, theirs[stop] - theirs[start])
                before = quaternion.multiply(quaternion.from_to(now, way), before)
                laid[joint] = before
        laid[own_arm.lower] = laid[own_arm.middle]
        ways = _foot_way(target, side), quaternion.rotate(turn, _foot_way(source, side))
        yaw = quaternion.from_to(*(way * [1, 0, 1] for way in ways))  # only about +Y, so that soles stay horizontal
        laid[own_leg.lower] = yaw
        if f"{SIDES[side]}_toes" in target.roles.joints:
            laid[target.roles.joints[f"{SIDES[side]}_toes"]] = yaw
    return laid


def _foot_way(body: Body, side: int) -> Reals:
    """Return the vector [3] from the heel to the ball of the foot on one side, in the reference pose."""
    heel, ball = quaternion.rotate(body.reference.rotations[body.legs[side].lower], body.soles[side])
    return ball - heel

"""SMPL-X poses of actors: joint rotations relative to the T-pose of SMPL-X.

The lengths of bones in the data of SMPL-X are unknown here. Therefore, a figure has a T-pose with the bone lengths of
the actor. Forward kinematics with this T-pose gives the joints of the actor.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames, frames_of, local_rotations
from ecs_anim.assets.rig import Rig
from ecs_anim.maths import quaternion
from ecs_anim.maths.arc import UP
from ecs_anim.maths.small_matrices import length, unit
from ecs_anim.maths.transform import Pose
from ecs_anim.retargeting.body import Body, body_of
from ecs_anim.retargeting.turning import turned_joints
from ecs_anim.roles.names import SIDES
from ecs_anim.roles.roles import find_roles
from ecs_anim.smpl.bodies import SMPL_X, skeleton_of
from ecs_anim.support.errors import InputError

Reals = NDArray[np.floating]
SPINE = ("spine1", "spine2", "spine3")
LIMBS = {  # joints by role; in the T-pose, limbs have the directions of SMPL-X and the lengths of the actor
    "upper_arm": "shoulder", "lower_arm": "elbow", "hand": "wrist",
    "thigh": "hip", "shank": "knee", "foot": "ankle", "toes": "foot", "shoulder": "collar",
}  # fmt: skip
STRAIGHT = ("elbow", "wrist", "knee", "ankle")


class Places(NamedTuple):
    """Where actors are in space: the transforms from the space of the rig."""

    translation: Reals  # [n, 3], [m]
    rotation: Reals  # [n, 4]
    scale: Reals  # [n], [m/rig unit]


class SmplPoses(NamedTuple):
    """SMPL-X poses in space, with +Y up."""

    local: Reals  # [n, joint, 4], rotation of each joint relative to its parent joint
    pelvis: Reals  # [n, 3], [m]
    errors: Reals  # [n], [m], largest distance between a joint with a role and the joint of the actor with this role


class SmplFigure(NamedTuple):
    """A body, and an SMPL-X skeleton with the bone lengths of this body [rig units]."""

    source: Body
    target: Body
    turn: Reals  # [4], rotation from the facing of the source to +Z
    rest: Reals  # [joint, 3], T-pose of the target [rig units]

    @classmethod
    def of(cls, rig: Rig, crowd: str) -> Self:
        """Return the figure of a rig. Raises InputError for a rig that is not a humanoid."""
        roles = find_roles(rig)
        if not roles.is_humanoid:
            raise InputError(
                f"crowd {crowd!r}: SMPL poses need a humanoid ({roles.shortcoming}). Export other crowds with --crowd."
            )
        source = body_of(rig, roles)
        turn = quaternion.from_axis_angle(UP, np.asarray(-source.facing))
        rest = _rest(source, quaternion.rotate(turn, source.reference.positions))
        own = Rig("smpl-x", skeleton_of(SMPL_X, rest), (), {})
        return cls(source, body_of(own, find_roles(own)), turn, rest)

    def poses(self, moving: Frames, places: Places) -> SmplPoses:
        """Return the SMPL-X poses of actors. `moving` [n, joint] contains the joints of the actors in rig space."""
        placed = quaternion.multiply(places.rotation.astype(np.float64), quaternion.conjugate(self.turn))
        turned = turned_joints(self.source, self.target, moving, self.turn)
        turned = {joint: quaternion.multiply(placed, own) for joint, own in turned.items()}
        skeleton = self.target.rig.skeleton
        local = local_rotations(skeleton, skeleton.rest_pose.rotation.astype(np.float64), turned)
        scaled = moving.positions * places.scale[:, None, None]
        seen = places.translation[:, None] + quaternion.rotate(places.rotation[:, None], scaled)
        pelvis = seen[:, self.source.roles.joints["hips"]]
        return SmplPoses(local, pelvis, self._errors(seen, local, pelvis, places.scale))

    def _errors(self, seen: Reals, local: Reals, pelvis: Reals, scale: Reals) -> Reals:
        """Return the largest distance [n] [m] between joints with equal roles. `seen` [n, joint, 3] is the actor."""
        skeleton, roles = self.target.rig.skeleton, self.source.roles.joints
        moved = skeleton.rest_pose.translation * scale[:, None, None]
        moved[:, 0] = pelvis
        told = frames_of(skeleton, Pose(moved, local, np.ones_like(moved))).positions
        pairs = [(joint, roles[role]) for role, joint in self.target.roles.joints.items() if role in roles]
        ours, theirs = np.array(pairs).T
        found: Reals = length(told[:, ours] - seen[:, theirs]).max(axis=1)
        return found


def _rest(body: Body, points: Reals) -> Reals:
    """Return the T-pose [joint, 3] of SMPL-X with the proportions of a body.

    `points` [joint, 3] contains the joints of the body in its reference pose, which faces +Z.
    """
    skeleton = skeleton_of(SMPL_X)
    usual = skeleton.rest_pose.translation.astype(np.float64)
    known = _known(body, points)
    size = body.leg_length / float(length(usual[[4, 7]]).sum())
    rest = np.zeros_like(usual)
    for joint, (name, parent) in enumerate(zip(skeleton.joint_names, skeleton.parents.tolist(), strict=True)):
        above = skeleton.joint_names[parent]
        way = known[name] - known[above] if name in known and above in known else size * usual[joint]
        if name.endswith(STRAIGHT):
            way = unit(usual[joint]) * length(way)
        rest[joint] = known["pelvis"] if parent < 0 else rest[parent] + way
    return rest


def _known(body: Body, points: Reals) -> dict[str, Reals]:
    """Return the positions [3] of SMPL-X joints in the reference pose of a body, by name."""
    joints, chain = body.roles.joints, [body.roles.joints["hips"], *body.roles.spine]
    found = {
        f"{side}_{name}": points[joints[f"{side}_{role}"]]
        for side in SIDES
        for role, name in LIMBS.items()
        if f"{side}_{role}" in joints
    }
    along = np.concatenate([[0.0], np.cumsum(length(np.diff(points[chain], axis=0)))])
    shares = along[-1] * np.arange(1, 4) / 3 if len(chain) != 4 else along[1:]
    spine = np.stack([np.interp(shares, along, axis) for axis in points[chain].T], axis=-1)
    head = points[joints["head"]]
    neck = points[body.roles.neck[0]] if body.roles.neck else (spine[2] + head) / 2
    return found | {"pelvis": points[chain[0]], "neck": neck, "head": head} | dict(zip(SPINE, spine, strict=True))

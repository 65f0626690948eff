"""Export to SMPL-X poses in .npz files with the arrays of AMASS. Each actor has a file of its own.

The file contains joint rotations relative to the T-pose of SMPL-X. The lengths of bones in the data of SMPL-X are
unknown here. Therefore, the file also contains `rest_joints`: a T-pose with the bone lengths of the actor. Forward
kinematics with `rest_joints` gives the joints of the actor.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import frames_of, local_rotations
from ecs_anim.assets.rig import Rig
from ecs_anim.exporting.actors import Actor, actors_of
from ecs_anim.exporting.recording import RecordedCrowd
from ecs_anim.maths import quaternion
from ecs_anim.maths.arc import UP
from ecs_anim.maths.axes import AXES
from ecs_anim.maths.small_matrices import length, unit
from ecs_anim.maths.transform import Pose
from ecs_anim.retargeting.body import Body, body_of
from ecs_anim.retargeting.turning import turned_joints
from ecs_anim.roles.names import SIDES
from ecs_anim.roles.roles import find_roles
from ecs_anim.smpl.bodies import SMPL_X, skeleton_of
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.pictures import complete_file

Reals = NDArray[np.floating]
Z_UP = quaternion.from_to(UP, AXES["z"])  # rotation from +Y up to +Z up, the up axis of AMASS
NEAR = 0.01  # [m]; a larger error of a joint causes a warning
SPINE = ("spine1", "spine2", "spine3")
LIMBS = {  # joints by role; in the T-pose, limbs have the directions of SMPL-X and the lengths of the actor
    "upper_arm": "shoulder", "lower_arm": "elbow", "hand": "wrist",
    "thigh": "hip", "shank": "knee", "foot": "ankle", "toes": "foot", "shoulder": "collar",
}  # fmt: skip
STRAIGHT = ("elbow", "wrist", "knee", "ankle")


class Figure(NamedTuple):
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

    def poses(self, actor: Actor) -> tuple[Reals, Reals, float]:
        """Return the rotations [frame, joint, 4] and pelvis positions [frame, 3] [m] of an actor, with +Y up.

        Also return the largest distance [m] between a joint with a role and the joint of the actor with this role.
        """
        moving = frames_of(self.source.rig.skeleton, actor.pose())
        placed = quaternion.multiply(actor.rotation.astype(np.float64), quaternion.conjugate(self.turn))
        turned = turned_joints(self.source, self.target, moving, self.turn)
        turned = {joint: quaternion.multiply(placed, own) for joint, own in turned.items()}
        skeleton = self.target.rig.skeleton
        local = local_rotations(skeleton, skeleton.rest_pose.rotation.astype(np.float64), turned)
        scaled = moving.positions * actor.scale[:, None, None]
        seen = actor.translation[:, None] + quaternion.rotate(actor.rotation[:, None], scaled)
        pelvis = seen[:, self.source.roles.joints["hips"]]
        return local, pelvis, self._apart(seen, local, pelvis, actor.scale)

    def _apart(self, seen: Reals, local: Reals, pelvis: Reals, scale: Reals) -> float:
        """Return the largest distance [m] between joints with equal roles. `seen` [frame, joint, 3] is the actor."""
        skeleton, roles = self.target.rig.skeleton, self.source.roles.joints
        moved = skeleton.rest_pose.translation * scale[:, None, None]
        moved[:, 0] = pelvis
        told = frames_of(skeleton, Pose(moved, local, np.ones_like(moved))).positions
        pairs = [(joint, roles[role]) for role, joint in self.target.roles.joints.items() if role in roles]
        ours, theirs = np.array(pairs).T
        return float(length(told[:, ours] - seen[:, theirs]).max())


def write_smpl(
    crowds: Sequence[RecordedCrowd], frame_rate: int, path: Path, advance: Callable[[int], object]
) -> list[Path]:
    """Write a file for each actor, and return the paths.

    A single actor gets the file `path`. Several actors get files with the names of their crowds and their ids. The
    function `advance` receives the number of newly written actors. Raises InputError for a crowd without humanoids.
    """
    figures = [Figure.of(crowd.character.rig, crowd.name) for crowd in crowds]
    is_single, paths = sum(len(crowd.ids) for crowd in crowds) == 1, []
    for crowd, figure in zip(crowds, figures, strict=True):
        farthest = 0.0
        for actor in (own for actors in actors_of(crowd) for own in actors):
            name = re.sub(r"[^\w-]", "_", crowd.name)
            own = path if is_single else path.with_name(f"{path.stem}_{name}_{actor.id}{path.suffix}")
            arrays, apart = _arrays(figure, actor, frame_rate)
            with complete_file(own) as file:
                np.savez(file, allow_pickle=False, **arrays)
            paths.append(own)
            farthest = max(farthest, apart)
            advance(1)
        if farthest > NEAR:
            warnings.warn(
                f"{path}: crowd {crowd.name!r}: the joints of the SMPL-X poses are up to {100 * farthest:.2g} cm from"
                " the joints of the actors, because SMPL-X has another number of joints in the spine or in the limbs",
                InputWarning,
                stacklevel=4,
            )
    return paths


def _arrays(figure: Figure, actor: Actor, frame_rate: int) -> tuple[dict[str, NDArray[np.generic]], float]:
    """Return the arrays of the file of an actor, from its first to its last frame. Also return the largest error of a
    joint [m].
    """
    local, pelvis, apart = figure.poses(actor)
    local[:, 0] = quaternion.multiply(Z_UP, local[:, 0])
    there = np.flatnonzero(actor.there)
    frames = slice(there[0], there[-1] + 1)
    rest = figure.rest * float(actor.scale[there[0]])
    arrays: dict[str, NDArray[np.generic]] = {
        "poses": quaternion.to_rotation_vector(local[frames]).reshape(-1, SMPL_X).astype(np.float32),
        "trans": (quaternion.rotate(Z_UP, pelvis[frames]) - rest[0]).astype(np.float32),
        "rest_joints": rest.astype(np.float32),
        "betas": np.zeros(16, np.float32),
        "mocap_frame_rate": np.array(float(frame_rate)),
        "gender": np.array("neutral"),
        "surface_model_type": np.array("smplx"),
    }
    return arrays, apart


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

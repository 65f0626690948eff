"""Retargeting between humanoids.

The module matches the joints of both bodies by role. The ratio of leg lengths scales the path of the hips. The contacts
of heels and balls with the ground define the positions of the feet.
"""

from collections.abc import Mapping as Table
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.frames import Frames, frames_of, local_rotations
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.track import Track
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.maths.small_matrices import inner, length
from ecs_anim.maths.transform import Pose
from ecs_anim.retargeting.body import Body, body_of
from ecs_anim.retargeting.feet import Mapping, Source, ankle_path, hips_path
from ecs_anim.retargeting.hands import hand_path
from ecs_anim.retargeting.held import eased
from ecs_anim.retargeting.limbs import STRETCHED, bent
from ecs_anim.retargeting.root_motion import RootMotion, root_motion_of, said_root_motion
from ecs_anim.retargeting.same_names import by_names, moved_morphs
from ecs_anim.retargeting.turning import turned_joints
from ecs_anim.roles.names import Limb
from ecs_anim.roles.roles import Corrections, Roles, find_roles
from ecs_anim.support.arguments import one_of
from ecs_anim.support.budgets import memory_excess
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError

Reals = NDArray[np.floating]
RootMotionMode = Literal["extract", "keep"]
RATE = 60.0  # key rate of a retargeted clip if the original clip has few keys [Hz]
DENSE = 55.0  # if the original clip has at least this key rate, the new clip keeps its key times [Hz]
EASE = 0.15  # duration in which the hips move down, so that the legs reach the ground [s]
LOWEST_HIPS = 0.15  # [leg lengths], the hips move down by at most this distance
BYTES = 2000  # bytes of memory per joint and frame during retargeting
# [leg lengths]; if the hips of an in-place clip start farther from the root, the hips are moved over the root
AWAY = 0.5
DIGITS = 6  # decimals of a ground speed
# direction in which straight knees bend; straight elbows bend in the opposite direction
AHEAD = np.array([0.0, 0.0, 1.0])
# Two skeletons count as equal if their joints differ at most by this distance [body heights] and this rotation [rad].
ALIKE = 0.02


@checked
def retarget(
    clip: Clip,
    source: Rig,
    target: Rig,
    *,
    root_motion: RootMotionMode = "extract",
    hands: bool = False,
    source_roles: Corrections | None = None,
    target_roles: Corrections | None = None,
) -> Clip:
    """Convert `clip` from the rig `source` to the rig `target`. Return the new clip.

    The function matches joints by their roles (`ecs-anim inspect --roles`). `source_roles` and `target_roles` are
    dictionaries from role to joint name. They replace the roles that the function finds. Each limb gets the rotations
    of the source's limb in model space. The ratio of the leg lengths scales the movement of the hips. Heels and balls
    of the target stand at the scaled positions of the source's heels and balls. With `root_motion` "extract", the clip
    stays in place, and `Clip.extras` states its speed. With `root_motion` "keep", the hips move over the ground in the
    clip. With `hands`, the hands follow the source's hands, scaled by the shoulder height. Positions of the hands are
    relative to the floor below the hips. Without `hands`, the arms keep the directions of the source's arms. If the
    skeletons are equal, or if one skeleton is not humanoid, joints with equal names keep their keys. Raises InputError
    with the name of a missing joint or role. Raises ValueError if the clip belongs to another skeleton.
    """
    one_of("root_motion", root_motion, get_args(RootMotionMode))
    if clip.skeleton.joint_names != source.skeleton.joint_names:
        raise ValueError(
            f"clip {clip.name!r} must have the same joints as the rig {source.name!r} (got {clip.skeleton!r})."
            " Pass the rig to which the clip belongs."
        )
    if target.skeleton is clip.skeleton:
        return clip
    return Lending.between(source, target, source_roles, target_roles).clip(clip, root_motion, hands)


class Lending(NamedTuple):
    """A conversion of clips for one rig to clips for another rig."""

    target: Rig
    bodies: tuple[Body, Body] | None  # source and target body; None = joints are matched by name
    partly: bool  # true = tracks of joints that the target lacks are omitted; false = such tracks are an error
    unlike: str = ""  # reason why joints cannot be matched by their roles

    @classmethod
    def between(
        cls, source: Rig, target: Rig, source_roles: Corrections | None = None, target_roles: Corrections | None = None
    ) -> Self:
        """Match joints by role if both rigs are humanoid and their skeletons differ.

        If a rig is not humanoid, or if the skeletons are equal, match joints by name.

        Raises InputError with the name of a missing joint or role.
        """
        both = [find_roles(rig, corrections=own) for rig, own in ((source, source_roles), (target, target_roles))]
        if not all(roles.is_humanoid for roles in both):
            return cls(target, None, False, _shortcomings((source, target), both))
        ours, theirs = (body_of(rig, roles) for rig, roles in zip((source, target), both, strict=True))
        return cls(target, None, True) if _alike(ours, theirs) else cls(target, (ours, theirs), False)

    def clip(self, clip: Clip, root_motion: RootMotionMode, hands: bool = False) -> Clip:
        """Convert `clip` from the source rig to the target rig. Return the new clip."""
        if self.bodies is None:
            own = self.target
            return by_names(clip, own.skeleton, own.morph_targets, partly=self.partly, unlike=self.unlike)
        return between_bodies(clip, *self.bodies, root_motion, hands)


def _shortcomings(rigs: Sequence[Rig], found: Sequence[Roles]) -> str:
    lacking = ((rig, roles) for rig, roles in zip(rigs, found, strict=True) if not roles.is_humanoid)
    return "; ".join(f"{rig.name!r} must be a humanoid: {roles.shortcoming}" for rig, roles in lacking)


def between_bodies(clip: Clip, source: Body, target: Body, root_motion: RootMotionMode, hands: bool = False) -> Clip:
    """Convert a clip from the body `source` to the body `target`. Return the new clip.

    Joint names have no influence on the result.
    """
    time = _moments(clip)
    _require_memory(clip, len(time), source, target)
    moving = frames_of(source.rig.skeleton, clip.sample(time, loop=False))
    said = said_root_motion(clip, source.facing)
    ground = said.velocity
    # the clip contains no turn, because the movement of the actor turns the body; the turn is added here and removed
    # below
    if said.turn != 0:
        moving, ground = said.put_in(moving, time - clip.start), np.zeros(3)
    acting = Source(source, moving, time - clip.start, ground)
    turn = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(target.facing - source.facing))
    mapping = Mapping(
        turn, target.leg_length / source.leg_length, target.standing_hip / source.standing_hip, acting.floor()
    )
    turned = turned_joints(source, target, moving, turn)
    travel = mapping.ways(ground)
    hips = hips_path(acting, target, mapping, turned[target.roles.joints["hips"]])
    frames = frames_of(target.rig.skeleton, _pose(target, turned, hips))
    ankles = [
        ankle_path(acting, target, mapping, side, turned[leg.lower], frames.positions[:, leg.upper])
        - acting.time[:, None] * travel
        for side, leg in enumerate(target.legs)
    ]
    hips = hips - _drop(acting, target, frames, ankles)
    frames = frames_of(target.rig.skeleton, _pose(target, turned, hips))
    turned |= _reaching(target, frames, target.legs, ankles, AHEAD)
    if hands:
        _require_standing(clip, source, target)
        goals = [hand_path(acting, target, mapping, side, frames) for side in (0, 1)]
        turned |= _reaching(target, frames, target.arms, goals, -AHEAD)
    root = said._replace(velocity=mapping.ways(said.velocity))
    if root_motion == "extract" or said.turn != 0:
        whole = hips + acting.time[:, None] * travel
        root, hips, turned = _extracted(acting, target, root, whole, turned, root_motion)
    return replace(
        clip,
        skeleton=target.rig.skeleton,
        tracks=_tracks(target, time, turned, hips),
        extras=_extras(clip, source, target, root),
        morph_targets=target.rig.morph_targets,
        morph_tracks=moved_morphs(clip, target.rig.morph_targets),
    )


def _extracted(
    source: Source, target: Body, said: RootMotion, hips: Reals, turned: Table[int, Reals], what: RootMotionMode
) -> tuple[RootMotion, Reals, dict[int, Reals]]:
    """Split the movement of a body into the motion of the root and the rest: the hip positions [time, 3] and the joint
    rotations [time, 4] relative to the root.

    Usually, the motion of the root is `said`, the motion that the file of the clip states. If `what` is "extract", the
    function `root_motion_of` can measure a different motion. If the measured motion contains a turn, or if the hips
    begin far from the root, the function moves the hips over the root. The position of an actor is then the position of
    its body.
    """
    time, root = source.time, said
    if what == "extract":
        own = turned[target.roles.joints["hips"]]
        root = root_motion_of(target, hips, own, time, said, goes_round=source.lap() is not None)
    turns = root.turn != 0 and root is not said
    if turns or (what == "extract" and float(length(hips[0, [0, 2]])) > AWAY * target.leg_length):
        hips = hips - hips[0] * [1, 0, 1]
    return root, root.seen(hips, time), {joint: root.taken_out(own, time) for joint, own in turned.items()}


def _moments(clip: Clip) -> Reals:
    """Return the key times [time] of the new clip.

    The key times are equal to the key times of `clip`. If `clip` has few keys, the key times are evenly spaced.
    """
    most = max((track.times for track in clip.tracks), key=len, default=np.zeros(1))
    own = np.unique(np.concatenate([[clip.start], most, [clip.end]]).astype(np.float64))
    if np.diff(own).max(initial=0) <= 1 / DENSE:
        return own
    return np.linspace(clip.start, clip.end, int(np.ceil(clip.duration * RATE)) + 1)


def _require_memory(clip: Clip, frame_count: int, *bodies: Body) -> None:
    joints = sum(body.rig.skeleton.joint_count for body in bodies)
    if limit_message := memory_excess(BYTES * frame_count * joints, "split the clip into parts"):
        raise InputError(
            f"clip {clip.name!r}: retargeting {frame_count:,} frames takes too much memory: {limit_message}"
        )


def _require_standing(clip: Clip, *bodies: Body) -> None:
    """Raise InputError if a body lies in its rest pose. For a lying body, the height of the hands is unknown."""
    if any(body.shoulder_height < body.leg_length for body in bodies):
        raise InputError(
            f"clip {clip.name!r}: hands=True needs two rest poses with standing bodies, but in one rest pose"
            " the body lies. Leave out hands=True."
        )


def _drop(source: Source, target: Body, frames: Frames, ankles: Sequence[Reals]) -> Reals:
    """Return a smooth downward movement of the hips [time, 3], after which both legs are long enough for the ankle
    positions `ankles`.
    """
    reach = STRETCHED * target.leg_length
    drops = [np.zeros(len(frames.positions))]
    for leg, ankle in zip(target.legs, ankles, strict=True):
        way = frames.positions[:, leg.upper] - ankle
        level = way[:, 0] * way[:, 0] + way[:, 2] * way[:, 2]
        drops.append(way[:, 1] - np.sqrt(np.maximum(reach * reach - level, 0)))
    most = np.clip(np.max(drops, axis=0), 0, LOWEST_HIPS * target.leg_length)
    return eased(most, source.moments(EASE), source.lap() is not None)[:, None] * np.array([0.0, 1.0, 0.0])


def _reaching(
    target: Body, frames: Frames, limbs: Sequence[Limb], goals: Sequence[Reals], side: Reals
) -> dict[int, Reals]:
    """Return the rotations [time, 4] of the upper two joints of `limbs` that move the ends of the limbs to `goals`
    [time, 3].

    Straight limbs bend towards `side` [3]. `side` is a direction for a reference pose that faces +Z.
    """
    found: dict[int, Reals] = {}
    sine, cosine = float(sin(target.facing)), float(cos(target.facing))
    seen = np.array([side[0] * cosine + side[2] * sine, side[1], side[2] * cosine - side[0] * sine])
    for limb, goal in zip(limbs, goals, strict=True):
        still = quaternion.rotate(quaternion.conjugate(target.reference.rotations[limb.upper]), seen)
        found |= bent(frames, limb, goal, quaternion.rotate(frames.rotations[:, limb.upper], still))
    return found


def _pose(target: Body, turned: Table[int, Reals], hips: Reals) -> Pose:
    """Return the local poses [time, joint] of the target."""
    skeleton, rest = target.rig.skeleton, target.rig.skeleton.rest_pose
    local = local_rotations(skeleton, rest.rotation.astype(np.float64), turned)
    translation = np.tile(rest.translation.astype(np.float64), (len(hips), 1, 1))
    translation[:, target.roles.joints["hips"]] = _local_hips(target, hips)
    return Pose(translation, local, np.broadcast_to(rest.scale.astype(np.float64), translation.shape))


def _local_hips(target: Body, hips: Reals) -> Reals:
    """Return the positions of the hips [time, 3] relative to their parent joint."""
    skeleton = target.rig.skeleton
    parent = int(skeleton.parents[target.roles.joints["hips"]])
    if parent < 0:
        return hips
    above = model_matrices(skeleton, skeleton.rest_pose)[parent].astype(np.float64)
    return affine.transform_points(affine.inverse(above), hips)


def _tracks(target: Body, time: Reals, turned: Table[int, Reals], hips: Reals) -> tuple[Track, ...]:
    times = time.astype(np.float32)
    pose = _pose(target, turned, hips)
    joint = target.roles.joints["hips"]
    moved = np.ascontiguousarray(pose.translation[:, joint], np.float32)
    tracks = [Track(joint, "translation", "LINEAR", times, moved)]
    for own in sorted(turned):
        values = np.ascontiguousarray(pose.rotation[:, own], np.float32)
        tracks.append(Track(own, "rotation", "LINEAR", times, values))
    return tuple(tracks)


def _extras(clip: Clip, source: Body, target: Body, root: RootMotion) -> dict[str, object]:
    """Return the extras of the converted clip: ground velocity, turn rate, and the names of contact joints."""
    sine, cosine = float(sin(target.facing)), float(cos(target.facing))
    side, ahead = (float(inner(root.velocity, axis)) for axis in ([cosine, 0.0, -sine], [sine, 0.0, cosine]))
    side, ahead = round(side, DIGITS), round(ahead, DIGITS)
    extras = {**clip.extras, "ground_speed": ahead, "ground_velocity": [side, ahead]}
    extras.pop("ground_turn", None)
    if root.turn != 0:
        extras["ground_turn"] = round(root.turn, DIGITS)
    contacts = extras.get("contacts")
    if isinstance(contacts, dict):
        names = {
            source.rig.skeleton.joint_names[own]: target.rig.skeleton.joint_names[target.roles.joints[role]]
            for role, own in source.roles.joints.items()
            if role in target.roles.joints
        }
        extras["contacts"] = {names[name]: spans for name, spans in contacts.items() if name in names}
    return extras


def _alike(source: Body, target: Body) -> bool:
    """Return whether joints with equal roles have equal names, and almost equal positions and rotations."""
    ours, theirs = (
        {body.rig.skeleton.joint_names[joint]: joint for joints in body.roles.table().values() for joint in joints}
        for body in (source, target)
    )
    if {*ours} != {*theirs}:
        return False
    a, b = [ours[name] for name in ours], [theirs[name] for name in ours]
    apart = np.abs(source.reference.positions[a] - target.reference.positions[b]).max()
    turned = quaternion.angle_between(source.reference.rotations[a], target.reference.rotations[b]).max()
    return bool(apart < ALIKE * np.ptp(target.reference.positions[:, 1]) and turned < ALIKE)

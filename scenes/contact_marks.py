"""Marks under the feet of a rig. The marks show the foot contacts of clips."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.bound_skin import bind_matrices
from ecs_anim.assets.clip import Clip
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.ik.foot_contacts import BALL, CONTACT_POINTS, HEEL, contact_curves
from ecs_anim.ik.legs import Leg, find_legs
from ecs_anim.maths import affine
from ecs_anim.maths.small_matrices import inner, length, unit
from ecs_anim.maths.transform import Pose
from ecs_anim.rigs.bones import sphere
from ecs_anim.rigs.surfaces import plain_mesh
from ecs_anim.roles.facing import measured_facing
from ecs_anim.runtime.gait import ground_turn, ground_velocity
from ecs_anim.support.errors import InputError

MARK = Material("contact", (1.0, 0.16, 0.02, 0.0))  # alpha 0: tints of actors do not change the colour
RADIUS = 0.6  # radius of a mark, as a share of the distance from heel to ball
FLATNESS = 0.15  # thickness of a mark divided by its width
PLANTED = 0.5  # pin weight above which a heel or a ball is in contact
SEGMENTS, RINGS = 24, 8  # number of segments and rings of a mark
HIDDEN = 1e-3  # scale of a mark without a contact; a scale of 0 would have no inverse

Reals = NDArray[np.floating]


def with_contact_marks(rig: Rig) -> Rig:
    """Return a copy of a rig with a mark under each heel and each ball of its feet.

    In a clip, a mark is visible while its heel or ball is in contact with the ground. In the rest pose, all marks are
    visible. Each mark moves with an additional joint, whose parent is the ankle. Raises InputError for a rig without
    legs.
    """
    legs = find_legs(rig)
    if not legs:
        raise InputError(
            f"{rig.name}: the program cannot show foot contacts, because it finds no legs in the skeleton. Rename "
            "the joints, for example to LeftUpLeg, LeftLeg and LeftFoot, or choose a character with legs."
        )
    facing = rig.avatar.facing if rig.avatar is not None else measured_facing(rig) or 0.0
    skeleton = _with_mark_joints(rig.skeleton, legs)
    first = rig.skeleton.palette_count
    marks = [_marks(skeleton, leg, first + 2 * number) for number, leg in enumerate(legs)]
    meshes = [replace(mesh, level=level) for level in range(rig.level_count) for pair in marks for mesh in pair]
    clips = {name: _with_contacts(clip, skeleton, legs, facing) for name, clip in rig.clips.items()}
    return replace(rig, skeleton=skeleton, clips=clips, meshes=(*rig.meshes, *meshes))


def _with_mark_joints(skeleton: Skeleton, legs: Sequence[Leg]) -> Skeleton:
    """Return a skeleton with two more joints for each leg. Each new joint has a palette entry."""
    ankles = np.repeat([leg.ankle for leg in legs], 2)
    places = np.concatenate([leg.contacts for leg in legs])
    count, rest = len(ankles), skeleton.rest_pose
    added = {"translation": places, "rotation": np.eye(4)[[3] * count], "scale": np.ones((count, 3))}
    pose = Pose(**{path: np.concatenate([getattr(rest, path), own]).astype(np.float32) for path, own in added.items()})
    bind = bind_matrices(skeleton)
    inverse_bind = affine.inverse(np.stack([bind[int(ankle)] for ankle in ankles])).astype(np.float32)
    inverse_bind[..., 3] -= places
    return Skeleton(
        joint_names=(*skeleton.joint_names, *(f"contact mark {number}" for number in range(count))),
        parents=np.concatenate([skeleton.parents, ankles]).astype(np.int32),
        rest_pose=pose,
        skin_joints=np.concatenate([skeleton.skin_joints, skeleton.joint_count + np.arange(count)]).astype(np.int32),
        inverse_bind=np.concatenate([skeleton.inverse_bind, inverse_bind]),
    )


def _marks(skeleton: Skeleton, leg: Leg, entry: int) -> tuple[Mesh, Mesh]:
    """Return the marks of the heel and of the ball. `entry` is the palette entry of the heel's mark."""
    bind = bind_matrices(skeleton)
    heel, ball = affine.transform_points(bind[leg.ankle], leg.contacts.astype(np.float64))
    ahead, above = ball - heel, bind[leg.hip][:, 3] - heel
    up = unit(above - inner(above, ahead) / inner(ahead, ahead) * ahead)
    points, corners = sphere(SEGMENTS, RINGS)
    upward = inner(points, up)[:, None] * up
    positions = RADIUS * length(ahead) * (points - (1 - FLATNESS) * upward)
    normals = unit(points + (1 / FLATNESS - 1) * upward)

    def mesh(centre: Reals, palette_entry: int) -> Mesh:
        indices = np.full((len(points), 4), palette_entry, np.uint16)
        return plain_mesh(MARK, centre + positions, normals, corners, palette_indices=indices)

    return mesh(heel, entry + HEEL), mesh(ball, entry + BALL)


def _with_contacts(clip: Clip, skeleton: Skeleton, legs: Sequence[Leg], facing: float) -> Clip:
    """Return `clip` as a clip of `skeleton`, which has mark joints. Additional tracks of the clip show and hide the
    marks.
    """
    curves = contact_curves(clip, legs, ground_velocity(clip, facing), facing, ground_turn(clip))
    planted = (curves[..., [HEEL, BALL]] > PLANTED).reshape(CONTACT_POINTS, -1)
    scales = np.where(planted, 1.0, HIDDEN).astype(np.float32)
    times = np.linspace(clip.start, clip.end, CONTACT_POINTS).astype(np.float32)
    first = clip.skeleton.joint_count
    tracks = [
        Track(first + number, "scale", "STEP", times, np.repeat(scales[:, number, None], 3, axis=1))
        for number in range(scales.shape[1])
    ]
    return replace(clip, skeleton=skeleton, tracks=(*clip.tracks, *tracks))

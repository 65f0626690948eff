"""Joints as a camera sees them: where, and whether anything is before them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.presence import Presence
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.small_matrices import length
from ecs_anim.systems.joints import joint_matrices
from ecs_anim.view.capture import HIDDEN, OUTSIDE, VISIBLE, CrowdJoints
from ecs_anim.view.frustum import frustum_planes
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.resampling import resampling_of
from ecs_anim.view.style import View

Reals = NDArray[np.float64]

FLESH = 0.2  # [m] of an actor's own body before a joint that counts as seen all the same: joints are inside
CLOSE = 0.01  # [m] by which something else is taken to be before a joint
REACH = 1.5  # how far joints may be from an actor's origin, by how far they are in the rest pose
MOST_AT_ONCE = 4096  # actors; so many have poses of a few megabytes


def seen_joints(world: World, camera: PinholeCamera, passes: Passes) -> Iterator[CrowdJoints]:
    """Of each crowd the joints of those who have any in the picture, which `passes` are of."""
    for entity, (crowd, character) in world.query(Crowd, Character):
        rows = _near_view(world, entity, camera)
        parts = [_seen(world, entity, rows[k : k + MOST_AT_ONCE], camera) for k in range(0, len(rows), MOST_AT_ONCE)]
        rows, joints, pixels, depths = (
            (np.concatenate(own) for own in zip(*parts, strict=True)) if parts else _nobody(character.rig.skeleton)
        )
        ids = crowd.ids[rows]
        told = _visibility(passes, ids, pixels, depths)
        names = character.rig.skeleton.joint_names
        yield CrowdJoints(crowd.name, names, ids.copy(), joints, pixels, depths, told)


def _seen(world: World, entity: int, rows: NDArray[np.int32], camera: PinholeCamera) -> tuple[NDArray[Any], ...]:
    """Of these rows those that have a joint in the picture; their joints in the world, in the picture, their depths."""
    joints = joint_matrices(world, entity, rows)[..., 3]
    pixels, depths = camera.project(joints)
    shown = _inside(pixels, camera.lens.size).any(axis=-1)
    return rows[shown], joints[shown], pixels[shown], depths[shown]


def _nobody(skeleton: Skeleton) -> tuple[NDArray[Any], ...]:
    count = skeleton.joint_count
    return np.zeros(0, np.int32), np.zeros((0, count, 3)), np.zeros((0, count, 2)), np.zeros((0, count))


def _near_view(world: World, entity: int, camera: PinholeCamera) -> NDArray[np.int32]:
    """The actors who are there, and whose joints may be in the picture."""
    transforms, presence = world.get(entity, Transforms), world.find(entity, Presence)
    skeleton = world.get(entity, Character).rig.skeleton
    rest = model_matrices(skeleton, skeleton.rest_pose)[..., 3]
    radius = REACH * float(length(rest).max(initial=0.0)) * transforms.scale
    lens = resampling_of(camera.lens).flat if camera.lens.is_distorted else camera.lens
    view = View.of(replace(camera, lens=lens), lens.size[0] / lens.size[1])
    points = np.concatenate([transforms.translation, np.ones((len(radius), 1))], axis=1)
    near = np.ones(len(radius), np.bool_) if presence is None else presence.coverage(world.time) > 0
    for plane in frustum_planes(view.view_projection):
        near &= np.sum(points * plane, axis=-1) >= -radius
    return np.flatnonzero(near).astype(np.int32)


def _inside(pixels: Reals, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Which pixels [..., 2] a picture has; NaN is none."""
    return np.asarray(np.all((pixels >= 0) & (pixels < size), axis=-1))


def _visibility(passes: Passes, ids: NDArray[np.int64], pixels: Reals, depths: Reals) -> NDArray[np.uint8]:
    """Of joints [n, joint] of actors [n]: what is seen at a joint's pixel is before it, or is not."""
    height, width = passes.ids.shape
    inside = _inside(pixels, (width, height))
    column, row = np.moveaxis(np.where(inside[..., None], pixels, 0).astype(np.intp), -1, 0)
    ahead = depths - passes.depth[row, column]  # of the joint, by how much something is
    allowed = np.where(passes.ids[row, column] == ids[:, None], FLESH, CLOSE)
    clear = (passes.depth[row, column] == 0) | (ahead <= allowed)
    return np.where(inside, np.where(clear, VISIBLE, HIDDEN), OUTSIDE).astype(np.uint8)

"""The joints of actors in a camera's picture: the pixel position, depth and visibility of each joint."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.spawner import Spawner
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.labels.keypoints import Keypoints, coco_keypoints, joint_keypoints
from ecs_anim.support.owner_cache import cached_by_owner
from ecs_anim.systems.joints import joint_matrices
from ecs_anim.systems.near_view import seen_rows
from ecs_anim.view.capture import HIDDEN, OUTSIDE, VISIBLE, CrowdJoints
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import PinholeCamera

Reals = NDArray[np.float64]

# [m], tolerance of depths; on the surface of the joint's own actor, the thickness of the body at the joint is added
CLOSE = 0.01
MOST_AT_ONCE = 4096  # number of actors; the poses of so many actors take a few megabytes


def seen_joints(world: World, camera: PinholeCamera, passes: Passes) -> Iterator[CrowdJoints]:
    """Yield the joints of each crowd, for actors that have at least one joint in the camera's picture.

    `passes` are the label passes of the camera's picture.
    """
    for entity, (_, character) in world.query(Crowd, Character):
        yield _seen_of_crowd(world, entity, camera, passes, _all_joints(character.rig))


def seen_keypoints(world: World, camera: PinholeCamera, passes: Passes) -> Iterator[CrowdJoints]:
    """Yield the COCO keypoints of each crowd, for actors that have a keypoint in the camera's picture.

    Crowds whose rigs have no keypoints are left out.

    A keypoint is visible only if its actor covers a pixel near the keypoint.
    """
    for entity, (_, character) in world.query(Crowd, Character):
        spawner = world.find(entity, Spawner)
        points = _keypoints(character.rig, spawner.facing if spawner else 0.0)
        if (points.joints >= 0).any():
            found = _seen_of_crowd(world, entity, camera, passes, points)
            elsewhere = (found.visibility == VISIBLE) & ~_is_shown(passes.ids, found.actor_ids, found.joints_2d)
            yield replace(found, visibility=np.where(elsewhere, HIDDEN, found.visibility).astype(np.uint8))


_all_joints = cached_by_owner(joint_keypoints)
_keypoints = cached_by_owner(coco_keypoints)


def _seen_of_crowd(world: World, entity: int, camera: PinholeCamera, passes: Passes, points: Keypoints) -> CrowdJoints:
    crowd, rows = world.get(entity, Crowd), seen_rows(world, entity, camera)
    parts = [
        _seen(world, entity, rows[k : k + MOST_AT_ONCE], camera, points) for k in range(0, len(rows), MOST_AT_ONCE)
    ]
    rows, joints, pixels, depths = (
        (np.concatenate(own) for own in zip(*parts, strict=True)) if parts else _nobody(len(points.names))
    )
    ids, sizes = crowd.ids[rows], world.get(entity, Transforms).scale[rows].astype(np.float64)
    told = _visibility(passes, ids, pixels, depths, CLOSE + points.thickness * sizes[:, None])
    return CrowdJoints(crowd.name, points.names, ids.copy(), joints, pixels, depths, told)


def _seen(
    world: World, entity: int, rows: NDArray[np.int32], camera: PinholeCamera, points: Keypoints
) -> tuple[NDArray[Any], ...]:
    """Return the actors that have points in the picture.

    The results are the rows of these actors, the positions of their points in the world and in the picture, and the
    depths of the points.
    """
    joints = points.positions(joint_matrices(world, entity, rows))
    pixels, depths = camera.project(joints)
    shown = _inside(pixels, camera.lens.size).any(axis=-1)
    return rows[shown], joints[shown], pixels[shown], depths[shown]


def _nobody(count: int) -> tuple[NDArray[Any], ...]:
    return np.zeros(0, np.int32), np.zeros((0, count, 3)), np.zeros((0, count, 2)), np.zeros((0, count))


def _inside(pixels: Reals, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return a mask of the pixels [..., 2] that are inside a picture. Pixels with NaN are outside."""
    return np.asarray(np.all((pixels >= 0) & (pixels < size), axis=-1))


def _is_shown(ids: NDArray[np.uint32], owners: NDArray[np.int64], pixels: Reals) -> NDArray[np.bool_]:
    """Return which points [n, point] have a pixel of their own actor among the four nearest pixels.

    `owners` [n] contains the ids of the actors.
    """
    height, width = ids.shape
    corner = np.floor(np.nan_to_num(pixels) - 0.5).clip(-1, (width, height)).astype(np.intp)
    shown = np.zeros(corner.shape[:-1], np.bool_)
    for across, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
        column, row = (corner[..., 0] + across).clip(0, width - 1), (corner[..., 1] + down).clip(0, height - 1)
        shown |= ids[row, column] == owners[:, None]
    return shown


def _visibility(
    passes: Passes, ids: NDArray[np.int64], pixels: Reals, depths: Reals, flesh: Reals
) -> NDArray[np.uint8]:
    """Return the visibility of points [n, point]: VISIBLE, HIDDEN or OUTSIDE.

    A point in the picture is visible if the drawn surface at its pixel is not too far in front of the point. If this
    surface belongs to the actor of the point, the limit is `flesh` [m], the thickness of the body in front of the
    point. Otherwise, the limit is `CLOSE`.
    """
    height, width = passes.ids.shape
    inside = _inside(pixels, (width, height))
    column, row = np.moveaxis(np.where(inside[..., None], pixels, 0).astype(np.intp), -1, 0)
    ahead = depths - passes.depth[row, column]  # [m], distance by which the joint is behind the visible surface
    allowed = np.where(passes.ids[row, column] == ids[:, None], flesh, CLOSE)
    clear = (passes.depth[row, column] == 0) | (ahead <= allowed)
    return np.where(inside, np.where(clear, VISIBLE, HIDDEN), OUTSIDE).astype(np.uint8)

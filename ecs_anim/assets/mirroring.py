"""Mirrored skins. A negative scale reverses the winding of triangles (glTF 2.0, section 3.7.4).

In glTF, the node transform of a skinned mesh has no effect. Therefore, a triangle is mirrored if the skin matrices of
its vertices mirror it. For a mesh that can be mirrored, shaders test the skin matrices. For all other meshes, OpenGL
culls the back faces.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.keyframes import KeyframeCurve
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import blend_linear
from ecs_anim.maths.small_matrices import determinant

Flags = NDArray[np.bool_]
# two masks for an array of numbers: true if the number can be positive, and true if the number can be negative
Signs = tuple[Flags, Flags]


def told_mirrored(meshes: Iterable[Mesh], skeleton: Skeleton, clips: Iterable[Clip]) -> tuple[Mesh, ...]:
    """Return copies of the meshes in which the flag `Mesh.mirrors` is set.

    `Mesh.mirrors` is True if the rest pose or a clip can mirror some vertices of the mesh.
    """
    entries = mirrored_entries(skeleton, clips)
    return tuple(_told(mesh, mirrors=bool(entries.any()) and _uses(mesh, entries)) for mesh in meshes)


def mirrored_entries(skeleton: Skeleton, clips: Iterable[Clip]) -> Flags:
    """Return a mask [palette_count] bool of the palette entries whose skin matrix can have a negative determinant."""
    positive, negative = _joint_signs(skeleton, clips)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            own, above = (positive[joint], negative[joint]), (positive[parent], negative[parent])
            positive[joint], negative[joint] = _product(own, above)
    joints, bind = skeleton.skin_joints, determinant(skeleton.inverse_bind[..., :3].astype(np.float64))
    return _product((positive[joints], negative[joints]), (bind >= 0, bind < 0))[1]


def mirrored_triangles(mesh: Mesh, palette: NDArray[np.floating]) -> Flags:
    """Return a mask [triangle_count] bool of mirrored triangles. `palette` [entry, 3, 4] are the skin matrices."""
    if not mesh.mirrors:
        return np.zeros(mesh.triangle_count, np.bool_)
    last = mesh.vertices_alone(mesh.indices[2::3].astype(np.intp))
    return determinant(blend_linear(last, palette)[..., :3].astype(np.float64)) < 0


def outward_indices(mesh: Mesh, palette: NDArray[np.floating]) -> NDArray[np.uint32]:
    """Return the vertex indices of the mesh, with the front of each triangle to the outside.

    The function reverses the winding of each triangle that the skin matrices `palette` [entry, 3, 4] mirror.
    """
    mirrored, triangles = mirrored_triangles(mesh, palette), mesh.indices.reshape(-1, 3)
    return np.where(mirrored[:, None], turned_round(triangles), triangles).reshape(-1)


def turned_round(triangles: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Reverse the winding of triangles [n, 3]. The provoking vertices do not change."""
    return triangles[:, [1, 0, 2]]


def _told(mesh: Mesh, *, mirrors: bool) -> Mesh:
    return mesh if mesh.mirrors == mirrors else replace(mesh, mirrors=mirrors)


def _uses(mesh: Mesh, entries: Flags) -> bool:
    return bool(entries[mesh.palette_indices[mesh.weights > 0]].any())


def _joint_signs(skeleton: Skeleton, clips: Iterable[Clip]) -> Signs:
    """Return the possible signs of the determinant of each joint's local matrix, [joint_count]."""
    rest = skeleton.rest_pose.scale
    positive, negative = _volume_signs(rest, rest)
    for track in (track for clip in clips for track in clip.tracks if track.path == "scale"):
        low, high = _bounds(track.curve)
        own, joint = _volume_signs(low, high), track.joint_index
        positive[joint], negative[joint] = positive[joint] | own[0], negative[joint] | own[1]
    return positive, negative


def _bounds(curve: KeyframeCurve) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lower and the upper bounds [width] of a curve's values.

    For a spline, these are the bounds of its Bezier points.
    """
    values = curve.key_values()
    if curve.has_tangents:
        third = np.diff(curve.times)[:, None] / 3
        values = np.concatenate(
            [values, values[:-1] + third * curve.values[:-1, 2], values[1:] - third * curve.values[1:, 0]]
        )
    return values.min(axis=0), values.max(axis=0)


def _volume_signs(low: NDArray[np.floating], high: NDArray[np.floating]) -> Signs:
    """Return the possible signs of products of three numbers.

    Each number is between its bounds in `low` and `high` [..., 3].
    """
    positive, negative = high >= 0, low < 0
    xy = _product((positive[..., 0], negative[..., 0]), (positive[..., 1], negative[..., 1]))
    return _product(xy, (positive[..., 2], negative[..., 2]))


def _product(a: Signs, b: Signs) -> Signs:
    """Return the possible signs of the product of two numbers.

    `a` and `b` are the possible signs of the two numbers.
    """
    return (a[0] & b[0]) | (a[1] & b[1]), (a[0] & b[1]) | (a[1] & b[0])

"""Meshes that show a skeleton. Each bone is an octahedron, and each joint is a ball.

The meshes are bound to the palette entries of the skeleton. Therefore, the meshes and the skin of the character move
together.
"""

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.maths.small_matrices import inverse, length
from ecs_anim.rigs.surfaces import grid_triangles, plain_mesh

BONE = Material("bone", (0.80, 0.74, 0.62, 1.0))
BALL = Material("joint", (0.055, 0.065, 0.085, 0.0))  # alpha 0: tints of actors change only the bones
RING_AT = 0.16  # position of the octahedron's ring along a bone, as a share of the bone's length
# Shares of a bone's length: the radius of the longest bone, and the limit for the radius of short bones.
THICKNESS, THICKEST = 0.11, 0.2
BALL_SHARE = 0.75  # radius of a joint's ball, as a share of the bone's radius
SHORTEST = 1e-3  # a bone that is shorter than this share of the longest bone is not drawn

SEGMENTS, RINGS = 10, 6  # number of segments and rings of a ball

Points = NDArray[np.floating]


@dataclass(frozen=True)
class _Part:
    """A group of vertices with the palette entry of each vertex, and the triangles of these vertices."""

    positions: Points  # [vertex_count, 3], each in the bind space of the vertex's palette entry
    normals: Points  # [vertex_count, 3]
    entries: NDArray[np.int64]  # [vertex_count], palette entry
    corners: NDArray[np.int64]  # [triangle_count, 3]


def body_joints(rig: Rig) -> frozenset[int]:
    """Return the joints that move vertices, and all descendants of these joints. Without meshes, return all joints.

    Other joints, such as a joint at the origin of the model, are not parts of the body.
    """
    skeleton = rig.skeleton
    is_body = np.full(skeleton.joint_count, not rig.meshes)
    for mesh in rig.meshes:
        is_body[skeleton.skin_joints[mesh.palette_indices[mesh.weights > 0]]] = True
    for joint, parent in enumerate(skeleton.parents.tolist()):
        is_body[joint] |= parent >= 0 and is_body[parent]
    return frozenset(np.flatnonzero(is_body).tolist())


def bone_meshes(
    skeleton: Skeleton, thickness: float = THICKNESS, joints: Container[int] | None = None
) -> tuple[Mesh, ...]:
    """Return meshes of the bones and of the joints that have a palette entry. The meshes are in the bind space of the
    palette entries.

    All bones begin at a joint of `joints`. By default, bones begin at all joints.

    The tip of a bone follows the child joint. Therefore, bones stay connected for all movements of the joints. The
    meshes omit bones of length 0 and joints without a palette entry, such as the outermost nodes in some files.
    `thickness` is the radius of the longest bone divided by the length of the longest bone. Shorter bones have smaller
    radii, but their radii shrink less than their lengths.
    """
    entry_of = {joint: entry for entry, joint in reversed(list(enumerate(skeleton.skin_joints.tolist())))}
    if joints is not None:
        entry_of = {joint: entry for joint, entry in entry_of.items() if joint in joints}
    radii = _bone_radii(skeleton, entry_of, thickness)
    bones = [_bone(skeleton, entry_of, child, radius) for child, radius in radii.items()]
    balls = [_ball(skeleton, entry_of[joint], r) for joint, r in _ball_radii(skeleton, entry_of, radii).items()]
    return tuple(
        _mesh(material, parts, flat=flat)
        for material, parts, flat in ((BONE, bones, True), (BALL, balls, False))
        if parts
    )


def ball_mesh(radius: float, material: Material) -> Mesh:
    """Return a smooth ball around the origin, bound to palette entry 0."""
    normals, corners = sphere(24, 16)
    part = _Part(radius * normals, normals, np.zeros(len(normals), np.int64), corners)
    return _mesh(material, [part], flat=False)


def sphere(segments: int, rings: int) -> tuple[Points, NDArray[np.int64]]:
    """Return points [vertex_count, 3] on the unit sphere, and counter-clockwise triangles [triangle_count, 3]."""
    turn = np.arange(segments) * (2 * np.pi / segments)
    rise = np.linspace(-np.pi / 2, np.pi / 2, rings + 1)[1:-1]
    turn, rise = (grid.ravel() for grid in np.meshgrid(turn, rise))
    belt = np.stack([cos(rise) * sin(turn), sin(rise), cos(rise) * cos(turn)], axis=-1)
    bottom, top = len(belt), len(belt) + 1
    around, following = np.arange(segments), (np.arange(segments) + 1) % segments
    last = (rings - 2) * segments
    corners = [
        grid_triangles(rings - 2, segments, closed=True).reshape(-1, 3),
        np.stack([np.full(segments, bottom), following, around], axis=-1),
        np.stack([np.full(segments, top), last + around, last + following], axis=-1),
    ]
    return np.concatenate([belt, [[0, -1, 0], [0, 1, 0]]]), np.concatenate(corners)


def _bone(skeleton: Skeleton, entry_of: dict[int, int], child: int, radius: float) -> _Part:
    """Return the octahedron from the parent of `child` to `child`. The provoking vertices move with the parent."""
    tip = skeleton.rest_pose.translation[child].astype(np.float64)
    across, over = _perpendicular(tip / length(tip))
    ring = RING_AT * tip + radius * np.stack([across, over, -across, -over])
    following = np.roll(ring, -1, axis=0)
    # The order of the vertices: ring for the long faces, ring for the short faces, base, tip.
    positions = np.concatenate([ring, ring, [np.zeros(3)], [tip]])
    normals = np.concatenate([np.cross(following - ring, tip - ring), np.cross(-ring, following - ring), [tip, tip]])
    i = np.arange(4)
    j = (i + 1) % 4
    long = np.stack([j, np.full(4, 9), i], axis=-1)
    short = np.stack([np.full(4, 8), j + 4, i + 4], axis=-1)
    parent = int(skeleton.parents[child])
    part = _bound(skeleton, entry_of[parent], positions, normals, np.concatenate([long, short]))
    if child in entry_of:
        part.entries[9] = entry_of[child]
        part.positions[9] = _unbind(skeleton, entry_of[child])[:, 3]
    return part


def _ball(skeleton: Skeleton, entry: int, radius: float) -> _Part:
    normals, corners = sphere(SEGMENTS, RINGS)
    return _bound(skeleton, entry, radius * normals, normals, corners)


def _bone_radii(skeleton: Skeleton, entry_of: dict[int, int], thickness: float) -> dict[int, float]:
    """Return a dictionary from the end joint of each bone to the radius of this bone.

    The unit of a radius is the unit of the bone's start joint.
    """
    positions = model_matrices(skeleton, skeleton.rest_pose)[..., 3].astype(np.float64)
    lengths = np.linalg.norm(positions - positions[skeleton.parents], axis=-1)
    lengths[skeleton.parents < 0] = 0
    own_lengths = np.linalg.norm(skeleton.rest_pose.translation.astype(np.float64), axis=-1)
    longest = float(lengths.max())
    return {
        child: float(own_lengths[child])
        * max(thickness, min(THICKEST, thickness * math.sqrt(longest / lengths[child])))
        for child, parent in enumerate(skeleton.parents.tolist())
        if parent in entry_of and lengths[child] > SHORTEST * longest
    }


def _ball_radii(skeleton: Skeleton, entry_of: dict[int, int], radii: dict[int, float]) -> dict[int, float]:
    """Return a dictionary from joint to ball radius, in the units of the joint.

    The thickest bone that begins at the joint defines the radius. If no bone begins at the joint, the bone that ends at
    the joint defines the radius.
    """
    balls: dict[int, float] = {}
    for child, radius in radii.items():
        parent = int(skeleton.parents[child])
        balls[parent] = max(balls.get(parent, 0.0), BALL_SHARE * radius)
    for child, radius in radii.items():
        size = float(np.abs(skeleton.rest_pose.scale[child]).mean())
        if child in entry_of and child not in balls and size > 0:
            balls[child] = BALL_SHARE * radius / size
    return balls


def _bound(skeleton: Skeleton, entry: int, positions: Points, normals: Points, corners: NDArray[np.int64]) -> _Part:
    """Convert points from joint space to the bind space of the palette entry `entry`.

    Return the points as a `_Part`.
    """
    matrix = _unbind(skeleton, entry)
    turned = affine.transform_vectors(inverse(matrix[:, :3]).T, normals)
    return _Part(
        affine.transform_points(matrix, positions),
        turned / np.linalg.norm(turned, axis=-1, keepdims=True),
        np.full(len(positions), entry, np.int64),
        corners,
    )


def _unbind(skeleton: Skeleton, entry: int) -> Points:
    """Return the matrix [3, 4] from joint space to the bind space of the palette entry `entry`."""
    return affine.inverse(skeleton.inverse_bind[entry].astype(np.float64))


def _perpendicular(axis: Points) -> tuple[Points, Points]:
    """Return two unit vectors that are perpendicular to each other and to the unit vector `axis`.

    The first vector, the second vector and `axis` are a right-handed coordinate frame.
    """
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    across = np.cross(helper, axis)
    across /= length(across)
    return across, np.cross(axis, across)


def _mesh(material: Material, parts: Sequence[_Part], *, flat: bool) -> Mesh:
    starts = np.cumsum([0, *(len(part.positions) for part in parts)])
    palette_indices = np.zeros((int(starts[-1]), 4), np.uint16)
    palette_indices[:, 0] = np.concatenate([part.entries for part in parts])
    corners = np.concatenate([part.corners + start for part, start in zip(parts, starts, strict=False)])
    positions, normals = (np.concatenate(own) for own in zip(*((p.positions, p.normals) for p in parts), strict=True))
    return plain_mesh(material, positions, normals, corners, palette_indices=palette_indices, flat=flat)

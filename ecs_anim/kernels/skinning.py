"""Skinning on the CPU for many actors: what `ecs_anim.assets.skinning` says, at speed."""

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

from ecs_anim.assets.dual_palette import ROWS
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.morphs import add_morphs
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import FLAG, FLOATS_2D, FLOATS_3D, OUT_3D, SHORTS_2D, void
from ecs_anim.kernels.vectors import add, cross, dot, placed, quaternion_rotation, scaled, turned

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)


def skin_actors(
    mesh: Mesh, palettes: NDArray[np.float32], morph_weights: NDArray[np.float32] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Positions and unit normals [actor_count, vertex_count, 3] f32 under palettes [actor_count, entry, 3 or 4, 4].

    Three rows are matrices, skinned linearly; four are entries of `ecs_anim.assets.dual_palette`. `morph_weights`
    [actor_count, target] are the rig's. Raises ValueError.
    """
    rows = palettes.shape[2] if palettes.ndim == 4 else 0
    if palettes.dtype != np.float32 or rows not in (3, ROWS) or palettes.shape[3] != 4:
        raise ValueError(f"palettes must be float32 [n, entry, 3 or 4, 4] (got {palettes.dtype} {palettes.shape})")
    if mesh.palette_indices.max(initial=0) >= palettes.shape[1]:
        needed = mesh.palette_indices.max(initial=0) + 1
        raise ValueError(f"palettes have {palettes.shape[1]} entries; the mesh uses {needed}")
    flat = np.ascontiguousarray(palettes).reshape(len(palettes), -1, 4 * rows)
    positions = np.empty((len(palettes), mesh.vertex_count, 3), np.float32)
    normals = np.empty_like(positions)
    shapes = mesh.positions[None], mesh.normals[None]
    if mesh.morphs is not None and morph_weights is not None:
        if len(morph_weights) != len(palettes):
            raise ValueError(f"{len(palettes)} palettes need as many rows of morph weights (got {len(morph_weights)})")
        shapes = add_morphs(mesh.morphs, mesh.positions, mesh.normals, morph_weights)
    columns = (*shapes, mesh.palette_indices, mesh.weights)
    skin(*map(np.ascontiguousarray, columns), flat, rows == ROWS, positions, normals)
    return positions, normals


@njit(inline="always")
def _blend_linear(palette, entries, weights, vertex, out):
    """The weighted mean of the vertex's matrices, into out[0]."""
    for column in range(12):
        out[0, column] = ZERO
    for i in range(weights.shape[1]):
        weight, e = weights[vertex, i], uint64(entries[vertex, i])
        for column in range(12):
            out[0, column] += weight * palette[e, column]


@njit(inline="always")
def _heaviest(weights, vertex):
    most = 0
    for i in range(1, weights.shape[1]):
        if weights[vertex, i] > weights[vertex, most]:
            most = i
    return uint64(most)


@njit(inline="always")
def _aligned(palette, e, pivot, weight):
    """The weight, negative where the entry's rotation is not in the half-space of the pivot's."""
    toward = ZERO
    for column in range(4):
        toward += palette[e, column] * palette[pivot, column]
    return -weight if toward < ZERO else weight


@njit(inline="always")
def _add_entry(palette, e, weight, share, out):
    """Add to out[1] the stretch and offset by their weight, and the dual quaternion by its signed share."""
    x, y, z, w = palette[e, 0], palette[e, 1], palette[e, 2], palette[e, 3]
    half = HALF * share
    a, b, c = half * palette[e, 4], half * palette[e, 5], half * palette[e, 6]
    for column in range(4):
        out[1, column] += share * palette[e, column]
    out[1, 4] += a * w + b * z - c * y
    out[1, 5] += b * w + c * x - a * z
    out[1, 6] += c * w + a * y - b * x
    out[1, 7] -= a * x + b * y + c * z
    for column in range(8, 16):
        out[1, column] += weight * palette[e, column]
    out[1, 16] += weight * palette[e, 7]


@njit(inline="always")
def _blend_dual_quaternion(palette, entries, weights, vertex, out):
    """The mean stretch, then the mean rigid motion, as a matrix into out[0]; out[1] is scratch."""
    for column in range(17):
        out[1, column] = ZERO
    pivot = uint64(entries[vertex, _heaviest(weights, vertex)])
    for i in range(weights.shape[1]):
        weight, e = weights[vertex, i], uint64(entries[vertex, i])
        if weight != ZERO:
            _add_entry(palette, e, weight, _aligned(palette, e, pivot, weight), out)
    x, y, z, w = out[1, 0], out[1, 1], out[1, 2], out[1, 3]
    squared = x * x + y * y + z * z + w * w
    factor = ONE / np.sqrt(squared) if squared > ZERO else ZERO
    x, y, z = x * factor, y * factor, z * factor
    w = w * factor if squared > ZERO else ONE
    factor *= TWO
    a, b, c, d = out[1, 4] * factor, out[1, 5] * factor, out[1, 6] * factor, out[1, 7] * factor
    translation = (w * a - d * x + y * c - z * b, w * b - d * y + z * a - x * c, w * c - d * z + x * b - y * a)
    rotation = quaternion_rotation(x, y, z, w)
    xx, yy, zz, yz, zx, xy = out[1, 16], out[1, 11], out[1, 12], out[1, 13], out[1, 14], out[1, 15]
    _set_column(out, 0, turned(rotation, (xx, xy, zx)))
    _set_column(out, 1, turned(rotation, (xy, yy, yz)))
    _set_column(out, 2, turned(rotation, (zx, yz, zz)))
    _set_column(out, 3, add(turned(rotation, (out[1, 8], out[1, 9], out[1, 10])), translation))


@inlined
def _set_column(out, column, vector):
    for row in range(3):
        out[0, 4 * row + column] = vector[row]


@njit(inline="always")
def _turned_normal(m, normal):
    """A unit normal under the inverse transpose of the matrix m[0]: its cofactors, with the determinant's sign."""
    x, y, z = (m[0, 0], m[0, 1], m[0, 2]), (m[0, 4], m[0, 5], m[0, 6]), (m[0, 8], m[0, 9], m[0, 10])
    yz, zx, xy = cross(y, z), cross(z, x), cross(x, y)
    side = -ONE if dot(x, yz) < ZERO else ONE
    n = dot(yz, normal), dot(zx, normal), dot(xy, normal)
    length = np.sqrt(dot(n, n))
    return scaled(n, side / length) if length > ZERO else n


@kernel(void(FLOATS_3D, FLOATS_3D, SHORTS_2D, FLOATS_2D, FLOATS_3D, FLAG, OUT_3D, OUT_3D))
def skin(positions, normals, entries, weights, palettes, dual, out_positions, out_normals):
    """Skinned positions and unit normals of all actors.

    positions, normals [1 or actor_count, vertex_count, 3], of all actors or of each; entries, weights
    [vertex_count, influence_count]; palettes [actor_count, palette_count, 12], or 16 where `dual`; out_*
    [actor_count, vertex_count, 3] f32.
    """
    blended = np.empty((2, 17), np.float32)
    for actor in range(palettes.shape[0]):
        palette = palettes[actor]
        own = uint64(actor if positions.shape[0] > 1 else 0)
        for vertex in range(positions.shape[1]):
            v = uint64(vertex)
            if dual:
                _blend_dual_quaternion(palette, entries, weights, v, blended)
            else:
                _blend_linear(palette, entries, weights, v, blended)
            point = placed(blended, 0, (positions[own, v, 0], positions[own, v, 1], positions[own, v, 2]))
            normal = _turned_normal(blended, (normals[own, v, 0], normals[own, v, 1], normals[own, v, 2]))
            for axis in range(3):
                out_positions[actor, v, axis] = point[axis]
                out_normals[actor, v, axis] = normal[axis]

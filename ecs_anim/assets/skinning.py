"""Skinning on the CPU with numpy. Tests compare the pictures of the GPU with this reference implementation.

A skinning method computes a matrix for each vertex. The dictionary `LAYOUTS` defines the palette layout of each
skinning method, and the kernel that computes the palette.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets import dual_palette
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.morphs import add_morphs
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine, dual_quaternion, quaternion, small_matrices
from ecs_anim.support.arguments import FLOAT_MAX, array_of, numbers
from ecs_anim.support.checked import checked
from ecs_anim.support.reuse import reusable

Method = Literal["linear", "dual_quaternion"]
METHODS: tuple[Method, ...] = get_args(Method)

Array = NDArray[np.floating]


class Layout(NamedTuple):
    """Layout of palette entries for a skinning method, with conversions from and to skin matrices [..., entry, 3, 4].

    `kernel` is the name of a module in `ecs_anim.kernels`. This module is `palettes`, or a module that has the same
    functions as the kernel module `dual_palette`. `from_matrices` and `to_matrices` are reference implementations of
    the conversions.
    """

    rows: int  # rows of four floats, at most 4 rows; the shader reads one texel per row
    from_matrices: Callable[[ArrayLike, Skeleton], Array]
    to_matrices: Callable[[ArrayLike], Array]
    kernel: str


def _same(matrices: ArrayLike, _: Skeleton | None = None) -> Array:
    return np.asarray(matrices)


MATRICES = Layout(3, _same, _same, "palettes")
DUAL = Layout(dual_palette.ROWS, dual_palette.from_matrices, dual_palette.to_matrices, "dual_palette")
LAYOUTS: dict[Method, Layout] = {"linear": MATRICES, "dual_quaternion": DUAL}


def keeps_matrices(method: Method) -> bool:
    """Return whether the palette entries of a skinning method are plain skin matrices."""
    return LAYOUTS[method] is MATRICES


@checked
def skin_linear(
    mesh: Mesh, palette: ArrayLike, morph_weights: ArrayLike | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return skinned positions and unit normals [..., vertex, 3] by linear skinning with palettes [..., entry, 3, 4].

    `morph_weights` [..., target] are the morph weights of the whole rig. Morph targets are added before skinning.
    """
    return _transformed(mesh, blend_linear(mesh, _palette(mesh, palette, "linear")), morph_weights)


@checked
def skin_dual_quaternion(
    mesh: Mesh, palette: ArrayLike, morph_weights: ArrayLike | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return skinned positions and unit normals [..., vertex, 3] by dual quaternion skinning.

    The module `dual_palette` describes the layout of `palette` [..., entry, 4, 4].
    """
    entries = _palette(mesh, palette, "dual_quaternion")
    return _transformed(mesh, blend_dual_quaternion(mesh, entries), morph_weights)


def blend_linear(mesh: Mesh, palette: Array) -> Array:
    """Return a matrix for each vertex [..., vertex, 3, 4]: the weighted mean of the vertex's palette entries."""
    return np.sum(palette[..., mesh.palette_indices, :, :] * mesh.weights[:, :, None, None], axis=-3)


def blend_dual_quaternion(mesh: Mesh, palette: Array) -> Array:
    """Return a matrix for each vertex [..., vertex, 3, 4]: the mean stretch, followed by the mean rigid motion.

    The mean rigid motion is the mean of the palette entries' dual quaternions. A dual quaternion and its negative
    describe the same motion. Before the function computes the mean, it therefore negates each dual quaternion whose dot
    product with the dual quaternion of the largest weight is negative (Kavan and others 2008, see `dual_palette`).
    """
    entries = palette[..., mesh.palette_indices, :, :]
    stretch = np.sum(dual_palette.stretch_matrices(entries) * mesh.weights[:, :, None, None], axis=-3)
    motion = dual_quaternion.from_rigid(entries[..., 0, :], entries[..., 1, :3])
    rotation, translation = dual_quaternion.to_rigid(dual_quaternion.blend(motion, mesh.weights))
    return affine.multiply(affine.join(quaternion.to_matrix(rotation), translation), stretch)


BLENDS: dict[Method, Callable[[Mesh, Array], Array]] = {
    "linear": blend_linear,
    "dual_quaternion": blend_dual_quaternion,
}


def _palette(mesh: Mesh, palette: ArrayLike, method: Method) -> Array:
    """Return `palette` as an array [..., entry, rows, 4].

    Raise ValueError if the shape of `palette` does not fit the mesh and the method.
    """
    entries = array_of("a palette", palette, LAYOUTS[method].rows, 4)
    needed = 1 + int(mesh.palette_indices.max(initial=0))
    if entries.ndim < 3 or entries.shape[-3] < needed:
        raise ValueError(
            f"a palette of skin matrices must have shape [..., entry, {LAYOUTS[method].rows}, 4] with at least"
            f" {needed} entries for the mesh (got shape {entries.shape})"
        )
    return entries


def _transformed(
    mesh: Mesh, matrices: Array, morph_weights: ArrayLike | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return transformed positions and unit normals [..., vertex, 3].

    `matrices` [..., vertex, 3, 4] has one matrix for each vertex. Normals are multiplied by the inverse transpose of
    the matrix, so that normals stay perpendicular to the surface. The inverse transpose is the cofactor matrix divided
    by the determinant. Only the sign of the determinant affects a unit normal.
    """
    points, outward = mesh.positions, mesh.normals
    if mesh.morphs is not None and morph_weights is not None:
        morph_weights = numbers("morph weights", morph_weights, most=FLOAT_MAX)
        if morph_weights.shape[-1:] < (mesh.morphs.columns.stop,):
            raise ValueError(
                "the morph weights must have shape [..., target], with one weight for each morph target of the rig"
                f" (got shape {morph_weights.shape})"
            )
        points, outward = add_morphs(mesh.morphs, points, outward, morph_weights)
    linear = matrices[..., :3]
    x, y, z = np.moveaxis(linear, -2, 0)
    cofactors = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=-2)
    normals = small_matrices.applied(cofactors, outward)
    normals *= np.where(np.sum(x * cofactors[..., 0, :], axis=-1, keepdims=True) < 0, -1, 1)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    unit = normals / np.where(length > 0, length, 1)
    return affine.transform_points(matrices, points).astype(np.float32), unit.astype(np.float32)


@reusable
def rest_bounds(rig: Rig) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest corner and the highest corner [3] [rig units] of the box around a rig's finest meshes in the
    rest pose.

    Morph targets have their default weights. Raises ValueError for a rig without meshes.
    """
    palette = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    shapes = [skin_linear(mesh, palette, rig.morph_targets.defaults)[0] for mesh in rig.level(0)]
    corners = [(points.min(axis=0), points.max(axis=0)) for points in shapes]
    if not corners:
        raise ValueError(f"rig {rig.name!r} must have at least one mesh. Load a model with meshes.")
    low, high = zip(*corners, strict=True)
    return np.min(low, axis=0), np.max(high, axis=0)

"""Reduction of joints for distant actors. For example, fingers then move rigidly with the hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import skin_linear

Entries = NDArray[np.int32]  # [n] i32, palette entries, ascending


@dataclass(frozen=True, eq=False)
class Binding:
    """A replacement of palette entries by other palette entries.

    The array `target` [palette_count] contains the replacement of each palette entry. If a palette entry is its own
    replacement, it is called used. Each replacement is a used palette entry.
    """

    skeleton: Skeleton
    target: NDArray[np.int32]  # [palette_count] i32

    @classmethod
    def whole(cls, skeleton: Skeleton) -> Self:
        """Return the binding in which every palette entry is used."""
        return cls(skeleton, np.arange(skeleton.palette_count, dtype=np.int32))

    def above(self, entry: int) -> int:
        """Return a used palette entry of the nearest ancestor joint of `entry`.

        If no ancestor joint has a used entry, return -1.
        """
        skeleton, kept = self.skeleton, np.unique(self.target)
        joint = int(skeleton.parents[skeleton.skin_joints[entry]])
        while joint >= 0:
            found = kept[skeleton.skin_joints[kept] == joint]
            if len(found):
                return int(found[0])
            joint = int(skeleton.parents[joint])
        return -1

    def without(self, entry: int, stand_in: int) -> Self:
        """Return a copy of this binding in which the palette entry `stand_in` replaces `entry`."""
        return replace(self, target=np.where(self.target == entry, np.int32(stand_in), self.target))

    def bind(self, mesh: Mesh) -> Mesh:
        """Return a copy of the mesh that refers only to used palette entries.

        If the mesh already refers only to used palette entries, return `mesh` itself.

        If several influences of a vertex refer to one palette entry, the method merges them and adds their weights. In
        the list of a vertex, the influence with the largest weight is first. Influences with weight 0 refer to the
        palette entry of this first influence, so that shaders read no unused entry.
        """
        indices, weights = _merged(self.target[mesh.palette_indices], mesh.weights)
        if np.array_equal(indices, mesh.palette_indices) and np.array_equal(weights, mesh.weights):
            return mesh
        return replace(mesh, palette_indices=indices, weights=weights)


def drop_joints(binding: Binding, meshes: Sequence[Mesh], palettes: NDArray[np.float32], tolerance: float) -> Binding:
    """Remove palette entries, beginning with the last joints of the skeleton.

    The function removes a palette entry if all vertices then stay within `tolerance` [rig units] of their exact
    positions. It compares the positions in the poses `palettes` [pose, entry, 3, 4]. Palette entries that `binding`
    does not use stay removed.
    """
    exact = [skin_linear(mesh, palettes)[0] for mesh in meshes]
    skeleton = binding.skeleton
    for entry in np.argsort(-skeleton.skin_joints, kind="stable").tolist():
        stand_in = binding.above(entry)
        if stand_in < 0 or binding.target[entry] != entry:
            continue
        fewer = binding.without(entry, stand_in)
        if all(_moved(fewer, mesh, palettes, posed) <= tolerance for mesh, posed in zip(meshes, exact, strict=True)):
            binding = fewer
    return binding


def used_entries(meshes: Sequence[Mesh]) -> Entries:
    """Return the palette entries that vertices use, in ascending order."""
    return np.unique(np.concatenate([mesh.palette_indices.ravel() for mesh in meshes])).astype(np.int32)


def _moved(binding: Binding, mesh: Mesh, palettes: NDArray[np.float32], exact: NDArray[np.float32]) -> float:
    """Return the largest error of a vertex position with the palette entries of `binding`.

    `exact` are the exact positions.
    """
    changed = np.flatnonzero((binding.target[mesh.palette_indices] != mesh.palette_indices).any(axis=1))
    if not len(changed):
        return 0.0
    part = mesh.vertices_alone(changed)
    part = replace(part, palette_indices=binding.target[part.palette_indices].astype(np.uint16))
    return float(np.linalg.norm(skin_linear(part, palettes)[0] - exact[:, changed], axis=-1).max())


def _merged(indices: NDArray[np.int32], weights: NDArray[np.float32]) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    same = indices[:, :, None] == indices[:, None, :]
    first = np.argmax(same, axis=2) == np.arange(indices.shape[1])
    sums = np.where(first, np.sum(same * weights[:, None, :], axis=2, dtype=np.float64), 0)
    order = np.argsort(-sums, axis=1, kind="stable")
    sums = np.take_along_axis(sums, order, axis=1)
    indices = np.take_along_axis(indices, order, axis=1)
    return np.where(sums > 0, indices, indices[:, :1]).astype(np.uint16), sums.astype(np.float32)

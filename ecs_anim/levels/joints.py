"""Levels of joints: far away, fingers and toes move with the hand and the foot that they hang from."""

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
    """Which palette entries are in use, and which one stands in for each [palette_count]; a kept one for itself."""

    skeleton: Skeleton
    target: NDArray[np.int32]  # [palette_count] i32

    @classmethod
    def whole(cls, skeleton: Skeleton) -> Self:
        """Every entry for itself."""
        return cls(skeleton, np.arange(skeleton.palette_count, dtype=np.int32))

    def above(self, entry: int) -> int:
        """The kept entry of the nearest joint above; -1 where there is none."""
        skeleton, kept = self.skeleton, np.unique(self.target)
        joint = int(skeleton.parents[skeleton.skin_joints[entry]])
        while joint >= 0:
            found = kept[skeleton.skin_joints[kept] == joint]
            if len(found):
                return int(found[0])
            joint = int(skeleton.parents[joint])
        return -1

    def without(self, entry: int, stand_in: int) -> Self:
        """Return the binding with `entry` replaced by `stand_in`."""
        return replace(self, target=np.where(self.target == entry, np.int32(stand_in), self.target))

    def bind(self, mesh: Mesh) -> Mesh:
        """A mesh whose vertices use kept entries alone; the same mesh where nothing changes.

        Influences that have become one are added up, the heaviest come first, and those without weight name the
        heaviest's entry, so that nothing is read which is not kept.
        """
        indices, weights = _merged(self.target[mesh.palette_indices], mesh.weights)
        if np.array_equal(indices, mesh.palette_indices) and np.array_equal(weights, mesh.weights):
            return mesh
        return replace(mesh, palette_indices=indices, weights=weights)


def drop_joints(binding: Binding, meshes: Sequence[Mesh], palettes: NDArray[np.float32], tolerance: float) -> Binding:
    """Remove entries, outermost first, while no vertex moves by more than `tolerance` [rig units].

    `palettes` [pose, entry, 3, 4] are the poses of the measurement. Entries that `binding` has removed stay removed.
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
    """The palette entries that vertices name, ascending."""
    return np.unique(np.concatenate([mesh.palette_indices.ravel() for mesh in meshes])).astype(np.int32)


def _moved(binding: Binding, mesh: Mesh, palettes: NDArray[np.float32], exact: NDArray[np.float32]) -> float:
    """How far the vertex is that is farthest from where it should be."""
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

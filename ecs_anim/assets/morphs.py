"""Morph targets: shapes that weights add to a mesh before it is skinned (glTF 2.0, section 3.7.2.2)."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.keyframes import KeyframeCurve
from ecs_anim.support.arguments import unknown
from ecs_anim.support.array_layouts import Shape
from ecs_anim.support.checked import checked_fields


@checked_fields
@dataclass(frozen=True, eq=False)
class MeshMorphs:
    """The morph targets of one mesh: what a weight of 1 adds to each vertex."""

    names: tuple[str, ...]  # [target_count]
    positions: Annotated[NDArray[np.float32], Shape("target", "vertex", 3)]  # [model units]
    normals: Annotated[NDArray[np.float32], Shape("target", "vertex", 3)]
    first: int = 0  # column of the rig's `MorphTargets` that is this mesh's first target

    @property
    def columns(self) -> slice:
        """Where the mesh's weights are among the rig's."""
        return slice(self.first, self.first + len(self.names))


@checked_fields
@dataclass(frozen=True, eq=False)
class MorphTargets:
    """The weights that an actor of a rig has: one column a morph target, those of one node side by side.

    Meshes that are animated apart may have targets of one name, such as a face and its eyelids.
    """

    names: tuple[str, ...]  # [target_count]
    joints: Annotated[NDArray[np.int32], Shape("target")]  # the joint whose meshes the target belongs to
    defaults: Annotated[NDArray[np.float32], Shape("target")]  # weights where nothing else is said

    def __len__(self) -> int:
        return len(self.names)

    def columns(self, name: str) -> NDArray[np.int32]:
        """All targets of this name [n] i32. Raises InputError, a KeyError too, where there is none."""
        found = np.array([column for column, own in enumerate(self.names) if own == name], np.int32)
        if not len(found):
            raise unknown("morph target", name, self.names)
        return found


NO_TARGETS = MorphTargets((), np.zeros(0, np.int32), np.zeros(0, np.float32))


@checked_fields
@dataclass(frozen=True, eq=False)
class MorphTrack:
    """Keys of several weights at once, as a glTF channel with the path "weights" has them."""

    columns: Annotated[NDArray[np.int32], Shape("column")]  # of the `MorphTargets` that the clip was made for
    curve: KeyframeCurve  # of width n


def add_morphs(
    morphs: MeshMorphs, positions: NDArray[np.float32], normals: NDArray[np.float32], weights: NDArray[np.floating]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Vertices and normals [..., vertex, 3] of a mesh under a rig's weights [..., target]; normals are not unit."""
    own = np.asarray(weights, np.float64)[..., morphs.columns]
    moved = positions + np.tensordot(own, morphs.positions.astype(np.float64), axes=1)
    turned = normals + np.tensordot(own, morphs.normals.astype(np.float64), axes=1)
    return moved.astype(np.float32), turned.astype(np.float32)

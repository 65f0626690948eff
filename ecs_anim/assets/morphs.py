"""Morph targets. A morph target consists of vertex offsets. The program multiplies the offsets by a weight, and adds
them to the mesh before skinning (glTF 2.0, section 3.7.2.2).
"""

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
    """The morph targets of one mesh. Each target has an offset for each vertex. The offsets apply at weight 1."""

    names: tuple[str, ...]  # [target_count]
    positions: Annotated[NDArray[np.float32], Shape("target", "vertex", 3)]  # [model units]
    normals: Annotated[NDArray[np.float32], Shape("target", "vertex", 3)]
    first: int = 0  # column of the rig's `MorphTargets` for this mesh's first target

    @property
    def columns(self) -> slice:
        """Return the columns of this mesh in the rig's array of morph weights."""
        return slice(self.first, self.first + len(self.names))


@checked_fields
@dataclass(frozen=True, eq=False)
class MorphTargets:
    """The morph targets of a rig. In arrays of morph weights, each morph target has one column.

    The morph targets of a node have adjacent columns. Several morph targets can have one name, for example a target of
    the face and a target of the eyelids.
    """

    names: tuple[str, ...]  # [target_count]
    joints: Annotated[NDArray[np.int32], Shape("target")]  # joint of the meshes that the target belongs to
    defaults: Annotated[NDArray[np.float32], Shape("target")]  # default weights

    def __len__(self) -> int:
        return len(self.names)

    def columns(self, name: str) -> NDArray[np.int32]:
        """Return the columns [n] i32 of all morph targets with the name `name`.

        Raise InputError, which is also a KeyError, for an unknown `name`.
        """
        found = np.array([column for column, own in enumerate(self.names) if own == name], np.int32)
        if not len(found):
            raise unknown("morph target", name, self.names)
        return found


NO_TARGETS = MorphTargets((), np.zeros(0, np.int32), np.zeros(0, np.float32))


@checked_fields
@dataclass(frozen=True, eq=False)
class MorphTrack:
    """Keyframes of several morph weights. In a glTF file, the channel has the path "weights"."""

    # columns in the `MorphTargets` of the clip, one for each animated weight
    columns: Annotated[NDArray[np.int32], Shape("column")]
    curve: KeyframeCurve  # curve with width n


def add_morphs(
    morphs: MeshMorphs, positions: NDArray[np.float32], normals: NDArray[np.float32], weights: NDArray[np.floating]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the positions and normals [..., vertex, 3] of a mesh after the addition of its morph targets.

    `weights` [..., target] are the morph weights of the whole rig. The function does not scale the normals to unit
    length.
    """
    own = np.asarray(weights, np.float64)[..., morphs.columns]
    moved = positions + np.tensordot(own, morphs.positions.astype(np.float64), axes=1)
    turned = normals + np.tensordot(own, morphs.normals.astype(np.float64), axes=1)
    return moved.astype(np.float32), turned.astype(np.float32)

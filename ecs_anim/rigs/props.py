"""Props: copies of a static model, such as trees. A static model is a rig with one joint."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import SET, Mesh
from ecs_anim.assets.mirroring import outward_indices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.rigs.simple_rigs import straight_skeleton


@dataclass(frozen=True, eq=False)
class Props:
    """Copies of one static model. The object never changes, so several worlds can share it."""

    model: Rig  # static model from `static_rig`
    instances: NDArray[np.float32]  # [copy, 12] f32: translation [m], scale, rotation xyzw, tint rgba
    # [copy, 4] f32, height [m] and normal of the ground below each copy; None = the ground plane
    contacts: NDArray[np.float32] | None
    shadow_radius: float  # [model units], radius of the contact shadow
    storey: int | None = None  # number of the storey of a building; None = drawn with all storeys

    @property
    def copy_count(self) -> int:
        return len(self.instances)


def static_rig(rig: Rig) -> Rig:
    """Return a rig with a single joint and with the meshes of `rig`.

    The meshes have their shapes in the rest pose of `rig`. The result has no clips, figures or morph targets. Raises
    ValueError for a rig without triangles.
    """
    if not rig.meshes:
        raise ValueError("the model must have triangles to draw. Name a model with a mesh.")
    palette = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    weights = rig.morph_targets.defaults
    meshes = tuple(_static(mesh, palette, weights) for mesh in rig.meshes)
    return Rig(rig.name, straight_skeleton(1, np.zeros(3)), meshes, {})


def _static(mesh: Mesh, palette: NDArray[np.float32], morph_weights: NDArray[np.float32]) -> Mesh:
    own = mesh.of_figure(0)
    positions, normals = skin_linear(own, palette, morph_weights)
    return replace(
        own,
        positions=positions,
        normals=normals,
        indices=outward_indices(own, palette),
        palette_indices=np.zeros((own.vertex_count, SET), np.uint16),
        weights=np.tile(np.eye(1, SET, dtype=np.float32), (own.vertex_count, 1)),
        morphs=None,
        mirrors=False,
    )

"""Loss of volume and thickness of the skin during a clip, for each skinning method."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import BLENDS, LAYOUTS, METHODS, Method
from ecs_anim.maths.solids import volume

MOMENTS = 61  # number of evenly spaced samples of a clip


@dataclass(frozen=True)
class SkinningFigures:
    """Figures of a skinning method for one clip. A volume or a thickness of 1 means no loss. The scale of the joints
    does not change these values.
    """

    method: Method
    volume: float  # smallest volume, divided by the volume in the rest pose
    volume_time: float  # time of this volume after the start of the clip [s]
    narrowest: float  # smallest thickness of the skin, divided by its thickness in the rest pose; 0 = a point
    narrowest_time: float  # time of this thickness after the start of the clip [s]
    narrowest_joint: str  # name of the joint with the largest weight at this vertex


def measure_skinning(rig: Rig, clip: Clip) -> list[SkinningFigures]:
    """Return the shape errors of each skinning method for the meshes of level of detail 0 during a clip."""
    times = np.linspace(0, clip.duration, MOMENTS)
    matrices = skin_palette(rig.skeleton, clip.sample(clip.start + times, loop=False))
    meshes = rig.level(0)
    return [_figures(rig, meshes, method, times, matrices) for method in METHODS]


def _figures(
    rig: Rig, meshes: tuple[Mesh, ...], method: Method, times: NDArray[np.float64], matrices: NDArray[np.float32]
) -> SkinningFigures:
    blended = [_blended(rig, mesh, method, matrices) for mesh in meshes]
    rest = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    whole = sum(_volume(mesh, blend) for mesh, blend in zip(meshes, blended, strict=True))
    before = sum(_volume(mesh, _blended(rig, mesh, method, rest)) for mesh in meshes)
    whole = whole / before if before else np.ones_like(times)  # a flat mesh has no volume
    kept = np.concatenate([_kept(mesh, blend, matrices) for mesh, blend in zip(meshes, blended, strict=True)], axis=-1)
    moment, vertex = np.unravel_index(np.argmin(kept), kept.shape)
    heaviest = np.concatenate(
        [np.take_along_axis(m.palette_indices, m.weights.argmax(axis=1)[:, None], axis=1)[:, 0] for m in meshes]
    )
    joint = rig.skeleton.joint_names[rig.skeleton.skin_joints[heaviest[vertex]]]
    least = int(np.argmin(whole))
    return SkinningFigures(
        method, float(whole[least]), float(times[least]), float(kept[moment, vertex]), float(times[moment]), joint
    )


def _blended(rig: Rig, mesh: Mesh, method: Method, matrices: NDArray[np.float32]) -> NDArray[np.floating]:
    """For each vertex, blend `matrices` with the skinning method `method`. Return one matrix for each vertex [...,
    vertex, 3, 4].
    """
    return BLENDS[method](mesh, LAYOUTS[method].from_matrices(matrices, rig.skeleton))


def _volume(mesh: Mesh, blended: NDArray[np.floating]) -> NDArray[np.float64]:
    positions = (blended[..., :3] @ mesh.positions[:, :, None])[..., 0] + blended[..., 3]
    return volume(positions, mesh.indices)


def _kept(mesh: Mesh, blended: NDArray[np.floating], matrices: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the thickness of the skin at each vertex relative to the rest pose, [..., vertex]: 1 = no loss.

    The result is the determinant of the vertex's matrix, divided by the cube of the mean scale of its joints. If the
    scale is 0, the result is 1.
    """
    own = np.linalg.det(blended[..., :3].astype(np.float64))
    scales = np.cbrt(np.linalg.det(matrices[..., :3].astype(np.float64)))[..., mesh.palette_indices]
    mean = np.sum(scales * mesh.weights, axis=-1) ** 3
    return np.where(mean != 0, own / np.where(mean != 0, mean, 1), 1.0)

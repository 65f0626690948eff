"""The rig of people: the skeleton and the clips of the mannequin, with meshes for several figures. Each actor has one
figure.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.figures import SKIN_TONES, Age, Build, Figure, MeshFigures
from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.figures import FIGURES, FigureShape
from ecs_anim.mannequin.patterns import skin_tones_of
from ecs_anim.mannequin.skirt import SkirtMesh, skirt_mesh, skirt_points
from ecs_anim.mannequin.warp import warped
from ecs_anim.rigs.surfaces import face_normal_sums

Points = NDArray[np.float64]
# The age of a figure whose name begins with this word. All other figures are adults.
AGES: Mapping[str, Age] = {"boy": "child", "girl": "child", "young": "young", "old": "old"}

# The build of a figure whose name begins with this word. All other figures have an average build.
BUILDS: Mapping[str, Build] = {"slim": "slim", "strong": "strong", "stout": "stout"}


def people_rig(mannequin: Rig, looks: NDArray[np.uint8]) -> Rig:
    """Return a rig with several figures, made from the rig `mannequin`.

    `looks` [variant, height, width, 4] are the textures of the clothes.
    """
    material = Material("people", texture=Texture(looks, repeat=False))
    meshes = tuple(_with_figures(mesh, material, mannequin.skeleton) for mesh in mannequin.meshes)
    return replace(mannequin, meshes=meshes, figures=tuple(map(_figure, FIGURES)))


def _figure(shape: FigureShape) -> Figure:
    first, tones = shape.name.split()[0], tuple(SKIN_TONES[own] for own in skin_tones_of(shape.name))
    age, build = AGES.get(first, "adult"), BUILDS.get(first, "average")
    return Figure(shape.name, shape.size, shape.share, age, build=build, skin_tones=tones)


def _with_figures(mesh: Mesh, material: Material, skeleton: Skeleton) -> Mesh:
    """Return the mesh of one level of detail with a skirt.

    For each figure, the mesh stores how the vertices of body and skirt move.
    """
    skirt = skirt_mesh(mesh.level)
    whole = _with_skirt(mesh, skirt, entries_of(skeleton))
    body, corners = mesh.positions.astype(np.float64), whole.indices.reshape(-1, 3).astype(np.int64)
    shares = _shares(mesh, entries_of(skeleton))
    shapes = [np.concatenate([warped(own, body, shares), skirt_points(skirt, own)]) for own in FIGURES]
    positions, plain = np.stack(shapes), whole.positions.astype(np.float64)
    normals = np.stack([_turned(whole, plain, shape, corners) for shape in positions])
    figures = MeshFigures((positions - plain).astype(np.float32), (normals - whole.normals).astype(np.float32))
    return replace(whole, name=mesh.name.replace("mannequin", "people"), material=material, figures=figures)


def _turned(mesh: Mesh, plain: Points, shape: Points, corners: NDArray[np.int64]) -> Points:
    """Return the normals [n, 3] of a figure. If the figure rotates the faces around a vertex, the function rotates the
    normal of the vertex in the same way.

    The mannequin's normals come from the distance field of the mannequin's surface. Normals from the distance field are
    more accurate than normals from faces. If the mannequin's faces around a vertex have no area, the normal comes from
    the figure's faces.
    """
    first = vertex_normals(plain, corners)
    own = np.where(first.any(axis=-1, keepdims=True), mesh.normals, 0)
    turned = own + vertex_normals(shape, corners) - first
    length = np.linalg.norm(turned, axis=-1, keepdims=True)
    return np.where(length > 0, turned / np.maximum(length, 1e-9), mesh.normals)


def _with_skirt(mesh: Mesh, skirt: SkirtMesh, entries: Mapping[str, int]) -> Mesh:
    own = np.array([entries[name] for name in P.JOINTS], np.uint16)
    hidden = skirt_points(skirt, replace(FIGURES[0], skirt=None)).astype(np.float32)
    up = np.zeros_like(hidden) + np.array([0, 1, 0], np.float32)
    return replace(
        mesh,
        positions=np.concatenate([mesh.positions, hidden]),
        normals=np.concatenate([mesh.normals, up]),
        uvs=np.concatenate([mesh.uvs, skirt.uvs.astype(np.float32)]),
        palette_indices=np.concatenate([mesh.palette_indices, own[skirt.joints]]),
        weights=np.concatenate([mesh.weights, skirt.weights.astype(np.float32)]),
        indices=np.concatenate([mesh.indices, (mesh.vertex_count + skirt.triangles).astype(np.uint32).ravel()]),
    )


def entries_of(skeleton: Skeleton) -> Mapping[str, int]:
    """Return the palette entry of each joint, by joint name."""
    return {skeleton.joint_names[joint]: entry for entry, joint in enumerate(skeleton.skin_joints.tolist())}


def _shares(mesh: Mesh, entries: Mapping[str, int]) -> Mapping[str, Points]:
    """Return a dictionary from the name of each joint to the skin weights of all vertices [n] for this joint."""
    return {
        name: np.sum(np.where(mesh.palette_indices == entry, mesh.weights, 0), axis=1, dtype=np.float64)
        for name, entry in entries.items()
    }


def vertex_normals(points: Points, corners: NDArray[np.int64]) -> Points:
    """Return unit normals [n, 3]: area-weighted means over the faces at each position.

    A position without faces gets the normal 0.
    """
    group = np.unique(points, axis=0, return_inverse=True)[1].reshape(-1)
    sums = face_normal_sums(points, corners, group[corners])
    return sums[group] / np.maximum(np.linalg.norm(sums[group], axis=-1, keepdims=True), 1e-12)

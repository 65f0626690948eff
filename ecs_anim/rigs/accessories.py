"""Accessories for the rig of people: each figure becomes several figures, with different hats, bags, coats and hair."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.figures import Figure, MeshFigures
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.accessories import WEARS, Part, parts, worn
from ecs_anim.mannequin.accessory_paint import patch_coordinates, with_accessory_paint
from ecs_anim.mannequin.figures import FIGURES, FigureShape
from ecs_anim.rigs.people import entries_of, vertex_normals

UP = np.array([0, 1, 0], np.float32)  # normal of a hidden accessory
Offsets = NDArray[np.float32]


def with_accessories(rig: Rig) -> Rig:
    """Return the rig of people with one figure for each figure of `rig` and each set of accessories."""
    (material,) = {mesh.material for mesh in rig.meshes}
    assert material.texture is not None
    texture = replace(material.texture, pixels=with_accessory_paint(material.texture.pixels))
    painted = replace(material, texture=texture)
    meshes = tuple(_equipped(mesh, painted, rig.skeleton) for mesh in rig.meshes)
    outfits, shapes = rig.variant_count // len(FIGURES), [*zip(rig.figures, FIGURES, strict=True)]
    figures = (_figure(own, shape, number, outfits) for number in range(len(WEARS)) for own, shape in shapes)
    return replace(rig, meshes=meshes, figures=tuple(figures))


def _figure(own: Figure, shape: FigureShape, number: int, outfits: int) -> Figure:
    """Return a figure with the accessories of `WEARS[number]`.

    The order of its `outfits` outfits differs from the order of `own`, because the variant number of an actor modulo
    the number of texture images selects the image.
    """
    wear = WEARS[number]
    found, tones = wear.on(shape), own.skin_tones
    turned = tuple(tones[(k * len(WEARS) + number) % outfits] for k in range(outfits))
    name = f"{own.name} with {' and '.join(found)}" if found else own.name
    return replace(own, name=name, share=own.share * wear.share, accessories=found, skin_tones=turned)


def _equipped(mesh: Mesh, material: Material, skeleton: Skeleton) -> Mesh:
    """Return the mesh of one level of detail with all accessories."""
    assert mesh.figures is not None
    found = parts(mesh.level, mesh.positions.astype(np.float64), mesh.indices.reshape(-1, 3).astype(np.int64))
    entries = np.array([entries_of(skeleton)[name] for name in P.JOINTS], np.uint16)
    starts = mesh.vertex_count + np.cumsum([0, *(len(part.points) for part in found)])
    hidden = np.concatenate([part.hidden for part in found]).astype(np.float32)
    corners = np.concatenate([start + part.triangles for start, part in zip(starts, found, strict=False)])
    moves = [_worn(found, corners - mesh.vertex_count, shape) for shape in FIGURES]
    shapes = MeshFigures(
        *(
            np.concatenate([np.tile(own, (len(WEARS), 1, 1)), _of_wears(found, [move[k] for move in moves])], axis=1)
            for k, own in enumerate((mesh.figures.positions, mesh.figures.normals))
        )
    )
    uvs = [patch_coordinates(part.color, len(part.points), part.lined) for part in found]
    return replace(
        mesh,
        material=material,
        positions=np.concatenate([mesh.positions, hidden]),
        normals=np.concatenate([mesh.normals, np.tile(UP, (len(hidden), 1))]),
        uvs=np.concatenate([mesh.uvs, *uvs]).astype(np.float32),
        palette_indices=np.concatenate([mesh.palette_indices, *(entries[part.joints] for part in found)]),
        weights=np.concatenate([mesh.weights, *(part.weights for part in found)]).astype(np.float32),
        indices=np.concatenate([mesh.indices, corners.ravel()]).astype(np.uint32),
        figures=shapes,
    )


def _worn(found: Sequence[Part], triangles: NDArray[np.int64], shape: FigureShape) -> tuple[Offsets, Offsets]:
    """Return the offsets of positions and normals [vertex, 3] of a figure that wears all accessories."""
    points, hidden = worn(shape, found), np.concatenate([part.hidden for part in found])
    normals = vertex_normals(points, triangles)
    return (points - hidden).astype(np.float32), (normals - UP).astype(np.float32)


def _of_wears(found: Sequence[Part], offsets: Sequence[Offsets]) -> Offsets:
    """Return the offsets [figure, vertex, 3] of all figures. Accessories that a figure does not wear do not move."""
    rows = []
    for wear in WEARS:
        for shape, own in zip(FIGURES, offsets, strict=True):
            shown = [np.full(len(part.points), part.accessory in wear.on(shape)) for part in found]
            rows.append(own * np.concatenate(shown)[:, None])
    return np.stack(rows).astype(np.float32)

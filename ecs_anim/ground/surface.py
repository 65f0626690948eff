"""The drawn surfaces of a ground."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.floor_material import SurfaceMaterial
from ecs_anim.assets.mesh import Texture

Color = tuple[float, float, float]  # linear RGB
# The classes of surfaces in segmentation pictures.
SurfaceKind = Literal["ground", "wall", "door", "block", "seat"]


@dataclass(frozen=True, eq=False)
class Surface:
    """A drawn surface: static triangles with one material, in world space."""

    positions: NDArray[np.float32]  # [vertex_count, 3] f32, [m]
    normals: NDArray[np.float32]  # [vertex_count, 3] f32, unit
    indices: NDArray[np.uint32]  # [triangle_count * 3] u32; corners are counter-clockwise seen from outside
    # [vertex_count, 2] f32, texture coordinates; for glass (2 * pane number + u, v) with u, v from 0 to 1; None = no
    # texture
    uvs: NDArray[np.float32] | None = None
    colors: NDArray[np.float32] | None = None  # [vertex_count, 3] f32, linear RGB factors of the colour
    texture: Texture | None = None
    color: Color | None = None  # linear RGB factor of the texture; None = the default colour of a ground
    double_sided: bool = False
    unlit: bool = False  # whether the surface ignores light
    kind: SurfaceKind = "ground"
    storey: int | None = None  # number of the storey in a building, from the lowest; None = visible on all storeys
    # None = a uniform colour if the surface has a colour or a texture, otherwise the material of the ground
    material: SurfaceMaterial | None = None

    @property
    def triangle_count(self) -> int:
        return len(self.indices) // 3

    @property
    def is_wall(self) -> bool:
        """Return whether the surface is a wall. Actors cannot stand on a wall, and a wall has a uniform colour."""
        return self.kind in ("wall", "door")

    def corners(self) -> NDArray[np.float32]:
        """Return corner positions [triangle_count, 3, 3] f32 [m]."""
        return self.positions[self.indices].reshape(-1, 3, 3)


def quad_surface(quads: Sequence[NDArray[np.floating]], color: Color | None = None) -> Surface:
    """Return one surface from arrays of flat quads [q, 4, 3] [m]. The quads do not share corners.

    The corners of a quad are counter-clockwise.
    """
    corners = np.concatenate(quads)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return Surface(
        corners.reshape(-1, 3).astype(np.float32),
        np.repeat(normals, 4, axis=0).astype(np.float32),
        quad_indices(len(corners)),
        color=color,
    )


def quad_indices(count: int) -> NDArray[np.uint32]:
    """Return the indices [6 * count] of two triangles per quad. The vertices of a quad must be consecutive."""
    corners = 4 * np.arange(count, dtype=np.uint32)[:, None] + np.array([0, 1, 2, 0, 2, 3], np.uint32)
    return corners.ravel()

"""Meshes and materials as the renderer wants them: welded, indexed, bound to a palette."""

import reprlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.morphs import MeshMorphs


@dataclass(frozen=True, eq=False)
class Texture:
    """An image in memory. Row 0 is the top, as in glTF: texture coordinate v = 0 is row 0.

    Pixels [variant, height, width, 4] are several images of one size, of which each actor shows one.
    """

    pixels: NDArray[np.uint8]  # [height, width, 4] u8, RGBA, colour sRGB-encoded, alpha linear
    repeat: bool = True  # wrap by repeating; else clamp to the edge

    def __repr__(self) -> str:
        *variants, height, width, _ = self.pixels.shape
        return f"<Texture: {width} x {height} pixels{f', {variants[0]} variants' if variants else ''}>"

    @property
    def variant_count(self) -> int:
        """Images to choose from; 0 where there is one for all."""
        return len(self.pixels) if self.pixels.ndim == 4 else 0


@dataclass(frozen=True, eq=False)
class Material:
    """Base colour of a surface."""

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)  # linear RGBA factor
    texture: Texture | None = None
    double_sided: bool = False
    alpha_cutoff: float | None = None  # fragments with less alpha are dropped; None = opaque
    unlit: bool = False  # shows its own colour whatever the light

    def __repr__(self) -> str:
        color = ", ".join(f"{share:.3g}" for share in self.base_color)
        return f"<Material {reprlib.repr(self.name)}: base colour ({color}), {self.texture or 'no texture'}>"


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles of one material, skinned by up to four palette entries a vertex.

    In a flat mesh every triangle's last index is its provoking vertex, whose normal is the face's.
    """

    name: str
    material: Material
    positions: NDArray[np.float32]  # [vertex_count, 3] f32, [model units], bind space
    normals: NDArray[np.float32]  # [vertex_count, 3] f32, unit
    uvs: NDArray[np.float32]  # [vertex_count, 2] f32
    palette_indices: NDArray[np.uint16]  # [vertex_count, 4] u16, into the skeleton's palette
    weights: NDArray[np.float32]  # [vertex_count, 4] f32, sum 1
    indices: NDArray[np.uint32]  # [triangle_count * 3] u32, counter-clockwise seen from outside
    colors: NDArray[np.float32] | None = None  # [vertex_count, 4] f32, 0 to 1, linear RGBA times the base colour
    flat: bool = False
    level: int = 0  # level of detail, 0 = finest
    morphs: MeshMorphs | None = None  # shapes that are added before skinning

    def __repr__(self) -> str:
        parts = f"{self.vertex_count} vertices, {self.triangle_count} triangles, level {self.level}"
        return f"<Mesh {reprlib.repr(self.name)}: {parts}>"

    @property
    def vertex_count(self) -> int:
        return len(self.positions)

    @property
    def triangle_count(self) -> int:
        return len(self.indices) // 3

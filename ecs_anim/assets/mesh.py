"""Meshes and materials as the renderer wants them: welded, indexed, bound to a palette."""

import reprlib
from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.figures import MeshFigures
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.support.arguments import brief, numbers
from ecs_anim.support.array_layouts import Shape
from ecs_anim.support.checked import checked_fields

SET = 4  # influences that a file or a vertex attribute holds together
MOST_INFLUENCES = 4 * SET  # of a vertex: OpenGL 3.3 has 16 vertex attributes, and ten of them are in use
VERTEX_COLUMNS = ("positions", "normals", "uvs", "palette_indices", "weights", "colors")  # of a mesh


@checked_fields
@dataclass(frozen=True, eq=False)
class Texture:
    """An image in memory. Row 0 is the top, as in glTF: texture coordinate v = 0 is row 0.

    Pixels [variant, height, width, 4] are several images of one size, of which each actor shows one.
    """

    pixels: NDArray[np.uint8]  # [height, width, 4] u8, RGBA, colour sRGB-encoded, alpha linear
    repeat: bool = True  # wrap by repeating; else clamp to the edge

    def __post_init__(self) -> None:
        pixels = self.pixels
        if pixels.dtype != np.uint8 or pixels.ndim not in (3, 4) or pixels.shape[-1] != 4 or 0 in pixels.shape:
            got = f"{pixels.dtype} {[*pixels.shape]}"
            raise ValueError(
                f"a texture's pixels must be uint8 [height, width, 4] or [variant, height, width, 4] (got {got})"
            )

    def __repr__(self) -> str:
        *variants, height, width, _ = self.pixels.shape
        return f"<Texture: {width} x {height} pixels{f', {variants[0]} variants' if variants else ''}>"

    @property
    def variant_count(self) -> int:
        """Images to choose from; 0 where there is one for all."""
        return len(self.pixels) if self.pixels.ndim == 4 else 0


@checked_fields
@dataclass(frozen=True, eq=False)
class Material:
    """Colour of a surface: what it reflects, what it emits, and how much of it is seen."""

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)  # linear RGBA factor
    texture: Texture | None = None
    double_sided: bool = False
    alpha_cutoff: float | None = None  # fragments with less alpha are dropped; None = opaque
    unlit: bool = False  # shows its own colour whatever the light
    blended: bool = False  # so much of it is seen as its alpha says; else alpha tells where an actor's tint goes
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)  # linear RGB that it emits
    emissive_texture: Texture | None = None  # times its emissive colour; texture coordinates are those of `texture`

    def __post_init__(self) -> None:
        if numbers("a material's base_color", self.base_color).shape != (4,):
            raise ValueError(
                f"a material's base_color must be red, green, blue and alpha (got {brief(self.base_color)})"
            )
        if numbers("a material's emissive", self.emissive).shape != (3,):
            raise ValueError(f"a material's emissive must be red, green and blue (got {brief(self.emissive)})")

    @property
    def is_emissive(self) -> bool:
        """Whether it emits light of its own, besides all that an unlit surface shows."""
        return any(self.emissive) and not self.unlit

    @property
    def has_pictures(self) -> bool:
        """Whether it needs texture coordinates."""
        return self.texture is not None or (self.is_emissive and self.emissive_texture is not None)

    def __repr__(self) -> str:
        color = ", ".join(f"{share:.3g}" for share in self.base_color)
        return f"<Material {reprlib.repr(self.name)}: base colour ({color}), {self.texture or 'no texture'}>"


@checked_fields
@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles of one material, skinned by 4, 8, 12 or 16 palette entries a vertex; unused entries have weight 0.

    In a flat mesh every triangle's last index is its provoking vertex, whose normal is the face's.
    """

    name: str
    material: Material
    positions: Annotated[NDArray[np.float32], Shape("vertex", 3)]  # [model units], bind space
    normals: Annotated[NDArray[np.float32], Shape("vertex", 3)]  # unit
    uvs: Annotated[NDArray[np.float32], Shape("vertex", 2)]
    palette_indices: Annotated[NDArray[np.uint16], Shape("vertex", "influence")]  # into the skeleton's palette
    weights: Annotated[NDArray[np.float32], Shape("vertex", "influence")]  # sum 1
    indices: Annotated[NDArray[np.uint32], Shape("corner")]  # three a triangle, counter-clockwise seen from outside
    # 0 to 1, linear RGBA times the base colour
    colors: Annotated[NDArray[np.float32], Shape("vertex", 4)] | None = None
    flat: bool = False
    level: int = 0  # level of detail, 0 = finest
    morphs: MeshMorphs | None = None  # shapes that are added before skinning
    figures: MeshFigures | None = None  # shapes of which each actor has one
    mirrors: bool = False  # a pose can mirror some vertices, so that triangles wind the other way; see `mirroring`

    def __post_init__(self) -> None:
        count, most, vertices = len(self.indices), self.indices.max(initial=0), self.vertex_count
        if count % 3 or (count and most >= vertices):
            got = f"{count}, the largest {most}"
            raise ValueError(f"a mesh must have three indices for each triangle, each below {vertices} (got {got})")
        if (influences := self.weights.shape[1]) not in range(SET, MOST_INFLUENCES + 1, SET):
            raise ValueError(f"a mesh's vertices must have 4, 8, 12 or 16 influences (got {influences})")
        if self.level < 0:
            raise ValueError(f"a mesh's level must be 0 or above (got {self.level})")
        if self.figures is not None and self.figures.positions.shape[1] != vertices:
            got = self.figures.positions.shape[1]
            raise ValueError(f"a mesh's figures must have a row for each of its {vertices} vertices (got {got})")

    def __repr__(self) -> str:
        parts = f"{self.vertex_count} vertices, {self.triangle_count} triangles, level {self.level}"
        return f"<Mesh {reprlib.repr(self.name)}: {parts}>"

    @property
    def vertex_count(self) -> int:
        return len(self.positions)

    @property
    def triangle_count(self) -> int:
        return len(self.indices) // 3

    @property
    def variant_count(self) -> int:
        """Textures that actors choose from; 0 = one texture for all actors, or none."""
        return self.material.texture.variant_count if self.material.texture is not None else 0

    def of_figure(self, number: int) -> Self:
        """The mesh as one of its figures alone has it; itself where it has none. Raises IndexError."""
        if self.figures is None:
            return self
        positions = self.positions + self.figures.positions[number]
        normals = self.normals + self.figures.normals[number]
        return replace(self, positions=positions, normals=normals, figures=None)

    def vertices_alone(self, chosen: NDArray[np.intp]) -> Self:
        """A mesh of these vertices [n], without triangles, morph targets and figures."""
        columns = {name: getattr(self, name)[chosen] for name in VERTEX_COLUMNS if getattr(self, name) is not None}
        return replace(self, **columns, indices=self.indices[:0], morphs=None, figures=None)

"""Meshes, materials and textures for the renderer."""

import math
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

SET = 4  # influences in one vertex attribute of a file or of a shader
# limit per vertex, because OpenGL 3.3 has 16 vertex attributes, and ten of them contain other data
MOST_INFLUENCES = 4 * SET
VERTEX_COLUMNS = ("positions", "normals", "uvs", "palette_indices", "weights", "colors")  # vertex arrays of a mesh


@checked_fields
@dataclass(frozen=True, eq=False)
class Texture:
    """A texture in memory: one image or several images. Row 0 is the top row.

    The texture coordinate v = 0 is in row 0, as in glTF. If the array `pixels` has the shape [variant, height, width,
    4], the texture has several images of equal size. Each actor shows one of the images.
    """

    pixels: NDArray[np.uint8]  # [height, width, 4] u8, RGBA, colour sRGB-encoded, alpha linear
    repeat: bool = True  # whether the texture repeats; otherwise it clamps to the edge

    def __post_init__(self) -> None:
        pixels = self.pixels
        if pixels.dtype != np.uint8 or pixels.ndim not in (3, 4) or pixels.shape[-1] != 4 or 0 in pixels.shape:
            got = f"{pixels.dtype} {[*pixels.shape]}"
            raise ValueError(
                "the pixels of a texture must have the type uint8 and the shape [height, width, 4] or [variant,"
                f" height, width, 4] (got {got})"
            )

    def __repr__(self) -> str:
        *variants, height, width, _ = self.pixels.shape
        return f"<Texture: {width} x {height} pixels{f', {variants[0]} variants' if variants else ''}>"

    @property
    def variant_count(self) -> int:
        """Return the number of images among which an actor's variant number selects.

        If all actors share one image, return 0.
        """
        return len(self.pixels) if self.pixels.ndim == 4 else 0


@checked_fields
@dataclass(frozen=True, eq=False)
class Material:
    """Material of a surface: its base colour, its emission and its opacity."""

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)  # linear RGBA factor
    texture: Texture | None = None
    double_sided: bool = False
    alpha_cutoff: float | None = None  # fragments with a lower alpha are discarded; None = opaque
    unlit: bool = False  # whether the colour is independent of the light
    blended: bool = False  # true = alpha is the opacity; false = alpha is the strength of the actor's tint
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)  # linear RGB of the emission
    emissive_texture: Texture | None = None  # multiplies the emissive colour; uses the texture coordinates of `texture`

    def __post_init__(self) -> None:
        if numbers("a material's base_color", self.base_color).shape != (4,):
            raise ValueError(
                "the base_color of a material must have four numbers: red, green, blue and alpha (got"
                f" {brief(self.base_color)})"
            )
        if numbers("a material's emissive", self.emissive).shape != (3,):
            raise ValueError(
                "the emissive colour of a material must have three numbers: red, green and blue (got"
                f" {brief(self.emissive)})"
            )

    @property
    def is_emissive(self) -> bool:
        """Return whether the material emits light. The result is False for unlit materials."""
        return any(self.emissive) and not self.unlit

    @property
    def has_pictures(self) -> bool:
        """Return whether the material has a texture and therefore needs texture coordinates."""
        return self.texture is not None or (self.is_emissive and self.emissive_texture is not None)

    def __repr__(self) -> str:
        color = ", ".join(f"{share:.3g}" for share in self.base_color)
        return f"<Material {reprlib.repr(self.name)}: base colour ({color}), {self.texture or 'no texture'}>"


@checked_fields
@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles of one material. Each vertex has 4, 8, 12 or 16 palette entries with weights.

    Unused palette entries have weight 0. In a mesh with flat shading, the normal of a triangle is the normal of its
    last vertex, which is called the provoking vertex.
    """

    name: str
    material: Material
    positions: Annotated[NDArray[np.float32], Shape("vertex", 3)]  # [model units], bind space
    normals: Annotated[NDArray[np.float32], Shape("vertex", 3)]  # unit
    uvs: Annotated[NDArray[np.float32], Shape("vertex", 2)]
    palette_indices: Annotated[NDArray[np.uint16], Shape("vertex", "influence")]  # indices of palette entries
    weights: Annotated[NDArray[np.float32], Shape("vertex", "influence")]  # sum 1
    # Three vertex indices per triangle, counter-clockwise in a view from outside.
    indices: Annotated[NDArray[np.uint32], Shape("corner")]
    # Vertex colours from 0 to 1, linear RGBA. A vertex colour multiplies the base colour.
    colors: Annotated[NDArray[np.float32], Shape("vertex", 4)] | None = None
    flat: bool = False
    level: int = 0  # level of detail, 0 = finest
    morphs: MeshMorphs | None = None  # morph targets, which are added before skinning
    figures: MeshFigures | None = None  # alternative shapes; each actor has one shape
    # Whether a pose can mirror some vertices. Mirrored vertices reverse the winding of triangles (see `mirroring`).
    mirrors: bool = False

    def __post_init__(self) -> None:
        count, most, vertices = len(self.indices), self.indices.max(initial=0), self.vertex_count
        if count % 3:
            raise ValueError(f"a mesh must have three vertex indices for each triangle (got {count} indices)")
        if count and most >= vertices:
            raise ValueError(
                f"each vertex index of a mesh must be below {vertices}, the number of vertices (got {most})"
            )
        if (influences := self.weights.shape[1]) not in range(SET, MOST_INFLUENCES + 1, SET):
            raise ValueError(
                f"each vertex of a mesh must have 4, 8, 12 or 16 influences (got {influences}). Add influences"
                " with the weight 0."
            )
        if self.level < 0:
            raise ValueError(
                f"the detail level of a mesh must be 0 or above (got {self.level}). Pass 0 for the finest level."
            )
        if self.figures is not None and self.figures.positions.shape[1] != vertices:
            got = self.figures.positions.shape[1]
            raise ValueError(
                f"each figure (body shape) of a mesh must have one position for each of the {vertices} vertices (got"
                f" {got} positions)"
            )

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
        """Return the number of combinations of a texture image and a figure that variant numbers can select.

        If all actors share one image, or if the mesh has no texture, return 0.
        """
        images = self.material.texture.variant_count if self.material.texture is not None else 0
        return images if self.figures is None else math.lcm(images, len(self.figures.positions))

    def of_figure(self, number: int) -> Self:
        """Return a mesh with the shape of the figure `number`. If the mesh has no figures, return the mesh itself.

        Raises IndexError if the mesh has figures, but not the figure `number`.
        """
        if self.figures is None:
            return self
        positions = self.positions + self.figures.positions[number]
        normals = self.normals + self.figures.normals[number]
        return replace(self, positions=positions, normals=normals, figures=None)

    def vertices_alone(self, chosen: NDArray[np.intp]) -> Self:
        """Return a mesh that has only the vertices `chosen` [n].

        The new mesh has no triangles, morph targets or figures.
        """
        columns = {name: getattr(self, name)[chosen] for name in VERTEX_COLUMNS if getattr(self, name) is not None}
        return replace(self, **columns, indices=self.indices[:0], morphs=None, figures=None)

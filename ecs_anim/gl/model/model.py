"""Meshes and models on the GPU. Each mesh has a vertex array with attributes for instanced skinning."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skinning import LAYOUTS, Method
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import Buffer
from ecs_anim.gl.device.closed import is_closed
from ecs_anim.gl.device.program import Program, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import ImageTexture, TextureCache
from ecs_anim.gl.model.instances import IndirectInstances, InstancedArray, Instances
from ecs_anim.gl.model.morphs import FigureBuffers, MorphBuffers
from ecs_anim.gl.model.triangle_order import reuse_order
from ecs_anim.gl.model.vertices import interleave, point_vertex_attributes

Skinning = Method | Literal["classic"]  # "classic": see classic_crowd.py
# How the shaders look up shadows: for each fragment, for each vertex (for actors of a few pixels), or not at all.
ShadowLookup = Literal["fragment", "vertex", "none"]


@dataclass(frozen=True)
class MeshVariant:
    """A shader variant: the set of shader features that a mesh needs.

    Meshes with equal features share one shader program.
    """

    influence_count: int  # 1 to 16, largest number of palette entries per vertex
    flat: bool
    textured: bool
    cutout: bool
    double_sided: bool  # whether visible back faces are drawn
    morphed: bool = False
    figured: bool = False  # whether each actor has one of several figures
    varied: bool = False  # whether each actor has one of several textures
    colored: bool = False  # whether vertices have colours
    unlit: bool = False
    blended: bool = False  # whether alpha is the opacity
    emissive: bool = False
    glows: bool = False  # whether the mesh has an emissive texture
    # whether a pose can reverse the winding of triangles, so that fragment shaders must cull faces
    mirrors: bool = False
    skinning: Skinning = "linear"  # skinning method of the drawn crowd
    fading: bool = False  # whether some pixels of fading actors are omitted
    shadows: ShadowLookup = "fragment"

    @classmethod
    def of(cls, mesh: Mesh) -> "MeshVariant":
        """Return the shader features that the mesh `mesh` needs."""
        cutout, blended = mesh.material.alpha_cutoff is not None, _is_clear(mesh)
        emissive = mesh.material.is_emissive
        return cls(
            influence_count=max(1, int(np.count_nonzero(mesh.weights, axis=1).max(initial=1))),
            flat=mesh.flat,
            textured=mesh.material.texture is not None,
            cutout=cutout,
            double_sided=mesh.material.double_sided and (cutout or blended or not is_closed(mesh)),
            morphed=mesh.morphs is not None,
            figured=mesh.figures is not None,
            varied=mesh.variant_count > 0,
            colored=mesh.colors is not None,
            unlit=mesh.material.unlit,
            blended=blended,
            emissive=emissive,
            glows=emissive and mesh.material.emissive_texture is not None,
            mirrors=mesh.mirrors,
        )

    def skinned(self, method: Skinning, *, fading: bool = False) -> "MeshVariant":
        """Return the shader features for a crowd with the skinning method `method`.

        If `fading` is True, actors can fade in and out.
        """
        fading = fading or self.blended  # blended meshes omit samples, as fading actors do
        return (
            self if (method, fading) == (self.skinning, self.fading) else replace(self, skinning=method, fading=fading)
        )

    def shaded(self, shadows: ShadowLookup) -> "MeshVariant":
        """Return the shader features with the shadow look-up `shadows`. An unlit mesh has no shadow look-up."""
        return replace(self, shadows="none" if self.unlit else shadows)

    @property
    def skin_defines(self) -> tuple[str, ...]:
        """Return the preprocessor defines for skinning, morphing and fading."""
        names = defines_of(MORPHS=self.morphed, FIGURES=self.figured, FADING=self.fading, MIRRORS=self.mirrors)
        rows = () if self.skinning == "classic" else (f"ENTRY_ROWS {LAYOUTS[self.skinning].rows}",)
        return (f"INFLUENCES {self.influence_count}", self.skinning.upper(), *rows, *names)

    @property
    def defines(self) -> tuple[str, ...]:
        """Return all preprocessor defines of the shader program."""
        own = defines_of(
            FLAT_NORMALS=self.flat,
            CUTOUT=self.cutout,
            UNLIT=self.unlit,
            BLENDED=self.blended,
            EMISSIVE=self.emissive,
            EMISSIVE_TEXTURED=self.glows,
            KEEPS_FRONT=self.mirrors and not self.double_sided,
            # the front and the back of an unlit mesh have equal colours
            DOUBLE_SIDED=self.double_sided and not self.unlit,
            SHADOWS_BY_FRAGMENT=self.shadows == "fragment",
            SHADOWS_BY_VERTEX=self.shadows == "vertex",
        )
        return (*self.skin_defines, *self.color_defines, *own)

    @property
    def color_defines(self) -> tuple[str, ...]:
        """Return the preprocessor defines for the base colour."""
        return defines_of(TEXTURED=self.textured, VARIANTS=self.varied, VERTEX_COLORS=self.colored)


class MeshBuffers(Resource):
    """The buffers and the vertex array of one mesh on the GPU."""

    def __init__(self, mesh: Mesh, textures: TextureCache) -> None:
        self.mesh = mesh
        self.variant = MeshVariant.of(mesh)
        # Back faces of a closed mesh are never visible.
        self.closed = mesh.material.alpha_cutoff is None and is_closed(mesh)
        self._textures = textures
        self.texture: ImageTexture | None = None
        self.emissive_texture: ImageTexture | None = None
        if mesh.material.texture is not None:
            self.texture = textures.acquire(mesh.material.texture)
        if self.variant.glows and mesh.material.emissive_texture is not None:
            self.emissive_texture = textures.acquire(mesh.material.emissive_texture)
        self._morphs = self.keep(MorphBuffers(mesh.morphs)) if mesh.morphs is not None else None
        self._figures = self.keep(FigureBuffers(mesh.figures)) if mesh.figures is not None else None
        self._vertex_array = self.keep(InstancedArray())
        gl.glBindVertexArray(self._vertex_array.name)
        vertices = interleave(mesh)
        self.keep(Buffer(gl.GL_ARRAY_BUFFER, vertices))
        point_vertex_attributes(vertices.dtype)
        indices = np.ascontiguousarray(mesh.indices, np.uint32)
        self.keep(Buffer(gl.GL_ELEMENT_ARRAY_BUFFER, reuse_order(indices, mesh.vertex_count)))
        gl.glBindVertexArray(0)

    def bind_shapes(self, program: Program, stride: int) -> None:
        """Bind the figures and morph targets of the mesh for the current shader program. See `MorphBuffers.bind`."""
        if self._figures is not None:
            self._figures.bind(program)
        if self._morphs is not None:
            self._morphs.bind(program, stride)

    def draw(self, instances: Instances | IndirectInstances, number: int = 0) -> None:
        """Draw the mesh for all actors in `instances`, with one GL call.

        `number` is the index of the mesh in its model.
        """
        instances.draw_triangles(self._vertex_array, len(self.mesh.indices), number)

    def draw_points(self, instances: Instances) -> None:
        """Process all vertices of the mesh as points, actor by actor.

        For transform feedback, all vertices of an actor must come one after another.
        """
        instances.draw_points(self._vertex_array, self.mesh.vertex_count)

    def _release(self) -> None:
        super()._release()
        for texture in (self.texture, self.emissive_texture):
            if texture is not None:
                self._textures.release(texture)


class ModelBuffers(Resource):
    """A model: the meshes of one level of detail on the GPU. All meshes of an actor use one palette."""

    def __init__(self, meshes: tuple[Mesh, ...], textures: TextureCache) -> None:
        self.meshes = tuple(self.keep(MeshBuffers(mesh, textures)) for mesh in meshes)
        # The smallest number of entries that a palette for this model can have.
        self.min_palette_count = max((int(mesh.palette_indices.max(initial=0)) + 1 for mesh in meshes), default=1)
        # The smallest number of columns that morph weights for this model can have.
        self.min_morph_count = max((mesh.morphs.columns.stop for mesh in meshes if mesh.morphs), default=0)
        # The smallest number of variants of a mesh with variants: each variant number of an actor must be below this
        # number. 0 = no mesh has variants.
        self.variant_count = min((mesh.variant_count for mesh in meshes if mesh.variant_count), default=0)


def _is_clear(mesh: Mesh) -> bool:
    """Return whether a mesh is drawn with alpha blending and is transparent."""
    material, colors = mesh.material, mesh.colors
    picture = material.texture is not None and bool((material.texture.pixels[..., 3] < 255).any())
    painted = colors is not None and bool((colors[:, 3] < 1).any())
    return material.blended and (material.base_color[3] < 1 or picture or painted)

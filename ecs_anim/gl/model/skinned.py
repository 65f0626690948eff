"""Drawing of skinned meshes. All meshes of a drawing pass use one fragment shader.

Each set of shader features has one shader program. Each mesh needs one instanced draw call.
"""

from collections.abc import Iterable, Mapping, Sequence

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program, Programs
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import EMISSIVE_UNIT, IMAGE_UNIT, PALETTE_UNIT, SHADOW_UNIT
from ecs_anim.gl.model.model import MeshVariant, ShadowLookup
from ecs_anim.gl.model.part import Part

Uniform = int | tuple[float, ...]  # an integer (a number or the texture unit of a sampler), or a vector


class SkinnedPass(Resource):
    """A drawing pass for skinned meshes with shaders/skinned.vert and one fragment shader."""

    def __init__(self, fragment: str, defines: Iterable[str] = (), *, is_shaded: bool = True) -> None:
        self._is_shaded = is_shaded
        self.has_shadows = True  # whether a shadow map is bound
        self.picture_defines: tuple[str, ...] = ()  # preprocessor defines of the present picture
        self._defines = tuple(defines)
        self._programs = self.keep(
            Programs(
                "skinned.vert",
                fragment,
                palettes=PALETTE_UNIT,
                base_texture=IMAGE_UNIT,
                emissive_texture=EMISSIVE_UNIT,
                shadow_map=SHADOW_UNIT,
            )
        )

    def prepare(self, variant: MeshVariant) -> None:
        """Compile the shader program of `variant`. An early call makes the first picture faster."""
        self._program(variant)

    def draw(self, part: Part, each: Sequence[Mapping[str, int]] = (), **uniforms: Uniform) -> None:
        """Draw a part of a crowd with one draw call for each mesh.

        `uniforms` are uniforms for all meshes. `each` contains the uniforms of single meshes.
        """
        for number in range(len(part.model.meshes)):
            self._draw_mesh(part, number, {**uniforms, **each[number]} if each else uniforms)

    def _draw_mesh(self, part: Part, number: int, uniforms: Mapping[str, Uniform]) -> None:
        mesh = part.model.meshes[number]
        material = mesh.mesh.material
        variant = mesh.variant.skinned(part.skinning, fading=part.is_fading)
        program = self._program(variant.shaded(self._shadows(part)))
        for name, value in uniforms.items():
            if isinstance(value, int):
                program.set_int(name, value)
            else:
                program.set_float(name, *value)
        program.set_float("base_color", *material.base_color)
        if mesh.texture is not None:
            mesh.texture.bind(IMAGE_UNIT)
        if mesh.variant.emissive:
            program.set_float("emissive", *material.emissive)
        if mesh.emissive_texture is not None:
            mesh.emissive_texture.bind(EMISSIVE_UNIT)
        if material.alpha_cutoff is not None:
            program.set_float("alpha_cutoff", material.alpha_cutoff)
        if mesh.variant.double_sided or mesh.variant.mirrors:
            gl.glDisable(gl.GL_CULL_FACE)
        part.bind(program, number)
        mesh.draw(part.instances, number)
        gl.glEnable(gl.GL_CULL_FACE)

    def _shadows(self, part: Part) -> ShadowLookup:
        if not (self._is_shaded and self.has_shadows):
            return "none"
        return "vertex" if part.far else "fragment"

    def _program(self, variant: MeshVariant) -> Program:
        """Return the shader program for `variant`. The program becomes the current program."""
        return self._programs.of((*variant.defines, *self._defines, *self.picture_defines))

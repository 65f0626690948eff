"""Drawing of skinned meshes with one fragment shader.

Each shader variant has one program. Each mesh needs one instanced draw call.
"""

from collections.abc import Iterable, Mapping, Sequence

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program, Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import EMISSIVE_UNIT, IMAGE_UNIT, PALETTE_UNIT, SHADOW_UNIT
from ecs_anim.gl.model.model import MeshVariant, ShadowLookup
from ecs_anim.gl.model.part import Part

Uniform = int | tuple[float, ...]  # an integer or a sampler's unit; a vector


class SkinnedPass(Resource):
    """Programs from skinned.vert and one fragment shader. A program is compiled when the first mesh needs it."""

    def __init__(self, fragment: str, defines: Iterable[str] = (), *, is_shaded: bool = True) -> None:
        self._is_shaded = is_shaded
        self.has_shadows = True  # whether a shadow map is bound
        self.quick_shadows = False
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
        """Compile the program of a variant early, to keep the first picture fast."""
        self._program(variant)

    def draw(self, part: Part, each: Sequence[Mapping[str, int]] = (), **uniforms: Uniform) -> None:
        """Draw a part with one draw call for each mesh. `uniforms` are set for all meshes, `each` for single meshes."""
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
        """Return the program of a variant, and make it the current program."""
        quick = defines_of(QUICK_SHADOWS=self.quick_shadows)
        return self._programs.of((*variant.defines, *self._defines, *quick))

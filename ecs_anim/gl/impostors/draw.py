"""Drawing of distant actors as impostors. An impostor is one instanced quad."""

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import SHADOW_UNIT
from ecs_anim.gl.model.instances import InstancedQuad
from ecs_anim.gl.model.part import Part


class ImpostorPass(Resource):
    """A drawing pass that draws actors as impostors, with one draw call for each `Part` of a crowd.

    With several samples per pixel, an impostor can cover only some samples of a pixel. With one sample per pixel, an
    impostor covers a pixel completely or not at all.
    """

    def __init__(self, samples: int) -> None:
        self.has_shadows = True  # true = the shaders look up shadows in the bound shadow map
        self.picture_defines: tuple[str, ...] = ()  # preprocessor defines of the present picture
        self._samples = samples
        self._programs = self.keep(Programs("impostor.vert", "impostor.frag", shadow_map=SHADOW_UNIT))
        self._quad = self.keep(InstancedQuad())

    def draw(self, part: Part) -> None:
        """Draw all actors in `part` as impostors."""
        flags = defines_of(SHADOWS=self.has_shadows, NAMED=part.names_pictures)
        program = self._programs.of((f"SAMPLES {self._samples}", *flags, *self.picture_defines))
        assert part.uniforms is not None
        part.uniforms(program)
        gl.glDisable(gl.GL_CULL_FACE)
        if self._samples > 1:
            gl.glEnable(gl.GL_SAMPLE_ALPHA_TO_COVERAGE)
        part.instances.draw_quad(self._quad, 0)
        gl.glDisable(gl.GL_SAMPLE_ALPHA_TO_COVERAGE)
        gl.glEnable(gl.GL_CULL_FACE)

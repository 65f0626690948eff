"""Draws far actors as pictures of them: one instanced quad each."""

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import SHADOW_UNIT
from ecs_anim.gl.model.instances import InstancedQuad
from ecs_anim.gl.model.part import Part


class ImpostorPass(Resource):
    """One draw call a part. Where pixels have several samples a picture covers some of them, otherwise all or none."""

    def __init__(self, samples: int) -> None:
        self.has_shadows = True  # on the sun's map that is bound
        self._samples = samples
        self._programs = self.keep(Programs("impostor.vert", "impostor.frag", shadow_map=SHADOW_UNIT))
        self._quad = self.keep(InstancedQuad())

    def draw(self, part: Part) -> None:
        """A part whose actors are shown as impostors."""
        flags = defines_of(SHADOWS=self.has_shadows, NAMED=part.names_pictures)
        program = self._programs.of((f"SAMPLES {self._samples}", *flags))
        assert part.uniforms is not None
        part.uniforms(program)
        gl.glDisable(gl.GL_CULL_FACE)
        if self._samples > 1:
            gl.glEnable(gl.GL_SAMPLE_ALPHA_TO_COVERAGE)
        part.instances.draw_quad(self._quad, 0)
        gl.glDisable(gl.GL_SAMPLE_ALPHA_TO_COVERAGE)
        gl.glEnable(gl.GL_CULL_FACE)

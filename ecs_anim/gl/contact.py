"""Soft shadows where actors touch the ground."""

from collections.abc import Sequence

from ecs_anim.gl import api as gl
from ecs_anim.gl.buffers import StreamBuffer
from ecs_anim.gl.crowd import CrowdDraw
from ecs_anim.gl.model import point_instance_attributes
from ecs_anim.gl.program import Program
from ecs_anim.gl.resource import Resource, delete, generate


class ContactShadows(Resource):
    """One instanced draw a crowd: a quad below every actor that darkens the ground.

    Drawn right after the ground, when nothing else has depth yet, so no depth test can flicker.
    """

    def __init__(self, instances: StreamBuffer) -> None:
        self._instances = instances
        self._program = Program("contact.vert", "contact.frag")
        self._vertex_array = generate("VertexArrays")
        gl.glBindVertexArray(self._vertex_array)
        instances.bind()
        point_instance_attributes()
        gl.glBindVertexArray(0)

    def draw(self, crowds: Sequence[CrowdDraw]) -> None:
        """Darken the ground below all crowds that have a shadow radius."""
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_ZERO, gl.GL_SRC_COLOR)
        self._program.use()
        for crowd in crowds:
            if crowd.shadow_radius > 0 and crowd.actor_count:
                self._instances.write(crowd.instances)
                self._program.set_float("radius", crowd.shadow_radius)
                gl.glBindVertexArray(self._vertex_array)
                gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, crowd.actor_count)
        gl.glDisable(gl.GL_BLEND)
        gl.glEnable(gl.GL_DEPTH_TEST)

    def _release(self) -> None:
        delete("VertexArrays", self._vertex_array)
        self._program.free()
